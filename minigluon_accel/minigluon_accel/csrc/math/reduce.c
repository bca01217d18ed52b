/* Reductions of x[outer][rows][inner] over `rows`: sum, product, maximum, minimum, ...; argmax and argmin.

   The rows of an item may be divided into `chunks`, whose results out[outer][chunks][inner] are reduced in a second
   phase. The elements of a row are combined into blocks, a few blocks into a run, then runs in pairs, these pairs in
   pairs, and so on, so the rounding error of a sum grows only logarithmically with its length. */

#include <float.h>

#include "../vmath.h"

#define REAL_MIN (REAL_BITS == 32 ? (real)FLT_MIN : (real)DBL_MIN)
#define REAL_MAX (REAL_BITS == 32 ? (real)FLT_MAX : (real)DBL_MAX)

enum { TILE = 8, COLUMN_BLOCK = 32, COLUMN_RUN = 128 };         /* vectors, rows, rows */
#define ROW_BLOCK (64 * LANES)                                  /* elements of a block: 16 additions for each of four
                                                                   vectors */
#define ROW_RUN (8 * ROW_BLOCK)

/* source, target: indices of the arrays. finish: the function applied to the results at the end. */
FIELDS(Reduction, int64_t source, target, outer, rows, inner, chunks, finish; double divisor;)

enum { AS_IS, DIVIDED, ROOT };

static inline vec finished(vec x, const Reduction *s) {
    if (s->finish == DIVIDED) return x / (real)s->divisor;
    return s->finish == ROOT ? sqrt_vec(x) : x;
}

/* Count the roots of sums of squares that overflowed or lost small terms. If there are any, the result is computed by
   the reference, which scales the elements. Sums of zeros are also counted. */
static inline real doubtful_roots(const real *roots, int64_t count, const Reduction *s) {
    real doubtful = 0;
    for (int64_t i = 0; s->finish == ROOT && i < count; i++)
        doubtful += !(roots[i] >= C(1e-12, 1e-138) && roots[i] < INFINITY);
    return doubtful;
}

static inline vec not_nan_or(vec x, real other) { return select(x == x, x, all(other)); }

/* Nonzero in lanes whose product overflowed, underflowed, or has a zero factor. In these lanes, the order of
   multiplication, which differs from the reference's, can change the result, even to NaN for 0 times infinity. */
static inline vec out_of_range(vec x) {
    vec size = abs_vec(x);
    return select((size >= all(REAL_MIN)) & (size <= all(REAL_MAX)), all(0), all(1));
}

/* About half of the elements, rounded to whole runs. */
static inline int64_t half_of(int64_t count, int64_t run) { return (count / run + 1) / 2 * run; }

#define NONE ((void)x, all(0))

/* Defines one operation, with the initial value `start`, that reduces each row to one value (if inner is 1), or reduces
   columns to a row. each: the function first applied to each element x. doubt: nonzero in lanes of x whose result the
   reference must compute. */
