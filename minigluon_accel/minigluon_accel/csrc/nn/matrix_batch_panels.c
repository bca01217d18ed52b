/* A fully connected layer in a chain of layers, on a transposed share of the batch. Each panel of TILE_COLUMNS rows of
   the batch stores element k of all rows, then element k + 1:

     across[panel][k][TILE_COLUMNS]

   Thus the batch fills the vectors, however narrow the layer is. The weight is read in place, one element at a time,
   and the next layer reads the output without a conversion. The first layer of a chain transposes its data; the last
   layer transposes its result. Elements are summed in the order of matrix_packed.c, so the results are bitwise the
   same. */

#include "matrix_packed.h"

FIELDS(Across,
    int64_t rows, columns, depth;               /* rows: rows of the batch, in whole panels */
    int64_t activation;                         /* one of the activations in matrix_packed.h */
    int64_t reads_across, writes_across;        /* whether data and out have the transposed layout */
    int64_t data, weight, bias, out;            /* indices in io; bias -1: no bias */
)

/* Computes some columns of the result, each a row of TILE_COLUMNS elements. */
static void store_across(vec sum[TILE_ROWS][TILE_VECTORS], int64_t rows, const real *bias, int64_t activation, real *out) {
    for (int64_t i = 0; i < rows; i++) {
        vec term = bias ? all(bias[i]) : (vec){0};
#pragma GCC unroll 4
        for (int j = 0; j < TILE_VECTORS; j++) {
            vec x = sum[i][j] + term;
            store(out + i * TILE_COLUMNS + j * LANES, activation == RELU ? at_least(x, (vec){0}) : x);
        }
    }
    activate(activation, out, TILE_COLUMNS, rows, TILE_COLUMNS);
}

/* Computes one panel. x (depth, TILE_COLUMNS), y (columns, TILE_COLUMNS). */
static void multiply_batch_panels(const Across *s, void *const *io, const real *x, real *y) {
    const real *weight = io[s->weight], *bias = s->bias < 0 ? NULL : io[s->bias];
    vec sum[TILE_ROWS][TILE_VECTORS];
    for (int64_t p = 0; p < row_panels(s->columns); p++) {
        Range some = row_panel(s->columns, p);
        int64_t count = some.end - some.begin;
        products_there(weight + some.begin * s->depth, s->depth, x, s->depth, count, TILE_COLUMNS, sum);
        store_across(sum, count, bias ? bias + some.begin : NULL, s->activation, y + some.begin * TILE_COLUMNS);
    }
}

static int matrix_batch_panels(const void *fields, void *const *io, int64_t part, int64_t parts) {
    const Across *s = fields;
    Range panels = range_of(s->rows / TILE_COLUMNS, part, parts);
    int64_t read = TILE_COLUMNS * s->depth, written = TILE_COLUMNS * s->columns;
    real *turned = thread_scratch((read + written + EDGE) * sizeof(real)), *result = turned + read;
    if (!turned) return NO_MEMORY;
    for (int64_t p = panels.begin; p < panels.end; p++) {
        const real *x = (const real *)io[s->data] + p * read;
        real *y = (real *)io[s->out] + p * written;
        if (!s->reads_across) pack_across(turned, TILE_COLUMNS, x, s->depth, TILE_COLUMNS, s->depth);
        multiply_batch_panels(s, io, s->reads_across ? x : turned, s->writes_across ? y : result);
        if (!s->writes_across) pack_across(y, s->columns, result, TILE_COLUMNS, s->columns, TILE_COLUMNS);
    }
    return DONE;
}

KERNELS(KERNEL(matrix_batch_panels, Across))
