/* Optimizer steps on one weight, each in one pass over memory. io: weight, grad, states, then the new weight. */

#include "update_step.h"

#define BEGIN(Fields)                                                                            \
    const Fields *s = fields;                                                                    \
    Range range = range_of(s->size, part, parts);                                                \
    int64_t from = range.begin, n = range.end - range.begin;                                     \
    (void)from, (void)n

#define AT(k) ((real *)io[k] + from)

static inline real magnitude(real x) { return x < 0 ? -x : x; }
static inline real sign(real x) { return x > 0 ? 1 : x < 0 ? -1 : x == 0 ? 0 : x; }

FIELDS(Sgd, int64_t size; double lr, wd, rescale_grad, clip_gradient;)

static int sgd_update(const void *fields, void *const *io, int64_t part, int64_t parts) {
    BEGIN(Sgd);
    sgd(AT(2), AT(0), AT(1), n, clip_of(s->rescale_grad, s->clip_gradient), s->lr, s->wd);
    return DONE;
}

FIELDS(Momentum, int64_t size; double lr, momentum, wd, rescale_grad, clip_gradient;)

static int sgd_mom_update(const void *fields, void *const *io, int64_t part, int64_t parts) {
    BEGIN(Momentum);
    sgd_mom(AT(3), AT(0), AT(1), AT(2), n, clip_of(s->rescale_grad, s->clip_gradient), s->lr, s->wd, s->momentum);
    return DONE;
}

static int nag_mom_update(const void *fields, void *const *io, int64_t part, int64_t parts) {
    BEGIN(Momentum);
    const real *weight = AT(0), *grad = AT(1);
    real *mom = AT(2), *out = AT(3), lr = (real)s->lr, wd = (real)s->wd, momentum = (real)s->momentum;
    Clip c = clip_of(s->rescale_grad, s->clip_gradient);
    INDEPENDENT
    for (int64_t i = 0; i < n; i++) {
        real w = weight[i], step = lr * (scaled(grad[i], c) + wd * w);
        real new = mom[i] = momentum * mom[i] - step;
        out[i] = w + momentum * new - step;
    }
    return DONE;
}

FIELDS(Adam, int64_t size; double lr, beta1, beta2, epsilon, wd, rescale_grad, clip_gradient;)

static int adam_update(const void *fields, void *const *io, int64_t part, int64_t parts) {
    BEGIN(Adam);
    Moments m = {decay_of(s->beta1), decay_of(s->beta2), (real)s->epsilon};
    adam(AT(4), AT(0), AT(1), AT(2), AT(3), n, clip_of(s->rescale_grad, s->clip_gradient), s->lr, s->wd, m);
    return DONE;
}

FIELDS(RmsProp,
    int64_t size;
    double lr, gamma1, gamma2, epsilon, wd, rescale_grad, clip_gradient, clip_weights;
)

static int rmsprop_update(const void *fields, void *const *io, int64_t part, int64_t parts) {
    BEGIN(RmsProp);
    const real *weight = AT(0), *grad = AT(1);
    real *square = AT(2), *out = AT(3), lr = (real)s->lr, wd = (real)s->wd, epsilon = (real)s->epsilon;
    real keep = (real)s->gamma1, take = (real)(1 - s->gamma1);
    Clip c = clip_of(s->rescale_grad, s->clip_gradient), bounds = clip_of(1, s->clip_weights);
    INDEPENDENT
    for (int64_t i = 0; i < n; i++) {
        real w = weight[i], d = decayed(grad[i], w, wd, c);
        real new = square[i] = keep * square[i] + take * (d * d);
        out[i] = bounded(w - lr * d / root(new + epsilon), bounds);
    }
    return DONE;
}

