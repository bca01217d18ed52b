/* float16 and bfloat16 are storage formats: conversion to float32 and back, and wrappers that run a float32 kernel
   between the two conversions.

   float16 has a sign bit, 5 exponent bits and 10 fraction bits; bfloat16 is the upper half of a float32. Rounding is
   to the nearest, ties to even. */

#include "../kernel.h"

#if defined(__F16C__)
#define select select_of_files      /* avoids a clash with <stdlib.h> */
#include <immintrin.h>
#undef select
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

enum { UNIT = 64 };

static Range elements_of(int64_t size, int64_t part, int64_t parts) {
    Range range = range_of((size + UNIT - 1) / UNIT, part, parts);
    return (Range){range.begin * UNIT, min_int(range.end * UNIT, size)};
}

typedef union { float value; uint32_t bits; } Single;

static inline float from_bits(uint32_t bits) { return (Single){.bits = bits}.value; }
static inline uint32_t bits_of(float x) { return (Single){.value = x}.bits; }

/* -- one value ----------------------------------------------------------------------------------------------------- */

/* The exponent bias is 15 in float16 and 127 in float32; they differ by 112. Subnormal numbers have no leading 1, so a
   subtraction corrects for it; infinity and NaN have an exponent of all ones. */
static inline float from_float16(uint16_t x) {
    uint32_t sign = (uint32_t)(x & 0x8000) << 16, rest = (uint32_t)(x & 0x7fff) << 13;
    uint32_t small = bits_of(from_bits(rest + (113u << 23)) - from_bits(113u << 23));
    uint32_t usual = rest + (112u << 23), endless = rest + (224u << 23);
    return from_bits(sign | (rest < 1u << 23 ? small : rest < 31u << 23 ? usual : endless));
}

/* Near 0.5, float32 is as precise as the smallest float16 numbers, so adding 0.5 rounds to one of them. */
static inline uint16_t to_float16(float x) {
    uint32_t bits = bits_of(x), sign = bits >> 16 & 0x8000, rest = bits & 0x7fffffff;
    uint32_t small = bits_of(from_bits(rest) + 0.5f) - bits_of(0.5f);
    uint32_t usual = (rest - (112u << 23) + 0xfff + (rest >> 13 & 1)) >> 13;
    uint32_t endless = rest > 255u << 23 ? 0x7e00 | (rest >> 13 & 0x3ff) : 0x7c00;
    return (uint16_t)(sign | (rest < 113u << 23 ? small : rest < 143u << 23 ? usual : endless));
}

static inline float from_bfloat16(uint16_t x) { return from_bits((uint32_t)x << 16); }

static inline uint16_t to_bfloat16(float x) {
    uint32_t bits = bits_of(x), rounded = (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
    return (uint16_t)(x != x ? bits >> 16 | 0x40 : rounded);
}

/* -- many ---------------------------------------------------------------------------------------------------------- */

#if defined(__AVX512F__)
enum { AT_ONCE = 16 };
static inline void widen_some(float *out, const uint16_t *x) {
    _mm512_storeu_ps(out, _mm512_cvtph_ps(_mm256_loadu_si256((const __m256i *)x)));
}
static inline void narrow_some(uint16_t *out, const float *x) {
    _mm256_storeu_si256((__m256i *)out, _mm512_cvtps_ph(_mm512_loadu_ps(x), _MM_FROUND_TO_NEAREST_INT));
}
#elif defined(__F16C__)
enum { AT_ONCE = 8 };
static inline void widen_some(float *out, const uint16_t *x) {
    _mm256_storeu_ps(out, _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)x)));
}
static inline void narrow_some(uint16_t *out, const float *x) {
    _mm_storeu_si128((__m128i *)out, _mm256_cvtps_ph(_mm256_loadu_ps(x), _MM_FROUND_TO_NEAREST_INT));
}
#elif defined(__aarch64__)            /* compilers do not generate these instructions from the loops below */
enum { AT_ONCE = 8 };
static inline void widen_some(float *out, const uint16_t *x) {
    float16x8_t half = vreinterpretq_f16_u16(vld1q_u16(x));
    vst1q_f32(out, vcvt_f32_f16(vget_low_f16(half)));
    vst1q_f32(out + 4, vcvt_high_f32_f16(half));
}
static inline void narrow_some(uint16_t *out, const float *x) {
    float16x8_t half = vcvt_high_f16_f32(vcvt_f16_f32(vld1q_f32(x)), vld1q_f32(x + 4));
    vst1q_u16(out, vreinterpretq_u16_f16(half));
}
#else
enum { AT_ONCE = 8 };               /* compilers vectorize these loops */
static inline void widen_some(float *out, const uint16_t *x) {
    for (int i = 0; i < AT_ONCE; i++) out[i] = from_float16(x[i]);
}
static inline void narrow_some(uint16_t *out, const float *x) {
    for (int i = 0; i < AT_ONCE; i++) out[i] = to_float16(x[i]);
}
#endif

