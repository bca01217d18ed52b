/* pick: one element along the middle axis of data (outer, count, inner) for each of the other places; its adjoint. */

#include "../vector.h"

typedef struct { int64_t outer, count, inner, index_type, wrap; } Pick;

#define PICK "outer count inner index_type wrap"

enum { INDEX_FLOAT, INDEX_DOUBLE, INDEX_INT32, INDEX_INT64, INDEX_UINT8 };

/* A number that is not among those of int64 becomes the lowest, as in NumPy on most machines. */
static inline int64_t whole(double x) { return x > -9.2e18 && x < 9.2e18 ? (int64_t)x : INT64_MIN; }

/* Index number i, brought into 0 ... count - 1. */
static inline int64_t index_at(const Pick *s, const void *index, int64_t i) {
    int64_t n = 0;
    switch (s->index_type) {
    case INDEX_FLOAT: n = whole(((const float *)index)[i]); break;
    case INDEX_DOUBLE: n = whole(((const double *)index)[i]); break;
    case INDEX_INT32: n = ((const int32_t *)index)[i]; break;
    case INDEX_INT64: n = ((const int64_t *)index)[i]; break;
    default: n = ((const uint8_t *)index)[i];
    }
    if (!s->wrap) return min_int(max_int(n, 0), s->count - 1);
    n %= s->count;
    return n < 0 ? n + s->count : n;
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

/* grad, data for its shape, index | out: zeros, and the gradients at their places */
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

KERNELS(KERNEL(pick, PICK), KERNEL(pick_grad, PICK))
