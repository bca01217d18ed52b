/* out = alpha · a · b + beta · c for batches of matrices with any strides, bias and relu: what FullyConnected, dot,
   batch_dot and their gradients come down to. Products of few rows are in matrix_few_rows.c. */

#include "../gemm.h"

FIELDS(Product,
    int64_t a, b, c, out;                       /* places in io; c is a bias of the columns, a matrix, or -1 for none */
    int64_t a_first, b_first, c_first, out_first;       /* where each begins there */
    int64_t batches, rows, columns, depth;
    int64_t a_batch, a_row, a_depth;            /* distances of neighbours */
    int64_t b_batch, b_depth, b_column;
    int64_t row_blocks, column_blocks;          /* into which each matrix of out is divided */
    int64_t relu, has_matrix;                   /* has_matrix: c is a matrix */
    double alpha, beta;
)

typedef struct { const real *a, *b, *c; real *out; int64_t rows, columns; } Block;

static Block block_at(const Product *s, void *const *io, int64_t item) {
    int64_t batch = item / (s->row_blocks * s->column_blocks), within = item % (s->row_blocks * s->column_blocks);
    Range rows = range_of(s->rows, within / s->column_blocks, s->row_blocks);
    Range panels = range_of(column_panels(s->columns), within % s->column_blocks, s->column_blocks);
    int64_t column = panels.begin * TILE_COLUMNS, first = (batch * s->rows + rows.begin) * s->columns + column;
    Block block = {
        .a = (const real *)io[s->a] + s->a_first + batch * s->a_batch + rows.begin * s->a_row,
        .b = (const real *)io[s->b] + s->b_first + batch * s->b_batch + column * s->b_column,
        .c = s->c < 0 ? NULL : (const real *)io[s->c] + s->c_first + (s->has_matrix ? first : column),
        .out = (real *)io[s->out] + s->out_first + first,
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
   lies, and so is b if few row panels use it. Panels of rows are finished one after the other, since for little depth
   writing is most of the work. */
static void multiply_shallow(const Product *s, const Block *block, real *packed) {
    Target to = {.out = block->out, .stride = s->columns, .relu = (int)s->relu,
                 .column_bias = s->has_matrix ? NULL : block->c};
    int64_t whole = block->columns / TILE_COLUMNS * TILE_COLUMNS, step = s->b_depth;
    int packs = s->b_column != 1 || row_panels(block->rows) > 2;
    if (packs) whole = 0, step = TILE_COLUMNS;
    pack_columns(packed, block->b + whole * s->b_column, s->b_depth, s->b_column, s->depth, block->columns - whole);
    for (int64_t p = 0; p < row_panels(block->rows); p++) {
        Range rows = row_panel(block->rows, p);
        for (int64_t j = 0; j < block->columns; j += TILE_COLUMNS) {
            int there = j < whole;
            tile(block->a + rows.begin, s->a_depth, there ? block->b + j : packed + (j - whole) * s->depth,
                 there ? step : TILE_COLUMNS, s->depth, rows.begin, j, rows.end - rows.begin,
                 min_int(block->columns - j, TILE_COLUMNS), &to);
        }
    }
}

/* Sizes of what is packed at a time. b is read in long pieces: of few rows more depth fits the cache. */
typedef struct { int64_t depth, columns, a_size, b_size; } Piece;

static Piece piece_of(const Product *s) {
    int64_t rows = (s->rows + s->row_blocks - 1) / s->row_blocks;
    int64_t times = s->b_depth != 1 ? 1 : rows <= 64 ? 4 : rows <= 128 ? 2 : 1;
    Piece piece = {.depth = min_int(s->depth, times * DEPTH), .columns = 8 / times * TILE_COLUMNS};
    piece.a_size = packed_rows(rows, piece.depth);
    piece.b_size = packed_columns(piece.depth, piece.columns);
    return piece;
}

static void multiply(const Product *s, const Block *block, const Piece *most, real *packed_a, real *packed_b) {
    int64_t k = 0;
    do {
        int64_t depth = min_int(s->depth - k, most->depth);
        int is_last = k + depth == s->depth;
        pack_rows(packed_a, block->a + k * s->a_depth, s->a_row, s->a_depth, block->rows, depth);
        for (int64_t j = 0; j < block->columns; j += most->columns) {
            int64_t width = min_int(block->columns - j, most->columns);
            Target to = {.out = block->out + j, .stride = s->columns, .accumulate = k > 0,
                         .relu = is_last && s->relu,
                         .column_bias = is_last && block->c && !s->has_matrix ? block->c + j : NULL};
            pack_columns(packed_b, block->b + k * s->b_depth + j * s->b_column, s->b_depth, s->b_column, depth, width);
            gemm_block(packed_a, packed_b, block->rows, width, depth, &to);
        }
        k += depth;
    } while (k < s->depth);
}

enum { SHALLOW = 64 };

static int matrix_product(const void *fields, void *const *io, int64_t part, int64_t parts) {
    const Product *s = fields;
    int is_shallow = s->a_row == 1 && s->depth <= SHALLOW;
    Piece piece = piece_of(s);
    int64_t columns = (column_panels(s->columns) + s->column_blocks - 1) / s->column_blocks * TILE_COLUMNS;
    int64_t size = is_shallow ? packed_columns(s->depth, columns) : piece.a_size + piece.b_size;
    real *packed = thread_scratch((size + 1) * sizeof(real));
    if (!packed) return NO_MEMORY;
    Range items = range_of(s->batches * s->row_blocks * s->column_blocks, part, parts);
    for (int64_t item = items.begin; item < items.end; item++) {
        Block block = block_at(s, io, item);
        if (is_shallow) multiply_shallow(s, &block, packed);
        else multiply(s, &block, &piece, packed, packed + piece.a_size);
        combine(s, &block);
    }
    return DONE;
}

KERNELS(KERNEL(matrix_product, Product))
