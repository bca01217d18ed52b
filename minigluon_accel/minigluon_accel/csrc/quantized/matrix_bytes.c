/* Products of integers: see matrix.h. Processors with AVX512-VNNI run those of matrix_quads_bytes.c. */

#include "matrix.h"

static int pack_integers(const void *fields, void *const *io, int64_t part, int64_t parts) {
    return pack_weights(fields, io, part, parts);
}

static int multiply_integers(const void *fields, void *const *io, int64_t part, int64_t parts) {
    return multiply_part(fields, io, part, parts);
}

KERNELS(KERNEL(pack_integers, Packing), KERNEL(multiply_integers, Product))
