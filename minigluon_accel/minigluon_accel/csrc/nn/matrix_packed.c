/* Fully connected layers whose weight is prepacked once for many calls, with a fused epilogue:

     pack_weight     packed[panel][k][TILE_COLUMNS], then the bias, then 1 to mark it as ready
     matrix_packed    out (rows, columns) = activation(data (rows, depth) · weight + bias + other)

   matrix_product.c packs both factors for each product. Here, each column panel of the weight is stored with its whole
   depth and read as one stream; this matters if only a few rows use each element. While parameters change from call to
   call, the mark is 0 and each part packs the panels that it needs; the results are the same. */

#include "matrix_packed.h"

FIELDS(Packing,
    int64_t columns, depth;
    int64_t ready_at;                           /* offset of the mark */
    int64_t weight, bias, out;                  /* indices in io; bias -1: no bias */
    int64_t weight_at, bias_at, out_at;         /* offsets in these arrays */
)

static int pack_weight(const void *fields, void *const *io, int64_t part, int64_t parts) {
    const Packing *s = fields;
    const real *weight = (const real *)io[s->weight] + s->weight_at;
    const real *bias = s->bias < 0 ? NULL : (const real *)io[s->bias] + s->bias_at;
    real *packed = (real *)io[s->out] + s->out_at, *terms = packed + packed_columns(s->depth, s->columns);
    Range range = range_of(column_panels(s->columns), part, parts);
    for (int64_t j = range.begin * TILE_COLUMNS; j < min_int(range.end * TILE_COLUMNS, s->columns); j += TILE_COLUMNS) {
        int64_t count = min_int(s->columns - j, TILE_COLUMNS);
        if (count < TILE_COLUMNS) memset(packed + j * s->depth, 0, TILE_COLUMNS * s->depth * sizeof(real));
        pack_across(packed + j * s->depth, TILE_COLUMNS, weight + j * s->depth, s->depth, count, s->depth);
        for (int64_t i = j; i < j + count; i++) terms[i] = bias ? bias[i] : 0;
    }
    if (part == 0) packed[s->ready_at] = 1;
    return DONE;
}

FIELDS(Dense,
    int64_t rows, columns, depth;
    int64_t cuts, shares;                       /* number of shares of the row panels, and of the column panels */
    int64_t ready_at;                           /* offset of the mark, which follows the packed weight */
    int64_t activation;                         /* one of the activations in matrix_packed.h */
    int64_t data, weight, bias, packed, other, out;     /* indices in io; bias or other -1: nothing to add */
    int64_t data_at, packed_at, out_at;         /* offsets in these arrays */
)

/* A tile of one row panel. a (depth, rows), packed; b: a column panel. Each addition to a sum waits for the previous
   one, so with one or two rows, each result is split into several sums, each of which takes every n-th product. */
INLINED void multiply_stream(int rows, int vectors, const real *a, const real *b, int64_t depth,
                             vec sum[TILE_ROWS][TILE_VECTORS]) {
    enum { MOST = 4 };
    const int sums = rows == 1 ? 4 : rows == 2 ? 2 : 1;
    vec c[MOST][TILE_ROWS][TILE_VECTORS];
#pragma GCC unroll 4
    for (int m = 0; m < sums; m++)
#pragma GCC unroll 16
        for (int i = 0; i < rows; i++)
#pragma GCC unroll 4
            for (int j = 0; j < vectors; j++) c[m][i][j] = (vec){0};
    int64_t k = 0;
#pragma GCC unroll 1
    for (; k + sums <= depth; k += sums, a += sums * rows, b += sums * TILE_COLUMNS)
#pragma GCC unroll 4
        for (int m = 0; m < sums; m++) {
            vec row[TILE_VECTORS];
#pragma GCC unroll 4
            for (int j = 0; j < vectors; j++) row[j] = load(b + m * TILE_COLUMNS + j * LANES);
#pragma GCC unroll 16
            for (int i = 0; i < rows; i++) {
                vec x = all(a[m * rows + i]);
#pragma GCC unroll 4
                for (int j = 0; j < vectors; j++) c[m][i][j] += x * row[j];
            }
        }
#pragma GCC unroll 1
    for (; k < depth; k++, a += rows, b += TILE_COLUMNS)
#pragma GCC unroll 16
        for (int i = 0; i < rows; i++)
#pragma GCC unroll 4
            for (int j = 0; j < vectors; j++) c[0][i][j] += a[i] * load(b + j * LANES);
#pragma GCC unroll 16
    for (int i = 0; i < rows; i++)
#pragma GCC unroll 4
        for (int j = 0; j < vectors; j++) {
            sum[i][j] = c[0][i][j];
#pragma GCC unroll 4
            for (int m = 1; m < sums; m++) sum[i][j] += c[m][i][j];
        }
}

