/* Pooling with channels before space: max, sum, average and sum of squares, over windows of up to three axes.

   For each row of windows, the rows of data under it are first combined into one row, in a buffer with padding on both
   sides. This row is then combined along its length, a vector of windows at a time: a shuffle gathers the windows'
   elements at one tap, which are `stride` apart. */

#include "pooling.h"

INLINE vec combine(vec a, vec b, int kind) {
    if (kind == MAX) return max_vec(a, b);
    return a + b;
}

INLINE vec taken(vec a, int kind) {
    if (kind == SUM_OF_SQUARES) return a * a;
    return a;
}

/* Combines the rows of data under a row of windows into `row`, which is already padded. */
INLINE void combine_rows(const Windows *w, const real *image, int64_t depth, int64_t height, real *row, int kind) {
    Range deep = taps_inside(w, 0, depth), high = taps_inside(w, 1, height);
    int64_t width = w->size[2], step = w->size[1] * width;
    int inside = deep.begin == 0 && deep.end == w->kernel[0] && high.begin == 0 && high.end == w->kernel[1];
    const real *first = image + (depth * w->stride[0] - w->pad[0]) * step
                        + (height * w->stride[1] - w->pad[1]) * width;
    for (int64_t x = 0; x < width; x += LANES) {
        int64_t count = min_int(LANES, width - x);
        vec found = all(kind != MAX ? 0 : inside ? -INFINITY : LOWEST);
        for (int64_t d = deep.begin; d < deep.end; d++)
            for (int64_t h = high.begin; h < high.end; h++) {
                const real *p = first + d * step + h * width + x;
                found = combine(found, taken(count == LANES ? load(p) : load_some(p, count, 0), kind), kind);
            }
        if (count == LANES) store(row + x, found);
        else store_some(row + x, found, count);
    }
}

/* Computes the results of one row of windows. */
INLINE void combine_columns(const Windows *w, const real *row, const real *columns, real rows, real *out, int kind,
                            int average, int64_t taps, int64_t stride) {
    for (int64_t j = 0; j < w->out[2]; j += LANES) {
        int64_t count = min_int(LANES, w->out[2] - j);
        vec found = seen(row, j, 0, stride);
        for (int64_t tap = 1; tap < taps; tap++) found = combine(found, seen(row, j, tap, stride), kind);
        if (average) found /= all(rows) * load(columns + j);
        if (count == LANES) store(out + j, found);
        else store_some(out + j, found, count);
    }
}

INLINE int pool_lines(const Windows *w, const real *data, real *out, Range range, int kind, int average) {
    int64_t image_size = w->size[0] * w->size[1] * w->size[2], row_length = row_size(w);
    int64_t padded_count = round_up(w->out[2], LANES);
    real *row = thread_scratch(sizeof(real) * (row_length + padded_count)), *columns = row + row_length;
    if (row == NULL) return NO_MEMORY;
    fill_reals(row, row_length, kind == MAX ? LOWEST : 0);
    fill_reals(columns, padded_count, 1);
    if (average) count_columns(w, columns);
    for (int64_t line = range.begin; line < range.end; line++) {
        int64_t height = line % w->out[1], depth = line / w->out[1] % w->out[0];
        const real *image = data + line / (w->out[1] * w->out[0]) * image_size;
        combine_rows(w, image, depth, height, row + w->pad[2], kind);
        real rows = average ? count_of_row(w, depth, height) : 1;
        FOR_FREQUENT(w, combine_columns, w, row, columns, rows, out + line * w->out[2], kind, average);
    }
    return DONE;
}

static int pool(const void *fields, void *const *io, int64_t part, int64_t parts) {
    const Windows *w = fields;
    Range range = range_of(w->images * w->out[0] * w->out[1], part, parts);
    switch (w->kind) {
    case MAX: return pool_lines(w, io[0], io[1], range, MAX, 0);
    case SUM: return pool_lines(w, io[0], io[1], range, SUM, 0);
    case SUM_OF_SQUARES: return pool_lines(w, io[0], io[1], range, SUM_OF_SQUARES, 0);
    default: return pool_lines(w, io[0], io[1], range, SUM, 1);
    }
}

/* The same for windows that cover the whole image: one value per image, which is read sequentially. */
INLINE real combine_all(const real *p, int64_t count, int kind) {
    vec found[4];
    for (int k = 0; k < 4; k++) found[k] = all(kind == MAX ? -INFINITY : 0);
    int64_t i = 0;
    for (; i + 4 * LANES <= count; i += 4 * LANES)
        for (int k = 0; k < 4; k++) found[k] = combine(found[k], taken(load(p + i + k * LANES), kind), kind);
    for (; i < count; i += LANES)
        found[0] = combine(found[0], taken(load_some(p + i, min_int(LANES, count - i), kind == MAX ? -INFINITY : 0),
                                           kind), kind);
    vec both = combine(combine(found[0], found[1], kind), combine(found[2], found[3], kind), kind);
    if (kind != MAX) return sum_lanes(both);
    real largest = both[0];
    for (int64_t k = 1; k < LANES; k++) largest = largest > both[k] || largest != largest ? largest : both[k];
    return largest;
}

static int pool_whole(const void *fields, void *const *io, int64_t part, int64_t parts) {
    const Windows *w = fields;
    const real *data = io[0];
    real *out = io[1];
    int64_t count = w->size[0] * w->size[1] * w->size[2];
    Range range = range_of(w->images, part, parts);
    for (int64_t i = range.begin; i < range.end; i++) {
        const real *image = data + i * count;
        out[i] = w->kind == MAX ? combine_all(image, count, MAX)
                 : w->kind == SUM_OF_SQUARES ? combine_all(image, count, SUM_OF_SQUARES)
                 : combine_all(image, count, SUM) / (w->kind == SUM ? 1 : (real)max_int(count, 1));
    }
    return DONE;
}

/* Takes the square root of each element: the last step of pooling with p_value 2. */
FIELDS(Roots, int64_t size;)

static int pool_roots(const void *fields, void *const *io, int64_t part, int64_t parts) {
    const Roots *s = fields;
    real *out = io[1];
    Range range = range_of(s->size, part, parts);
    for (int64_t i = range.begin; i < range.end; i++) out[i] = (real)sqrt(out[i]);
    return DONE;
}

KERNELS(KERNEL(pool, Windows), KERNEL(pool_whole, Windows), KERNEL(pool_roots, Roots))
