/* Matrix products of packed blocks on one thread: out (rows, columns) = a (rows, depth) · b (depth, columns).

   For a tile, TILE_ROWS rows of vectors of `out` stay in registers during the loop over the depth; each step loads
   TILE_COLUMNS elements of b and broadcasts one element of a per row. Blocks are packed, so that both factors are read
   sequentially:

     a in row panels       packed[panel][k][TILE_ROWS]        of `rows` there are row_panels(rows), and the rows are
                                                              divided evenly: panel p has rows row_panel(rows, p)
     b in column panels    packed[panel][k][TILE_COLUMNS]     panel p begins at column p * TILE_COLUMNS; only the last
                                                              one may have fewer columns, followed by arbitrary values

   Data that is not stored as a matrix (the windows of a convolution, the transforms in Winograd's method) is packed
   into the same layout by its own function. A part of a kernel does the following:

     real *a = thread_scratch((packed_rows(rows, depth) + packed_columns(depth, columns)) * sizeof(real));
     real *b = a + packed_rows(rows, depth);
     for (int64_t k = 0; k < all; k += DEPTH) {             blocks of the depth, so that panels fit the caches
         depth = min_int(all - k, DEPTH);
         pack_rows(a, ...); pack_columns(b, ...);
         Target target = {.out = out, .stride = columns of out, .accumulate = k > 0};
         if (k + depth == all) target.bias..., target.relu = 1;       only in the last block
         gemm_block(a, b, rows, columns, depth, &target);
     }

   Good sizes are a depth of at most DEPTH, and a packed a (all the row panels that multiply a column panel) that takes
   at most half of the second-level cache. */

#ifndef MINIGLUON_GEMM_H
#define MINIGLUON_GEMM_H

#include "transpose.h"

/* As many accumulators as fit in the registers along with a row of b and one element of a. */
#if defined(__AVX512F__)
#define TILE_ROWS 14
#elif defined(__AVX2__) || defined(__x86_64__)
#define TILE_ROWS 6
#else
#define TILE_ROWS 12
#endif
#define TILE_VECTORS 2

/* One case for each number of rows that a tile may have. */
#if TILE_ROWS == 14
#define EACH_OF_TILE_ROWS(CASE) CASE(1) CASE(2) CASE(3) CASE(4) CASE(5) CASE(6) CASE(7) CASE(8) CASE(9) CASE(10) CASE(11) \
    CASE(12) CASE(13) CASE(14)
#elif TILE_ROWS == 12
#define EACH_OF_TILE_ROWS(CASE) CASE(1) CASE(2) CASE(3) CASE(4) CASE(5) CASE(6) CASE(7) CASE(8) CASE(9) CASE(10) CASE(11) \
    CASE(12)
#else
#define EACH_OF_TILE_ROWS(CASE) CASE(1) CASE(2) CASE(3) CASE(4) CASE(5) CASE(6)
#endif
#define TILE_COLUMNS (TILE_VECTORS * LANES)
#define DEPTH ((int64_t)(1024 / sizeof(real)))

#define INLINED static inline __attribute__((always_inline, unused))
#define OFFERED static __attribute__((unused))

/* The memory in which a block is stored, and what is applied to it first. */
typedef struct {
    real *out;
    int64_t stride;             /* distance from row to row; columns are adjacent */
    int accumulate;             /* add to the previous contents */
    int relu;                   /* at the end: max(x, 0), which keeps NaN */
    real cap;                   /* and min(x, cap), if cap is above 0 */
    const real *row_bias;       /* added before that: one value for each row, or NULL */
    const real *column_bias;    /* and one value for each column, or NULL */
    const real *other;          /* and this matrix, with the same stride, or NULL */
} Target;

INLINED int64_t row_panels(int64_t rows) { return (rows + TILE_ROWS - 1) / TILE_ROWS; }
INLINED Range row_panel(int64_t rows, int64_t panel) { return range_of(rows, panel, row_panels(rows)); }
INLINED int64_t column_panels(int64_t columns) { return (columns + TILE_COLUMNS - 1) / TILE_COLUMNS; }