#define STREAM_CASE(n)                                                              \
    case 2 * n - 1: multiply_stream(n, 1, a, b, depth, sum); break;                 \
    case 2 * n: multiply_stream(n, 2, a, b, depth, sum); break;

static void stream_tile(const real *a, const real *b, int64_t depth, int64_t rows, int64_t columns, const Target *to) {
    vec sum[TILE_ROWS][TILE_VECTORS];
    switch (2 * rows - (columns <= LANES)) {
        EACH_OF_TILE_ROWS(STREAM_CASE)
        default: __builtin_unreachable();
    }
    store_tile(sum, 0, 0, rows, columns, to);
}

static const real *data_of(const Dense *s, void *const *io) { return (const real *)io[s->data] + s->data_at; }
static const real *packed_of(const Dense *s, void *const *io) { return (const real *)io[s->packed] + s->packed_at; }

/* Column panel j, for depths k to k + length - 1: prepacked, or packed now into `room`. */
static const real *panel_of(const Dense *s, void *const *io, int64_t j, int64_t k, int64_t length, real *room) {
    const real *packed = packed_of(s, io);
    int64_t first = j * TILE_COLUMNS;
    if (packed[s->ready_at] == 1) return packed + first * s->depth + k * TILE_COLUMNS;
    pack_across(room, TILE_COLUMNS, (const real *)io[s->weight] + first * s->depth + k, s->depth,
                min_int(s->columns - first, TILE_COLUMNS), length);
    return room;
}

/* The target of that panel. */
static Target target_of(const Dense *s, void *const *io, int64_t j, int64_t row, int is_first, int is_last) {
    const real *packed = packed_of(s, io), *bias = s->bias < 0 ? NULL : io[s->bias];
    int64_t first = j * TILE_COLUMNS, at = row * s->columns + first;
    if (packed[s->ready_at] == 1) bias = packed + packed_columns(s->depth, s->columns);
    return (Target){.out = (real *)io[s->out] + s->out_at + at, .stride = s->columns, .accumulate = !is_first,
                    .column_bias = is_last && bias ? bias + first : NULL, .relu = is_last && s->activation == RELU,
                    .other = is_last && s->other >= 0 ? (const real *)io[s->other] + at : NULL};
}

/* Multiplies a few rows by the column panels `wide`, each of which is read in one piece. */
static void multiply_few(const Dense *s, void *const *io, Range wide, real *a, real *b) {
    const real *data = data_of(s, io);
    if (s->rows == 1) a = (real *)data;
    else pack_any(a, s->rows, data, s->depth, 1, s->rows, s->depth);
    for (int64_t j = wide.begin; j < wide.end; j++) {
        int64_t columns = min_int(s->columns - j * TILE_COLUMNS, TILE_COLUMNS);
        Target to = target_of(s, io, j, 0, 1, 1);
        stream_tile(a, panel_of(s, io, j, 0, s->depth, b), s->depth, s->rows, columns, &to);
        activate(s->activation, to.out, s->columns, s->rows, columns);
    }
}

/* The part of the depth that is packed at once. Sums stay in registers over this depth, because even if a panel does
   not fit in the first-level cache, reading it once for each row panel costs less than storing and reloading the
   sums. */
#define DEEP (4 * DEPTH)

/* Packs depths k to k + length - 1 of the rows in `panels` as [row panel][length][TILE_ROWS]. */
static void pack_data(const Dense *s, void *const *io, Range panels, int64_t k, int64_t length, real *a) {
    for (int64_t p = panels.begin; p < panels.end; p++, a += TILE_ROWS * length) {
        Range rows = row_panel(s->rows, p);
        pack_any(a, TILE_ROWS, data_of(s, io) + rows.begin * s->depth + k, s->depth, 1,
                 rows.end - rows.begin, length);
    }
}

