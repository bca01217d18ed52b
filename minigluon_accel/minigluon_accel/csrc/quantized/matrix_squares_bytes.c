/* Products of integers with AMX: see matrix.h. */

#include "../kernel.h"

#if defined(__AVX512F__) && defined(__linux__) && (defined(__clang__) || __GNUC__ >= 11)
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("amx-tile,amx-int8"))), apply_to = function)
#else
#pragma GCC target("amx-tile,amx-int8")
#endif
#define SQUARES
#include "matrix.h"

static int pack_integers_in_squares(const void *fields, void *const *io, int64_t part, int64_t parts) {
    return pack_weights(fields, io, part, parts);
}

static int multiply_integers_in_squares(const void *fields, void *const *io, int64_t part, int64_t parts) {
    return multiply_part(fields, io, part, parts);
}

KERNELS(KERNEL(pack_integers_in_squares, Packing), KERNEL(multiply_integers_in_squares, Product))

#if defined(__clang__)
#pragma clang attribute pop
#endif
#endif
