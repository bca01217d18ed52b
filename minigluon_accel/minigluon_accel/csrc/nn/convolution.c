/* Convolutions, and their gradients for the data: matrix products whose second factor, the windows, is never stored.

     out (rows, columns) = weight (rows, depth) · windows (depth, columns)

   rows are the output's channels (of a group); the depth runs over the source's channels and the taps of the kernel,
   and the columns are windows, one for each position (z, y, x) in an image. A panel of columns is packed from the
   source just before it is multiplied by all rows, so it stays in the first-level cache while the packed weights are
   streamed. */

#include "../gemm.h"
#include "convolution_windows.h"

typedef struct { int64_t first, step, size; } Place;           /* output o is at position first + o * step of `size` */
typedef struct { int64_t first, step, size; } KernelAxis;      /* tap t is at position first + t * step of `size` */

FIELDS(Convolve,
    Windows windows;
    Place z_at, y_at, x_at;
    KernelAxis z_kernel, y_kernel, x_kernel;
    int64_t batch, groups, rows, channels;                      /* per group: rows of output, channels of the source */
    int64_t row_stride, channel_stride;                         /* strides in the weight */
    int64_t images, lines, shares;                              /* images and outputs along z in a part; shares of
                                                                   rows */
    int64_t relu, finite;                                       /* finite: refuse non-finite weights */
    int64_t source, weight, bias, other, out, packed;           /* indices in io; bias -1: no bias; other -1: nothing
                                                                   else to add */
    int64_t bias_at;                                            /* offset of the bias in its array */
    double cap;                                                 /* if above 0, min(·, cap) is applied at the end */
    int64_t pools_z, pools_x;                                   /* windows of the max pooling that follows; 0 if there
                                                                   is none */
    int64_t pool_z, pool_x, pool_z_step, pool_x_step;
    int64_t winners;                                            /* index in io of the pooling indices, or -1 */
)

static int64_t depth_of(const Convolve *s) {
    return s->channels * s->windows.z.taps * s->windows.y.taps * s->windows.x.taps;
}

static int64_t windows_of(const Convolve *s) { return s->windows.z.out * s->windows.y.out * s->windows.x.out; }

/* -- packing the weights ------------------------------------------------------------------------------------------- */

/* The offsets of the taps of each channel in the weight. */
static void weight_offsets(int64_t *offsets, const Convolve *s) {
    for (int64_t c = 0; c < s->channels; c++)
        for (int64_t i = 0; i < s->windows.z.taps; i++)
            for (int64_t j = 0; j < s->windows.y.taps; j++)
                for (int64_t l = 0; l < s->windows.x.taps; l++) {
                    int64_t z = s->z_kernel.first + i * s->z_kernel.step, y = s->y_kernel.first + j * s->y_kernel.step;
                    *offsets++ = c * s->channel_stride + (z * s->y_kernel.size + y) * s->x_kernel.size
                               + s->x_kernel.first + l * s->x_kernel.step;
                }
}

static int is_finite(const real *x, int64_t count) {
    vec sum = {0};
    for (int64_t i = 0; i < count; i += LANES)
        sum += (i + LANES <= count ? load(x + i) : load_some(x + i, count - i, 0)) * 0;
    return sum_lanes(sum) == 0;
}

/* Returns DONE, or REFUSED if there is an infinity or NaN. In the gradient of the data, these values would be
   multiplied by the zeros around the gradient, which produces NaN; the reference has no windows there. */
static int pack_panel_of_weights(const Convolve *s, const real *weight, real *packed, const int64_t *offsets,
                                 int64_t group, int64_t panel) {
    int64_t depth = depth_of(s), panels = row_panels(s->rows);
    int64_t of_group = max_int(s->rows * s->row_stride, s->channels * s->channel_stride);
    Range rows = row_panel(s->rows, panel);
    weight += group * of_group + rows.begin * s->row_stride;
    packed += group * panels * TILE_ROWS * depth;
    for (int64_t begin = 0; begin < depth; begin += DEPTH) {
        int64_t length = min_int(depth - begin, DEPTH);
        real *to = packed + panels * TILE_ROWS * begin + panel * TILE_ROWS * length;
        if (offsets[begin + length - 1] - offsets[begin] == length - 1 && !s->finite)
            pack_across(to, TILE_ROWS, weight + offsets[begin], s->row_stride, rows.end - rows.begin, length);
        else
            for (int64_t k = 0; k < length; k++)
                for (int64_t i = 0; i < TILE_ROWS; i++)
                    to[k * TILE_ROWS + i] = i < rows.end - rows.begin ? weight[i * s->row_stride + offsets[begin + k]] : 0;
        if (s->finite && !is_finite(to, length * TILE_ROWS)) return REFUSED;
    }
    return DONE;
}

