/* The gradient of taking slices by index: a slice that was taken several times receives the sum of the gradients. */

#include "../indices.h"
#include "../vector.h"

/* grad (outer, taken, inner), indices (taken) | out (outer, count, inner). Each part handles one element of `outer` and
   a block of `wide` columns. Only this part adds to this block, in the order of the indices. grad, index, out: operand
   indices. */
FIELDS(AddRows, int64_t outer, count, inner, taken, wide, index_type, mode, grad, index, out;)

static int add_rows(const void *fields, void *const *io, int64_t part, int64_t parts) {
    const AddRows *s = fields;
    int64_t blocks = (s->inner + s->wide - 1) / s->wide;
    Range range = range_of(s->outer * blocks, part, parts);
    for (int64_t unit = range.begin; unit < range.end; unit++) {
        int64_t first = unit % blocks * s->wide, columns = min_int(s->wide, s->inner - first);
        const real *grad = (const real *)io[s->grad] + unit / blocks * s->taken * s->inner + first;
        real *out = (real *)io[s->out] + unit / blocks * s->count * s->inner + first;
        for (int64_t n = 0; n < s->count; n++) memset(out + n * s->inner, 0, columns * sizeof(real));
        for (int64_t i = 0; i < s->taken; i++) {
            real *row = out + index_within(s->count, s->mode, s->index_type, io[s->index], i) * s->inner;
            for (int64_t k = 0; k < columns; k++) row[k] += grad[i * s->inner + k];
        }
    }
    return DONE;
}

KERNELS(KERNEL(add_rows, AddRows))
