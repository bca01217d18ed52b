// LARS's scaling of learning rates from sums of squares: lr · eta · |w| / (|g| + wd · |w| + eps), or lr if a norm is 0.
#include "optimizer/update.cuh"

extern "C" __global__ void multi_lars(T *out, const T *lrs, const T *weights, const T *grads, const T *wds, long long n,
                                      double eta, double eps, double rescale) {
    for_each(i, n) {
        N lr = number(lrs[i]), w = root(number(weights[i])), g = root(number(grads[i]));
        bool valid = w > N(0.0) && g > N(0.0);
        out[i] = (T)(valid ? lr * N(eta) * w / (g * N(rescale) + number(wds[i]) * w + N(eps)) : lr);
    }
}
