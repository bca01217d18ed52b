// Steps on one weight whose sizes adapt to past gradients, one thread for each element. See optimizer/update.cuh.
#include "optimizer/update.cuh"

extern "C" __global__ void adam_update(W *out, T *weight, const G *grad, T *mean, T *var, long long n, double rescale,
                                       double limit, double lr, double wd, double beta1, double beta2,
                                       double epsilon) {
    for_each(i, n) {
        N m = number(mean[i]), v = number(var[i]);
        put(out, weight, i, adam(number(weight[i]), number(grad[i]), m, v, rescale, limit, beta1, beta2, epsilon, lr,
                                 wd));
        mean[i] = (T)m, var[i] = (T)v;
    }
}

// s is the running mean of d²; weight - lr · d / √(s + epsilon)
extern "C" __global__ void rmsprop_update(W *out, T *weight, const G *grad, T *squares, long long n, double rescale,
                                          double limit, double lr, double wd, double gamma1, double epsilon,
                                          double weight_limit) {
    for_each(i, n) {
        N w = number(weight[i]), d = decayed(w, number(grad[i]), rescale, limit, wd);
        N s = N(gamma1) * number(squares[i]) + N(1 - gamma1) * square(d);
        put(out, weight, i, clipped(w - N(lr) * d / root(s + N(epsilon)), weight_limit));
        squares[i] = (T)s;
    }
}

// With g, the running mean of d: delta = gamma2 · delta - lr · d / √(s - g² + epsilon); weight + delta
extern "C" __global__ void rmspropalex_update(W *out, T *weight, const G *grad, T *squares, T *means, T *deltas,
                                              long long n, double rescale, double limit, double lr, double wd,
                                              double gamma1, double gamma2, double epsilon, double weight_limit) {
    for_each(i, n) {
        N w = number(weight[i]), d = decayed(w, number(grad[i]), rescale, limit, wd);
        N s = N(gamma1) * number(squares[i]) + N(1 - gamma1) * square(d);
        N g = N(gamma1) * number(means[i]) + N(1 - gamma1) * d;
        N delta = N(gamma2) * number(deltas[i]) - N(lr) * d / root(s - square(g) + N(epsilon));
        put(out, weight, i, clipped(w + delta, weight_limit));
        squares[i] = (T)s, means[i] = (T)g, deltas[i] = (T)delta;
    }
}

// z += g - (√(s + g²) - √s) · weight / lr; s += g²; 0 where |z| <= lamda1, else
// (sign(z) · lamda1 - z) / ((beta + √s) / lr + wd)
extern "C" __global__ void ftrl_update(W *out, T *weight, const G *grad, T *zs, T *squares, long long n,
                                       double rescale, double limit, double lr, double wd, double lamda1,
                                       double beta) {
    for_each(i, n) {
        N g = clipped(number(grad[i]) * N(rescale), limit), s = number(squares[i]), now = s + square(g);
        N z = number(zs[i]) + g - (root(now) - root(s)) * number(weight[i]) / N(lr);
        N next = (sign(z) * N(lamda1) - z) / ((N(beta) + root(now)) / N(lr) + N(wd));
        put(out, weight, i, next * (size_of(z) > N(lamda1) ? N(1.0) : N(0.0)));
        zs[i] = (T)z, squares[i] = (T)now;
    }
}

// rate: (1 - beta1ᵗ) / lr; correction: 1 - beta2ᵗ. v is the running mean of h²; d' = rate · (√(v / correction) +
// epsilon); z = beta1 · z + (1 - beta1) · h - (d' - beta1 · d) · weight; -z / d'
extern "C" __global__ void ftml_update(W *out, T *weight, const G *grad, T *ds, T *vs, T *zs, long long n,
                                       double rescale, double limit, double wd, double beta1, double beta2,
                                       double epsilon, double rate, double correction) {
    for_each(i, n) {
        N w = number(weight[i]), h = clipped(number(grad[i]) * N(rescale) + N(wd) * w, limit);
        N v = N(beta2) * number(vs[i]) + N(1 - beta2) * square(h);
        N d = N(rate) * (root(v / N(correction)) + N(epsilon));
        N z = N(beta1) * number(zs[i]) + N(1 - beta1) * h - (d - N(beta1) * number(ds[i])) * w;
        put(out, weight, i, -z / d);
        ds[i] = (T)d, vs[i] = (T)v, zs[i] = (T)z;
    }
}

// LAMB's direction, which is not yet a weight: mean / (√var + epsilon) + wd · weight, with both running means divided
// by their corrections.
extern "C" __global__ void lamb_update_phase1(T *out, const T *weight, const G *grad, T *mean, T *var, long long n,
                                              double rescale, double limit, double wd, double beta1, double beta2,
                                              double epsilon, double correction1, double correction2, bool corrects) {
    for_each(i, n) {
        N g = clipped(number(grad[i]) * N(rescale), limit);
        N m = running_mean(number(mean[i]), g, beta1), v = running_mean(number(var[i]), square(g), beta2);
        mean[i] = (T)m, var[i] = (T)v;
        if (corrects) m = m / N(correction1), v = v / N(correction2);
        out[i] = (T)(m / (root(v) + N(epsilon)) + N(wd) * number(weight[i]));
    }
}

// weight - lr · r1 / r2 · g, with r1 clamped to the bounds; the ratio is 1 if a norm is 0. R: the type of the norms.
extern "C" __global__ void lamb_update_phase2(W *out, T *weight, const G *g, const R *r1, const R *r2, long long n,
                                              double lr, double lower, double upper) {
    double a = convert<double>(r1[0]), b = convert<double>(r2[0]);
    if (lower >= 0 && lower > a) a = lower;
    if (upper >= 0 && upper < a) a = upper;
    double ratio = a > 0 && b > 0 ? a / b : 1;
    for_each(i, n) put(out, weight, i, number(weight[i]) - N(lr * ratio) * number(g[i]));
}

// weight - eta · (lr · mean / (√var + epsilon) + wd · weight); nothing happens if the scale is 0, NaN or infinite.
extern "C" __global__ void adamw_update(W *out, T *weight, const G *grad, T *mean, T *var, const R *scale,
                                        long long n, double limit, double lr, double wd, double beta1, double beta2,
                                        double epsilon, double eta) {
    double rescale = convert<double>(scale[0]);
    bool steps = rescale != 0 && rescale - rescale == 0;
    for_each(i, n) {
        N w = number(weight[i]);
        if (steps) {
            N g = clipped(number(grad[i]) * N(rescale), limit);
            N m = running_mean(number(mean[i]), g, beta1), v = running_mean(number(var[i]), square(g), beta2);
            mean[i] = (T)m, var[i] = (T)v;
            w = w - N(eta) * (N(lr) * m / (root(v) + N(epsilon)) + N(wd) * w);
        }
        put(out, weight, i, w);
    }
}
