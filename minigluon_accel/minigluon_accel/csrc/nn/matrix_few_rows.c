/* Products of a few rows (or columns), `few`, with a matrix, `many`. Most of the time is spent reading the matrix,
   which is read only once.

   few_dots: the matrix is contiguous along the depth, as FullyConnected's weights are; few_sums: it is contiguous along
   the other axis. */

#include "../transpose.h"

#define INLINED static inline __attribute__((always_inline))

enum { MAX_FEW = 8 };

/* The number of simultaneous sums: as many as fit in registers. */
#if defined(__AVX512F__) || defined(__aarch64__)
#define SUMS 24
#else
#define SUMS 12
#endif

FIELDS(Few,
    int64_t few_at, many_at, bias_at, out_at;   /* indices in io; bias_at is -1 for none */
    int64_t few_first, many_first, bias_first, out_first;       /* offset of each in its array */
    int64_t few, many, depth;                   /* few: 1..MAX_FEW */
    int64_t few_step, few_depth;                /* strides */
    int64_t many_step;                          /* stride; few_dots: from row to row; few_sums: along the depth */
    int64_t out_few, out_many;
    int64_t bias_few, relu;                     /* bias_few: the bias has an element for each row of `few`; otherwise,
                                                   it has one for each row of `many` */
    int64_t batches, few_batch, many_batch, out_batch;          /* number of products, and their strides */
)

/* Stores the first `count` elements of a vector of results, for row f of `few` and rows n, n + 1, ... of `many`. */
static __attribute__((noinline)) void finish(const Few *s, void *const *io, vec x, int64_t f, int64_t n,
                                             int64_t count) {
    const real *bias = s->bias_at < 0 ? NULL : (const real *)io[s->bias_at] + s->bias_first;
    real *out = (real *)io[s->out_at] + s->out_first + f * s->out_few + n * s->out_many;
    if (bias && s->bias_few) x += all(bias[f]);
    else if (bias) x += count == LANES ? load(bias + n) : load_some(bias + n, count, 0);
    if (s->relu) x = at_least(x, (vec){0});
    if (s->out_many != 1)
        for (int64_t i = 0; i < count; i++) out[i * s->out_many] = x[i];
    else if (count == LANES) store(out, x);
    else store_some(out, x, count);
}

/* The parameters of product `batch`, as if it were the only product. */
static Few of_batch(const Few *s, int64_t batch) {
    Few one = *s;
    one.few_first += batch * s->few_batch, one.many_first += batch * s->many_batch;
    one.out_first += batch * s->out_batch;
    return one;
}

/* Each part handles whole products of a batch, or, if there is only one product, a range of the rows of `many`. */
static Range products_of(const Few *s, int64_t part, int64_t parts) {
    return s->batches > 1 ? range_of(s->batches, part, parts) : (Range){0, 1};
}

static Range many_of(const Few *s, int64_t part, int64_t parts) {
    return s->batches > 1 ? (Range){0, s->many} : range_of(s->many, part, parts);
}

/* -- contiguous along the depth ------------------------------------------------------------------------------------ */

/* sum[f][i]: lanes of partial sums of few[f] · row[i]. */
INLINED void add_products(int few, int rows, const real *x, int64_t x_step, const real *w, int64_t w_step,
                          int64_t depth, vec *sum, int64_t sum_step) {
    vec c[MAX_FEW][8];
#pragma GCC unroll 8
    for (int f = 0; f < few; f++)
#pragma GCC unroll 8
        for (int i = 0; i < rows; i++) c[f][i] = (vec){0};
    int64_t k = 0;
#pragma GCC unroll 1
    for (; k + LANES <= depth; k += LANES)
#pragma GCC unroll 8
        for (int i = 0; i < rows; i++) {
            vec weight = load(w + i * w_step + k);
#pragma GCC unroll 8
            for (int f = 0; f < few; f++) c[f][i] += weight * load(x + f * x_step + k);
        }
    if (k < depth) {
        vec last[MAX_FEW];
#pragma GCC unroll 8
        for (int f = 0; f < few; f++) last[f] = load_some(x + f * x_step + k, depth - k, 0);
#pragma GCC unroll 8
        for (int i = 0; i < rows; i++) {
            vec weight = load_some(w + i * w_step + k, depth - k, 0);
#pragma GCC unroll 8
            for (int f = 0; f < few; f++) c[f][i] += weight * last[f];
        }
    }
#pragma GCC unroll 8
    for (int f = 0; f < few; f++)
#pragma GCC unroll 8
        for (int i = 0; i < rows; i++) sum[f * sum_step + i] = c[f][i];
}

