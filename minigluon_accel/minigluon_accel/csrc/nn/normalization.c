/* Normalization over the elements of an item: LayerNorm, InstanceNorm, GroupNorm, L2Normalization, LRN. */

#include "normalization.h"

FIELDS(Moments,
    int64_t rows, count;    /* data (rows, count): each row is normalized to mean 0 and variance 1 */
    int64_t groups;         /* gamma and beta have an element for each row % groups; if 0, for each position in a row */
    double eps;
)

/* data, gamma, beta | out, which may be data; mean and standard deviation of each row */
static int moments(const void *fields, void *const *io, int64_t part, int64_t parts) {
    const Moments *s = fields;
    const real *data = io[0], *gamma = io[1], *beta = io[2];
    real *out = io[3], *means = io[4], *deviations = io[5];
    int64_t n = s->count;
    Range range = range_of(s->rows, part, parts);
    for (int64_t i = range.begin; i < range.end; i++) {
        const real *x = data + i * n;
        real *y = out + i * n, mean = (real)(sum_of(x, n) / max_int(n, 1));
        real deviation = (real)sqrt((real)(sum_of_squares(x, n, mean) / max_int(n, 1)) + (real)s->eps);
        means[i] = mean, deviations[i] = deviation;
        if (s->groups) {
            normalize(x, y, n, mean, gamma[i % s->groups] / deviation, beta[i % s->groups], 0);
            continue;
        }
        for (int64_t k = 0; k < n; k += LANES) {
            vec normal = (load_up_to(x + k, n - k) - mean) * (1 / deviation);
            store_up_to(y + k, normal * load_up_to(gamma + k, n - k) + load_up_to(beta + k, n - k), n - k);
        }
    }
    return DONE;
}

enum { BLOCK = 32 };        /* elements along the axis that are summed before their sum is added in double precision */

FIELDS(Norm, int64_t outer, count, inner; double eps;)

/* Outside this range, the squares have overflowed or lost small terms; the reference scales the elements in that
   case. */
static inline int in_range(real norm) {
    return norm >= C(1e-12, 1e-138) && norm < INFINITY;
}

/* data | out, norms √(Σ data² + eps) along the middle axis */
static int l2_normalization(const void *fields, void *const *io, int64_t part, int64_t parts) {
    const Norm *s = fields;
    const real *data = io[0];
    real *out = io[1], *norms = io[2], eps = (real)s->eps;
    Range range = range_of(s->outer, part, parts);
    for (int64_t i = range.begin; i < range.end; i++) {
        const real *x = data + i * s->count * s->inner;
        real *y = out + (x - data), *norm = norms + i * s->inner;
        if (s->inner == 1) {
            norm[0] = (real)sqrt((real)sum_of_squares(x, s->count, 0) + eps);
            if (!in_range(norm[0])) return REFUSED;
            for (int64_t k = 0; k < s->count; k += LANES)
                store_up_to(y + k, load_up_to(x + k, s->count - k) / norm[0], s->count - k);
            continue;
        }
        for (int64_t place = 0; place < s->inner; place += LANES) {
            int64_t left = s->inner - place;
            double totals[VECTOR_BYTES / sizeof(real)] = {0};
            for (int64_t start = 0; start < s->count; start += BLOCK) {
                vec sum = all(0);
                for (int64_t k = start; k < min_int(s->count, start + BLOCK); k++) {
                    vec v = load_up_to(x + k * s->inner + place, left);
                    sum += v * v;
                }
                add_lanes(totals, sum, LANES);
            }
            vec root = sqrt_vec(from_doubles(totals) + eps);
            store_up_to(norm + place, root, left);
            for (int64_t k = 0; k < min_int(left, LANES); k++)
                if (!in_range(norm[place + k])) return REFUSED;
            for (int64_t k = 0; k < s->count; k++)
                store_up_to(y + k * s->inner + place, load_up_to(x + k * s->inner + place, left) / root, left);
        }
    }
    return DONE;
}

/* Sums over neighboring channels of data (outer, channels, inner): as many channels before as after. */
FIELDS(Neighbours, int64_t outer, channels, inner, reach; double alpha, beta, knorm;)

INLINE vec neighbours(const Neighbours *s, const real *x, int64_t channel, int64_t left, int squares) {
    int64_t first = max_int(channel - s->reach, 0), last = min_int(channel + s->reach, s->channels - 1);
    vec sum = all(0);
    for (int64_t c = first; c <= last; c++) {
        vec v = load_up_to(x + (c - channel) * s->inner, left);
        if (squares) v *= v;
        sum += v;
    }
    return sum;
}

/* x^-beta; the usual beta, 3/4, requires only two square roots, which take a third of the time of a logarithm and an
   exponential */
INLINE vec minus_power(vec x, double beta) {
    if (beta == 0.75) return 1 / (sqrt_vec(x) * sqrt_vec(sqrt_vec(x)));
    return exp_vec(log_vec(x) * (real)-beta);
}

INLINE void for_channels(const Neighbours *s, const real *data, real *out, Range range, int lrn) {
    for (int64_t i = range.begin; i < range.end; i++)
        for (int64_t place = 0; place < s->inner; place += LANES) {
            const real *x = data + i * s->inner + place;
            int64_t left = s->inner - place;
            vec sum = neighbours(s, x, i % s->channels, left, lrn);
            if (lrn) {
                vec size = (real)s->knorm + (real)s->alpha * sum;
                sum = load_up_to(x, left) * minus_power(size, s->beta);
            }
            store_up_to(out + i * s->inner + place, sum, left);
        }
}

/* data | out: data (knorm + alpha Σ data²)^-beta */
static int lrn(const void *fields, void *const *io, int64_t part, int64_t parts) {
    const Neighbours *s = fields;
    for_channels(s, io[0], io[1], range_of(s->outer * s->channels, part, parts), 1);
    return DONE;
}

/* data | out: the sums */
static int sum_neighbours(const void *fields, void *const *io, int64_t part, int64_t parts) {
    const Neighbours *s = fields;
    for_channels(s, io[0], io[1], range_of(s->outer * s->channels, part, parts), 0);
    return DONE;
}

KERNELS(KERNEL(moments, Moments), KERNEL(l2_normalization, Norm), KERNEL(lrn, Neighbours),
        KERNEL(sum_neighbours, Neighbours))
