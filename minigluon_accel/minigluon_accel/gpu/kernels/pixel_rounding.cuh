// Rounding of results to pixels. T: the type of an element. WIDE: the type in which results are computed.
#include "common.cuh"

// Products and sums that are rounded separately, as in NumPy, so that no pixel is rounded differently.
__device__ inline float product(float a, float b) { return __fmul_rn(a, b); }
__device__ inline double product(double a, double b) { return __dmul_rn(a, b); }
__device__ inline float plus(float a, float b) { return __fadd_rn(a, b); }
__device__ inline double plus(double a, double b) { return __dadd_rn(a, b); }

// x as T: if T is an integer, x is rounded and clamped.
__device__ inline T rounded(WIDE x) {
#ifdef LOWEST
    x = rint(x);
    x = x < (WIDE)LOWEST ? (WIDE)LOWEST : x > (WIDE)HIGHEST ? (WIDE)HIGHEST : x;
#endif
    return convert<T>(x);
}
