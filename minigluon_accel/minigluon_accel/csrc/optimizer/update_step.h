/* Shared by optimizer steps: the gradient as a step uses it, and the steps that also run on many weights at once.

   All steps are loops over n elements that read each element before writing it, so `out` may be `weight` itself. */

#ifndef MINIGLUON_STEP_H
#define MINIGLUON_STEP_H

/* Products and sums are rounded separately, as in NumPy. This costs nothing, because the loops are memory-bound, and it
   makes a variance near 0, which is a small difference of large numbers, bitwise equal to the reference's. */
#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#elif defined(__GNUC__)
#pragma GCC optimize("fp-contract=off")
#endif

#include "../vector.h"

/* Different iterations of the next loop never touch the same memory. */
#if defined(__clang__)
#define INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#else
#define INDEPENDENT _Pragma("GCC ivdep")
#endif

static inline real root(real x) { return REAL_BITS == 32 ? (real)sqrtf((float)x) : (real)sqrt(x); }

/* scale · grad, clamped to [low, high]. */
typedef struct { real scale, low, high; } Clip;

static inline Clip clip_of(double rescale_grad, double clip_gradient) {
    real limit = clip_gradient < 0 ? (real)INFINITY : (real)clip_gradient;
    return (Clip){(real)rescale_grad, -limit, limit};
}

static inline real bounded(real x, Clip c) { return x < c.low ? c.low : x > c.high ? c.high : x; }     /* NaN stays */
static inline real scaled(real grad, Clip c) { return bounded(grad * c.scale, c); }
/* The weight decay, if there is one, is clipped together with the gradient. */
static inline real decayed(real grad, real weight, real wd, Clip c) {
    real d = grad * c.scale;
    return bounded(wd != 0 ? d + wd * weight : d, c);
}
/* decay · mean + (1 - decay) · x. A difference of mean and x would be infinite where x is. */
typedef struct { real keep, take; } Decay;
static inline Decay decay_of(double decay) { return (Decay){(real)decay, 1 - (real)decay}; }
static inline real running(real mean, real x, Decay d) { return mean * d.keep + x * d.take; }

static inline void sgd(real *out, const real *weight, const real *grad, int64_t n, Clip c, double lr, double wd) {
    real down = (real)-lr, keep = (real)(1 - lr * wd);
    INDEPENDENT
    for (int64_t i = 0; i < n; i++) out[i] = scaled(grad[i], c) * down + weight[i] * keep;
}

static inline void sgd_mom(real *out, const real *weight, const real *grad, real *mom, int64_t n, Clip c, double lr,
                           double wd, double momentum) {
    real rate = (real)lr, decay = (real)(lr * wd), keep = (real)momentum;
    int decays = wd != 0;
    INDEPENDENT
    for (int64_t i = 0; i < n; i++) {
        real new = mom[i] * keep - scaled(grad[i], c) * rate;
        mom[i] = new = decays ? new - weight[i] * decay : new;
        out[i] = weight[i] + new;
    }
}

typedef struct { Decay beta1, beta2; real epsilon; } Moments;

static inline void adam(real *out, const real *weight, const real *grad, real *mean, real *var, int64_t n, Clip c,
                        double lr, double wd, Moments m) {
    real down = (real)-lr, decay = (real)wd;
    INDEPENDENT
    for (int64_t i = 0; i < n; i++) {
        real w = weight[i], d = decayed(grad[i], w, decay, c);
        real first = mean[i] = running(mean[i], d, m.beta1);
        real second = var[i] = running(var[i], d * d, m.beta2);
        out[i] = first / (root(second) + m.epsilon) * down + w;
    }
}

#endif
