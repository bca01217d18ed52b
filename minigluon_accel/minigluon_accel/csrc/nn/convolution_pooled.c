/* The gradients of a convolution followed by a max pooling with non-overlapping windows.

   Only the winner of each pooling window, which is one of the convolution windows that it covers, has a gradient. So
   the windows of the convolution, and not its filters, are stored here as contiguous rows, with one element for each
   channel and tap. The gradient of a filter is the sum of its winners' rows, each multiplied by the winner's gradient;
   the gradient of a window's row is the sum of the filters that won there, each multiplied by its gradient. The rows
   are padded to whole vectors.

   The rows of an image run along z; y is not used. Neighbors along x in a window are also neighbors in the source. */

#include "convolution_windows.h"

FIELDS(Pooled,
    Windows windows;
    int64_t batch, filters, channels;
    int64_t pools_z, pools_x, pool_width, pool_step_z, pool_step_x;     /* number of pooling windows; size of a pooling
                                                                           window */
    int64_t images;                                                     /* number of images of a part */
    int64_t grad, winners, other, out, stash;                           /* indices in io; other: data or weight */
)

static int64_t runs_of(const Pooled *s) { return s->channels * s->windows.z.taps; }
static int64_t numbers_of(const Pooled *s) { return runs_of(s) * s->windows.x.taps; }
static int64_t whole(int64_t count) { return (count + LANES - 1) / LANES * LANES; }
static int64_t windows_of(const Pooled *s) { return s->windows.z.out * s->windows.x.out; }

static int is_finite(const real *x, int64_t count) {
    vec sum = {0};
    for (int64_t i = 0; i < count; i += LANES)
        sum += (i + LANES <= count ? load(x + i) : load_some(x + i, count - i, 0)) * 0;
    return sum_lanes(sum) == 0;
}

/* -- winners ------------------------------------------------------------------------------------------------------- */

typedef struct { int32_t window, filter; real grad; } Winner;

enum { TAPS = 256 };            /* the maximum number of taps that a byte can index */

/* The offset of each tap of a pooling window from the window's first tap. */
static void place_taps(const Pooled *s, int32_t *places) {
    for (int64_t t = 0; t < TAPS; t++)
        places[t] = (int32_t)(t / s->pool_width * s->windows.x.out + t % s->pool_width);
}

/* The convolution windows that won for each filter of an image, with their gradients; windows with gradient 0 are left
   out. first: index of each filter's first winner, followed by the total number of winners. */
static int64_t find_argmax(const Pooled *s, Winner *list, int32_t *first, const int32_t *places, const real *grad,
                            const uint8_t *winners) {
    int64_t count = 0;
    for (int64_t f = 0; f < s->filters; f++) {
        if (first) first[f] = (int32_t)count;
        for (int64_t z = 0; z < s->pools_z; z++) {
            int64_t at = z * s->pool_step_z * s->windows.x.out;
            for (int64_t x = 0; x < s->pools_x; x++, grad++, winners++, at += s->pool_step_x) {
                list[count] = (Winner){(int32_t)at + places[*winners], (int32_t)f, *grad};
                count += *grad != 0;
            }
        }
    }
    if (first) first[s->filters] = (int32_t)count;
    return count;
}

/* Adds to `vectors` vectors of a sum the same vectors of the winners' rows, each multiplied by its winner's
   gradient. */
static inline __attribute__((always_inline)) void add_some(int vectors, real *sum, const real *rows, int64_t length,
                                                           const Winner *list, int64_t count, int by_filter) {
    enum { MAX_VECTORS = 8 };
    vec even[MAX_VECTORS], odd[MAX_VECTORS];          /* two sums if there are few vectors, because an addition to a
                                                         single sum would wait for the previous one */
    int pairs = vectors < 4;
    for (int v = 0; v < vectors; v++) even[v] = load(sum + v * LANES), odd[v] = (vec){0};
    int64_t i = 0;
    if (pairs)
        for (; i + 1 < count; i += 2) {
            const real *a = rows + (by_filter ? list[i].filter : list[i].window) * length;
            const real *b = rows + (by_filter ? list[i + 1].filter : list[i + 1].window) * length;
            for (int v = 0; v < vectors; v++) even[v] += all(list[i].grad) * load(a + v * LANES);
            for (int v = 0; v < vectors; v++) odd[v] += all(list[i + 1].grad) * load(b + v * LANES);
        }
    for (; i < count; i++) {
        const real *a = rows + (by_filter ? list[i].filter : list[i].window) * length;
        for (int v = 0; v < vectors; v++) even[v] += all(list[i].grad) * load(a + v * LANES);
    }
    for (int v = 0; v < vectors; v++) {
        if (pairs) even[v] += odd[v];
        store(sum + v * LANES, even[v]);
    }
}

/* Adds the rows of each group's winners to sums (groups, length), a few vectors at a time, so that these vectors of all
   rows fit in the cache. */