static int rmspropalex_update(const void *fields, void *const *io, int64_t part, int64_t parts) {
    BEGIN(RmsProp);
    const real *weight = AT(0), *grad = AT(1);
    real *square = AT(2), *mean = AT(3), *delta = AT(4), *out = AT(5);
    real lr = (real)s->lr, wd = (real)s->wd, epsilon = (real)s->epsilon, momentum = (real)s->gamma2;
    real keep = (real)s->gamma1, take = (real)(1 - s->gamma1);
    Clip c = clip_of(s->rescale_grad, s->clip_gradient), bounds = clip_of(1, s->clip_weights);
    INDEPENDENT
    for (int64_t i = 0; i < n; i++) {
        real w = weight[i], d = decayed(grad[i], w, wd, c);
        real second = square[i] = keep * square[i] + take * (d * d);
        real first = mean[i] = keep * mean[i] + take * d;
        real step = delta[i] = momentum * delta[i] - lr * d / root(second - first * first + epsilon);
        out[i] = bounded(w + step, bounds);
    }
    return DONE;
}

FIELDS(Ftrl, int64_t size; double lr, lamda1, beta, wd, rescale_grad, clip_gradient;)

static int ftrl_update(const void *fields, void *const *io, int64_t part, int64_t parts) {
    BEGIN(Ftrl);
    const real *weight = AT(0), *grad = AT(1);
    real *z = AT(2), *squares = AT(3), *out = AT(4);
    real lr = (real)s->lr, lamda1 = (real)s->lamda1, beta = (real)s->beta, wd = (real)s->wd;
    Clip c = clip_of(s->rescale_grad, s->clip_gradient);
    INDEPENDENT
    for (int64_t i = 0; i < n; i++) {
        real g = scaled(grad[i], c), sum = squares[i] + g * g, new_root = root(sum);
        real moved = z[i] + g - (new_root - root(squares[i])) * weight[i] / lr;
        real new = (sign(moved) * lamda1 - moved) / ((beta + new_root) / lr + wd);
        z[i] = moved;
        squares[i] = sum;
        out[i] = new * (magnitude(moved) > lamda1 ? (real)1 : (real)0);
    }
    return DONE;
}

/* rate = (1 - beta1ᵗ) / lr; correction = 1 - beta2ᵗ */
FIELDS(Ftml, int64_t size; double rate, correction, beta1, beta2, epsilon, wd, rescale_grad, clip_grad;)

static int ftml_update(const void *fields, void *const *io, int64_t part, int64_t parts) {
    BEGIN(Ftml);
    const real *weight = AT(0), *grad = AT(1);
    real *d = AT(2), *v = AT(3), *z = AT(4), *out = AT(5);
    real rate = (real)s->rate, correction = (real)s->correction, epsilon = (real)s->epsilon, wd = (real)s->wd;
    real keep1 = (real)s->beta1, take1 = (real)(1 - s->beta1), keep2 = (real)s->beta2, take2 = (real)(1 - s->beta2);
    Clip c = clip_of(s->rescale_grad, s->clip_grad);
    INDEPENDENT
    for (int64_t i = 0; i < n; i++) {
        real w = weight[i], h = bounded(grad[i] * c.scale + wd * w, c);
        real second = v[i] = keep2 * v[i] + take2 * (h * h);
        real new_d = rate * (root(second / correction) + epsilon);
        real new_z = z[i] = keep1 * z[i] + take1 * h - (new_d - keep1 * d[i]) * w;
        d[i] = new_d;
        out[i] = -new_z / new_d;
    }
    return DONE;
}

FIELDS(Signum, int64_t size; double lr, momentum, wd, rescale_grad, clip_gradient, wd_lh;)

static int signsgd_update(const void *fields, void *const *io, int64_t part, int64_t parts) {
    BEGIN(Sgd);
    const real *weight = AT(0), *grad = AT(1);
    real *out = AT(2), lr = (real)s->lr, keep = (real)(1 - s->lr * s->wd);
    INDEPENDENT
    for (int64_t i = 0; i < n; i++) out[i] = keep * weight[i] - lr * sign(grad[i]);
    return DONE;
}

static int signum_update(const void *fields, void *const *io, int64_t part, int64_t parts) {
    BEGIN(Signum);
    const real *weight = AT(0), *grad = AT(1);
    real *mom = AT(2), *out = AT(3), lr = (real)s->lr, wd = (real)s->wd, keep = (real)(1 - s->lr * s->wd_lh);
    real momentum = (real)s->momentum, take = (real)(1 - s->momentum);
    Clip c = clip_of(s->rescale_grad, s->clip_gradient);
    INDEPENDENT
    for (int64_t i = 0; i < n; i++) {
        real w = weight[i], new = mom[i] = momentum * mom[i] - take * (scaled(grad[i], c) + wd * w);
        out[i] = keep * w + lr * sign(new);
    }
    return DONE;
}