/* Sums the lanes of each vector of a square; these are the results of row f of `few` and rows n, n + 1, ... of
   `many`. */
static __attribute__((noinline)) void finish_square(const Few *s, void *const *io, vec *sum, int64_t f, int64_t n,
                                                    int64_t count) {
    vec square[EDGE];
#pragma GCC unroll 16
    for (int i = 0; i < EDGE; i++) square[i] = sum[i];
    turn_square(square);
#pragma GCC unroll 4
    for (int width = EDGE / 2; width > 0; width /= 2)
#pragma GCC unroll 16
        for (int i = 0; i < width; i++) square[i] += square[i + width];
    finish(s, io, square[0], f, n, count);
}

/* Multiplies up to EDGE rows from row n on, `rows` at a time. */
INLINED void dot_square(const Few *s, void *const *io, int few, int rows, const real *x, int64_t x_step, int64_t n,
                        int64_t count) {
    vec sum[MAX_FEW][EDGE];
    const real *w = (const real *)io[s->many_at] + s->many_first + n * s->many_step;
    int64_t i = 0;
    for (; i + rows <= count; i += rows)
        add_products(few, rows, x, x_step, w + i * s->many_step, s->many_step, s->depth, &sum[0][i], EDGE);
    for (; i < count; i++)
        add_products(few, 1, x, x_step, w + i * s->many_step, s->many_step, s->depth, &sum[0][i], EDGE);
    for (int f = 0; f < few; f++)
        for (int64_t rest = count; rest < EDGE; rest++) sum[f][rest] = (vec){0};
    for (int f = 0; f < few; f++) finish_square(s, io, sum[f], f, n, count);
}

#define ROWS_FOR(few) (8 * (few) <= SUMS && EDGE >= 8 ? 8 : 4 * (few) <= SUMS && EDGE >= 4 ? 4 : 2)

/* One function for each value of `few`, because one function with all of them inlined takes much longer to compile. */
#define DOTS(few)                                                                                               \
    static __attribute__((noinline)) void dots_##few(const Few *s, void *const *io, const real *x, int64_t x_step, \
                                                     Range range) {                                             \
        for (int64_t n = range.begin; n < range.end; n += EDGE)                                                 \
            dot_square(s, io, few, ROWS_FOR(few), x, x_step, n, min_int(range.end - n, EDGE));                  \
    }
DOTS(1) DOTS(2) DOTS(3) DOTS(4) DOTS(5) DOTS(6) DOTS(7) DOTS(8)

static void (*const dots[MAX_FEW])(const Few *, void *const *, const real *, int64_t, Range) = {
    dots_1, dots_2, dots_3, dots_4, dots_5, dots_6, dots_7, dots_8};

static int few_dots(const void *fields, void *const *io, int64_t part, int64_t parts) {
    const Few *s = fields;
    real *packed = s->few_depth == 1 ? NULL : thread_scratch((s->few * s->depth + 1) * sizeof(real));
    if (!packed && s->few_depth != 1) return NO_MEMORY;
    Range products = products_of(s, part, parts);
    for (int64_t batch = products.begin; batch < products.end; batch++) {
        const Few one = of_batch(s, batch);
        const real *x = (const real *)io[s->few_at] + one.few_first;
        if (packed)
            for (int64_t k = 0; k < s->depth; k++)
                for (int64_t f = 0; f < s->few; f++) packed[f * s->depth + k] = x[f * s->few_step + k * s->few_depth];
        dots[s->few - 1](&one, io, packed ? packed : x, packed ? s->depth : s->few_step, many_of(s, part, parts));
    }
    return DONE;
}