/* Convert operand `source` to operand `target`. */
FIELDS(Convert, int64_t size, source, target;)

static int float16_widened(const void *fields, void *const *io, int64_t part, int64_t parts) {
    const Convert *s = fields;
    Range range = elements_of(s->size, part, parts);
    const uint16_t *restrict x = io[s->source];
    float *restrict out = io[s->target];
    int64_t i = range.begin;
    for (; i + AT_ONCE <= range.end; i += AT_ONCE) widen_some(out + i, x + i);
    for (; i < range.end; i++) out[i] = from_float16(x[i]);
    return DONE;
}

static int float16_narrowed(const void *fields, void *const *io, int64_t part, int64_t parts) {
    const Convert *s = fields;
    Range range = elements_of(s->size, part, parts);
    const float *restrict x = io[s->source];
    uint16_t *restrict out = io[s->target];
    int64_t i = range.begin;
    for (; i + AT_ONCE <= range.end; i += AT_ONCE) narrow_some(out + i, x + i);
    for (; i < range.end; i++) out[i] = to_float16(x[i]);
    return DONE;
}

static int bfloat16_widened(const void *fields, void *const *io, int64_t part, int64_t parts) {
    const Convert *s = fields;
    Range range = elements_of(s->size, part, parts);
    const uint16_t *restrict x = io[s->source];
    float *restrict out = io[s->target];
    for (int64_t i = range.begin; i < range.end; i++) out[i] = from_bfloat16(x[i]);
    return DONE;
}

static int bfloat16_narrowed(const void *fields, void *const *io, int64_t part, int64_t parts) {
    const Convert *s = fields;
    Range range = elements_of(s->size, part, parts);
    const float *restrict x = io[s->source];
    uint16_t *restrict out = io[s->target];
    for (int64_t i = range.begin; i < range.end; i++) out[i] = to_bfloat16(x[i]);
    return DONE;
}

/* -- wrapping ------------------------------------------------------------------------------------------------------ */

/* Wraps the kernel at address `run`, whose fields are at address `fields`: its operand k is operand operands[k] of this
   kernel. */
FIELDS(Elsewhere, int64_t run, fields, count, operands[];)

static int elsewhere(const void *fields, void *const *io, int64_t part, int64_t parts) {
    const Elsewhere *s = fields;
    void *operands[s->count + 1];
    for (int64_t k = 0; k < s->count; k++) operands[k] = io[s->operands[k]];
    return ((Kernel *)(intptr_t)s->run)((const void *)(intptr_t)s->fields, operands, part, parts);
}

KERNELS(KERNEL(float16_widened, Convert), KERNEL(float16_narrowed, Convert), KERNEL(bfloat16_widened, Convert),
        KERNEL(bfloat16_narrowed, Convert), KERNEL(elsewhere, Elsewhere))
