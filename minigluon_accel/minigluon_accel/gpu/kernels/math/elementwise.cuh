// Helpers for generated kernels: memory access in pieces of 16 bytes, and NumPy functions that C lacks.
#include "common.cuh"
#include "packed.cuh"

// -- numbers ---------------------------------------------------------------------------------------------------------

// The nearest float16, stored as a float.
template <typename V> __device__ float rounded(V x) { return (float)half(x); }

__device__ inline int larger(int a, int b) { return a > b ? a : b; }        // for narrow integers, whose arithmetic C
                                                                            // performs in int
__device__ inline int smaller(int a, int b) { return a < b ? a : b; }

// Like larger and smaller, but these return the first operand if both are equal.
template <typename V> __device__ V first_larger(V a, V b) { return a != a || a >= b ? a : b; }
template <typename V> __device__ V first_smaller(V a, V b) { return a != a || a <= b ? a : b; }

__device__ inline float magnitude(float x) { return fabsf(x); }
__device__ inline double magnitude(double x) { return fabs(x); }
__device__ inline int magnitude(int x) { return x < 0 ? -x : x; }
__device__ inline long long magnitude(long long x) { return x < 0 ? -x : x; }

// Integers are never NaN or infinite.
template <typename V> __device__ bool is_nan(V x) { return x != x; }
template <typename V> __device__ bool is_finite(V x) { return x - x == V(0); }
template <typename V> __device__ bool is_infinite(V x) { return !is_finite(x) && !is_nan(x); }

// The remainder with the sign of the divisor, even if it is zero; NaN if the divisor is 0.
#define MODULO(V, remainder)                                                \
    __device__ inline V modulo(V x, V y) {                                  \
        V rest = remainder(x, y);                                           \
        if (y == 0) return rest;                                            \
        if (rest == 0) return copysign(V(0), y);                            \
        return (y < 0) != (rest < 0) ? rest + y : rest;                     \
    }
MODULO(float, fmodf)
MODULO(double, fmod)

// For integers and y != 0. -1 is handled separately: the negative of the smallest integer does not exist, and the
// processor may trap.
#define WHOLE_QUOTIENTS(V)                                                  \
    __device__ inline V modulo(V x, V y) {                                  \
        V rest = y == -1 ? 0 : x % y;                                       \
        return rest != 0 && (rest < 0) != (y < 0) ? rest + y : rest;        \
    }                                                                       \
    __device__ inline V floor_quotient(V x, V y) {                          \
        if (y == -1) return 0 - x;                                          \
        return x / y - (x % y != 0 && (x < 0) != (y < 0) ? 1 : 0);          \
    }
WHOLE_QUOTIENTS(int)
WHOLE_QUOTIENTS(long long)

// x to the power of y, rounded to the nearest double. CUDA's pow is off by up to two units in the last place; if the
// exact result is an integer, truncation may then reduce it by one. Beyond 2**63 the result does not fit in any
// integer, and pow is used.
__device__ inline double whole_power(long long x, long long y) {
    if (y < 0) return x == 1 || x == -1 ? (double)(y % 2 ? x : 1) : x ? 0.0 : (double)MINIGLUON_INFINITY;
    long long result = 1, base = x;
    for (long long rest = y; rest; rest /= 2) {
        if (rest % 2) {
            if (fabs((double)result * (double)base) >= 9223372036854775808.0) return pow((double)x, (double)y);
            result *= base;
        }
        if (rest > 1) {
            if (fabs((double)base) >= 3037000500.0) return pow((double)x, (double)y);
            base *= base;
        }
    }
    return (double)result;
}

// log(e^x + e^y) without overflow or underflow of either exponential.
__device__ inline float log_of_sum(float x, float y) {
    if (x == y) return x + 0.6931471805599453f;
    float apart = x - y;
    return apart > 0 ? x + log1pf(expf(-apart)) : apart <= 0 ? y + log1pf(expf(apart)) : apart;
}
__device__ inline double log_of_sum(double x, double y) {
    if (x == y) return x + 0.6931471805599453;
    double apart = x - y;
    return apart > 0 ? x + log1p(exp(-apart)) : apart <= 0 ? y + log1p(exp(apart)) : apart;
}

// The n-th derivative of digamma, n >= 1: n! times the Hurwitz zeta function (n + 1, x), by Euler-Maclaurin summation;
// see ops/math/special.py.
__device__ inline double polygamma(int n, double x) {
    const double bernoulli[] = {1. / 6, -1. / 30, 1. / 42, -1. / 30, 5. / 66, -691. / 2730, 7. / 6, -3617. / 510,
                                43867. / 798};
    double factorial = n % 2 ? 1 : -1, zeta = 0, z = x, s = n + 1;
    for (int k = 2; k <= n; ++k) factorial *= k;
    if (x <= 0 && x == floor(x)) return factorial * MINIGLUON_INFINITY;
    if (x < -1000) return MINIGLUON_NAN;
    for (; z < 12 + n; z += 1) zeta += pow(z, -s);
    zeta += pow(z, 1 - s) / (s - 1) + pow(z, -s) / 2;
    double rising = s, even = 1;                    // s (s + 1) ... (s + 2j - 2), (2j)!
    for (int j = 1; j <= 9; ++j) {
        even *= (2 * j - 1) * (2 * j);
        zeta += bernoulli[j - 1] / even * rising * pow(z, 1 - s - 2 * j);
        rising *= (s + 2 * j - 1) * (s + 2 * j);
    }
    return factorial * zeta;
}