/* Multiplies the packed rows a by column panel j, for depths k to k + length - 1. */
static void multiply_panel(const Dense *s, void *const *io, Range panels, int64_t j, int64_t k, int64_t length,
                           const real *a, real *b) {
    int64_t columns = min_int(s->columns - j * TILE_COLUMNS, TILE_COLUMNS);
    int is_last = k + length == s->depth;
    const real *panel = panel_of(s, io, j, k, length, b);
    for (int64_t p = panels.begin; p < panels.end; p++, a += TILE_ROWS * length) {
        Range rows = row_panel(s->rows, p);
        int64_t count = rows.end - rows.begin;
        Target to = target_of(s, io, j, rows.begin, k == 0, is_last);
        tile(a, TILE_ROWS, panel, TILE_COLUMNS, length, 0, 0, count, columns, &to);
        if (is_last) activate(s->activation, to.out, s->columns, count, columns);
    }
}

/* Multiplies the row panels `panels` by the column panels `wide`. a, b: memory for packed rows and for a column
   panel. */
static void multiply_many(const Dense *s, void *const *io, Range panels, Range wide, real *a, real *b) {
    for (int64_t k = 0; k < s->depth; k += DEEP) {
        int64_t length = min_int(s->depth - k, DEEP);
        pack_data(s, io, panels, k, length, a);
        for (int64_t j = wide.begin; j < wide.end; j++) multiply_panel(s, io, panels, j, k, length, a, b);
    }
}

enum { NARROW = 3, SHORT = 256 };       /* column panels; elements of a row */

/* Rows that only a few column panels use are not worth packing if they are short enough to stay in the first-level
   cache. */
static int stays_there(const Dense *s) { return column_panels(s->columns) <= NARROW && s->depth <= SHORT; }

static void multiply_narrow(const Dense *s, void *const *io, Range panels, Range wide, real *b) {
    vec sum[TILE_ROWS][TILE_VECTORS];
    for (int64_t j = wide.begin; j < wide.end; j++) {
        int64_t columns = min_int(s->columns - j * TILE_COLUMNS, TILE_COLUMNS);
        const real *panel = panel_of(s, io, j, 0, s->depth, b);
        for (int64_t p = panels.begin; p < panels.end; p++) {
            Range rows = row_panel(s->rows, p);
            Target to = target_of(s, io, j, rows.begin, 1, 1);
            int64_t count = rows.end - rows.begin;
            products_there(data_of(s, io) + rows.begin * s->depth, s->depth, panel, s->depth, count, columns, sum);
            store_tile(sum, 0, 0, count, columns, &to);
            activate(s->activation, to.out, s->columns, count, columns);
        }
    }
}

static int matrix_packed(const void *fields, void *const *io, int64_t part, int64_t parts) {
    const Dense *s = fields;
    Range items = range_of(s->cuts * s->shares, part, parts);
    int64_t panels = (row_panels(s->rows) + s->cuts - 1) / s->cuts, is_few = s->rows <= TILE_ROWS;
    int64_t length = is_few ? s->depth : min_int(s->depth, DEEP);
    real *a = thread_scratch(((panels * TILE_ROWS + TILE_COLUMNS) * length + 2 * EDGE) * sizeof(real));
    if (!a) return NO_MEMORY;
    real *b = a + panels * TILE_ROWS * length + EDGE;
    for (int64_t item = items.begin; item < items.end; item++) {
        /* All rows are multiplied by one share of the weight before the next share, so that it stays cached. */
        Range wide = range_of(column_panels(s->columns), item / s->cuts, s->shares);
        Range some = range_of(row_panels(s->rows), item % s->cuts, s->cuts);
        if (is_few) multiply_few(s, io, wide, a, b);
        else if (stays_there(s)) multiply_narrow(s, io, some, wide, b);
        else multiply_many(s, io, some, wide, a, b);
    }
    return DONE;
}

KERNELS(KERNEL(pack_weight, Packing), KERNEL(matrix_packed, Dense))
