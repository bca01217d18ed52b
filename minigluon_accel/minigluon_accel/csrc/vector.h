/* Vectors as wide as the registers of the instruction set, with the vector extensions of GCC and Clang: `a * b + c`
   works on all lanes.

   `real` is float or double (the build chooses with -DREAL=...), `vec` is a vector of LANES reals, and `mask` is the
   vector of integers that a comparison returns: -1 where it is true, 0 elsewhere. */

#ifndef MINIGLUON_VECTOR_H
#define MINIGLUON_VECTOR_H

#include "kernel.h"

#if defined(__AVX2__)
#define select select_of_files      /* avoids a clash with <stdlib.h> */
#include <immintrin.h>
#undef select
#endif
#define select select_lanes     /* avoids a clash with the system's headers */

#if defined(__AVX512F__)
#define VECTOR_BYTES 64
#elif defined(__AVX2__)
#define VECTOR_BYTES 32
#else
#define VECTOR_BYTES 16
#endif

#ifndef REAL
#define REAL float
#define REAL_NAME f32
#define REAL_BITS 32
#endif

typedef REAL real;
#if REAL_BITS == 32
typedef int32_t bits;           /* an integer with the size of a real */
#else
typedef int64_t bits;
#endif

#define LANES ((int64_t)(VECTOR_BYTES / sizeof(real)))

typedef real vec __attribute__((vector_size(VECTOR_BYTES), may_alias));
typedef bits mask __attribute__((vector_size(VECTOR_BYTES), may_alias));
/* The same vectors at unaligned addresses. */
typedef real loose_vec __attribute__((vector_size(VECTOR_BYTES), aligned(sizeof(real)), may_alias));

static inline vec load(const real *p) { return *(const loose_vec *)p; }
static inline void store(real *p, vec v) { *(loose_vec *)p = v; }
static inline vec all(real x) { return x - (vec){0}; }

/* Loads the first n of LANES elements; the other lanes are set to `other`. */
#if defined(__AVX512F__) && REAL_BITS == 32
static inline vec load_some(const real *p, int64_t n, real other) {
    return (vec)_mm512_mask_loadu_ps((__m512)all(other), (__mmask16)((1u << n) - 1), p);
}

static inline void store_some(real *p, vec v, int64_t n) {
    _mm512_mask_storeu_ps(p, (__mmask16)((1u << n) - 1), (__m512)v);
}
#elif defined(__AVX512F__)
static inline vec load_some(const real *p, int64_t n, real other) {
    return (vec)_mm512_mask_loadu_pd((__m512d)all(other), (__mmask8)((1u << n) - 1), p);
}

static inline void store_some(real *p, vec v, int64_t n) {
    _mm512_mask_storeu_pd(p, (__mmask8)((1u << n) - 1), (__m512d)v);
}
#else
static inline vec load_some(const real *p, int64_t n, real other) {
    real lanes[VECTOR_BYTES / sizeof(real)];
    for (bits i = 0; i < LANES; i++) lanes[i] = i < (bits)n ? p[i] : other;     /* compilers turn this into a masked
                                                                                   load */
    return load(lanes);
}

static inline void store_some(real *p, vec v, int64_t n) {
    real lanes[VECTOR_BYTES / sizeof(real)];
    store(lanes, v);
    for (bits i = 0; i < LANES; i++)
        if (i < (bits)n) p[i] = lanes[i];
}
#endif

static inline vec select(mask which, vec yes, vec no) { return (vec)((which & (mask)yes) | (~which & (mask)no)); }

/* x clamped to [low, high]; NaN is unchanged. This takes one instruction instead of the three of `select`. */
#if defined(__AVX512F__) && REAL_BITS == 32
static inline vec at_least(vec x, vec low) { return (vec)_mm512_max_ps((__m512)low, (__m512)x); }
static inline vec at_most(vec x, vec high) { return (vec)_mm512_min_ps((__m512)high, (__m512)x); }
#elif defined(__AVX512F__)
static inline vec at_least(vec x, vec low) { return (vec)_mm512_max_pd((__m512d)low, (__m512d)x); }
static inline vec at_most(vec x, vec high) { return (vec)_mm512_min_pd((__m512d)high, (__m512d)x); }
#elif defined(__AVX2__) && REAL_BITS == 32
static inline vec at_least(vec x, vec low) { return (vec)_mm256_max_ps((__m256)low, (__m256)x); }
static inline vec at_most(vec x, vec high) { return (vec)_mm256_min_ps((__m256)high, (__m256)x); }
#elif defined(__AVX2__)
static inline vec at_least(vec x, vec low) { return (vec)_mm256_max_pd((__m256d)low, (__m256d)x); }
static inline vec at_most(vec x, vec high) { return (vec)_mm256_min_pd((__m256d)high, (__m256d)x); }
#else
static inline vec at_least(vec x, vec low) { return select(low > x, low, x); }
static inline vec at_most(vec x, vec high) { return select(high < x, high, x); }
#endif

/* The maximum and minimum of each lane; if either operand is NaN, so is the result, as in NumPy. */
static inline vec max_vec(vec a, vec b) { return select((a > b) | (a != a), a, b); }
static inline vec min_vec(vec a, vec b) { return select((a < b) | (a != a), a, b); }

/* The sum and the maximum of all lanes, by repeated halving; if any lane is NaN, so is the result. */
static inline real sum_lanes(vec v) {
#if defined(__AVX512F__) && REAL_BITS == 32
    return _mm512_reduce_add_ps((__m512)v);
#elif defined(__AVX512F__)
    return _mm512_reduce_add_pd((__m512d)v);
#else
    real lanes[VECTOR_BYTES / sizeof(real)];
    store(lanes, v);
    for (int64_t width = LANES / 2; width > 0; width /= 2)
        for (int64_t i = 0; i < width; i++) lanes[i] += lanes[i + width];
    return lanes[0];
#endif
}

/* Adds the first n of LANES elements to totals in double precision: used for the block sums of long lines, so that
   errors do not grow with the length. */
static inline void add_lanes(double *totals, vec v, int64_t n) {
    real lanes[VECTOR_BYTES / sizeof(real)];
    store(lanes, v);
    for (int64_t i = 0; i < LANES; i++)
        if (i < n) totals[i] += lanes[i];
}

static inline vec from_doubles(const double *totals) {
    real lanes[VECTOR_BYTES / sizeof(real)];
    for (int64_t i = 0; i < LANES; i++) lanes[i] = (real)totals[i];
    return load(lanes);
}

static inline real max_lanes(vec v) {
#if defined(__AVX512F__) && REAL_BITS == 32
    return _mm512_cmp_ps_mask((__m512)v, (__m512)v, _CMP_UNORD_Q) ? NAN : _mm512_reduce_max_ps((__m512)v);
#elif defined(__AVX512F__)
    return _mm512_cmp_pd_mask((__m512d)v, (__m512d)v, _CMP_UNORD_Q) ? NAN : _mm512_reduce_max_pd((__m512d)v);
#else
    real lanes[2 * VECTOR_BYTES / sizeof(real)];
    store(lanes + LANES, v);
    for (int64_t width = LANES / 2; width > 0; width /= 2) {
        store(lanes, v);
        v = max_vec(v, load(lanes + width));
    }
    return v[0];
#endif
}

#endif
