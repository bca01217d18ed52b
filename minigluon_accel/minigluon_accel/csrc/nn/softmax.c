/* softmax and log_softmax of data (outer, count, inner) along the middle axis, their gradients, and the gradient of
   SoftmaxOutput.

   Contiguous rows (inner == 1) are summed along vectors; otherwise, a vector holds adjacent elements of inner. */

#include "../vmath.h"

#define INLINE static inline __attribute__((always_inline))

FIELDS(Softmax,
    int64_t outer, count, inner;
    int64_t logarithm;
    double factor;          /* factor by which data is multiplied first */
)

/* A line is summed in blocks, and the sums of the blocks are added in double precision, so that the error does not grow
   with the line's length. */
enum { BLOCK = 32 };        /* vectors */

INLINE vec load_or(const real *p, int64_t n, real other) {
    if (n >= LANES) return load(p);
    return load_some(p, n, other);
}

INLINE void store_up_to(real *p, vec v, int64_t n) {
    if (n >= LANES) store(p, v);
    else store_some(p, v, n);
}

/* The maximum need not be NaN if an element is NaN: its exponential turns the sum, and therefore the whole row, into
   NaN. */
INLINE vec larger(vec a, vec b) { return at_least(b, a); }

/* One contiguous row; out may be x. Data is stored after the multiplication and before the subtraction of the maximum,
   because both uses must round in the same way, which a compiler that fuses the multiplication with the subtraction
   would not ensure. */
INLINE void softmax_row(const real *x, real *out, int64_t n, real factor, int logarithm) {
    vec most = all(-INFINITY);
    if (factor != 1) {
        for (int64_t i = 0; i < n; i += LANES) store_up_to(out + i, load_or(x + i, n - i, 0) * factor, n - i);
        x = out;
    }
    for (int64_t i = 0; i < n; i += LANES) most = larger(load_or(x + i, n - i, -INFINITY), most);
    real largest = max_lanes(most);
    double total = 0;
    for (int64_t start = 0; start < n; start += BLOCK * LANES) {
        vec sums = all(0);
        for (int64_t i = start; i < min_int(n, start + BLOCK * LANES); i += LANES) {
            vec e = exp_vec(load_or(x + i, n - i, -INFINITY) - largest);    /* 0 after the end of the row */
            if (!logarithm) store_up_to(out + i, e, n - i);
            sums += e;
        }
        total += sum_lanes(sums);
    }
    real sum = (real)total;
    vec log_sum = logarithm ? log_vec(all(sum)) : all(0);
    for (int64_t i = 0; i < n; i += LANES) {
        if (logarithm) store_up_to(out + i, load_or(x + i, n - i, 0) - largest - log_sum, n - i);
        else store_up_to(out + i, load_or(out + i, n - i, 0) / sum, n - i);
    }
}

/* Up to LANES adjacent positions of inner. */
INLINE void softmax_places(const real *x, real *out, const Softmax *s, int64_t places, int logarithm) {
    vec most = all(-INFINITY);
    if (s->factor != 1) {
        for (int64_t i = 0; i < s->count * s->inner; i += s->inner)
            store_up_to(out + i, load_or(x + i, places, 0) * (real)s->factor, places);
        x = out;
    }
    for (int64_t i = 0; i < s->count; i++) most = larger(load_or(x + i * s->inner, places, 0), most);
    double totals[VECTOR_BYTES / sizeof(real)] = {0};
    for (int64_t start = 0; start < s->count; start += BLOCK) {
        vec sums = all(0);
        for (int64_t i = start; i < min_int(s->count, start + BLOCK); i++) {
            vec e = exp_vec(load_or(x + i * s->inner, places, 0) - most);
            if (!logarithm) store_up_to(out + i * s->inner, e, places);
            sums += e;
        }
        add_lanes(totals, sums, LANES);
    }
    vec sum = from_doubles(totals);
    if (logarithm) sum = log_vec(sum);
    for (int64_t i = 0; i < s->count; i++) {
        vec v = load_or((logarithm ? x : out) + i * s->inner, places, 0);
        if (logarithm) v = v - most - sum;
        else v /= sum;
        store_up_to(out + i * s->inner, v, places);
    }
}

/* data | out, which may be data */
static int softmax(const void *fields, void *const *io, int64_t part, int64_t parts) {
    const Softmax *s = fields;
    const real *x = io[0];
    real *out = io[1], factor = (real)s->factor;
    if (s->inner == 1) {
        Range rows = range_of(s->outer, part, parts);
        for (int64_t i = rows.begin; i < rows.end; i++) {
            if (s->logarithm) softmax_row(x + i * s->count, out + i * s->count, s->count, factor, 1);
            else softmax_row(x + i * s->count, out + i * s->count, s->count, factor, 0);
        }
        return DONE;
    }
    int64_t blocks = (s->inner + LANES - 1) / LANES;
    Range range = range_of(s->outer * blocks, part, parts);
    for (int64_t i = range.begin; i < range.end; i++) {
        int64_t place = i % blocks * LANES, at = i / blocks * s->count * s->inner + place, left = s->inner - place;
        if (s->logarithm) softmax_places(x + at, out + at, s, left, 1);
        else softmax_places(x + at, out + at, s, left, 0);
    }
    return DONE;
}

