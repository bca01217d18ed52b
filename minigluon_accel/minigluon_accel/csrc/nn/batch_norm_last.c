/* Batch normalization with channels as the last axis: data (rows, channels).

   Each part sums its rows into a row of partial sums; the next phase adds these rows, in the same order in every
   part. */

#include "normalization.h"

FIELDS(BatchNorm,
    int64_t rows, channels;
    int64_t pieces;         /* number of pieces into which the rows are divided, and of parts of each phase */
    int64_t fix_gamma, relu;
    double eps, momentum;
)

/* target[c] = Σ partial[piece][c] / rows */
static void average(const BatchNorm *s, const real *partial, real *target) {
    for (int64_t c = 0; c < s->channels; c++) target[c] = 0;
    for (int64_t k = 0; k < s->pieces; k++)
        for (int64_t c = 0; c < s->channels; c++) target[c] += partial[k * s->channels + c];
    for (int64_t c = 0; c < s->channels; c++) target[c] /= (real)max_int(1, s->rows);
}

/* Sums over the rows of a part are computed in blocks; each block's sums are added to the part's sums in double
   precision. */
enum { ROWS = 128 };

#define FOR_BLOCKS(range) for (int64_t start = (range).begin, end; end = min_int(start + ROWS, (range).end), \
                               start < (range).end; start = end)

static double *zeros(int64_t count) {
    double *totals = thread_scratch(count * sizeof(double));
    for (int64_t i = 0; totals && i < count; i++) totals[i] = 0;
    return totals;
}

static void rounded(const double *totals, real *out, int64_t count) {
    for (int64_t i = 0; i < count; i++) out[i] = (real)totals[i];
}

/* io as in batch_norm_train, then scratch: sums, squares (pieces, channels) */
static int batch_norm_last_sums(const void *fields, void *const *io, int64_t part, int64_t parts) {
    const BatchNorm *s = fields;
    const real *data = io[0];
    int64_t channels = s->channels;
    double *sums = zeros(channels);
    if (sums == NULL) return NO_MEMORY;
    Range range = range_of(s->rows, part, parts);
    FOR_BLOCKS(range)
        for (int64_t c = 0; c < channels; c += LANES) {
            int64_t count = channels - c;
            vec sum = all(0);
            for (int64_t i = start; i < end; i++) sum += load_up_to(data + i * channels + c, count);
            add_lanes(sums + c, sum, count);
        }
    rounded(sums, (real *)io[9] + part * channels, channels);
    return DONE;
}

static int batch_norm_last_squares(const void *fields, void *const *io, int64_t part, int64_t parts) {
    const BatchNorm *s = fields;
    const real *data = io[0];
    int64_t channels = s->channels;
    double *squares = zeros(2 * channels);
    if (squares == NULL) return NO_MEMORY;
    real *mean = (real *)(squares + channels);
    average(s, io[9], mean);
    Range range = range_of(s->rows, part, parts);
    FOR_BLOCKS(range)
        for (int64_t c = 0; c < channels; c += LANES) {
            int64_t count = channels - c;
            vec sum = all(0), m = load_up_to(mean + c, count);
            for (int64_t i = start; i < end; i++) {
                vec d = load_up_to(data + i * channels + c, count) - m;
                sum += d * d;
            }
            add_lanes(squares + c, sum, count);
        }
    rounded(squares, (real *)io[10] + part * channels, channels);
    return DONE;
}

/* Normalizes rows of data, given the mean, scale and beta of each channel. */
static void write_rows(const BatchNorm *s, const real *data, real *out, Range range, const real *mean,
                       const real *scale, const real *beta) {
    int64_t channels = s->channels;
    for (int64_t i = range.begin; i < range.end; i++)
        for (int64_t c = 0; c < channels; c += LANES) {
            int64_t count = channels - c;
            vec y = (load_up_to(data + i * channels + c, count) - load_up_to(mean + c, count))
                    * load_up_to(scale + c, count) + load_up_to(beta + c, count);
            if (s->relu) y = max_vec(y, all(0));
            store_up_to(out + i * channels + c, y, count);
        }
}

static void scales(const BatchNorm *s, const real *var, const real *gamma, real *scale) {
    for (int64_t c = 0; c < s->channels; c++)
        scale[c] = (real)(1 / sqrt(var[c] + (real)s->eps)) * (s->fix_gamma ? 1 : gamma[c]);
}

static int batch_norm_last_train(const void *fields, void *const *io, int64_t part, int64_t parts) {
    const BatchNorm *s = fields;
    int64_t channels = s->channels;
    real *mean = thread_scratch(3 * channels * sizeof(real)), *var = mean + channels, *scale = var + channels;
    if (mean == NULL) return NO_MEMORY;
    average(s, io[9], mean);
    average(s, io[10], var);
    scales(s, var, io[1], scale);
    write_rows(s, io[0], io[5], range_of(s->rows, part, parts), mean, scale, io[2]);
    if (part != 0) return DONE;
    real *moving_mean = io[3], *moving_var = io[4], *means = io[6], *inverses = io[7];
    real kept = (real)s->momentum, new = 1 - kept;
    for (int64_t c = 0; c < channels; c++) {
        means[c] = mean[c];
        inverses[c] = (real)(1 / sqrt(var[c] + (real)s->eps));
        moving_mean[c] = kept * moving_mean[c] + new * mean[c];
        moving_var[c] = kept * moving_var[c] + new * var[c];
    }
    *(real *)io[8] = 1;
    return DONE;
}

