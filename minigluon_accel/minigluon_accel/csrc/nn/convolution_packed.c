/* Convolutions whose filters are packed before, once for many calls: see kernels/nn/convolution_packed.py.

     fold_filters       filters times a factor each, and what is added to each result: a BatchNorm of moving statistics
     pack_turned        filters for the product below
     convolve_turned    out (windows, filters) = windows (windows, depth) · filters (depth, filters), turned back

   convolution.c has windows in the lanes of vectors and filters in the rows of a tile. Where an image has few windows
   (7 x 7 fill three vectors and one lane of a fourth), here filters are in the lanes. */

#include "../gemm.h"
#include "windows.h"

/* -- filters ------------------------------------------------------------------------------------------------------- */

FIELDS(Filters,
    int64_t filters, size;                                      /* numbers of a filter */
    int64_t fix_gamma;
    double eps;
    int64_t weight, bias, gamma, beta, mean, var, folded, added;    /* which arrays; -1: no bias, no normalization */
    int64_t added_at;                                           /* where the terms begin in their array */
)

static int fold_filters(const void *fields, void *const *io, int64_t part, int64_t parts) {
    const Filters *s = fields;
    const real *weight = io[s->weight], *bias = s->bias < 0 ? NULL : io[s->bias];
    real *folded = io[s->folded], *added = (real *)io[s->added] + s->added_at;
    Range range = range_of(s->filters, part, parts);
    for (int64_t f = range.begin; f < range.end; f++) {
        real factor = 1, term = bias ? bias[f] : 0;
        if (s->var >= 0) {
            factor = (real)(1 / sqrt(((const real *)io[s->var])[f] + (real)s->eps));
            if (!s->fix_gamma) factor *= ((const real *)io[s->gamma])[f];
            term = (term - ((const real *)io[s->mean])[f]) * factor + ((const real *)io[s->beta])[f];
        }
        for (int64_t i = f * s->size; i < (f + 1) * s->size; i++) folded[i] = weight[i] * factor;
        added[f] = term;
    }
    return DONE;
}

/* Panels of TILE_COLUMNS filters, each with its whole depth; lanes without a filter are 0. */
static int pack_turned(const void *fields, void *const *io, int64_t part, int64_t parts) {
    const Filters *s = fields;
    Range range = range_of(column_panels(s->filters), part, parts);
    for (int64_t p = range.begin; p < range.end; p++) {
        real *packed = (real *)io[s->added] + p * s->size * TILE_COLUMNS;
        int64_t first = p * TILE_COLUMNS, count = min_int(s->filters - first, TILE_COLUMNS);
        if (count < TILE_COLUMNS) memset(packed, 0, s->size * TILE_COLUMNS * sizeof(real));
        pack_across(packed, TILE_COLUMNS, (const real *)io[s->folded] + first * s->size, s->size, count, s->size);
    }
    return DONE;
}

/* -- the product --------------------------------------------------------------------------------------------------- */

FIELDS(Turned,
    Windows windows;
    int64_t batch, filters, channels;
    int64_t cuts, shares;                                       /* of an image's windows, and of the filters */
    int64_t relu;
    double cap;                                                 /* min(·, cap) at the end, if it is above 0 */
    int64_t source, packed, added_at, other, out;               /* which arrays; other -1: nothing to add */
)

typedef struct { int64_t lane, length; const real *from; } Run;     /* windows side by side in the source */

static int64_t find_runs(Run *runs, const Scene *scene, Windows w, Range windows) {
    int64_t count = 0;
    for (int64_t i = windows.begin, length; i < windows.end; i += length) {
        int64_t x = i % w.x.out, y = i / w.x.out % w.y.out, z = i / w.x.out / w.y.out;
        const real *from = scene->memory + z * scene->z_step * scene->plane + y * scene->y_step * scene->row + x;
        length = min_int(w.x.out - x, windows.end - i);
        if (count && runs[count - 1].from + runs[count - 1].length == from) runs[count - 1].length += length;
        else runs[count++] = (Run){i - windows.begin, length, from};
    }
    return count;
}

/* Vectors write over the end of a run; the next run, row or panel then writes what belongs there. */
static void pack_windows(real *packed, const Run *runs, int64_t count, const int64_t *offsets, int64_t depth,
                         const real *end) {
    for (int64_t k = 0; k < depth; k++, packed += TILE_ROWS)
        for (const Run *run = runs; run < runs + count; run++) {
            const real *from = run->from + offsets[k];
            real *to = packed + run->lane;
            if (end - from < (run->length + LANES - 1) / LANES * LANES) memcpy(to, from, run->length * sizeof(real));
            else
                for (int64_t j = 0; j < run->length; j += LANES) store(to + j, load(from + j));
        }
}