#define REDUCTION(name, start, each, join, doubt)                                                     \
    static inline vec name##_each(vec x) { return each; }                                             \
    static inline vec name##_join(vec a, vec b) { return join; }                                      \
    static inline vec name##_doubt(vec x) { return doubt; }                                           \
                                                                                                      \
    static vec name##_block(const real *x, int64_t count) {                                           \
        vec a = all(start), b = a, c = a, d = a;                                                      \
        int64_t i = 0;                                                                                \
        for (; i + 4 * LANES <= count; i += 4 * LANES) {                                              \
            a = name##_join(a, name##_each(load(x + i)));                                             \
            b = name##_join(b, name##_each(load(x + i + LANES)));                                     \
            c = name##_join(c, name##_each(load(x + i + 2 * LANES)));                                 \
            d = name##_join(d, name##_each(load(x + i + 3 * LANES)));                                 \
        }                                                                                             \
        for (; i < count; i += LANES) {                                                               \
            int64_t left = count - i;                                                                 \
            a = name##_join(a, name##_each(left >= LANES ? load(x + i) : load_some(x + i, left, start))); \
        }                                                                                             \
        return name##_join(name##_join(a, b), name##_join(c, d));                                     \
    }                                                                                                 \
                                                                                                      \
    static inline vec name##_run(const real *x, int64_t count) {                                      \
        vec total = name##_block(x, min_int(ROW_BLOCK, count));                                       \
        for (int64_t i = ROW_BLOCK; i < count; i += ROW_BLOCK)                                        \
            total = name##_join(total, name##_block(x + i, min_int(ROW_BLOCK, count - i)));           \
        return total;                                                                                 \
    }                                                                                                 \
                                                                                                      \
    static vec name##_halves(const real *x, int64_t count, vec *check) {                              \
        if (count <= ROW_RUN) return name##_run(x, count);                                            \
        int64_t half = half_of(count, ROW_RUN);                                                       \
        vec a = name##_halves(x, half, check), b = name##_halves(x + half, count - half, check);      \
        *check += name##_doubt(a) + name##_doubt(b);                                                  \
        return name##_join(a, b);                                                                     \
    }                                                                                                 \
                                                                                                      \
    static real name##_row(const real *x, int64_t count, vec *check) {                                \
        vec total = count <= ROW_RUN ? name##_run(x, count) : name##_halves(x, count, check);         \
        *check += name##_doubt(total);                                                                \
        real lanes[2 * VECTOR_BYTES / sizeof(real)];                                                  \
        for (int64_t width = LANES / 2; width > 0; width /= 2) {                                      \
            store(lanes, total);                                                                      \
            total = name##_join(total, load(lanes + width));                                          \
        }                                                                                             \
        *check += name##_doubt(all(total[0]));                                                        \
        return total[0];                                                                              \
    }                                                                                                 \
                                                                                                      \
    static int name##_rows(const void *fields, void *const *io, int64_t part, int64_t parts) {        \
        const Reduction *s = fields;                                                                  \
        Range range = range_of(s->outer * s->chunks, part, parts);                                    \
        const real *x = io[s->source];                                                                \
        real *out = io[s->target];                                                                    \
        vec check = {0};                                                                              \
        for (int64_t i = range.begin; i < range.end; i++) {                                           \
            Range rows = range_of(s->rows, i % s->chunks, s->chunks);                                 \
            const real *row = x + i / s->chunks * s->rows + rows.begin;                               \
            out[i] = finished(all(name##_row(row, rows.end - rows.begin, &check)), s)[0];             \
            check += doubtful_roots(out + i, 1, s);                                                   \
        }                                                                                             \
        return sum_lanes(check) == 0 ? DONE : REFUSED;                                                \
    }                                                                                                 \
                                                                                                      \
    /* `count` vectors of columns; the last has `width` lanes */                                      \
    static inline __attribute__((always_inline)) void name##_rows_of(                                 \
        const real *x, int64_t rows, int64_t inner, vec *total, const int count, int64_t width,       \
        vec *check) {                                                                                 \
        for (int v = 0; v < count; v++) total[v] = all(start);                                        \
        for (int64_t begin = 0; begin < rows; begin += COLUMN_BLOCK) {                                \
            int64_t end = min_int(begin + COLUMN_BLOCK, rows);                                        \
            vec sum[TILE];                                                                            \
            for (int v = 0; v < count; v++) sum[v] = all(start);                                      \
            for (int64_t r = begin; r < end; r++)                                                     \
                for (int v = 0; v < count; v++) {                                                     \
                    const real *p = x + r * inner + v * LANES;                                        \
                    vec e = width == LANES ? load(p) : load_some(p, width, start);                    \
                    sum[v] = name##_join(sum[v], name##_each(e));                                     \
                }                                                                                     \
            for (int v = 0; v < count; v++) {                                                         \
                *check += name##_doubt(sum[v]);                                                       \
                total[v] = name##_join(total[v], sum[v]);                                             \
            }                                                                                         \
        }                                                                                             \
        for (int v = 0; v < count; v++) *check += name##_doubt(total[v]);                             \
    }                                                                                                 \
                                                                                                      \
    static void name##_halves_of(                                                                     \
        const real *x, int64_t rows, int64_t inner, vec *total, int count, int64_t width, vec *check) { \
        if (rows > COLUMN_RUN) {                                                                      \
            int64_t half = half_of(rows, COLUMN_RUN);                                                 \
            vec others[TILE];                                                                         \
            name##_halves_of(x, half, inner, total, count, width, check);                             \
            name##_halves_of(x + half * inner, rows - half, inner, others, count, width, check);      \
            for (int v = 0; v < count; v++) {                                                         \
                total[v] = name##_join(total[v], others[v]);                                          \
                *check += name##_doubt(total[v]);                                                     \
            }                                                                                         \
        } else if (count == TILE) {                                                                   \
            name##_rows_of(x, rows, inner, total, TILE, LANES, check);                                \
        } else if (width == LANES) {                                                                  \
            name##_rows_of(x, rows, inner, total, 1, LANES, check);                                   \
        } else {                                                                                      \
            name##_rows_of(x, rows, inner, total, 1, width, check);                                   \
        }                                                                                             \
    }                                                                                                 \
                                                                                                      \
    static inline __attribute__((always_inline)) void name##_tile(                                    \
        const Reduction *s, const real *x, int64_t rows, real *out, const int count, int64_t width,   \
        vec *check) {                                                                                 \
        vec total[TILE];                                                                              \
        if (rows <= COLUMN_RUN) name##_rows_of(x, rows, s->inner, total, count, width, check);        \
        else name##_halves_of(x, rows, s->inner, total, count, width, check);                         \
        for (int v = 0; v < count; v++) {                                                             \
            if (width == LANES) store(out + v * LANES, finished(total[v], s));                        \
            else store_some(out, finished(total[v], s), width);                                       \
        }                                                                                             \
        *check += doubtful_roots(out, width == LANES ? count * LANES : width, s);                     \
    }                                                                                                 \
                                                                                                      \
    static int name##_columns(const void *fields, void *const *io, int64_t part, int64_t parts) {     \
        const Reduction *s = fields;                                                                  \
        int64_t tiles = (s->inner + TILE * LANES - 1) / (TILE * LANES);                               \
        Range range = range_of(s->outer * s->chunks * tiles, part, parts);                            \
        vec check = {0};                                                                              \
        for (int64_t i = range.begin; i < range.end; i++) {                                           \
            int64_t item = i / tiles, column = i % tiles * TILE * LANES;                              \
            Range rows = range_of(s->rows, item % s->chunks, s->chunks);                              \
            const real *x = (const real *)io[s->source]                                               \
                            + (item / s->chunks * s->rows + rows.begin) * s->inner + column;          \
            real *out = (real *)io[s->target] + item * s->inner + column;                             \
            int64_t width = min_int(s->inner - column, TILE * LANES), count = rows.end - rows.begin;  \
            if (width == TILE * LANES) {                                                              \
                name##_tile(s, x, count, out, TILE, LANES, &check);                                   \
                continue;                                                                             \
            }                                                                                         \
            for (; width >= LANES; width -= LANES, x += LANES, out += LANES)                          \
                name##_tile(s, x, count, out, 1, LANES, &check);                                      \
            if (width) name##_tile(s, x, count, out, 1, width, &check);                               \
        }                                                                                             \
        return sum_lanes(check) == 0 ? DONE : REFUSED;                                                \
    }

