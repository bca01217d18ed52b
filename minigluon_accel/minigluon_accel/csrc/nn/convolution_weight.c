/* The gradient of a convolution's weight: for each filter, channel and tap, the elements that the windows read there
   times the gradient at the windows, summed over all windows of all images.

   The source's elements are read in place, one for each window, and broadcast over a vector of filters. For this, the
   gradient is packed with the filters of each window next to each other, so each of its elements is moved only once,
   instead of once for each tap. Each block of images has its own sums, (group, channel and tap, filter); a second phase
   adds these in order. */

#include "../gemm.h"
#include "convolution_windows.h"

#if defined(__AVX512F__) || defined(__aarch64__)
#define SUM_ROWS 8
#else
#define SUM_ROWS 4
#endif
#define SUM_VECTORS 3
#define SUM_COLUMNS (SUM_VECTORS * LANES)

FIELDS(WeightGrad,
    Windows windows;
    int64_t batch, groups, filters, channels;           /* of one group */
    int64_t images, share;                              /* images and channels in a part */
    int64_t lines;                                      /* outputs along z that are handled together */
    int64_t source, grad, sums, out;                    /* indices in io */
)

static int64_t taps_of(const WeightGrad *s) { return s->windows.z.taps * s->windows.y.taps * s->windows.x.taps; }
static int64_t whole(int64_t filters) { return (filters + LANES - 1) / LANES * LANES; }

/* Packs the gradients at the windows of several lines, (filters, windows) with filters `stride` apart, as
   packed[panel][window][SUM_COLUMNS]. The last panel may be narrower; it has whole vectors, whose unused lanes have
   arbitrary values. */
static void pack_grad(real *packed, const real *grad, int64_t stride, int64_t filters, int64_t windows) {
    for (int64_t f = 0; f < filters; f += SUM_COLUMNS) {
        int64_t count = min_int(filters - f, SUM_COLUMNS);
        pack_across(packed + f * windows, whole(count), grad + f * stride, stride, count, windows);
    }
}

/* sums (rows, vectors of filters) += source at each row's tap · packed gradient, summed over the windows of the
   lines. */
INLINED void add_tile(int rows, int vectors, const real *const *taps, const real *packed, const Scene *scene,
                      int64_t nz, int64_t ny, int64_t nx, real *sums, int64_t stride, int accumulate) {
    vec c[SUM_ROWS][SUM_VECTORS];
#pragma GCC unroll 8
    for (int i = 0; i < rows; i++)
#pragma GCC unroll 4
        for (int j = 0; j < vectors; j++) c[i][j] = accumulate ? load(sums + i * stride + j * LANES) : (vec){0};
    for (int64_t z = 0; z < nz; z++)
        for (int64_t y = 0; y < ny; y++) {
            int64_t at = z * scene->z_step * scene->plane + y * scene->y_step * scene->row;
#pragma GCC unroll 1
            for (int64_t end = at + nx; at < end; at++, packed += vectors * LANES) {
                vec b[SUM_VECTORS];
#pragma GCC unroll 4
                for (int j = 0; j < vectors; j++) b[j] = load(packed + j * LANES);
#pragma GCC unroll 8
                for (int i = 0; i < rows; i++) {
                    vec a = all(taps[i][at]);
#pragma GCC unroll 4
                    for (int j = 0; j < vectors; j++) c[i][j] += a * b[j];
                }
            }
        }
#pragma GCC unroll 8
    for (int i = 0; i < rows; i++)
#pragma GCC unroll 4
        for (int j = 0; j < vectors; j++) store(sums + i * stride + j * LANES, c[i][j]);
}

#define CASE(r, v) case r * 4 + v: add_tile(r, v, taps, packed, scene, nz, ny, nx, sums, stride, accumulate); break;
#define CASES(r) CASE(r, 1) CASE(r, 2) CASE(r, 3)

static void add_rows(int rows, int vectors, const real *const *taps, const real *packed, const Scene *scene,
                     int64_t nz, int64_t ny, int64_t nx, real *sums, int64_t stride, int accumulate) {
    if (ny == 1 && scene->z_step * scene->plane == nx) nx *= nz, nz = 1;       /* lines are contiguous */
    switch (rows * 4 + vectors) {
        CASES(1) CASES(2) CASES(3) CASES(4)
#if SUM_ROWS > 4
        CASES(5) CASES(6) CASES(7) CASES(8)
#endif
    }
}

