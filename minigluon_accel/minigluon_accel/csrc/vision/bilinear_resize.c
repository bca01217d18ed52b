/* BilinearResize2D and AdaptiveAvgPooling2D, and their adjoints: a sparse linear map along each of the two spatial
   axes. Each part handles some planes; in each plane, rows are blended first, and then the columns of the resulting
   row. */

#include "../interpolation.h"

/* data (planes, h, w) | out (planes, new_h, new_w), and vice versa in the adjoints. out: operand index. */
FIELDS(Resize, int64_t planes, h, w, new_h, new_w, aligned, out; double scale_y, scale_x;)

/* Element i of the new axis is (1 - part) times element `low` of the old axis plus `part` times element `high`. */
typedef struct { int64_t low, high; real part; } Tap;

static inline Tap tap_of(int64_t i, int64_t old, double scale, int64_t aligned) {
    real at = aligned ? (real)i * (real)scale : (real)scale * ((real)i + (real)0.5) - (real)0.5;
    if (at < 0) at = 0;
    int64_t low = min_int((int64_t)at, old - 1);
    return (Tap){low, min_int(low + 1, old - 1), at - (real)low};
}

/* The taps of all elements of an axis, stored after a row of `room` elements. */
static Tap *taps_along(int64_t new, int64_t old, double scale, int64_t aligned, int64_t room, real **row) {
    Tap *taps = thread_scratch(new * sizeof(Tap) + room * sizeof(real));
    if (!taps) return NULL;
    *row = (real *)(taps + new);
    for (int64_t i = 0; i < new; i++) taps[i] = tap_of(i, old, scale, aligned);
    return taps;
}

static int bilinear_resize(const void *fields, void *const *io, int64_t part, int64_t parts) {
    const Resize *s = fields;
    Range range = range_of(s->planes, part, parts);
    real *mixed;
    const Tap *columns = taps_along(s->new_w, s->w, s->scale_x, s->aligned, s->w, &mixed);
    if (!columns) return NO_MEMORY;
    real *out = (real *)io[s->out] + range.begin * s->new_h * s->new_w;
    for (int64_t i = range.begin * s->new_h; i < range.end * s->new_h; i++, out += s->new_w) {
        const real *plane = (const real *)io[0] + i / s->new_h * s->h * s->w, *row = mixed;
        if (s->h == s->new_h) {
            row = plane + i % s->new_h * s->w;
        } else {
            Tap t = tap_of(i % s->new_h, s->h, s->scale_y, s->aligned);
            const real *low = plane + t.low * s->w, *high = plane + t.high * s->w;
            for (int64_t x = 0; x < s->w; x++) mixed[x] = low[x] * (1 - t.part) + high[x] * t.part;
        }
        if (s->w == s->new_w) {
            memcpy(out, row, s->w * sizeof(real));
            continue;
        }
        for (int64_t x = 0; x < s->new_w; x++) {
            Tap t = columns[x];
            out[x] = row[t.low] * (1 - t.part) + row[t.high] * t.part;
        }
    }
    return DONE;
}

static int bilinear_resize_grad(const void *fields, void *const *io, int64_t part, int64_t parts) {
    const Resize *s = fields;
    Range range = range_of(s->planes, part, parts);
    real *spread_out;
    const Tap *columns = taps_along(s->new_w, s->w, s->scale_x, s->aligned, s->w, &spread_out);
    if (!columns) return NO_MEMORY;
    const real *grad = (const real *)io[0] + range.begin * s->new_h * s->new_w;
    memset((real *)io[s->out] + range.begin * s->h * s->w, 0, (range.end - range.begin) * s->h * s->w * sizeof(real));
    for (int64_t i = range.begin * s->new_h; i < range.end * s->new_h; i++, grad += s->new_w) {
        real *plane = (real *)io[s->out] + i / s->new_h * s->h * s->w;
        const real *row = grad;
        if (s->w != s->new_w) {
            memset(spread_out, 0, s->w * sizeof(real));
            for (int64_t x = 0; x < s->new_w; x++) {
                Tap t = columns[x];
                spread_out[t.low] += grad[x] * (1 - t.part);
                spread_out[t.high] += grad[x] * t.part;
            }
            row = spread_out;
        }
        if (s->h == s->new_h) {
            memcpy(plane + i % s->new_h * s->w, row, s->w * sizeof(real));
            continue;
        }
        Tap t = tap_of(i % s->new_h, s->h, s->scale_y, s->aligned);
        real *low = plane + t.low * s->w, *high = plane + t.high * s->w;
        for (int64_t x = 0; x < s->w; x++) low[x] += row[x] * (1 - t.part);
        for (int64_t x = 0; x < s->w; x++) high[x] += row[x] * t.part;
    }
    return DONE;
}

