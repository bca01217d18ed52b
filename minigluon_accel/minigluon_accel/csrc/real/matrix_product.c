/* out = alpha · a · b + beta · c for batches of matrices with any strides, bias and relu: what FullyConnected, dot,
   batch_dot and their gradients come down to. Products of few rows are in few_rows.c. */

#include "../gemm.h"

typedef struct {
    int64_t a, b, c, out;                       /* places in io; c is a bias of the columns, a matrix, or -1 for none */
    int64_t batches, rows, columns, depth;
    int64_t a_batch, a_row, a_depth;            /* distances of neighbours */
    int64_t b_batch, b_depth, b_column;
    int64_t row_blocks, column_blocks;          /* into which each matrix of out is divided */
    int64_t relu, has_matrix;                   /* has_matrix: c is a matrix */
    double alpha, beta;
} Product;

enum { PANELS_TOGETHER = 4 };                   /* column panels that are packed at a time */

typedef struct { const real *a, *b, *c; real *out; int64_t rows, columns; } Block;

static Block block_at(const Product *s, void *const *io, int64_t item) {
    int64_t batch = item / (s->row_blocks * s->column_blocks), within = item % (s->row_blocks * s->column_blocks);
    Range rows = range_of(s->rows, within / s->column_blocks, s->row_blocks);
    Range panels = range_of(column_panels(s->columns), within % s->column_blocks, s->column_blocks);
    int64_t column = panels.begin * TILE_COLUMNS, first = (batch * s->rows + rows.begin) * s->columns + column;
    Block block = {
        .a = (const real *)io[s->a] + batch * s->a_batch + rows.begin * s->a_row,
        .b = (const real *)io[s->b] + batch * s->b_batch + column * s->b_column,
        .c = s->c < 0 ? NULL : (const real *)io[s->c] + (s->has_matrix ? first : column),
        .out = (real *)io[s->out] + first,
        .rows = rows.end - rows.begin,
        .columns = min_int(panels.end * TILE_COLUMNS, s->columns) - column,
    };
    return block;
}

/* out = alpha · out + beta · c where that is not out already. */
static void combine(const Product *s, const Block *block) {
    if (s->alpha == 1 && !s->has_matrix) return;
    for (int64_t i = 0; i < block->rows; i++) {
        real *out = block->out + i * s->columns;
        for (int64_t j = 0; j < block->columns; j++) {
            real x = (real)s->alpha * out[j];
            out[j] = s->has_matrix ? x + (real)s->beta * block->c[i * s->columns + j] : x;
        }
    }
}

/* For little depth, where packing would be a large part of the work: a, whose rows are neighbours, is used where it
   lies, and so is b if few row panels use it. */
static void multiply_in_place(const Product *s, const Block *block, real *packed, const Target *to) {
    for (int64_t j = 0; j < block->columns; j += TILE_COLUMNS) {
        int64_t width = min_int(block->columns - j, TILE_COLUMNS), step = s->b_depth;
        const real *b = block->b + j * s->b_column;
        if (s->b_column != 1 || width < TILE_COLUMNS || row_panels(block->rows) > 4) {
            pack_columns(packed, b, s->b_depth, s->b_column, s->depth, width);
            b = packed, step = TILE_COLUMNS;
        }
        for (int64_t p = 0; p < row_panels(block->rows); p++) {
            Range range = row_panel(block->rows, p);
            tile(block->a + range.begin, s->a_depth, b, step, s->depth, range.begin, j, range.end - range.begin, width,
                 to);
        }
    }
}

static void multiply(const Product *s, const Block *block, real *packed_a, real *packed_b) {
    Target to = {.out = block->out, .stride = s->columns};
    int64_t k = 0;
    do {
        int64_t depth = min_int(s->depth - k, DEPTH);
        to.accumulate = k > 0;
        if (k + depth == s->depth) to.relu = s->relu, to.column_bias = s->has_matrix ? NULL : block->c;
        pack_rows(packed_a, block->a + k * s->a_depth, s->a_row, s->a_depth, block->rows, depth);
        for (int64_t j = 0; j < block->columns; j += PANELS_TOGETHER * TILE_COLUMNS) {
            int64_t width = min_int(block->columns - j, PANELS_TOGETHER * TILE_COLUMNS);
            Target part = to;
            part.out += j;
            if (part.column_bias) part.column_bias += j;
            pack_columns(packed_b, block->b + k * s->b_depth + j * s->b_column, s->b_depth, s->b_column, depth, width);
            gemm_block(packed_a, packed_b, block->rows, width, depth, &part);
        }
        k += depth;
    } while (k < s->depth);
}

static int matrix_product(const void *fields, void *const *io, int64_t part, int64_t parts) {
    const Product *s = fields;
    int64_t depth = min_int(s->depth, DEPTH), most_rows = (s->rows + s->row_blocks - 1) / s->row_blocks;
    int64_t a_size = packed_rows(most_rows, depth), b_size = packed_columns(depth, PANELS_TOGETHER * TILE_COLUMNS);
    real *packed = thread_scratch((a_size + b_size + 1) * sizeof(real));
    if (!packed) return NO_MEMORY;
    Range items = range_of(s->batches * s->row_blocks * s->column_blocks, part, parts);
    int in_place = s->a_row == 1 && s->depth <= 64;
    for (int64_t item = items.begin; item < items.end; item++) {
        Block block = block_at(s, io, item);
        if (in_place) {
            Target to = {.out = block.out, .stride = s->columns, .relu = (int)s->relu,
                         .column_bias = s->has_matrix ? NULL : block.c};
            multiply_in_place(s, &block, packed, &to);
        } else {
            multiply(s, &block, packed, packed + a_size);
        }
        combine(s, &block);
    }
    return DONE;
}

KERNELS(KERNEL(matrix_product, "a b c out batches rows columns depth a_batch a_row a_depth b_batch b_depth b_column "
                               "row_blocks column_blocks relu has_matrix alpha:d beta:d"))
