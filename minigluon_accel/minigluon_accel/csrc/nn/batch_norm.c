/* Batch normalization of data (outer, channels, inner), and its gradient.

   Each part handles whole channels. A channel is read from memory once, and then stays in the second-level cache for
   the second sum and for the output. */

#include "normalization.h"

FIELDS(BatchNorm,
    int64_t outer, channels, inner;
    int64_t fix_gamma, relu;
    double eps, momentum;
)

static inline int64_t count_of(const BatchNorm *s) { return max_int(1, s->outer * s->inner); }

static inline const real *piece(const BatchNorm *s, const real *data, int64_t i, int64_t channel) {
    return data + (i * s->channels + channel) * s->inner;
}

static void write_channel(const BatchNorm *s, const real *data, real *out, int64_t channel, real mean, real scale,
                          real shift) {
    for (int64_t i = 0; i < s->outer; i++) {
        const real *x = piece(s, data, i, channel);
        if (s->relu) normalize(x, out + (x - data), s->inner, mean, scale, shift, 1);
        else normalize(x, out + (x - data), s->inner, mean, scale, shift, 0);
    }
}

/* data, gamma, beta, moving_mean, moving_var (written to) | out, mean, inverse, flag */
static int batch_norm_train(const void *fields, void *const *io, int64_t part, int64_t parts) {
    const BatchNorm *s = fields;
    const real *data = io[0], *gamma = io[1], *beta = io[2];
    real *moving_mean = io[3], *moving_var = io[4], *out = io[5], *means = io[6], *inverses = io[7];
    real kept = (real)s->momentum, new = 1 - kept;
    Range range = range_of(s->channels, part, parts);
    for (int64_t c = range.begin; c < range.end; c++) {
        double sum = 0, squares = 0;
        for (int64_t i = 0; i < s->outer; i++) sum += sum_of(piece(s, data, i, c), s->inner);
        real mean = (real)(sum / count_of(s));
        for (int64_t i = 0; i < s->outer; i++) squares += sum_of_squares(piece(s, data, i, c), s->inner, mean);
        real var = (real)(squares / count_of(s)), inverse = (real)(1 / sqrt(var + (real)s->eps));
        real scale = s->fix_gamma ? inverse : inverse * gamma[c];
        write_channel(s, data, out, c, mean, scale, beta[c]);
        means[c] = mean, inverses[c] = inverse;
        moving_mean[c] = kept * moving_mean[c] + new * mean;
        moving_var[c] = kept * moving_var[c] + new * var;
    }
    if (part == 0) *(real *)io[8] = 1;
    return DONE;
}

/* The same with the moving statistics, which are not updated. Each part handles a range of the (outer, channels)
   pieces. */
static int batch_norm_predict(const void *fields, void *const *io, int64_t part, int64_t parts) {
    const BatchNorm *s = fields;
    const real *data = io[0], *gamma = io[1], *beta = io[2], *means = io[3], *vars = io[4];
    real *out = io[5], *mean = io[6], *inverse = io[7], *flag = io[8], eps = (real)s->eps;
    BatchNorm one = *s;
    one.outer = 1, one.channels = 1;
    Range range = range_of(s->outer * s->channels, part, parts);
    for (int64_t i = range.begin; i < range.end; i++) {
        int64_t c = i % s->channels;
        real scale = (real)(1 / sqrt(vars[c] + eps));
        write_channel(&one, data + i * s->inner, out + i * s->inner, 0, means[c],
                      s->fix_gamma ? scale : scale * gamma[c], beta[c]);
    }
    for (int64_t c = 0; c < s->channels && part == 0; c++) {
        mean[c] = means[c];
        inverse[c] = (real)(1 / sqrt(vars[c] + eps));
    }
    if (part == 0) *flag = 0;
    return DONE;
}

/* data, gamma, beta, mean, inverse | out, which may be data: recomputes the output of batch_norm_train. Each part
   handles a range of pieces. */
static int batch_norm_recompute(const void *fields, void *const *io, int64_t part, int64_t parts) {
    const BatchNorm *s = fields;
    const real *data = io[0], *gamma = io[1], *beta = io[2], *means = io[3], *inverses = io[4];
    real *out = io[5];
    BatchNorm one = *s;
    one.outer = 1, one.channels = 1;
    Range range = range_of(s->outer * s->channels, part, parts);
    for (int64_t i = range.begin; i < range.end; i++) {
        int64_t c = i % s->channels;
        write_channel(&one, data + i * s->inner, out + i * s->inner, 0, means[c],
                      s->fix_gamma ? inverses[c] : inverses[c] * gamma[c], beta[c]);
    }
    return DONE;
}

/* grad, data, gamma, mean, inverse, batch | the gradients of data (may be data itself), gamma and beta */
static int batch_norm_grad(const void *fields, void *const *io, int64_t part, int64_t parts) {
    const BatchNorm *s = fields;
    const real *grad = io[0], *data = io[1], *gamma = io[2], *means = io[3], *inverses = io[4];
    real *out = io[6], *gamma_grad = io[7], *beta_grad = io[8];
    int batch = *(const real *)io[5] != 0;
    Range range = range_of(s->channels, part, parts);
    for (int64_t c = range.begin; c < range.end; c++) {
        real mean = means[c], inverse = inverses[c], scale = s->fix_gamma ? inverse : inverse * gamma[c];
        double sum = 0, product = 0;
        for (int64_t i = 0; i < s->outer; i++)
            sums_of_gradient(piece(s, grad, i, c), piece(s, data, i, c), s->inner, mean, inverse, &sum, &product);
        real b = batch ? -(real)product / (real)count_of(s) : 0;
        real shift = batch ? -(real)sum / (real)count_of(s) : 0;
        for (int64_t i = 0; i < s->outer; i++) {
            const real *g = piece(s, grad, i, c), *x = piece(s, data, i, c);
            mix(g, x, out + (x - data), s->inner, mean, inverse, scale, b, shift);
        }
        gamma_grad[c] = s->fix_gamma ? 0 : (real)product;
        beta_grad[c] = (real)sum;
    }
    return DONE;
}

KERNELS(KERNEL(batch_norm_train, BatchNorm), KERNEL(batch_norm_predict, BatchNorm),
        KERNEL(batch_norm_recompute, BatchNorm), KERNEL(batch_norm_grad, BatchNorm))
