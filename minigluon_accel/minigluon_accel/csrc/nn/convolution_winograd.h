/* Winograd's convolution, which requires fewer multiplications because polynomials are represented by their values.

   Source: Lavin and Gray 2015, arXiv:1509.09308, section 4; the bilinear forms are due to Toom and Cook. An output of n
   x n elements, from r x r filters with n + r = 7 and 6 x 6 patches of the data, costs 36 multiplications for each
   channel instead of n² r²: 4 times fewer for 3 x 3 filters (n = 4), and 2.8 times fewer for 5 x 5 filters (n = 2).

   In one dimension, with the points p = 0, A, -A, B, -B and infinity, a filter g is a polynomial with r coefficients:

     evaluate    values of a polynomial at the points; at infinity its highest coefficient
     combine     the transpose of evaluate
     spread      the transpose of interpolation, without its denominators: from 6 data to 6 values
     outputs = combine(evaluate(g) / denominators * spread(data))

   Both sizes have the same points, and so the same `spread`. The weight gradient is the adjoint:

     filter gradient = combine(evaluate(out gradient) * spread(data) / denominators)

   In two dimensions, each of these steps is applied down the columns and then along the rows. A and B were chosen by
   measurement among numbers that floats represent exactly: with 5/8 and 3/2 the rounding error is half as large as with
   1 and 2.

   All of these steps work on vectors whose lanes are channels or filters, so a patch may begin anywhere. The channel
   axis of images is the outermost one; `turn` moves a vector of channels to the innermost axis, and back. */

#ifndef MINIGLUON_WINOGRAD_H
#define MINIGLUON_WINOGRAD_H

#include "../gemm.h"
#include "../transpose.h"

enum { PATCH = 6, POINTS = PATCH * PATCH, WIDE = VECTOR_BYTES / sizeof(real), PAIR = 2 * WIDE };

#define A1 ((real)0.625)
#define A2 (A1 * A1)
#define A3 (A1 * A2)
#define A4 (A2 * A2)
#define B1 ((real)1.5)
#define B2 (B1 * B1)
#define B3 (B1 * B2)
#define B4 (B2 * B2)

/* 1 / product of (p - q) over the other points q; the same for p and -p. */
static const real reciprocals[PATCH] = {
    1 / (A2 * B2), 1 / (2 * A2 * (A2 - B2)), 1 / (2 * A2 * (A2 - B2)),
    1 / (2 * B2 * (B2 - A2)), 1 / (2 * B2 * (B2 - A2)), 1};

/* -- one dimension ------------------------------------------------------------------------------------------------- */

/* n is 2 to 5, and is a constant in each call. */
INLINED void evaluate(int n, const vec *g, vec *v) {
    vec even_a = g[0], even_b = g[0], odd_a = A1 * g[1], odd_b = B1 * g[1];
    if (n > 2) even_a += A2 * g[2], even_b += B2 * g[2];
    if (n > 3) odd_a += A3 * g[3], odd_b += B3 * g[3];
    if (n > 4) even_a += A4 * g[4], even_b += B4 * g[4];
    v[0] = g[0], v[5] = g[n - 1];
    v[1] = even_a + odd_a, v[2] = even_a - odd_a;
    v[3] = even_b + odd_b, v[4] = even_b - odd_b;
}

INLINED void combine(int n, const vec *v, vec *y) {
    vec sum_a = v[1] + v[2], difference_a = v[1] - v[2], sum_b = v[3] + v[4], difference_b = v[3] - v[4];
    y[0] = v[0] + sum_a + sum_b;
    y[1] = A1 * difference_a + B1 * difference_b;
    if (n > 2) y[2] = A2 * sum_a + B2 * sum_b;
    if (n > 3) y[3] = A3 * difference_a + B3 * difference_b;
    if (n > 4) y[4] = A4 * sum_a + B4 * sum_b;
    y[n - 1] += v[5];
}

INLINED void spread(const vec *d, vec *v) {
    vec even_a = d[4] - B2 * d[2], odd_a = A1 * (d[3] - B2 * d[1]);
    vec even_b = d[4] - A2 * d[2], odd_b = B1 * (d[3] - A2 * d[1]);
    v[0] = A2 * B2 * d[0] - (A2 + B2) * d[2] + d[4];
    v[1] = even_a + odd_a, v[2] = even_a - odd_a;
    v[3] = even_b + odd_b, v[4] = even_b - odd_b;
    v[5] = A2 * B2 * d[1] - (A2 + B2) * d[3] + d[5];
}