static int batch_norm_last_predict(const void *fields, void *const *io, int64_t part, int64_t parts) {
    const BatchNorm *s = fields;
    const real *means = io[3], *vars = io[4];
    real *scale = thread_scratch(s->channels * sizeof(real));
    if (scale == NULL) return NO_MEMORY;
    scales(s, vars, io[1], scale);
    write_rows(s, io[0], io[5], range_of(s->rows, part, parts), means, scale, io[2]);
    if (part != 0) return DONE;
    for (int64_t c = 0; c < s->channels; c++) {
        ((real *)io[6])[c] = means[c];
        ((real *)io[7])[c] = (real)(1 / sqrt(vars[c] + (real)s->eps));
    }
    *(real *)io[8] = 0;
    return DONE;
}

/* data, gamma, beta, mean, inverse | out, which may be data: recomputes the output of batch_norm_last_train. */
static int batch_norm_last_again(const void *fields, void *const *io, int64_t part, int64_t parts) {
    const BatchNorm *s = fields;
    const real *gamma = io[1], *inverse = io[4];
    real *scale = thread_scratch(s->channels * sizeof(real));
    if (scale == NULL) return NO_MEMORY;
    for (int64_t c = 0; c < s->channels; c++) scale[c] = inverse[c] * (s->fix_gamma ? 1 : gamma[c]);
    write_rows(s, io[0], io[5], range_of(s->rows, part, parts), io[3], scale, io[2]);
    return DONE;
}

/* grad, data, gamma, mean, inverse, batch | out, gamma_grad, beta_grad, then scratch: sums, products (pieces, channels) */
static int batch_norm_last_grad_sums(const void *fields, void *const *io, int64_t part, int64_t parts) {
    const BatchNorm *s = fields;
    const real *grad = io[0], *data = io[1], *mean = io[3], *inverse = io[4];
    int64_t channels = s->channels;
    double *sums = zeros(2 * channels);
    if (sums == NULL) return NO_MEMORY;
    double *products = sums + channels;
    Range range = range_of(s->rows, part, parts);
    FOR_BLOCKS(range)
        for (int64_t c = 0; c < channels; c += LANES) {
            int64_t count = channels - c;
            vec sum = all(0), product = all(0), m = load_up_to(mean + c, count), scale = load_up_to(inverse + c, count);
            for (int64_t i = start; i < end; i++) {
                vec g = load_up_to(grad + i * channels + c, count);
                sum += g;
                product += g * ((load_up_to(data + i * channels + c, count) - m) * scale);
            }
            add_lanes(sums + c, sum, count);
            add_lanes(products + c, product, count);
        }
    rounded(sums, (real *)io[9] + part * channels, channels);
    rounded(products, (real *)io[10] + part * channels, channels);
    return DONE;
}

static int batch_norm_last_grad(const void *fields, void *const *io, int64_t part, int64_t parts) {
    const BatchNorm *s = fields;
    const real *grad = io[0], *data = io[1], *gamma = io[2], *mean = io[3], *inverse = io[4];
    real *out = io[6], *gamma_grad = io[7], *beta_grad = io[8];
    int64_t channels = s->channels;
    int batch = *(const real *)io[5] != 0;
    real *sum = thread_scratch(5 * channels * sizeof(real));
    if (sum == NULL) return NO_MEMORY;
    real *product = sum + channels, *a = product + channels, *b = a + channels, *shift = b + channels;
    average(s, io[9], sum);
    average(s, io[10], product);
    for (int64_t c = 0; c < channels; c++) {
        a[c] = inverse[c] * (s->fix_gamma ? 1 : gamma[c]);
        b[c] = batch ? -product[c] : 0;
        shift[c] = batch ? -sum[c] : 0;
    }
    Range range = range_of(s->rows, part, parts);
    for (int64_t i = range.begin; i < range.end; i++)
        for (int64_t c = 0; c < channels; c += LANES) {
            int64_t count = channels - c, at = i * channels + c;
            vec y = load_up_to(grad + at, count);
            if (batch) {
                vec x = (load_up_to(data + at, count) - load_up_to(mean + c, count)) * load_up_to(inverse + c, count);
                y += x * load_up_to(b + c, count) + load_up_to(shift + c, count);
            }
            store_up_to(out + at, y * load_up_to(a + c, count), count);
        }
    for (int64_t c = 0; c < channels && part == 0; c++) {
        real rows = (real)max_int(1, s->rows);
        gamma_grad[c] = s->fix_gamma ? 0 : product[c] * rows;
        beta_grad[c] = sum[c] * rows;
    }
    return DONE;
}

KERNELS(KERNEL(batch_norm_last_sums, BatchNorm), KERNEL(batch_norm_last_squares, BatchNorm),
        KERNEL(batch_norm_last_train, BatchNorm), KERNEL(batch_norm_last_predict, BatchNorm),
        KERNEL(batch_norm_last_again, BatchNorm), KERNEL(batch_norm_last_grad_sums, BatchNorm),
        KERNEL(batch_norm_last_grad, BatchNorm))