static void add_rows(real *sums, int64_t groups, int64_t length, const real *rows, const Winner *list,
                     const int32_t *first, int by_filter) {
    int64_t at = 0;
#define STEP(V)                                                                                                     \
    for (; at + V * LANES <= length; at += V * LANES)                                                               \
        for (int64_t g = 0; g < groups; g++)                                                                        \
            if (first[g] < first[g + 1])                                                                            \
                add_some(V, sums + g * length + at, rows + at, length, list + first[g], first[g + 1] - first[g], by_filter);
    STEP(8) STEP(4) STEP(2) STEP(1)
}

/* -- the gradient of the weight ------------------------------------------------------------------------------------ */

/* The windows of an image as rows, copied in runs of `taps`. */
static inline __attribute__((always_inline)) void unroll_runs(const Pooled *s, real *rows, const Scene *scene,
                                                              const int64_t *offsets, int64_t taps) {
    int64_t runs = runs_of(s), numbers = numbers_of(s), length = whole(numbers);
    for (int64_t z = 0; z < s->windows.z.out; z++)
        for (int64_t x = 0; x < s->windows.x.out; x++, rows += length) {
            const real *from = scene->memory + z * scene->z_step * scene->plane + x;
            for (int64_t r = 0; r < runs; r++) memcpy(rows + r * taps, from + offsets[r * taps], taps * sizeof(real));
            for (int64_t i = numbers; i < length; i++) rows[i] = 0;
        }
}

static void unroll(const Pooled *s, real *rows, const Scene *scene, const int64_t *offsets) {
    switch (s->windows.x.taps) {                /* the compiler turns a copy of constant length into a few moves */
        case 2: unroll_runs(s, rows, scene, offsets, 2); break;
        case 3: unroll_runs(s, rows, scene, offsets, 3); break;
        case 4: unroll_runs(s, rows, scene, offsets, 4); break;
        case 5: unroll_runs(s, rows, scene, offsets, 5); break;
        case 7: unroll_runs(s, rows, scene, offsets, 7); break;
        default: unroll_runs(s, rows, scene, offsets, s->windows.x.taps);
    }
}

/* Each part handles some images, and has its own sums (filters, whole(numbers)). */
static int pooled_weight_grad(const void *fields, void *const *io, int64_t part, int64_t parts) {
    const Pooled *s = fields;
    Windows w = s->windows;
    (void)parts;
    int64_t numbers = numbers_of(s), length = whole(numbers), plane = w.z.in * w.x.in, pools = s->pools_z * s->pools_x;
    Range z = {0, w.z.out};
    size_t lists = s->filters * pools * sizeof(Winner) + (TAPS + s->filters + 1) * sizeof(int32_t);
    size_t tables = (numbers * sizeof(int64_t) + lists + 63) / 64 * 64;
    char *memory = thread_scratch(tables + (windows_of(s) * length + scene_size(w, 1, s->channels, z)) * sizeof(real));
    if (!memory) return NO_MEMORY;
    int64_t *offsets = (int64_t *)memory;
    Winner *list = (Winner *)(offsets + numbers);
    int32_t *places = (int32_t *)(list + s->filters * pools), *first = places + TAPS;
    real *rows = (real *)(memory + tables), *room = rows + windows_of(s) * length;
    const real *source = io[s->other], *grad = io[s->grad], *end = source + s->batch * s->channels * plane;
    const uint8_t *winners = io[s->winners];
    real *sums = (real *)io[s->stash] + part * s->filters * length;
    memset(sums, 0, s->filters * length * sizeof(real));
    place_taps(s, places);
    for (int64_t n = part * s->images; n < min_int(s->batch, (part + 1) * s->images); n++) {
        const real *image = source + n * s->channels * plane;
        if (!is_finite(image, s->channels * plane)) return REFUSED;     /* the reference's sums would be NaN */
        Scene scene = make_scene(room, image, end, w, 1, 0, s->channels, z);
        tap_offsets(offsets, w, &scene, s->channels);
        unroll(s, rows, &scene, offsets);
        int64_t at = n * s->filters * pools;
        find_argmax(s, list, first, places, grad + at, winners + at);
        add_rows(sums, s->filters, length, rows, list, first, 0);
    }
    return DONE;
}

static int pooled_weight_sum(const void *fields, void *const *io, int64_t part, int64_t parts) {
    const Pooled *s = fields;
    int64_t numbers = numbers_of(s), length = whole(numbers), blocks = (s->batch + s->images - 1) / s->images;
    Range range = range_of(s->filters, part, parts);
    for (int64_t f = range.begin; f < range.end; f++) {
        const real *sums = (const real *)io[s->stash] + f * length;
        real *out = (real *)io[s->out] + f * numbers;
        for (int64_t i = 0; i < numbers; i++) out[i] = sums[i];
        for (int64_t b = 1; b < blocks; b++)
            for (int64_t i = 0; i < numbers; i++) out[i] += sums[b * s->filters * length + i];
    }
    return DONE;
}

