/* The gradients of LayerNorm along the last axis: the gradient of data row by row, and the gradients of gamma and beta
   as sums over all rows. */

#include "normalization.h"

/* Number of rows that are summed before their sum is added in double precision. */
enum { ROWS = 32 };

FIELDS(LayerGrad, int64_t rows, count;)

/* A row: mean; inverse = 1 / deviation; level and along, the means of w and of w · normal, where w = grad · gamma and
   normal = (x - mean) · inverse. */
typedef struct { real mean, inverse, level, along; } Row;

/* Computes level and along, and adds grad · normal and grad to the sums of each position. */
INLINE void sum_row(Row *row, const real *g, const real *x, const real *gamma, real *of_gamma, real *of_beta, int64_t n) {
    double level = 0, along = 0;
    for (int64_t start = 0; start < n; start += CHUNK) {
        int64_t end = min_int(start + CHUNK, n);
        vec levels = all(0), alongs = all(0);
        for (int64_t k = start; k < end; k += LANES) {
            vec v = load_up_to(g + k, n - k);
            vec d = n - k >= LANES ? load(x + k) : load_some(x + k, n - k, row->mean);
            vec product = v * ((d - row->mean) * row->inverse), scale = load_up_to(gamma + k, n - k);
            store(of_gamma + k, load(of_gamma + k) + product);
            store(of_beta + k, load(of_beta + k) + v);
            levels += v * scale;
            alongs += product * scale;
        }
        level += sum_lanes(levels);
        along += sum_lanes(alongs);
    }
    row->level = (real)(level / n), row->along = (real)(along / n);
}

/* out = (w - level - normal · along) · inverse; out may be g. */
INLINE void write_row(const Row *row, const real *g, const real *x, const real *gamma, real *out, int64_t n) {
    for (int64_t k = 0; k < n; k += LANES) {
        vec normal = (load_up_to(x + k, n - k) - row->mean) * row->inverse;
        vec w = load_up_to(g + k, n - k) * load_up_to(gamma + k, n - k);
        store_up_to(out + k, (w - row->level - normal * row->along) * row->inverse, n - k);
    }
}

/* grad, data, gamma, mean, deviation | the gradients of data (may be grad itself), gamma and beta (written by
   `layer_norm_sums`) | this part's contribution to the latter two, (parts, 2, count) in double precision */
static int layer_norm_grad(const void *fields, void *const *io, int64_t part, int64_t parts) {
    const LayerGrad *s = fields;
    const real *grad = io[0], *data = io[1], *gamma = io[2], *means = io[3], *deviations = io[4];
    int64_t n = s->count, room = (n + LANES - 1) / LANES * LANES;
    double *to_gamma = (double *)io[8] + part * 2 * n, *to_beta = to_gamma + n;
    real *of_gamma = thread_scratch(2 * room * sizeof(real) + 1), *of_beta = of_gamma + room;
    if (!of_gamma) return NO_MEMORY;
    memset(to_gamma, 0, 2 * n * sizeof(double));
    Range range = range_of(s->rows, part, parts);
    for (int64_t first = range.begin; first < range.end; first += ROWS) {
        memset(of_gamma, 0, 2 * room * sizeof(real));
        for (int64_t i = first; i < min_int(first + ROWS, range.end); i++) {
            const real *g = grad + i * n, *x = data + i * n;
            Row row = {.mean = means[i], .inverse = 1 / deviations[i]};
            sum_row(&row, g, x, gamma, of_gamma, of_beta, n);
            write_row(&row, g, x, gamma, (real *)io[5] + i * n, n);
        }
        for (int64_t k = 0; k < n; k++) to_gamma[k] += of_gamma[k], to_beta[k] += of_beta[k];
    }
    return DONE;
}

FIELDS(LayerSums, int64_t pieces, count;)

/* Computes the gradients of gamma and beta from the partial sums of the previous phase. */
static int layer_norm_sums(const void *fields, void *const *io, int64_t part, int64_t parts) {
    const LayerSums *s = fields;
    const double *pieces = io[8];
    Range range = range_of(s->count, part, parts);
    for (int output = 0; output < 2; output++)
        for (int64_t k = range.begin; k < range.end; k++) {
            double sum = 0;
            for (int64_t p = 0; p < s->pieces; p++) sum += pieces[(2 * p + output) * s->count + k];
            ((real *)io[6 + output])[k] = (real)sum;
        }
    return DONE;
}

KERNELS(KERNEL(layer_norm_grad, LayerGrad), KERNEL(layer_norm_sums, LayerSums))