/* Adds all taps of a scene's channels to sums (channels · taps, whole(filters)). */
static void add_scene(const WeightGrad *s, const Scene *scene, const int64_t *offsets, int64_t channels, int64_t lines,
                      const real *packed, real *sums, int accumulate) {
    Windows w = s->windows;
    int64_t rows = channels * taps_of(s), windows = lines * w.y.out * w.x.out, stride = whole(s->filters);
    int64_t tiles = (rows + SUM_ROWS - 1) / SUM_ROWS;
    for (int64_t f = 0; f < s->filters; f += SUM_COLUMNS) {
        int vectors = (int)(whole(min_int(s->filters - f, SUM_COLUMNS)) / LANES);
        for (int64_t t = 0; t < tiles; t++) {
            Range range = range_of(rows, t, tiles);
            const real *taps[SUM_ROWS];
            for (int64_t i = range.begin; i < range.end; i++) taps[i - range.begin] = scene->memory + offsets[i];
            add_rows((int)(range.end - range.begin), vectors, taps, packed + f * windows, scene, lines, w.y.out, w.x.out,
                     sums + range.begin * stride + f, stride, accumulate);
        }
    }
}

/* Each part handles some images, one group, and a share of its channels. */
static int weight_grad(const void *fields, void *const *io, int64_t part, int64_t parts) {
    const WeightGrad *s = fields;
    (void)parts;
    Windows w = s->windows;
    int64_t shares = (s->channels + s->share - 1) / s->share;
    int64_t share = part % shares, group = part / shares % s->groups, block = part / shares / s->groups;
    int64_t first = share * s->share, channels = min_int(s->channels - first, s->share);
    int64_t plane = w.z.in * w.y.in * w.x.in, windows = w.z.out * w.y.out * w.x.out, across = w.y.out * w.x.out;
    int64_t rows = s->channels * taps_of(s), stride = whole(s->filters);
    int64_t space = 0;
    for (int64_t z = 0; z < w.z.out; z += s->lines) {
        Range range = {z, min_int(w.z.out, z + s->lines)};
        space = max_int(space, scene_size(w, 1, channels, range));
    }
    int64_t packed_size = s->lines * across * stride, tables = (channels * taps_of(s) + 7) / 8 * 8;
    char *memory = thread_scratch(tables * sizeof(int64_t) + (packed_size + space) * sizeof(real));
    if (!memory) return NO_MEMORY;
    int64_t *offsets = (int64_t *)memory;
    real *packed = (real *)(offsets + tables), *room = packed + packed_size;
    real *sums = (real *)io[s->sums] + ((block * s->groups + group) * rows + first * taps_of(s)) * stride;
    const real *source = io[s->source], *grad = io[s->grad], *end = source + s->batch * s->groups * s->channels * plane;
    int accumulate = 0;
    for (int64_t n = block * s->images; n < min_int(s->batch, (block + 1) * s->images); n++)
        for (int64_t line = 0; line < w.z.out; line += s->lines, accumulate = 1) {
            Range z = {line, min_int(w.z.out, line + s->lines)};
            Scene scene = make_scene(room, source + ((n * s->groups + group) * s->channels + first) * plane, end, w, 1, 0,
                                     channels, z);
            tap_offsets(offsets, w, &scene, channels);
            pack_grad(packed, grad + (n * s->groups + group) * s->filters * windows + line * across, windows, s->filters,
                      (z.end - z.begin) * across);
            add_scene(s, &scene, offsets, channels, z.end - z.begin, packed, sums, accumulate);
        }
    return DONE;
}

/* Adds the sums of all blocks of images and transposes the result to out (group, filter, channel and tap), in squares
   of vectors. */
static int weight_sum(const void *fields, void *const *io, int64_t part, int64_t parts) {
    const WeightGrad *s = fields;
    int64_t rows = s->channels * taps_of(s), stride = whole(s->filters), blocks = (s->batch + s->images - 1) / s->images;
    int64_t step = s->groups * rows * stride, strips = stride / LANES;
    Range range = range_of(s->groups * strips, part, parts);
    for (int64_t strip = range.begin; strip < range.end; strip++) {
        int64_t group = strip / strips, f = strip % strips * LANES, wide = min_int(s->filters - f, LANES);
        const real *sums = (const real *)io[s->sums] + group * rows * stride + f;
        real *out = (real *)io[s->out] + (group * s->filters + f) * rows;
        for (int64_t k = 0; k < rows; k += LANES) {
            int64_t high = min_int(rows - k, LANES);
            vec square[VECTOR_BYTES / sizeof(real)];
            for (int64_t i = 0; i < LANES; i++) {
                const real *from = sums + (k + min_int(i, high - 1)) * stride;
                square[i] = load(from);
                for (int64_t b = 1; b < blocks; b++) square[i] += load(from + b * step);
            }
            turn_square(square);
            for (int64_t j = 0; j < wide; j++) {
                if (high == LANES) store(out + j * rows + k, square[j]);
                else store_some(out + j * rows + k, square[j], high);
            }
        }
    }
    return DONE;
}

KERNELS(KERNEL(weight_grad, WeightGrad), KERNEL(weight_sum, WeightGrad))