/* -- two dimensions ------------------------------------------------------------------------------------------------ */

/* From n x n vectors, `row` and `column` elements apart, to 36 vectors, `point` elements apart. scale: divide by the
   denominators. */
INLINED void evaluate_square(int n, const real *from, int64_t row, int64_t column, real *to, int64_t point, int scale) {
    vec half[PATCH][PATCH];
    for (int j = 0; j < n; j++) {
        vec g[PATCH], v[PATCH];
        for (int i = 0; i < n; i++) g[i] = load(from + i * row + j * column);
        evaluate(n, g, v);
        for (int i = 0; i < PATCH; i++) half[i][j] = v[i] * (scale ? reciprocals[i] : 1);
    }
    for (int i = 0; i < PATCH; i++) {
        vec v[PATCH];
        evaluate(n, half[i], v);
        for (int j = 0; j < PATCH; j++) store(to + (i * PATCH + j) * point, v[j] * (scale ? reciprocals[j] : 1));
    }
}

/* From 36 vectors, `point` elements apart, to n x n. */
INLINED void combine_square(int n, const real *from, int64_t point, vec y[PATCH][PATCH], int scale) {
    vec half[PATCH][PATCH];
    for (int j = 0; j < PATCH; j++) {
        vec v[PATCH], part[PATCH];
        for (int i = 0; i < PATCH; i++) {
            v[i] = load(from + (i * PATCH + j) * point);
            if (scale) v[i] *= reciprocals[i] * reciprocals[j];
        }
        combine(n, v, part);
        for (int i = 0; i < n; i++) half[i][j] = part[i];
    }
    for (int i = 0; i < n; i++) combine(n, half[i], y[i]);
}

/* From a patch of 6 x 6 vectors, whose rows are `row` elements apart, to 36 vectors, `point` elements apart. */
INLINED void spread_square(const real *from, int64_t row, real *to, int64_t point) {
    vec half[PATCH][PATCH];
    for (int j = 0; j < PATCH; j++) {
        vec d[PATCH], v[PATCH];
        for (int i = 0; i < PATCH; i++) d[i] = load(from + i * row + j * WIDE);
        spread(d, v);
        for (int i = 0; i < PATCH; i++) half[i][j] = v[i];
    }
    for (int i = 0; i < PATCH; i++) {
        vec v[PATCH];
        spread(half[i], v);
        for (int j = 0; j < PATCH; j++) store(to + (i * PATCH + j) * point, v[j]);
    }
}

/* -- transposing: rows to lanes ------------------------------------------------------------------------------------ */

/* Loads the next WIDE elements of each of `rows` rows, `stride` apart; nothing is read at or after `end`. Lane j of
   vector i is element i of row j; lanes without a row are 0. */
INLINED void turn_in(const real *from, int64_t stride, int64_t rows, const real *end, vec *out) {
    if (rows == WIDE && from + (WIDE - 1) * stride + WIDE <= end) {
#pragma GCC unroll 16
        for (int64_t i = 0; i < WIDE; i++) out[i] = load(from + i * stride);
    } else {
        for (int64_t i = 0; i < WIDE; i++) {
            int64_t there = i < rows ? end - (from + i * stride) : 0;
            out[i] = there >= WIDE ? load(from + i * stride)
                   : there > 0 ? load_some(from + i * stride, there, 0) : (vec){0};
        }
    }
    turn_square(out);
}

/* The reverse: stores `count` vectors as rows, `stride` apart. If fewer than WIDE elements remain after the last
   square, a square that begins earlier writes some elements twice. */
OFFERED void turn_out(const real *from, int64_t count, real *to, int64_t stride, int64_t rows) {
    for (int64_t begin = 0; begin < count; begin += WIDE) {
        int64_t first = max_int(min_int(begin, count - WIDE), 0);
        vec square[WIDE];
        for (int64_t i = 0; i < WIDE; i++) square[i] = first + i < count ? load(from + (first + i) * WIDE) : (vec){0};
        turn_square(square);
        for (int64_t i = 0; i < rows; i++) {
            if (count >= WIDE) store(to + i * stride + first, square[i]);
            else store_some(to + i * stride + first, square[i], count);
        }
    }
}

