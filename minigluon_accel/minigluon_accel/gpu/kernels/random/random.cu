// Uniform numbers and integers, drawn in the order of the generator, and permutations. N, float or double, is the type
// of the numbers drawn. With ARRAYS, the parameters are arrays of type P, each element of which is used for `each`
// numbers.
#include "philox.cuh"

__device__ inline float times_plus(float x, float width, float low) { return __fadd_rn(__fmul_rn(x, width), low); }
__device__ inline double times_plus(double x, double width, double low) { return __dadd_rn(__dmul_rn(x, width), low); }

#ifdef ARRAYS
#define PARAMETERS const P *low, const P *high
#define LOW convert<N>(low[i / each])
#define WIDTH convert<N>(high[i / each]) - convert<N>(low[i / each])
#else
#define PARAMETERS N low, N width
#define LOW low
#define WIDTH width
#endif

// out[i] = low + (high - low) · i-th number
extern "C" __global__ void uniform(T *out, const Draws *draws, long long n, long long each, PARAMETERS) {
    each_draw(draws, n, [=](long long i, unsigned bits) {
        out[i] = convert<T>(times_plus(N(unit(bits)), WIDTH, LOW));
    });
}

extern "C" __global__ void wide_uniform(T *out, const Draws *draws, long long n, long long each, PARAMETERS) {
    each_wide_draw(draws, n, [=](long long i, Word bits) {
        out[i] = convert<T>(times_plus(N(wide_unit(bits)), WIDTH, LOW));
    });
}

// Integers low + k for k in [0, range), where range is a power of two: NumPy's algorithm, which is Lemire's, then uses
// every number from the generator. A range of 0 represents 2^64.
extern "C" __global__ void integers(T *out, const Draws *draws, long long n, long long low, Word range) {
    each_draw(draws, n, [=](long long i, unsigned bits) { out[i] = (T)(low + (long long)(bits * range >> 32)); });
}

extern "C" __global__ void wide_integers(T *out, const Draws *draws, long long n, long long low, Word range) {
    each_wide_draw(draws, n, [=](long long i, Word bits) {
        out[i] = (T)((Word)low + (range ? __umul64hi(bits, range) : bits));
    });
}

// Permutes items of `length` elements.
extern "C" __global__ void permuted(T *out, const T *data, const long long *order, long long n, long long length) {
    for_each(i, n) out[i] = data[order[i / length] * length + i % length];
}
