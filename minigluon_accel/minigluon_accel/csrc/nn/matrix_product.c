/* out = alpha · a · b + beta · c for batches of matrices with any strides, with bias and relu. FullyConnected, dot,
   batch_dot and their gradients are products of this form. Products of few rows are in matrix_few_rows.c. */

#include "../gemm.h"

FIELDS(Product,
    int64_t a, b, c, out;                       /* indices in io; c is a bias of the columns, a matrix, or -1 for
                                                   none */
    int64_t a_first, b_first, c_first, out_first;       /* offset of each in its array */
    int64_t batches, rows, columns, depth;
    int64_t a_batch, a_row, a_depth;            /* strides */
    int64_t b_batch, b_depth, b_column;
    int64_t relu, has_matrix;                   /* has_matrix: c is a matrix */
    double alpha, beta;
)

typedef struct { const real *a, *b, *c; real *out; int64_t rows, columns; } Block;

/* The maximum number of rows that are packed at once; they fill half of the second-level cache, or less if only a few
   columns use them. */
static int64_t most_rows(const Product *s) { return s->columns <= 4 * TILE_COLUMNS ? 256 : 768; }

/* The numbers of blocks into which the rows and the columns of an out matrix are divided. */
typedef struct { int64_t rows, columns; } Blocks;

/* Of all divisions into this many blocks, chooses the one that packs the least data; chooses one block if there is no
   such division. A block packs its rows once, and its columns once for each most_rows of its rows. */
static Blocks blocks_of(const Product *s, int64_t count) {
    Blocks best = {1, 1};
    int64_t least = INT64_MAX;
    for (int64_t columns = 1; columns <= count; columns++) {
        int64_t rows = count / columns;
        if (rows * columns != count || rows > row_panels(s->rows) || columns > column_panels(s->columns)) continue;
        int64_t times = (s->rows / rows + most_rows(s) - 1) / most_rows(s);
        int64_t packed = s->rows * columns + s->columns * rows * times;
        if (packed < least) least = packed, best = (Blocks){rows, columns};
    }
    return best;
}

static int64_t common_divisor(int64_t a, int64_t b) { return b ? common_divisor(b, a % b) : a; }

/* If there are few products, they are divided into equal numbers of blocks per part; otherwise, each product is one
   block. */
static Blocks blocks_for(const Product *s, int64_t parts) {
    return blocks_of(s, s->batches < 4 * parts ? parts / common_divisor(parts, s->batches) : 1);
}

static Block block_at(const Product *s, Blocks blocks, void *const *io, int64_t item) {
    int64_t batch = item / (blocks.rows * blocks.columns), within = item % (blocks.rows * blocks.columns);
    Range rows = range_of(s->rows, within / blocks.columns, blocks.rows);
    Range panels = range_of(column_panels(s->columns), within % blocks.columns, blocks.columns);
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

/* Computes out = alpha · out + beta · c if c is not already in out. */
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

/* For a small depth, packing would account for much of the work. So a, whose columns are contiguous, is used in place,
   as is b if only a few row panels use it. Panels of rows are finished in order, because most of the work is writing
   the result. */
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

/* Sizes that are packed at once. b is read in long pieces; with few rows, a larger depth fits in the cache. */
typedef struct { int64_t depth, columns, a_size, b_size; } Piece;

static Piece piece_of(const Product *s) {
    int64_t rows = min_int(s->rows, most_rows(s));
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

/* Multiplies some rows of a block. */
static Block rows_of(const Product *s, const Block *block, Range rows) {
    Block some = *block;
    some.a += rows.begin * s->a_row, some.out += rows.begin * s->columns, some.rows = rows.end - rows.begin;
    return some;
}

/* Multiplies some columns of a block, one panel after another. */
static Block columns_of(const Product *s, const Block *block, Range panels) {
    Block some = *block;
    int64_t begin = panels.begin * TILE_COLUMNS;
    some.b += begin * s->b_column, some.out += begin, some.c = some.c ? some.c + begin : NULL;
    some.columns = min_int(panels.end * TILE_COLUMNS, block->columns) - begin;
    return some;
}

/* SHALLOW: the largest depth at which MOST_PANELS panels are packed at once. */
enum { SHALLOW = 64, MOST_PANELS = 64 };

static int matrix_product(const void *fields, void *const *io, int64_t part, int64_t parts) {
    const Product *s = fields;
    int is_shallow = s->a_row == 1 && s->depth <= SHALLOW;
    Piece piece = piece_of(s);
    int64_t columns = min_int(column_panels(s->columns), MOST_PANELS) * TILE_COLUMNS;
    int64_t size = is_shallow ? packed_columns(s->depth, columns) : piece.a_size + piece.b_size;
    real *packed = thread_scratch((size + 1) * sizeof(real));
    if (!packed) return NO_MEMORY;
    Blocks blocks = blocks_for(s, parts);
    Range items = range_of(s->batches * blocks.rows * blocks.columns, part, parts);
    for (int64_t item = items.begin; item < items.end; item++) {
        Block block = block_at(s, blocks, io, item);
        int64_t panels = column_panels(block.columns), most = is_shallow ? MOST_PANELS : most_rows(s);
        int64_t pieces = ((is_shallow ? panels : block.rows) + most - 1) / most;
        for (int64_t p = 0; p < pieces; p++) {
            Block some = is_shallow ? columns_of(s, &block, range_of(panels, p, pieces))
                                    : rows_of(s, &block, range_of(block.rows, p, pieces));
            if (is_shallow) multiply_shallow(s, &some, packed);
            else multiply(s, &some, &piece, packed, packed + piece.a_size);
        }
        combine(s, &block);
    }
    return DONE;
}

KERNELS(KERNEL_OF_ANY_PARTS(matrix_product, Product))
