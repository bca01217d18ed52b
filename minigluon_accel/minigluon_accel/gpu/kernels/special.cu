// Derivatives of digamma, element by element, in double.
#include "common.cuh"
#include "special.cuh"

extern "C" __global__ void polygamma_of(T *out, const T *x, long long count, int n) {
    for_each(i, count) {
        double value = convert<double>(x[i]);
        out[i] = convert<T>(n ? polygamma(n, value) : digamma(value));
    }
}