/* The reverse of the above. end: the end of the memory that may be read. */
OFFERED void turn_all(real *to, int64_t count, const real *from, int64_t stride, int64_t rows, const real *end) {
    for (int64_t begin = 0; begin < count; begin += WIDE) {
        vec square[WIDE];
        turn_in(from + begin, stride, rows, end, square);
        for (int64_t i = 0; i < min_int(WIDE, count - begin); i++) store(to + (begin + i) * WIDE, square[i]);
    }
}

/* -- images -------------------------------------------------------------------------------------------------------- */

/* Images that are cut into tiles of n x n output elements. A strip is a row of tiles; strips are numbered consecutively
   across all images. A patch is the input of a tile: 6 x 6 elements of the data, or n x n elements of an output's
   gradient. */
typedef struct {
    const real *data, *mask;    /* mask: an array of the same shape, or NULL; data is used where it is greater than 0 */
    int64_t batch, channels, height, width, pad_y, pad_x;
    int64_t tile, patch, strips_each, tiles_each;       /* strips per image, tiles per strip */
} Images;

INLINED int64_t vectors_of(int64_t channels) { return (channels + WIDE - 1) / WIDE; }
INLINED int64_t row_of_patches(const Images *s) { return ((s->tiles_each - 1) * s->tile + s->patch) * WIDE; }

/* The number of memory elements that `transform_strips` needs for this many strips. */
OFFERED int64_t size_for_strips(const Images *s, int64_t strips) {
    return ((min_int(strips, s->strips_each) - 1) * s->tile + s->patch) * row_of_patches(s);
}

/* Copies strips [first, last) of image n, for WIDE channels starting at `channel`, to `to`; lanes are channels, and
   margins are not written. */
static void gather(const Images *s, int64_t n, int64_t first, int64_t last, int64_t channel, real *to) {
    int64_t plane = s->height * s->width, row = row_of_patches(s), top = first * s->tile - s->pad_y;
    int64_t begin = max_int(top, 0) * s->width;
    int64_t end = min_int((last - 1) * s->tile + s->patch - s->pad_y, s->height) * s->width;
    int64_t from = (n * s->channels + channel) * plane, rows = min_int(s->channels - channel, WIDE);
    int64_t size = s->batch * s->channels * plane;
    real *out = to + (max_int(top, 0) - top) * row + s->pad_x * WIDE;
    for (int64_t i = begin, x = 0; i < end; i += WIDE) {
        vec square[WIDE], masks[WIDE];
        turn_in(s->data + from + i, plane, rows, s->data + size, square);
        if (s->mask) {
            turn_in(s->mask + from + i, plane, rows, s->mask + size, masks);
            for (int64_t j = 0; j < WIDE; j++) square[j] *= select(masks[j] > all(0), all(1), all(0));
        }
        for (int64_t j = 0; j < min_int(end - i, WIDE); j++) {
            store(out + x * WIDE, square[j]);
            if (++x == s->width) x = 0, out += row;
        }
    }
}

/* Where the values of tiles are stored: tile t of one vector of channels is at (t / run) * far + (t % run) * step, and
   its point p is p * point elements further on. */
typedef struct { int64_t run, far, step, point; } Places;

/* Computes the values at the 36 points of all tiles in strips [first, last), for WIDE channels starting at `channel`.
   memory: size_for_strips elements. */
OFFERED void transform_strips(const Images *s, int64_t first, int64_t last, int64_t channel, real *memory, real *values,
                              Places places) {
    int64_t row = row_of_patches(s), point = places.point, t = 0;
    for (int64_t stop; first < last; first = stop) {
        int64_t n = first / s->strips_each, origin = n * s->strips_each;
        stop = min_int(last, origin + s->strips_each);
        memset(memory, 0, size_for_strips(s, stop - first) * sizeof(real));
        gather(s, n, first - origin, stop - origin, channel, memory);
        for (int64_t y = 0; y < stop - first; y++)
            for (int64_t x = 0; x < s->tiles_each; x++, t++) {
                real *to = values + t / places.run * places.far + t % places.run * places.step;
                const real *patch = memory + y * s->tile * row + x * s->tile * WIDE;
                if (s->patch == 2) evaluate_square(2, patch, row, WIDE, to, point, 0);
                else if (s->patch == 4) evaluate_square(4, patch, row, WIDE, to, point, 0);
                else spread_square(patch, row, to, point);
            }
    }
}

#endif