/* Sizes of packed blocks, in elements. */
INLINED int64_t packed_rows(int64_t rows, int64_t depth) { return row_panels(rows) * TILE_ROWS * depth; }
INLINED int64_t packed_columns(int64_t depth, int64_t columns) { return column_panels(columns) * TILE_COLUMNS * depth; }

/* -- the tile ------------------------------------------------------------------------------------------------------ */

/* sum over k of a (rows, depth) · b (depth, vectors): element k of row i is a[k * a_step + i], row k of b is at b + k *
   b_step. The loops over rows and vectors have constant bounds, so they are unrolled and `sum` is kept in registers. */
INLINED void multiply_tile(int rows, int vectors, const real *a, int64_t a_step, const real *b, int64_t b_step,
                           int64_t depth, vec sum[TILE_ROWS][TILE_VECTORS]) {
    vec c[TILE_ROWS][TILE_VECTORS];
#pragma GCC unroll 16
    for (int i = 0; i < rows; i++)
#pragma GCC unroll 4
        for (int j = 0; j < vectors; j++) c[i][j] = (vec){0};
#pragma GCC unroll 1
    for (int64_t k = 0; k < depth; k++, a += a_step, b += b_step) {
        vec row[TILE_VECTORS];
#pragma GCC unroll 4
        for (int j = 0; j < vectors; j++) row[j] = load(b + j * LANES);
#pragma GCC unroll 16
        for (int i = 0; i < rows; i++) {
            vec x = all(a[i]);
#pragma GCC unroll 4
            for (int j = 0; j < vectors; j++) c[i][j] += x * row[j];
        }
    }
#pragma GCC unroll 16
    for (int i = 0; i < rows; i++)
#pragma GCC unroll 4
        for (int j = 0; j < vectors; j++) sum[i][j] = c[i][j];
}

/* The epilogue of a Target: applied to a vector, of which `count` lanes are valid, before it is stored. */
INLINED vec finished(vec x, const Target *to, int64_t row, vec column_bias, const real *out, int64_t count) {
    if (to->accumulate) x += count == LANES ? load(out) : load_some(out, count, 0);
    if (to->row_bias) x += all(to->row_bias[row]);
    if (to->column_bias) x += column_bias;
    if (to->other) {
        const real *other = to->other + (out - to->out);
        x += count == LANES ? load(other) : load_some(other, count, 0);
    }
    if (to->relu) x = at_least(x, (vec){0});
    return to->cap > 0 ? at_most(x, all(to->cap)) : x;
}

/* A tile of whole vectors. `to` is a copy of the Target in which the caller has set constants, which saves branches. */
INLINED void store_whole(vec sum[TILE_ROWS][TILE_VECTORS], int64_t row, int64_t column, int64_t rows, Target to) {
    vec bias[TILE_VECTORS];
#pragma GCC unroll 4
    for (int j = 0; j < TILE_VECTORS; j++) bias[j] = to.column_bias ? load(to.column_bias + column + j * LANES) : (vec){0};
    for (int64_t i = 0; i < rows; i++) {
        real *out = to.out + (row + i) * to.stride + column;
#pragma GCC unroll 4
        for (int j = 0; j < TILE_VECTORS; j++)
            store(out + j * LANES, finished(sum[i][j], &to, row + i, bias[j], out + j * LANES, LANES));
    }
}

