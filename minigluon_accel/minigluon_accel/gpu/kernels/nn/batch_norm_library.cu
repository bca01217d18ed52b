// What cuDNN's BatchNorm leaves to be done. T is the type of data, A that of everything else.
#include "common.cuh"

// The moving averages from the batch's statistics; inverse is 1 / √(variance + eps). The flag says that they are the
// batch's.
extern "C" __global__ void move_averages(const A *mean, const A *inverse, A *moving_mean, A *moving_variance, A *flag,
                                         long long channels, double momentum, double eps) {
    A kept = (A)momentum, moved = (A)1 - kept;
    for_each(c, channels) {
        if (c == 0) *flag = (A)1;
        A variance = larger((A)1 / (inverse[c] * inverse[c]) - (A)eps, (A)0);
        moving_mean[c] = kept * moving_mean[c] + moved * mean[c];
        moving_variance[c] = kept * moving_variance[c] + moved * variance;
    }
}

// The gradient of data where the statistics were not the batch's, and so did not depend on data. INDEX is a type that
// can count the elements.
extern "C" __global__ void gradient_beside_statistics(const T *grad, T *to, const A *inverse, const A *gamma,
                                                      const A *batch, long long n, long long channels,
                                                      long long after) {
    if (batch[0] != (A)0) return;
    for_each(i, n) {
        INDEX c = (INDEX)i / (INDEX)after % (INDEX)channels;
        to[i] = convert<T>(convert<A>(grad[i]) * inverse[c] * gamma[c]);
    }
}