/* correction1, correction2: 1 - betaᵗ, or 1 */
FIELDS(Lamb,
    int64_t size;
    double beta1, beta2, epsilon, correction1, correction2, wd, rescale_grad, clip_gradient;
)

static int lamb_update_phase1(const void *fields, void *const *io, int64_t part, int64_t parts) {
    BEGIN(Lamb);
    const real *weight = AT(0), *grad = AT(1);
    real *mean = AT(2), *var = AT(3), *out = AT(4);
    Decay beta1 = decay_of(s->beta1), beta2 = decay_of(s->beta2);
    real correction1 = (real)s->correction1, correction2 = (real)s->correction2;
    real epsilon = (real)s->epsilon, wd = (real)s->wd;
    Clip c = clip_of(s->rescale_grad, s->clip_gradient);
    INDEPENDENT
    for (int64_t i = 0; i < n; i++) {
        real g = scaled(grad[i], c);
        real first = mean[i] = running(mean[i], g, beta1), second = var[i] = running(var[i], g * g, beta2);
        out[i] = first / correction1 / (root(second / correction2) + epsilon) + wd * weight[i];
    }
    return DONE;
}

FIELDS(Lamb2, int64_t size; double lr, lower_bound, upper_bound;)

static int lamb_update_phase2(const void *fields, void *const *io, int64_t part, int64_t parts) {
    BEGIN(Lamb2);
    const real *weight = AT(0), *g = AT(1);
    double r1 = *(const real *)io[2], r2 = *(const real *)io[3];
    if (s->lower_bound >= 0 && s->lower_bound > r1) r1 = s->lower_bound;
    if (s->upper_bound >= 0 && s->upper_bound < r1) r1 = s->upper_bound;
    real *out = AT(4), rate = (real)(s->lr * (r1 > 0 && r2 > 0 ? r1 / r2 : 1));
    INDEPENDENT
    for (int64_t i = 0; i < n; i++) out[i] = weight[i] - rate * g[i];
    return DONE;
}

FIELDS(AdamW, int64_t size; double lr, beta1, beta2, epsilon, wd, eta, clip_gradient;)

static int adamw_update(const void *fields, void *const *io, int64_t part, int64_t parts) {
    BEGIN(AdamW);
    const real *weight = AT(0), *grad = AT(1);
    real *mean = AT(2), *var = AT(3), *out = AT(5), scale = *(const real *)io[4];
    if (!isfinite(scale) || scale == 0) {       /* the loss scale was too large: skip the step */
        memmove(out, weight, n * sizeof(real));
        return DONE;
    }
    Decay beta1 = decay_of(s->beta1), beta2 = decay_of(s->beta2);
    real epsilon = (real)s->epsilon, lr = (real)s->lr, wd = (real)s->wd, eta = (real)s->eta;
    Clip c = clip_of(scale, s->clip_gradient);
    INDEPENDENT
    for (int64_t i = 0; i < n; i++) {
        real w = weight[i], g = scaled(grad[i], c);
        real first = mean[i] = running(mean[i], g, beta1), second = var[i] = running(var[i], g * g, beta2);
        out[i] = w - eta * (lr * first / (root(second) + epsilon) + wd * w);
    }
    return DONE;
}

KERNELS(KERNEL(sgd_update, Sgd), KERNEL(signsgd_update, Sgd), KERNEL(sgd_mom_update, Momentum),
        KERNEL(nag_mom_update, Momentum), KERNEL(signum_update, Signum), KERNEL(adam_update, Adam),
        KERNEL(rmsprop_update, RmsProp), KERNEL(rmspropalex_update, RmsProp), KERNEL(ftrl_update, Ftrl),
        KERNEL(ftml_update, Ftml), KERNEL(lamb_update_phase1, Lamb), KERNEL(lamb_update_phase2, Lamb2),
        KERNEL(adamw_update, AdamW))
