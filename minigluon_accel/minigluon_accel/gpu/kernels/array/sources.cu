// Arrays that are computed from a few numbers.
#include "common.cuh"

// A product and a sum, each rounded as in NumPy; otherwise the compiler would fuse them.
__device__ inline double times_plus(double x, double y, double z) { return __dadd_rn(__dmul_rn(x, y), z); }

// start, start + step, start + 2 step ..., each `repeat` times.
extern "C" __global__ void arange(T *to, double start, double step, long long repeat, long long n) {
    for_each(i, n) to[i] = convert<T>(times_plus((double)(i / repeat), step, start));
}

// The same, except that element `last` is exactly `stop`.
extern "C" __global__ void linspace(T *to, double start, double step, double stop, long long last, long long n) {
    for_each(i, n) to[i] = convert<T>(i == last ? stop : times_plus((double)i, step, start));
}

// 1 on the k-th diagonal of a matrix, and 0 elsewhere.
extern "C" __global__ void eye(T *to, long long columns, long long k, long long n) {
    for_each(i, n) to[i] = convert<T>(i % columns - i / columns == k ? 1 : 0);
}

// A few integers, which are passed as arguments.
extern "C" __global__ void numbers(T *to, const __grid_constant__ Dims from, long long n) {
    for_each(i, n) to[i] = from.at[i];
}