REDUCTION(sum, (real)-0.0, x, a + b, NONE)
REDUCTION(prod, 1, x, a * b, out_of_range(x))
REDUCTION(max, -INFINITY, x, max_vec(a, b), NONE)
REDUCTION(min, INFINITY, x, min_vec(a, b), NONE)
REDUCTION(nansum, (real)-0.0, not_nan_or(x, 0), a + b, NONE)
REDUCTION(nanprod, 1, not_nan_or(x, 1), a * b, out_of_range(x))
REDUCTION(square, 0, x * x, a + b, NONE)
REDUCTION(size, 0, abs_vec(x), a + b, NONE)
#define BOTH(name) KERNEL(name##_rows, Reduction), KERNEL(name##_columns, Reduction)

/* -- argmax, argmin ------------------------------------------------------------------------------------------------ */

/* The index of the first of the largest elements of x[outer][rows][inner] along rows, or of the first NaN; with
   `smallest`, the same for -x. */
FIELDS(Arg, int64_t outer, rows, inner, smallest;)

static inline mask better(vec x, vec best) { return (x > best) | ((x != x) & (best == best)); }

/* The same for up to LANES adjacent columns. */
static mask first_largest(const Arg *s, const real *x, int64_t width, vec sign) {
    vec best = sign * (width == LANES ? load(x) : load_some(x, width, 0));
    mask where = {0};
    for (int64_t r = 1; r < s->rows; r++) {
        const real *p = x + r * s->inner;
        vec e = sign * (width == LANES ? load(p) : load_some(p, width, 0));
        mask which = better(e, best);
        best = select(which, e, best);
        where = (where & ~which) | (which & (bits)r);
    }
    return where;
}

/* For one row: each lane scans its share of the elements, then the lanes are compared. */
static int64_t first_largest_of_row(const real *x, int64_t count, vec sign) {
    vec best = sign * load_some(x, min_int(count, LANES), x[0]);
    mask round = {0}, turn = {0};
    int64_t i = LANES;
    for (; i + LANES <= count; i += LANES) {
        vec e = sign * load(x + i);
        mask which = better(e, best);
        turn += 1;
        best = select(which, e, best);
        round = (round & ~which) | (turn & which);
    }
    int64_t first = 0;
    real found = best[0];
    for (int64_t lane = 0; lane < min_int(count, LANES); lane++) {
        int64_t at = (int64_t)round[lane] * LANES + lane;
        int is_better = best[lane] > found || (best[lane] != best[lane] && found == found);
        int is_equal = best[lane] == found || (best[lane] != best[lane] && found != found);
        if (lane == 0 || is_better || (is_equal && at < first)) first = at, found = best[lane];
    }
    for (; i < count; i++) {
        real e = sign[0] * x[i];
        if (e > found || (e != e && found == found)) first = i, found = e;
    }
    return first;
}

static int arg(const void *fields, void *const *io, int64_t part, int64_t parts) {
    const Arg *s = fields;
    const real *x = io[0];
    real *out = io[1];
    vec sign = all(s->smallest ? -1 : 1);
    int64_t strips = (s->inner + LANES - 1) / LANES;
    Range range = range_of(s->outer * strips, part, parts);
    for (int64_t i = range.begin; i < range.end; i++) {
        if (s->inner == 1) {
            out[i] = (real)first_largest_of_row(x + i * s->rows, s->rows, sign);
            continue;
        }
        int64_t item = i / strips, column = i % strips * LANES, width = min_int(LANES, s->inner - column);
        mask where = first_largest(s, x + item * s->rows * s->inner + column, width, sign);
        for (int64_t k = 0; k < width; k++) out[item * s->inner + column + k] = (real)where[k];
    }
    return DONE;
}

KERNELS(BOTH(sum), BOTH(prod), BOTH(max), BOTH(min), BOTH(nansum), BOTH(nanprod), BOTH(square), BOTH(size),
        KERNEL(arg, Arg))
