// Steps on one weight with SGD and related optimizers, one thread for each element. See optimizer/update.cuh for the
// types.
#include "optimizer/update.cuh"

extern "C" __global__ void sgd_update(W *out, T *weight, const G *grad, long long n, double rescale, double limit,
                                      double lr, double wd) {
    for_each(i, n) put(out, weight, i, sgd(number(weight[i]), number(grad[i]), rescale, limit, lr, wd));
}

extern "C" __global__ void sgd_mom_update(W *out, T *weight, const G *grad, T *mom, long long n, double rescale,
                                          double limit, double lr, double wd, double momentum) {
    for_each(i, n) {
        N m = number(mom[i]);
        put(out, weight, i, sgd_momentum(number(weight[i]), number(grad[i]), m, rescale, limit, momentum, lr, wd));
        mom[i] = (T)m;
    }
}

// Nesterov: d = g + wd · weight; mom = momentum · mom - lr · d; weight + momentum · mom - lr · d
extern "C" __global__ void nag_mom_update(W *out, T *weight, const G *grad, T *mom, long long n, double rescale,
                                          double limit, double lr, double wd, double momentum) {
    for_each(i, n) {
        N w = number(weight[i]);
        N step = N(lr) * (clipped(number(grad[i]) * N(rescale), limit) + N(wd) * w);
        N m = N(momentum) * number(mom[i]) - step;
        put(out, weight, i, w + N(momentum) * m - step);
        mom[i] = (T)m;
    }
}

// weight - lr · (sign(grad) + wd · weight)
extern "C" __global__ void signsgd_update(W *out, T *weight, const G *grad, long long n, double lr, double wd) {
    for_each(i, n) put(out, weight, i, N(1 - lr * wd) * number(weight[i]) - N(lr) * sign(number(grad[i])));
}

// mom = momentum · mom - (1 - momentum) · (g + wd · weight); (1 - lr · wd_lh) · weight + lr · sign(mom)
extern "C" __global__ void signum_update(W *out, T *weight, const G *grad, T *mom, long long n, double rescale,
                                         double limit, double lr, double wd, double momentum, double wd_lh) {
    for_each(i, n) {
        N w = number(weight[i]), g = clipped(number(grad[i]) * N(rescale), limit);
        N m = N(momentum) * number(mom[i]) - N(1 - momentum) * (g + N(wd) * w);
        put(out, weight, i, N(1 - lr * wd_lh) * w + N(lr) * sign(m));
        mom[i] = (T)m;
    }
}