/* Packs the weights of each group in blocks of DEPTH, and each block in panels of rows. */
static int pack_weights(const void *fields, void *const *io, int64_t part, int64_t parts) {
    const Convolve *s = fields;
    int64_t *offsets = thread_scratch(max_int(depth_of(s), 1) * sizeof(int64_t)), panels = row_panels(s->rows);
    if (!offsets) return NO_MEMORY;
    weight_offsets(offsets, s);
    Range range = range_of(s->groups * panels, part, parts);
    int status = DONE;
    for (int64_t p = range.begin; p < range.end && status == DONE; p++)
        status = pack_panel_of_weights(s, io[s->weight], io[s->packed], offsets, p / panels, p % panels);
    return status;
}

/* -- packing windows ----------------------------------------------------------------------------------------------- */

/* A run of windows that are adjacent in the source: columns lane, lane + 1, ... of a panel begin at `from`, from + 1,
   ... */
typedef struct { int64_t lane, length; const real *from; } Run;

/* The runs of the panel that begins at `column`; columns are numbered consecutively over the images, z, y and x of a
   scene. */
static int find_runs(Run *runs, const Scene *scene, Windows w, int64_t lines, int64_t column, int64_t columns) {
    int count = 0;
    int64_t x = column % w.x.out, y = column / w.x.out % w.y.out;
    int64_t z = column / w.x.out / w.y.out % lines, n = column / w.x.out / w.y.out / lines;
    for (int64_t lane = 0; lane < columns;) {
        int64_t length = min_int(w.x.out - x, columns - lane);
        const real *from = scene->memory + n * scene->image + z * scene->z_step * scene->plane
                         + y * scene->y_step * scene->row + x;
        if (count && runs[count - 1].from + runs[count - 1].length == from) runs[count - 1].length += length;
        else runs[count++] = (Run){lane, length, from};
        lane += length, x = 0;
        if (++y == w.y.out) y = 0, z++;
        if (z == lines) z = 0, n++;
    }
    return count;
}

/* Vectors may be stored past the end of a run; the next run, or the next row, then overwrites the excess. */
static void pack_windows(real *packed, const Run *runs, int count, const int64_t *offsets, int64_t depth,
                         const real *end) {
    if (count == 1 && runs[0].length == TILE_COLUMNS) {
        for (int64_t k = 0; k < depth; k++, packed += TILE_COLUMNS)
            for (int64_t j = 0; j < TILE_COLUMNS; j += LANES) store(packed + j, load(runs[0].from + offsets[k] + j));
        return;
    }
    for (int64_t k = 0; k < depth; k++, packed += TILE_COLUMNS)
        for (const Run *run = runs; run < runs + count; run++) {
            const real *from = run->from + offsets[k];
            real *to = packed + run->lane;
            if (end - from < (run->length + LANES - 1) / LANES * LANES) memcpy(to, from, run->length * sizeof(real));
            else
                for (int64_t j = 0; j < run->length; j += LANES) store(to + j, load(from + j));
        }
}

/* -- the product --------------------------------------------------------------------------------------------------- */

enum { TOGETHER = 4 };          /* panels of columns that are packed together */
#define PACKED (TOGETHER * DEPTH * TILE_COLUMNS + LANES)

typedef struct {
    int64_t *offsets;
    Run *runs;
    real *panel, *scene, *tile;
} Memory;

/* Copies the tiles of `images` images to their positions in the output. */
static void place(const Convolve *s, const real *tile, int64_t stride, real *out, int64_t channels, Range rows,
                  int64_t images, Range z) {
    Windows w = s->windows;
    int64_t plane = s->y_at.size * s->x_at.size;
    for (int64_t n = 0; n < images; n++)
        for (int64_t i = rows.begin; i < rows.end; i++) {
            const real *from = tile + (i - rows.begin) * stride + n * (z.end - z.begin) * w.y.out * w.x.out;
            for (int64_t a = z.begin; a < z.end; a++)
                for (int64_t b = 0; b < w.y.out; b++, from += w.x.out) {
                    real *to = out + ((n * channels + i) * s->z_at.size + s->z_at.first + a * s->z_at.step) * plane
                             + (s->y_at.first + b * s->y_at.step) * s->x_at.size + s->x_at.first;
                    if (s->x_at.step == 1) for (int64_t x = 0; x < w.x.out; x++) to[x] = from[x];
                    else for (int64_t x = 0; x < w.x.out; x++) to[x * s->x_at.step] = from[x];
                }
        }
}