/* -- contiguous along the other axis ------------------------------------------------------------------------------- */

/* Computes `vectors` vectors of results from element n on, for this range of the depth, or only the first `count`
   elements if that is less than one vector. The output contains the sum over earlier ranges. */
INLINED void sum_rows(const Few *s, void *const *io, int few, int vectors, int64_t n, int64_t count, Range depth) {
    const real *x = (const real *)io[s->few_at] + s->few_first + depth.begin * s->few_depth;
    const real *w = (const real *)io[s->many_at] + s->many_first + depth.begin * s->many_step + n;
    real *out = (real *)io[s->out_at] + s->out_first + n;
    vec c[MAX_FEW][8];
#pragma GCC unroll 8
    for (int f = 0; f < few; f++)
#pragma GCC unroll 8
        for (int v = 0; v < vectors; v++)
            c[f][v] = depth.begin == 0 ? (vec){0}
                    : count < LANES ? load_some(out + f * s->out_few, count, 0) : load(out + f * s->out_few + v * LANES);
#pragma GCC unroll 1
    for (int64_t k = depth.begin; k < depth.end; k++, w += s->many_step, x += s->few_depth)
#pragma GCC unroll 8
        for (int v = 0; v < vectors; v++) {
            vec weight = count < LANES ? load_some(w, count, 0) : load(w + v * LANES);
            __builtin_prefetch(w + 8 * s->many_step + v * LANES);
#pragma GCC unroll 8
            for (int f = 0; f < few; f++) c[f][v] += weight * all(x[f * s->few_step]);
        }
#pragma GCC unroll 8
    for (int f = 0; f < few; f++)
#pragma GCC unroll 8
        for (int v = 0; v < vectors; v++) {
            if (depth.end == s->depth) finish(s, io, c[f][v], f, n + v * LANES, count);
            else if (count < LANES) store_some(out + f * s->out_few, c[f][v], count);
            else store(out + f * s->out_few + v * LANES, c[f][v]);
        }
}

#define VECTORS_FOR(few) (8 * (few) <= SUMS ? 8 : 4 * (few) <= SUMS ? 4 : 2)

/* Processes one range of the depth after another, so that long pieces of a few rows of the matrix are read instead of
   narrow strips of all rows. */
INLINED void sum_range(const Few *s, void *const *io, int few, Range range) {
    enum { ROWS = 64 };
    int64_t rows = s->out_many == 1 ? ROWS : s->depth;
    Range depth = {0, min_int(s->depth, rows)};
    do {
        int64_t n = range.begin;
        for (; n + VECTORS_FOR(few) * LANES <= range.end; n += VECTORS_FOR(few) * LANES)
            sum_rows(s, io, few, VECTORS_FOR(few), n, LANES, depth);
        for (; n + LANES <= range.end; n += LANES) sum_rows(s, io, few, 1, n, LANES, depth);
        if (n < range.end) sum_rows(s, io, few, 1, n, range.end - n, depth);
        depth.begin = depth.end, depth.end = min_int(s->depth, depth.end + rows);
    } while (depth.begin < s->depth);
}

#define SUMS_OF(few)                                                                                            \
    static __attribute__((noinline)) void sums_##few(const Few *s, void *const *io, Range range) {              \
        sum_range(s, io, few, range);                                                                           \
    }
SUMS_OF(1) SUMS_OF(2) SUMS_OF(3) SUMS_OF(4) SUMS_OF(5) SUMS_OF(6) SUMS_OF(7) SUMS_OF(8)

static void (*const sums[MAX_FEW])(const Few *, void *const *, Range) = {
    sums_1, sums_2, sums_3, sums_4, sums_5, sums_6, sums_7, sums_8};

static int few_sums(const void *fields, void *const *io, int64_t part, int64_t parts) {
    const Few *s = fields;
    Range products = products_of(s, part, parts);
    for (int64_t batch = products.begin; batch < products.end; batch++) {
        const Few one = of_batch(s, batch);
        sums[s->few - 1](&one, io, many_of(s, part, parts));
    }
    return DONE;
}

KERNELS(KERNEL(few_dots, Few), KERNEL(few_sums, Few))
