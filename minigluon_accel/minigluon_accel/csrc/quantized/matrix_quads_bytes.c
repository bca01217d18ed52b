/* Products of integers with AVX512-VNNI: see matrix.h. */

#include "../kernel.h"

#if defined(__AVX512F__)
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx512vnni"))), apply_to = function)
#else
#pragma GCC target("avx512vnni")
#endif
#define QUADS
#include "matrix.h"

static int pack_integers_in_quads(const void *fields, void *const *io, int64_t part, int64_t parts) {
    return pack_weights(fields, io, part, parts);
}

static int multiply_integers_in_quads(const void *fields, void *const *io, int64_t part, int64_t parts) {
    return multiply_part(fields, io, part, parts);
}

KERNELS(KERNEL(pack_integers_in_quads, Packing), KERNEL(multiply_integers_in_quads, Product))

#if defined(__clang__)
#pragma clang attribute pop
#endif
#endif
