/* Vectors of integers, and their conversion from and to bytes: the operators on 8-bit integers compute in float32
   exactly as the reference does, so this folder is compiled without fused multiplication and addition. */

#ifndef MINIGLUON_INTEGERS_H
#define MINIGLUON_INTEGERS_H

#if defined(__x86_64__)
#define select select_of_files      /* as in vector.h */
#include <emmintrin.h>
#undef select
#endif

#define REAL float
#define REAL_BITS 32
#include "vector.h"

#define INLINED static inline __attribute__((always_inline, unused))
#define OFFERED static __attribute__((unused))

enum { SIGNED, UNSIGNED, SUMS, REALS };         /* int8, uint8, int32, float32; also in kernels/integer_steps.py */

typedef int32_t ints __attribute__((vector_size(VECTOR_BYTES), may_alias));
typedef int32_t loose_ints __attribute__((vector_size(VECTOR_BYTES), aligned(4), may_alias));

INLINED ints load_ints(const int32_t *p) { return *(const loose_ints *)p; }
INLINED void store_ints(int32_t *p, ints v) { *(loose_ints *)p = v; }
/* The smaller and the larger of x and a bound, which also replaces NaN. */
#if defined(__AVX512F__)
INLINED vec not_above(vec x, vec high) { return (vec)_mm512_min_ps((__m512)x, (__m512)high); }
INLINED vec not_below(vec x, vec low) { return (vec)_mm512_max_ps((__m512)x, (__m512)low); }
#elif defined(__AVX2__)
INLINED vec not_above(vec x, vec high) { return (vec)_mm256_min_ps((__m256)x, (__m256)high); }
INLINED vec not_below(vec x, vec low) { return (vec)_mm256_max_ps((__m256)x, (__m256)low); }
#else
INLINED vec not_above(vec x, vec high) { return select(x < high, x, high); }
INLINED vec not_below(vec x, vec low) { return select(x > low, x, low); }
#endif

#if defined(__x86_64__)
/* The sums of two products of 16-bit integers in each lane. */
INLINED ints pair_sums(ints a, ints b) {
#if defined(__AVX512BW__)
    return (ints)_mm512_madd_epi16((__m512i)a, (__m512i)b);
#elif defined(__AVX2__)
    return (ints)_mm256_madd_epi16((__m256i)a, (__m256i)b);
#else
    return (ints)_mm_madd_epi16((__m128i)a, (__m128i)b);
#endif
}
#endif

INLINED vec to_reals(ints x) { return __builtin_convertvector(x, vec); }

/* LANES bytes as integers, and the lowest byte of each integer. Compilers need several instructions for the loops. */
#if defined(__AVX512F__)
INLINED ints widened(const void *p, int type) {
    __m128i x = _mm_loadu_si128((const __m128i *)p);
    return (ints)(type == SIGNED ? _mm512_cvtepi8_epi32(x) : _mm512_cvtepu8_epi32(x));
}
INLINED void store_bytes(void *p, ints x) { _mm_storeu_si128((__m128i *)p, _mm512_cvtepi32_epi8((__m512i)x)); }
#define HAS_MASKS
INLINED ints widened_some(const void *p, int type, int64_t n) {
    __m128i x = _mm_maskz_loadu_epi8((__mmask16)((1u << n) - 1), p);
    return (ints)(type == SIGNED ? _mm512_cvtepi8_epi32(x) : _mm512_cvtepu8_epi32(x));
}
INLINED void store_some_bytes(void *p, ints x, int64_t n) {
    _mm512_mask_cvtepi32_storeu_epi8(p, (__mmask16)((1u << n) - 1), (__m512i)x);
}
#elif defined(__AVX2__)
INLINED ints widened(const void *p, int type) {
    __m128i x = _mm_loadl_epi64((const __m128i *)p);
    return (ints)(type == SIGNED ? _mm256_cvtepi8_epi32(x) : _mm256_cvtepu8_epi32(x));
}
INLINED void store_bytes(void *p, ints x) {
    const __m256i lowest = _mm256_set1_epi32(0x0c080400);
    __m256i bytes = _mm256_shuffle_epi8((__m256i)x, lowest);
    __m128i low = _mm256_castsi256_si128(bytes), high = _mm256_extracti128_si256(bytes, 1);
    _mm_storel_epi64((__m128i *)p, _mm_unpacklo_epi32(low, high));
}
#else
INLINED ints widened(const void *p, int type) {
    ints x;
    for (int i = 0; i < LANES; i++) x[i] = type == SIGNED ? ((const int8_t *)p)[i] : ((const uint8_t *)p)[i];
    return x;
}
INLINED void store_bytes(void *p, ints x) {
    for (int i = 0; i < LANES; i++) ((uint8_t *)p)[i] = (uint8_t)x[i];
}
#endif

/* The first n of LANES elements of an array of this type as real numbers; the others are 0. */
INLINED vec load_typed(const void *p, int type, int64_t n) {
#if defined(HAS_MASKS)
    if (type == SIGNED || type == UNSIGNED) return to_reals(widened_some(p, type, n));
#endif
    int32_t words[VECTOR_BYTES / 4] = {0};
    if (n < LANES) {
        memcpy(words, p, (size_t)(n * (type == SIGNED || type == UNSIGNED ? 1 : 4)));
        p = words;
    }
    if (type == REALS) return load(p);
    return to_reals(type == SUMS ? load_ints(p) : widened(p, type));
}

/* Stores the first n of LANES elements of this type. Integers must be whole numbers in the range of the type. */
INLINED void store_typed(void *p, int type, vec x, int64_t n) {
    if (type == REALS) {
        if (n == LANES) store(p, x);
        else memcpy(p, &x, (size_t)n * 4);
        return;
    }
    if (type == SUMS) {
        ints whole = __builtin_convertvector(x, ints), above = x >= 2147483648.0f;
        whole = (whole & ~above) | (above & 2147483647);
        memcpy(p, &whole, (size_t)n * 4);
        return;
    }
#if defined(HAS_MASKS)
    store_some_bytes(p, __builtin_convertvector(x, ints), n);
#else
    uint8_t bytes[VECTOR_BYTES / 4];
    store_bytes(n == LANES ? p : bytes, __builtin_convertvector(x, ints));
    if (n < LANES) memcpy(p, bytes, (size_t)n);
#endif
}

INLINED int64_t bytes_of(int type) { return type == SIGNED || type == UNSIGNED ? 1 : 4; }

#endif