/* -- the gradient of the data -------------------------------------------------------------------------------------- */

/* The filters, padded to rows of whole vectors. */
static int pooled_filters(const void *fields, void *const *io, int64_t part, int64_t parts) {
    const Pooled *s = fields;
    int64_t numbers = numbers_of(s), length = whole(numbers);
    Range range = range_of(s->filters, part, parts);
    for (int64_t f = range.begin; f < range.end; f++) {
        const real *from = (const real *)io[s->other] + f * numbers;
        real *to = (real *)io[s->stash] + f * length;
        if (!is_finite(from, numbers)) return REFUSED;
        memcpy(to, from, numbers * sizeof(real));
        for (int64_t i = numbers; i < length; i++) to[i] = 0;
    }
    return DONE;
}

/* All winners of an image, grouped by window. first: index of each window's first winner, followed by the total number
   of winners. */
static void sort_winners(const Pooled *s, Winner *sorted, Winner *list, int32_t *first, const int32_t *places,
                         const real *grad, const uint8_t *winners) {
    int64_t windows = windows_of(s), count = find_argmax(s, list, NULL, places, grad, winners);
    memset(first, 0, (windows + 2) * sizeof *first);
    for (int64_t i = 0; i < count; i++) first[list[i].window + 2]++;
    for (int64_t p = 2; p < windows + 2; p++) first[p] += first[p - 1];
    for (int64_t i = 0; i < count; i++) sorted[first[list[i].window + 1]++] = list[i];
}

/* Adds the row of a window to the elements that the window has read, one run of taps after another: whole vectors, then
   the remaining taps. */
static void fold(const Pooled *s, real *image, int64_t width, int64_t channel, const real *row, mask last) {
    int64_t taps = s->windows.x.taps, before = (taps - 1) / LANES * LANES;
    for (int64_t c = 0; c < s->channels; c++, image += channel) {
        real *to = image;
        for (int64_t i = 0; i < s->windows.z.taps; i++, to += s->windows.z.apart * width, row += taps) {
            for (int64_t x = 0; x < before; x += LANES) store(to + x, load(to + x) + load(row + x));
            store(to + before, load(to + before) + (vec)((mask)load(row + before) & last));
        }
    }
}

/* Each part handles a subset of the images. Each image is computed with its padding, and with space for a vector after
   each line. */
static int pooled_data_grad(const void *fields, void *const *io, int64_t part, int64_t parts) {
    const Pooled *s = fields;
    Windows w = s->windows;
    (void)parts;
    int64_t length = whole(numbers_of(s)), windows = windows_of(s), most = s->filters * s->pools_z * s->pools_x;
    int64_t pad_z = -w.z.first, pad_x = -w.x.first, width = w.x.in + 2 * pad_x + LANES;
    int64_t channel = width * (w.z.in + 2 * pad_z);
    size_t lists = 2 * most * sizeof(Winner), tables = (lists + (TAPS + windows + 2) * sizeof(int32_t) + 63) / 64 * 64;
    char *memory = thread_scratch(tables + (s->channels * channel + windows * length + 2 * LANES) * sizeof(real));
    if (!memory) return NO_MEMORY;
    Winner *sorted = (Winner *)memory, *list = sorted + most;
    int32_t *places = (int32_t *)(memory + lists), *first = places + TAPS;
    real *rows = (real *)(memory + tables), *image = rows + windows * length + LANES;
    mask last;
    for (int64_t i = 0; i < LANES; i++) last[i] = i <= (w.x.taps - 1) % LANES ? -1 : 0;
    place_taps(s, places);
    for (int64_t n = part * s->images; n < min_int(s->batch, (part + 1) * s->images); n++) {
        sort_winners(s, sorted, list, first, places, (const real *)io[s->grad] + n * most,
                     (const uint8_t *)io[s->winners] + n * most);
        memset(image, 0, (s->channels * channel + LANES) * sizeof(real));
        memset(rows, 0, windows * length * sizeof(real));
        add_rows(rows, windows, length, io[s->stash], sorted, first, 1);
        for (int64_t p = 0; p < windows; p++)
            if (first[p] < first[p + 1])
                fold(s, image + p / w.x.out * w.z.step * width + p % w.x.out, width, channel, rows + p * length, last);
        real *out = (real *)io[s->out] + n * s->channels * w.z.in * w.x.in;
        for (int64_t c = 0; c < s->channels; c++)
            for (int64_t z = 0; z < w.z.in; z++, out += w.x.in)
                memcpy(out, image + c * channel + (z + pad_z) * width + pad_x, w.x.in * sizeof(real));
    }
    return DONE;
}

KERNELS(KERNEL(pooled_weight_grad, Pooled), KERNEL(pooled_weight_sum, Pooled), KERNEL(pooled_filters, Pooled),
        KERNEL(pooled_data_grad, Pooled))
