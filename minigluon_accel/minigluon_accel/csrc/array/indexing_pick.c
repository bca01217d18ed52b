/* pick: one element along the middle axis of data (outer, count, inner) for each position of the other axes; and its
   adjoint. */

#include "../indices.h"
#include "../vector.h"

FIELDS(Pick, int64_t outer, count, inner, index_type, wrap;)

static inline int64_t index_at(const Pick *s, const void *index, int64_t i) {
    return index_within(s->count, s->wrap ? WRAP : CLIP, s->index_type, index, i);
}

/* data, index | out */
static int pick(const void *fields, void *const *io, int64_t part, int64_t parts) {
    const Pick *s = fields;
    const real *data = io[0];
    real *out = io[2];
    Range range = range_of(s->outer * s->inner, part, parts);
    for (int64_t i = range.begin; i < range.end; i++)
        out[i] = data[(i / s->inner * s->count + index_at(s, io[1], i)) * s->inner + i % s->inner];
    return DONE;
}

/* grad, data (only its shape is used), index | out: zeros, with each gradient at the element that was picked */
static int pick_grad(const void *fields, void *const *io, int64_t part, int64_t parts) {
    const Pick *s = fields;
    const real *grad = io[0];
    real *out = io[3];
    Range range = range_of(s->outer, part, parts);
    memset(out + range.begin * s->count * s->inner, 0, (range.end - range.begin) * s->count * s->inner * sizeof(real));
    for (int64_t i = range.begin * s->inner; i < range.end * s->inner; i++)
        out[(i / s->inner * s->count + index_at(s, io[2], i)) * s->inner + i % s->inner] = grad[i];
    return DONE;
}

KERNELS(KERNEL(pick, Pick), KERNEL(pick_grad, Pick))