/* Stores the tile at (row, column) of the target; the columns may end within the last vector. */
OFFERED void store_tile(vec sum[TILE_ROWS][TILE_VECTORS], int64_t row, int64_t column, int64_t rows, int64_t columns,
                        const Target *to) {
    Target plain = {.out = to->out, .stride = to->stride}, biased = plain;
    int is_plain = !to->row_bias && !to->other && !to->cap;
    biased.column_bias = to->column_bias;
    if (columns == TILE_COLUMNS && is_plain && !to->accumulate && !to->relu) {          /* the usual case */
        if (to->column_bias) store_whole(sum, row, column, rows, biased);
        else store_whole(sum, row, column, rows, plain);
    } else if (columns == TILE_COLUMNS) store_whole(sum, row, column, rows, *to);
    else
        for (int64_t j = 0; j < columns; j += LANES) {
            int64_t count = min_int(columns - j, LANES);
            vec bias = to->column_bias ? load_some(to->column_bias + column + j, count, 0) : (vec){0};
            for (int64_t i = 0; i < rows; i++) {
                real *out = to->out + (row + i) * to->stride + column + j;
                store_some(out, finished(sum[i][j / LANES], to, row + i, bias, out, count), count);
            }
        }
}

#define TILE_CASE(n)                                                                    \
    case 2 * n - 1: multiply_tile(n, 1, a, a_step, b, b_step, depth, sum); break;       \
    case 2 * n: multiply_tile(n, 2, a, a_step, b, b_step, depth, sum); break;

/* One tile of the product, 1..TILE_ROWS rows and 1..TILE_COLUMNS columns, at (row, column) of the target. a_step is
   TILE_ROWS and b_step TILE_COLUMNS for packed panels. The whole last vector of b is read. */
OFFERED void tile(const real *a, int64_t a_step, const real *b, int64_t b_step, int64_t depth,
                  int64_t row, int64_t column, int64_t rows, int64_t columns, const Target *to) {
    vec sum[TILE_ROWS][TILE_VECTORS];
    if (to->accumulate)
        for (int64_t i = 0; i < rows; i++) __builtin_prefetch(to->out + (row + i) * to->stride + column, 1);
    switch (2 * rows - (columns <= LANES)) {
        EACH_OF_TILE_ROWS(TILE_CASE)
        default: __builtin_unreachable();
    }
    store_tile(sum, row, column, rows, columns, to);
}

/* The product of packed blocks. */
OFFERED void gemm_block(const real *a, const real *b, int64_t rows, int64_t columns, int64_t depth, const Target *to) {
    for (int64_t column = 0; column < columns; column += TILE_COLUMNS) {
        int64_t width = min_int(columns - column, TILE_COLUMNS);
        for (int64_t p = 0; p < row_panels(rows); p++) {
            Range range = row_panel(rows, p);
            tile(a + p * TILE_ROWS * depth, TILE_ROWS, b + column * depth, TILE_COLUMNS, depth,
                 range.begin, column, range.end - range.begin, width, to);
        }
    }
}

/* -- packing of matrices ------------------------------------------------------------------------------------------- */

/* packed[k * step + i] = from[i * stride + k] for i < high, k < wide, both at most EDGE. spill: whole vectors may be
   stored, because the elements after each are written later (masked stores are slow on some processors). ahead: the
   distance to the data that the next panel will read. Rows whose distance is a power of two compete for a few lines of
   the first-level cache, and the hardware prefetcher does not help then. */
INLINED void pack_square(real *packed, int64_t step, const real *from, int64_t stride, int64_t high, int64_t wide,
                         int spill, int64_t ahead) {
    vec square[EDGE];
#pragma GCC unroll 16
    for (int i = 0; i < EDGE; i++) {
        const real *row = from + min_int(i, high - 1) * stride;
        square[i] = wide == EDGE ? load(row) : load_some(row, wide, 0);
        __builtin_prefetch(row + ahead, 0, 2);
    }
    turn_square(square);
#pragma GCC unroll 16
    for (int k = 0; k < EDGE; k++) {
        if (k >= wide) break;
        if (high == EDGE || spill) store(packed + k * step, square[k]);
        else store_some(packed + k * step, square[k], high);
    }
}