/* The largest values so far and their taps; a later value replaces a value if it is larger or NaN. */
static inline void challenge(vec *best, mask *winner, vec next, bits tap) {
    mask wins = next > *best;
    *winner = (wins & tap) | (~wins & *winner);
    *best = max_vec(*best, next);
}

/* Max pooling of `count` windows along x, on lines `step` apart: 2 x 2, or any size without overlaps. In a row with
   NaN, the last tap wins; in a window with NaN, the winner of the last row wins. */
static inline vec pool_some(const Convolve *s, const real *line, int64_t step, int64_t count, mask *winner) {
    const mask lane = LANE_NUMBERS;
    vec best = {0};
    mask own = {0};
    *winner = (mask){0};
    for (int64_t i = 0; i < s->pool_z; i++, line += step) {
        vec row = {0};
        for (int64_t j = 0; j < s->pool_x; j++) {
            vec seen;
            if (s->pool_x_step == 2) {
                vec a = load(line), b = load(line + LANES);
                seen = mix_lanes(a, b, lane * 2 + (bits)j);
            } else {
                seen = all(0);
                for (int64_t l = 0; l < count; l++) seen[l] = line[l * s->pool_x_step + j];
            }
            if (j == 0) row = seen, own = (mask){0} + (bits)(i * s->pool_x);
            else challenge(&row, &own, seen, (bits)(i * s->pool_x + j));
        }
        own = (mask)select(row != row, (vec)((mask){0} + (bits)((i + 1) * s->pool_x - 1)), (vec)own);
        if (i == 0) best = row, *winner = own;
        else *winner = (mask)select(row > best, (vec)own, (vec)*winner), best = max_vec(best, row);
    }
    *winner = (mask)select(best != best, (vec)own, (vec)*winner);
    return best;
}

/* Pools the tiles of `images` images; relu is applied after the pooling, with the same result as before it. */
static void place_pooled(const Convolve *s, const real *tile, int64_t stride, real *out, uint8_t *winners, Range rows,
                         int64_t images, Range z) {
    int64_t width = s->windows.x.out, first = z.begin / s->pool_z_step;
    int64_t last = min_int(s->pools_z, (z.end - z.begin) / s->pool_z_step + first);
    for (int64_t n = 0; n < images; n++)
        for (int64_t i = rows.begin; i < rows.end; i++)
            for (int64_t a = first; a < last; a++) {
                const real *line = tile + (i - rows.begin) * stride
                                 + (n * (z.end - z.begin) + (a - first) * s->pool_z_step) * width;
                int64_t at = ((n * s->groups * s->rows + i) * s->pools_z + a) * s->pools_x;
                for (int64_t x = 0; x < s->pools_x; x += LANES) {
                    int64_t count = min_int(LANES, s->pools_x - x);
                    mask winner;
                    vec best = pool_some(s, line + x * s->pool_x_step, width, count, &winner);
                    if (s->relu) best = at_least(best, (vec){0});
                    store_some(out + at + x, best, count);
                    for (int64_t l = 0; winners && l < count; l++) winners[at + x + l] = (uint8_t)winner[l];
                }
            }
}

/* All rows of a range of panels times the columns of a scene. Several panels of columns are packed together, so that
   each panel of rows is read once for all of them. */
static void multiply(const Convolve *s, const real *weights, Range panels, const Scene *scene, Memory *m,
                     int64_t lines, int64_t columns, Target target) {
    int64_t depth = depth_of(s), all_panels = row_panels(s->rows), first_row = row_panel(s->rows, panels.begin).begin;
    for (int64_t first = 0; first < columns; first += TOGETHER * TILE_COLUMNS) {
        int64_t last = min_int(columns, first + TOGETHER * TILE_COLUMNS), begin = 0;
        do {
            int64_t length = min_int(depth - begin, DEPTH), panel = length * TILE_COLUMNS;
            real *packed = m->panel;
            for (int64_t column = first; column < last; column += TILE_COLUMNS, packed += panel) {
                int count = find_runs(m->runs, scene, s->windows, lines, column, min_int(last - column, TILE_COLUMNS));
                pack_windows(packed, m->runs, count, m->offsets + begin, length, scene->end);
            }
            Target to = target;
            to.accumulate = begin > 0;
            if (begin + length < depth) to.relu = 0, to.cap = 0, to.row_bias = to.other = NULL;
            for (int64_t p = panels.begin; p < panels.end; p++) {
                Range rows = row_panel(s->rows, p);
                const real *a = weights + all_panels * TILE_ROWS * begin + p * TILE_ROWS * length;
                for (int64_t column = first; column < last; column += TILE_COLUMNS)
                    tile(a, TILE_ROWS, m->panel + (column - first) * length, TILE_COLUMNS, length,
                         rows.begin - first_row, column, rows.end - rows.begin, min_int(last - column, TILE_COLUMNS), &to);
            }
            begin += length;
        } while (begin < depth);
    }
}

