/* Code shared by fully connected layers: activations, and tiles whose rows are read in place. */

#ifndef MINIGLUON_DENSE_H
#define MINIGLUON_DENSE_H

#include "../gemm.h"
#include "../vmath.h"

enum { NOTHING, RELU, GELU, TANH, SIGMOID };

#define APPLY(function)                                                                                      \
    for (; i < rows; i++, out += stride) {                                                                    \
        int64_t j = 0;                                                                                       \
        for (; j + LANES <= columns; j += LANES) store(out + j, function(load(out + j)));                    \
        if (j < columns) store_some(out + j, function(load_some(out + j, columns - j, 0)), columns - j);     \
    }                                                                                                        \
    break;

/* Applies GELU to the rows of a tile that consist of whole vectors; returns the number of these rows. */
OFFERED int64_t gelu_rows(real *out, int64_t stride, int64_t rows, int64_t columns) {
    enum { ROWS = AT_ONCE / TILE_VECTORS };
    int64_t i = 0;
    if (columns < TILE_COLUMNS) return 0;
    for (; i + ROWS <= rows; i += ROWS, out += ROWS * stride) {
        vec x[AT_ONCE];
        EACH_AT_ONCE(k, x[k] = load(out + k / TILE_VECTORS * stride + k % TILE_VECTORS * LANES);)
        gelu_vecs(x);
        EACH_AT_ONCE(k, store(out + k / TILE_VECTORS * stride + k % TILE_VECTORS * LANES, x[k]);)
    }
    return i;
}

/* Applies the activation to a tile that has just been stored; RELU was part of the store. */
OFFERED void activate(int64_t activation, real *out, int64_t stride, int64_t rows, int64_t columns) {
    int64_t i = activation == GELU ? gelu_rows(out, stride, rows, columns) : 0;
    out += i * stride;
    switch (activation) {
        case GELU: APPLY(gelu_vec)
        case TANH: APPLY(tanh_vec)
        case SIGMOID: APPLY(sigmoid_vec)
        default: break;
    }
}

/* A tile whose rows are read in place, `stride` apart: element k of row i is a[i * stride + k]. */
INLINED void multiply_there(int rows, int vectors, const real *a, int64_t stride, const real *b, int64_t depth,
                            vec sum[TILE_ROWS][TILE_VECTORS]) {
    enum { EACH = 3 };          /* rows with their own pointer: 14 pointers would not fit in registers */
    const real *at[(TILE_ROWS + EACH - 1) / EACH];
    vec c[TILE_ROWS][TILE_VECTORS];
#pragma GCC unroll 16
    for (int i = 0; i < rows; i++) {
        if (i % EACH == 0) at[i / EACH] = a + i * stride;
#pragma GCC unroll 4
        for (int j = 0; j < vectors; j++) c[i][j] = (vec){0};
    }
#pragma GCC unroll 1
    for (int64_t k = 0; k < depth; k++, b += TILE_COLUMNS) {
        vec row[TILE_VECTORS];
#pragma GCC unroll 4
        for (int j = 0; j < vectors; j++) row[j] = load(b + j * LANES);
#pragma GCC unroll 16
        for (int i = 0; i < rows; i++) {
            vec x = all(at[i / EACH][i % EACH * stride]);
            if (i % EACH == EACH - 1 || i == rows - 1) at[i / EACH]++;
#pragma GCC unroll 4
            for (int j = 0; j < vectors; j++) c[i][j] += x * row[j];
        }
    }
#pragma GCC unroll 16
    for (int i = 0; i < rows; i++)
#pragma GCC unroll 4
        for (int j = 0; j < vectors; j++) sum[i][j] = c[i][j];
}

#define THERE_CASE(n)                                                                       \
    case 2 * n - 1: multiply_there(n, 1, a, stride, b, depth, sum); break;                   \
    case 2 * n: multiply_there(n, 2, a, stride, b, depth, sum); break;

/* sum = a · b for 1..TILE_ROWS rows and 1..TILE_COLUMNS columns. */
OFFERED void products_there(const real *a, int64_t stride, const real *b, int64_t depth, int64_t rows, int64_t columns,
                            vec sum[TILE_ROWS][TILE_VECTORS]) {
    switch (2 * rows - (columns <= LANES)) {
        EACH_OF_TILE_ROWS(THERE_CASE)
        default: __builtin_unreachable();
    }
}

#endif