/* softmax: y (g - Σ g y); log_softmax: g - eʸ Σ g. Up to LANES adjacent positions of inner. */
INLINE void grad_places(const real *g, const real *y, real *out, const Softmax *s, int64_t places, int logarithm) {
    double totals[VECTOR_BYTES / sizeof(real)] = {0};
    for (int64_t start = 0; start < s->count; start += BLOCK) {
        vec sums = all(0);
        for (int64_t i = start; i < min_int(s->count, start + BLOCK); i++) {
            vec v = load_or(g + i * s->inner, places, 0);
            if (!logarithm) v *= load_or(y + i * s->inner, places, 0);
            sums += v;
        }
        add_lanes(totals, sums, LANES);
    }
    vec sum = from_doubles(totals);
    for (int64_t i = 0; i < s->count; i++) {
        vec v = load_or(g + i * s->inner, places, 0), result = load_or(y + i * s->inner, places, 0);
        if (logarithm) v -= exp_vec(result) * sum;
        else v = result * (v - sum);
        store_up_to(out + i * s->inner, v, places);
    }
}

INLINE void grad_row(const real *g, const real *y, real *out, int64_t n, int logarithm) {
    double total = 0;
    for (int64_t start = 0; start < n; start += BLOCK * LANES) {
        vec sums = all(0);
        for (int64_t i = start; i < min_int(n, start + BLOCK * LANES); i += LANES) {
            vec v = load_or(g + i, n - i, 0);
            if (!logarithm) v *= load_or(y + i, n - i, 0);
            sums += v;
        }
        total += sum_lanes(sums);
    }
    real sum = (real)total;
    for (int64_t i = 0; i < n; i += LANES) {
        vec v = load_or(g + i, n - i, 0), result = load_or(y + i, n - i, 0);
        if (logarithm) v -= exp_vec(result) * sum;
        else v = result * (v - sum);
        store_up_to(out + i, v, n - i);
    }
}

/* grad, output of the forward pass | data's gradient, which may be either of these inputs */
static int softmax_grad(const void *fields, void *const *io, int64_t part, int64_t parts) {
    const Softmax *s = fields;
    const real *g = io[0], *y = io[1];
    real *out = io[2];
    if (s->inner == 1) {
        Range rows = range_of(s->outer, part, parts);
        for (int64_t i = rows.begin * s->count; i < rows.end * s->count; i += s->count) {
            if (s->logarithm) grad_row(g + i, y + i, out + i, s->count, 1);
            else grad_row(g + i, y + i, out + i, s->count, 0);
        }
        return DONE;
    }
    int64_t blocks = (s->inner + LANES - 1) / LANES;
    Range range = range_of(s->outer * blocks, part, parts);
    for (int64_t i = range.begin; i < range.end; i++) {
        int64_t place = i % blocks * LANES, at = i / blocks * s->count * s->inner + place, left = s->inner - place;
        if (s->logarithm) grad_places(g + at, y + at, out + at, s, left, 1);
        else grad_places(g + at, y + at, out + at, s, left, 0);
    }
    return DONE;
}

/* data, label (not read) | out, which may be data */
static int softmax_output(const void *fields, void *const *io, int64_t part, int64_t parts) {
    void *const arrays[] = {io[0], io[2]};
    return softmax(fields, arrays, part, parts);
}

/* -- outputs with a loss ------------------------------------------------------------------------------------------- */

FIELDS(Output,
    int64_t items, classes, places;
    int64_t use_ignore, valid;      /* valid: whether to divide by the number of labels that are not ignored */
    double ignore, scale, hit, miss;        /* hit, miss: the targets of the label's class and of the other classes */
)

/* pred, label of the same type | grad */
static int softmax_output_grad(const void *fields, void *const *io, int64_t part, int64_t parts) {
    const Output *s = fields;
    const real *pred = io[0], *label = io[1];
    real *out = io[2], ignore = (real)s->ignore, hit = (real)s->hit, miss = (real)s->miss;
    double scale = s->scale;
    if (s->valid) {
        int64_t count = 0;
        for (int64_t i = 0; i < s->items * s->places; i++) count += label[i] != ignore;
        scale /= (double)max_int(count, 1);
    }
    real by = (real)scale;
    Range items = range_of(s->items, part, parts);
    for (int64_t i = items.begin; i < items.end; i++)
        for (int64_t c = 0; c < s->classes; c++) {
            int64_t at = (i * s->classes + c) * s->places;
            const real *own = label + i * s->places;
            for (int64_t k = 0; k < s->places; k++) {
                real grad = (pred[at + k] - (own[k] == (real)c ? hit : miss)) * by;
                out[at + k] = s->use_ignore && own[k] == ignore ? 0 : grad;
            }
        }
    return DONE;
}

FIELDS(CrossEntropy, int64_t rows, classes;)

/* data, label of the same type | out, then scratch: the loss of each row. A label that is not a class is refused. */
static int cross_entropy_rows(const void *fields, void *const *io, int64_t part, int64_t parts) {
    const CrossEntropy *s = fields;
    const real *data = io[0], *label = io[1];
    real *losses = io[3], *row = thread_scratch(s->classes * sizeof(real));
    if (row == NULL) return NO_MEMORY;
    Range rows = range_of(s->rows, part, parts);
    for (int64_t i = rows.begin; i < rows.end; i++) {
        if (!(label[i] > -1 && label[i] < (real)s->classes)) return REFUSED;
        softmax_row(data + i * s->classes, row, s->classes, 1, 1);
        losses[i] = -row[(int64_t)label[i]];
    }
    return DONE;
}

static int cross_entropy_sum(const void *fields, void *const *io, int64_t part, int64_t parts) {
    const CrossEntropy *s = fields;
    const real *losses = io[3];
    double sum = 0;
    (void)part, (void)parts;
    for (int64_t i = 0; i < s->rows; i++) sum += losses[i];
    *(real *)io[2] = (real)sum;
    return DONE;
}

KERNELS(KERNEL(softmax, Softmax), KERNEL(softmax_grad, Softmax), KERNEL(softmax_output, Softmax),
        KERNEL(softmax_output_grad, Output), KERNEL(cross_entropy_rows, CrossEntropy),
        KERNEL(cross_entropy_sum, CrossEntropy))
