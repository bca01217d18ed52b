/* Products of a few rows with a matrix that stays the same for many products: it is packed once and read in place.

   packed[panel][k][LANES]: column panel * LANES + lane of a matrix of `depth` rows; the last panel may have unused
   lanes with arbitrary contents. gemm.h packs both factors for each product, and its panels are wider. Here, a product
   has only as many rows as a batch, and is computed for up to four panels at once, which need not be adjacent. */

#ifndef MINIGLUON_PANELS_H
#define MINIGLUON_PANELS_H

#include "gemm.h"

enum { MAX_PANELS = 4, MAX_ROWS = 6 };

/* The number of rows that are processed together: as many as keep the sums in registers. */
#if defined(__AVX512F__) || defined(__aarch64__)
#define ROWS_OF(panels) 6
#else
#define ROWS_OF(panels) ((panels) == 4 ? 2 : (panels) == 3 ? 3 : (panels) == 2 ? 4 : 6)
#endif

INLINED int64_t panels_of(int64_t columns) { return (columns + LANES - 1) / LANES; }

/* Packs panels `range` of a matrix (depth, columns) with element (k, j) at from[k * along + j * across]. */
OFFERED void pack_panels(real *packed, const real *from, int64_t along, int64_t across, int64_t depth, int64_t columns,
                         Range range) {
    int64_t begin = range.begin * LANES, end = min_int(range.end * LANES, columns), whole = (end - begin) / LANES;
    if (begin >= end) return;
    packed += begin * depth;
    from += begin * across;
    if (across != 1) {
        for (int64_t j = begin; j < end; j += LANES, packed += depth * LANES, from += across * LANES)
            pack_any(packed, LANES, from, across, along, min_int(end - j, LANES), depth);
        return;
    }
    pack_along(packed, LANES, from, along, whole * LANES, whole, depth);
    pack_along(packed + whole * LANES * depth, LANES, from + whole * LANES, along, end - begin - whole * LANES,
               end - begin > whole * LANES, depth);
}

/* Sets sum[i][j] = a[i] · panel j or, if `adds` is set, adds that product to it. Element k of row i is a[i * a_step +
   k]; panels are b_step apart. */
INLINED void multiply_rows(int rows, int panels, const real *a, int64_t a_step, const real *b, int64_t b_step,
                           int64_t depth, int adds, vec sum[MAX_ROWS][MAX_PANELS]) {
    vec c[MAX_ROWS][MAX_PANELS];
#pragma GCC unroll 6
    for (int i = 0; i < rows; i++)
#pragma GCC unroll 4
        for (int j = 0; j < panels; j++) c[i][j] = adds ? sum[i][j] : (vec){0};
#pragma GCC unroll 1
    for (int64_t k = 0; k < depth; k++, a++, b += LANES) {
        vec row[MAX_PANELS];
#pragma GCC unroll 4
        for (int j = 0; j < panels; j++) row[j] = load(b + j * b_step);
#pragma GCC unroll 6
        for (int i = 0; i < rows; i++) {
            vec x = all(a[i * a_step]);
#pragma GCC unroll 4
            for (int j = 0; j < panels; j++) c[i][j] += x * row[j];
        }
    }
#pragma GCC unroll 6
    for (int i = 0; i < rows; i++)
#pragma GCC unroll 4
        for (int j = 0; j < panels; j++) sum[i][j] = c[i][j];
}

#define PANEL_CASE(n, panels)                                                                       \
    case MAX_PANELS * n + panels:                                                                  \
        if (n <= ROWS_OF(panels)) multiply_rows(n, panels, a, a_step, b, b_step, depth, adds, sum); \
        break;
#define PANEL_CASES(n) PANEL_CASE(n, 1) PANEL_CASE(n, 2) PANEL_CASE(n, 3) PANEL_CASE(n, 4)

/* The same for 1..ROWS_OF(panels) rows and 1..MAX_PANELS panels. */
OFFERED void panel_products(int64_t rows, int64_t panels, const real *a, int64_t a_step, const real *b, int64_t b_step,
                            int64_t depth, int adds, vec sum[MAX_ROWS][MAX_PANELS]) {
    switch (MAX_PANELS * rows + panels) {
        PANEL_CASES(1) PANEL_CASES(2) PANEL_CASES(3) PANEL_CASES(4) PANEL_CASES(5) PANEL_CASES(6)
        default: __builtin_unreachable();
    }
}

/* NEAR: rows of a panel that stay in the first-level cache while they are used. */
enum { MANY_ROWS = 24, NEAR = 24576 / LANES / sizeof(real) };

/* The same for 1..MANY_ROWS rows: the panels are divided into pieces, and all rows use one piece before the next. */
OFFERED void panel_products_of_many(int64_t rows, int64_t panels, const real *a, int64_t a_step, const real *b,
                                    int64_t b_step, int64_t depth, int adds, vec sum[MANY_ROWS][MAX_PANELS]) {
    int64_t tiles = (rows + ROWS_OF(panels) - 1) / ROWS_OF(panels), piece = NEAR / panels;
    for (int64_t k = 0; k < depth; k += piece)
        for (int64_t tile = 0; tile < tiles; tile++) {
            Range some = range_of(rows, tile, tiles);
            panel_products(some.end - some.begin, panels, a + some.begin * a_step + k, a_step, b + k * LANES, b_step,
                           min_int(piece, depth - k), adds || k > 0, sum + some.begin);
        }
}

#endif