/* packed[k * step + i] = from[i * stride + k] for i < count, k < depth: a transpose. */
OFFERED void pack_across(real *packed, int64_t step, const real *from, int64_t stride, int64_t count, int64_t depth) {
    for (int64_t k = 0; k < depth; k += EDGE)
        for (int64_t i = 0; i < count; i += EDGE) {
            const real *corner = from + i * stride + k;
            int64_t high = min_int(count - i, EDGE), wide = min_int(depth - k, EDGE);
            int64_t ahead = count * stride;
            real *to = packed + k * step + i;
            if (wide < EDGE) pack_square(to, step, corner, stride, high, wide, i + EDGE <= step, ahead);
            else if (high == EDGE) pack_square(to, step, corner, stride, EDGE, EDGE, 0, ahead);
            else if (i + EDGE <= step || (i == 0 && k + EDGE < depth)) pack_square(to, step, corner, stride, high, EDGE, 1, ahead);
            else pack_square(to, step, corner, stride, high, EDGE, 0, ahead);
        }
}

/* Rows of `total` elements, each cut into one piece per panel; if the pieces cannot be equal, the first pieces have one
   element more. Several panels are packed at once, so that a row is read in long pieces. */
OFFERED void pack_along(real *packed, int64_t step, const real *from, int64_t stride, int64_t total, int64_t panels,
                        int64_t depth) {
    enum { TOGETHER = 8, AHEAD = 8 };
    for (int64_t first = 0; first < panels; first += TOGETHER) {
        int64_t begin = range_of(total, first, panels).begin, end = min_int(first + TOGETHER, panels);
        for (int64_t k = 0; k < depth; k++) {
            const real *row = from + k * stride + begin;
            for (int64_t p = first; p < end; p++) {
                int64_t count = total / panels + (p < total % panels);
                real *to = packed + (p * depth + k) * step;
                int64_t i = 0;
                for (; i + LANES <= count; i += LANES) {
                    __builtin_prefetch(row + i + AHEAD * stride, 0, 2);
                    store(to + i, load(row + i));
                }
                if (i < count && k + 1 < depth) store(to + i, load_some(row + i, count - i, 0));    /* spills */
                else if (i < count) store_some(to + i, load_some(row + i, count - i, 0), count - i);
                row += count;
            }
        }
    }
}

/* Packs one panel of a matrix with any strides: element (i, k) is at from[i * across + k * along]. */
OFFERED void pack_any(real *packed, int64_t step, const real *from, int64_t across, int64_t along, int64_t count,
                      int64_t depth) {
    if (along == 1) pack_across(packed, step, from, across, count, depth);
    else
        for (int64_t k = 0; k < depth; k++)
            for (int64_t i = 0; i < count; i++) packed[k * step + i] = from[i * across + k * along];
}

/* Packs a (rows, depth), with element (i, k) at a[i * row_stride + k * column_stride]. */
OFFERED void pack_rows(real *packed, const real *a, int64_t row_stride, int64_t column_stride, int64_t rows,
                       int64_t depth) {
    if (row_stride == 1) {
        pack_along(packed, TILE_ROWS, a, column_stride, rows, row_panels(rows), depth);
        return;
    }
    for (int64_t p = 0; p < row_panels(rows); p++) {
        Range range = row_panel(rows, p);
        pack_any(packed + p * TILE_ROWS * depth, TILE_ROWS, a + range.begin * row_stride, row_stride, column_stride,
                 range.end - range.begin, depth);
    }
}

/* Packs b (depth, columns), with element (k, j) at b[k * row_stride + j * column_stride]. */
OFFERED void pack_columns(real *packed, const real *b, int64_t row_stride, int64_t column_stride, int64_t depth,
                          int64_t columns) {
    int64_t whole = columns / TILE_COLUMNS * TILE_COLUMNS;
    if (column_stride == 1) {
        pack_along(packed, TILE_COLUMNS, b, row_stride, whole, whole / TILE_COLUMNS, depth);
        pack_along(packed + whole * depth, TILE_COLUMNS, b + whole, row_stride, columns - whole, whole < columns, depth);
        return;
    }
    for (int64_t j = 0; j < columns; j += TILE_COLUMNS)
        pack_any(packed + j * depth, TILE_COLUMNS, b + j * column_stride, column_stride, row_stride,
                 min_int(columns - j, TILE_COLUMNS), depth);
}

#endif