FIELDS(Adaptive, int64_t planes, h, w, new_h, new_w, out;)

/* The elements that window i of `count` windows covers along an axis of this length. */
static inline Range window_of(int64_t i, int64_t elements, int64_t count) {
    return (Range){i * elements / count, ((i + 1) * elements + count - 1) / count};
}

static int adaptive_pool(const void *fields, void *const *io, int64_t part, int64_t parts) {
    const Adaptive *s = fields;
    Range range = range_of(s->planes, part, parts);
    real *means = thread_scratch(s->w * sizeof(real));
    if (!means) return NO_MEMORY;
    real *out = (real *)io[s->out] + range.begin * s->new_h * s->new_w;
    for (int64_t i = range.begin * s->new_h; i < range.end * s->new_h; i++, out += s->new_w) {
        const real *plane = (const real *)io[0] + i / s->new_h * s->h * s->w;
        Range rows = window_of(i % s->new_h, s->h, s->new_h);
        memcpy(means, plane + rows.begin * s->w, s->w * sizeof(real));
        for (int64_t y = rows.begin + 1; y < rows.end; y++)
            for (int64_t x = 0; x < s->w; x++) means[x] += plane[y * s->w + x];
        for (int64_t x = 0; x < s->w; x++) means[x] /= (real)(rows.end - rows.begin);
        for (int64_t x = 0; x < s->new_w; x++) {
            Range columns = window_of(x, s->w, s->new_w);
            real sum = 0;
            for (int64_t k = columns.begin; k < columns.end; k++) sum += means[k];
            out[x] = sum / (real)(columns.end - columns.begin);
        }
    }
    return DONE;
}

static int adaptive_pool_grad(const void *fields, void *const *io, int64_t part, int64_t parts) {
    const Adaptive *s = fields;
    Range range = range_of(s->planes, part, parts);
    real *shares = thread_scratch(s->w * sizeof(real));
    if (!shares) return NO_MEMORY;
    const real *grad = (const real *)io[0] + range.begin * s->new_h * s->new_w;
    memset((real *)io[s->out] + range.begin * s->h * s->w, 0, (range.end - range.begin) * s->h * s->w * sizeof(real));
    for (int64_t i = range.begin * s->new_h; i < range.end * s->new_h; i++, grad += s->new_w) {
        real *plane = (real *)io[s->out] + i / s->new_h * s->h * s->w;
        Range rows = window_of(i % s->new_h, s->h, s->new_h);
        memset(shares, 0, s->w * sizeof(real));
        for (int64_t x = 0; x < s->new_w; x++) {
            Range columns = window_of(x, s->w, s->new_w);
            real share = grad[x] / (real)(columns.end - columns.begin);
            for (int64_t k = columns.begin; k < columns.end; k++) shares[k] += share;
        }
        for (int64_t x = 0; x < s->w; x++) shares[x] /= (real)(rows.end - rows.begin);
        for (int64_t y = rows.begin; y < rows.end; y++)
            for (int64_t x = 0; x < s->w; x++) plane[y * s->w + x] += shares[x];
    }
    return DONE;
}

KERNELS(KERNEL(bilinear_resize, Resize), KERNEL(bilinear_resize_grad, Resize),
        KERNEL(adaptive_pool, Adaptive), KERNEL(adaptive_pool_grad, Adaptive))