static int carve(Memory *m, const Convolve *s, int64_t images, Range z, int64_t tile) {
    int64_t depth = depth_of(s), scene = depth ? scene_size(s->windows, images, s->channels, z) : 0;
    size_t tables = (depth * sizeof(int64_t) + TILE_COLUMNS * sizeof(Run) + 63) / 64 * 64;
    char *memory = thread_scratch(tables + (PACKED + tile + scene) * sizeof(real));
    if (!memory) return NO_MEMORY;
    m->runs = (Run *)memory, m->offsets = (int64_t *)(m->runs + TILE_COLUMNS);
    m->panel = (real *)(memory + tables), m->tile = m->panel + PACKED, m->scene = m->tile + tile;
    return DONE;
}

/* Each part handles one group, a share of its rows, and either some images or some lines of one image. */
static int convolve(const void *fields, void *const *io, int64_t part, int64_t parts) {
    const Convolve *s = fields;
    Windows w = s->windows;
    int64_t cuts = (w.z.out + s->lines - 1) / s->lines, blocks = (s->batch + s->images - 1) / s->images;
    int64_t block = part / cuts % blocks, share = part / cuts / blocks % s->shares, group = part / cuts / blocks / s->shares;
    (void)parts;
    Range z = {part % cuts * s->lines, min_int(w.z.out, (part % cuts + 1) * s->lines)};
    int64_t first = block * s->images, images = min_int(s->batch - first, s->images);
    Range panels = range_of(row_panels(s->rows), share, s->shares);
    if (panels.begin == panels.end) return DONE;
    Range rows = {row_panel(s->rows, panels.begin).begin, row_panel(s->rows, panels.end - 1).end};
    int64_t lines = z.end - z.begin, columns = images * lines * w.y.out * w.x.out;
    int64_t plane = w.z.in * w.y.in * w.x.in, channels = s->groups * s->rows, out_plane = s->z_at.size * s->y_at.size * s->x_at.size;
    int adjacent = images == 1 && windows_of(s) == out_plane && !s->pools_z;
    int64_t stride = (columns + LANES - 1) / LANES * LANES;
    Memory m;
    if (carve(&m, s, images, z, adjacent ? 0 : (rows.end - rows.begin) * stride + 2 * LANES) != DONE) return NO_MEMORY;

    const real *source = io[s->source], *bias = s->bias < 0 ? NULL : (const real *)io[s->bias] + s->bias_at;
    Scene scene = {0};
    if (depth_of(s)) {
        scene = make_scene(m.scene, source + (first * s->groups + group) * s->channels * plane,
                           source + s->batch * s->groups * s->channels * plane, w, images,
                           s->groups * s->channels * plane, s->channels, z);
        tap_offsets(m.offsets, w, &scene, s->channels);
    }
    real *out = (real *)io[s->out] + (first * channels + group * s->rows) * out_plane;
    Target target = {.out = m.tile, .stride = stride, .relu = s->relu && !s->pools_z,
                     .cap = (real)s->cap, .row_bias = bias ? bias + group * s->rows + rows.begin : NULL};
    if (adjacent) target.out = out + rows.begin * out_plane + z.begin * w.y.out * w.x.out, target.stride = out_plane;
    if (s->other >= 0) target.other = (const real *)io[s->other] + (target.out - (real *)io[s->out]);
    const real *weights = (const real *)io[s->packed] + group * row_panels(s->rows) * TILE_ROWS * depth_of(s);
    multiply(s, weights, panels, &scene, &m, lines, columns, target);
    if (s->pools_z) {
        int64_t at = (first * channels + group * s->rows) * s->pools_z * s->pools_x;
        uint8_t *winners = s->winners < 0 ? NULL : (uint8_t *)io[s->winners] + at;
        place_pooled(s, m.tile, stride, (real *)io[s->out] + at, winners, rows, images, z);
    } else if (!adjacent) place(s, m.tile, stride, out, channels, rows, images, z);
    return DONE;
}

KERNELS(KERNEL(pack_weights, Convolve), KERNEL(convolve, Convolve))