/* Filters [first, first + count) of windows [begin, begin + rows): from the lanes of `tile` to planes, finished. */
static void turn_back(const Turned *s, const real *tile, int64_t rows, int64_t count, int64_t plane, real *out,
                      const real *other) {
    for (int64_t f = 0; f < count; f += LANES)
        for (int64_t i = 0; i < rows; i += LANES) {
            vec square[EDGE];
            for (int64_t r = 0; r < LANES; r++) square[r] = load(tile + (i + r) * TILE_COLUMNS + f);
            turn_square(square);
            int64_t some = min_int(rows - i, LANES);
            for (int64_t r = 0; r < min_int(count - f, LANES); r++) {
                int64_t at = (f + r) * plane + i;
                vec x = square[r];
                if (other) x += load_some(other + at, some, 0);
                if (s->relu) x = at_least(x, (vec){0});
                if (s->cap > 0) x = at_most(x, all((real)s->cap));
                store_some(out + at, x, some);
            }
        }
}

/* A part is an image, a cut of its windows and a share of the filters. */
static int convolve_turned(const void *fields, void *const *io, int64_t part, int64_t parts) {
    const Turned *s = fields;
    Windows w = s->windows;
    (void)parts;
    int64_t share = part % s->shares, cut = part / s->shares % s->cuts, n = part / s->shares / s->cuts;
    int64_t plane = w.z.out * w.y.out * w.x.out, size = w.z.in * w.y.in * w.x.in;
    int64_t depth = s->channels * w.z.taps * w.y.taps * w.x.taps;
    Range panels = range_of(row_panels(plane), cut, s->cuts);
    Range filters = range_of(column_panels(s->filters), share, s->shares);
    if (panels.begin == panels.end || filters.begin == filters.end) return DONE;
    int64_t begin = row_panel(plane, panels.begin).begin, rows = row_panel(plane, panels.end - 1).end - begin;
    Range all_z = {0, w.z.out};
    size_t tables = (depth * sizeof(int64_t) + TILE_ROWS * sizeof(Run) + 63) / 64 * 64;
    int64_t of_a = (panels.end - panels.begin) * TILE_ROWS * depth + 2 * LANES, of_tile = (rows + LANES) * TILE_COLUMNS;
    char *memory = thread_scratch(tables + (of_a + of_tile + scene_size(w, 1, s->channels, all_z)) * sizeof(real));
    if (!memory) return NO_MEMORY;
    Run *runs = (Run *)memory;
    int64_t *offsets = (int64_t *)(runs + TILE_ROWS);
    real *a = (real *)(memory + tables), *sums = a + of_a;
    const real *source = io[s->source], *packed = io[s->packed];

    const real *image = source + n * s->channels * size, *end = source + s->batch * s->channels * size;
    Scene scene = make_scene(sums + of_tile, image, end, w, 1, 0, s->channels, all_z);
    tap_offsets(offsets, w, &scene, s->channels);
    for (int64_t p = panels.begin; p < panels.end; p++)
        pack_windows(a + (p - panels.begin) * TILE_ROWS * depth, runs, find_runs(runs, &scene, w, row_panel(plane, p)),
                     offsets, depth, scene.end);
    for (int64_t f = filters.begin; f < filters.end; f++) {
        int64_t first = f * TILE_COLUMNS, count = min_int(s->filters - first, TILE_COLUMNS);
        for (int64_t k = 0; k < depth; k += DEPTH) {
            Target to = {.out = sums, .stride = TILE_COLUMNS, .accumulate = k > 0};
            const real *b = packed + (f * depth + k) * TILE_COLUMNS;
            int64_t length = min_int(depth - k, DEPTH);
            if (k + DEPTH >= depth) to.column_bias = packed + s->added_at + first;
            for (int64_t p = panels.begin; p < panels.end; p++) {
                Range range = row_panel(plane, p);
                tile(a + ((p - panels.begin) * depth + k) * TILE_ROWS, TILE_ROWS, b, TILE_COLUMNS, length,
                     range.begin - begin, 0, range.end - range.begin, count, &to);
            }
        }
        int64_t at = (n * s->filters + first) * plane + begin;
        turn_back(s, sums, rows, count, plane, (real *)io[s->out] + at,
                  s->other < 0 ? NULL : (const real *)io[s->other] + at);
    }
    return DONE;
}

KERNELS(KERNEL(fold_filters, Filters), KERNEL(pack_turned, Filters), KERNEL(convolve_turned, Turned))
