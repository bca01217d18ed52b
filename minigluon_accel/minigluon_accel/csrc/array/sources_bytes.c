/* Arrays filled with one value, copies, and conversions between element types. */

#include "../indices.h"

enum { UNIT = 64 };

static Range elements_of(int64_t size, int64_t part, int64_t parts) {
    Range range = range_of((size + UNIT - 1) / UNIT, part, parts);
    return (Range){range.begin * UNIT, min_int(range.end * UNIT, size)};
}

/* Fill the last array with `value`, the bits of an element of `item` bytes. */
FIELDS(Fill, int64_t size, item, value, target;)

#define FILL(type)                                                                     \
    {                                                                                  \
        type *p = out;                                                                 \
        for (int64_t i = range.begin; i < range.end; i++) p[i] = (type)s->value;       \
        return DONE;                                                                   \
    }

static int fill(const void *fields, void *const *io, int64_t part, int64_t parts) {
    const Fill *s = fields;
    Range range = elements_of(s->size, part, parts);
    void *out = io[s->target];
    switch (s->item) {
    case 1: FILL(uint8_t)
    case 2: FILL(uint16_t)
    case 4: FILL(uint32_t)
    default: FILL(uint64_t)
    }
}

FIELDS(Copy, int64_t size, item, target;)

static int copy(const void *fields, void *const *io, int64_t part, int64_t parts) {
    const Copy *s = fields;
    Range range = elements_of(s->size, part, parts);
    const char *in = (const char *)io[0] + range.begin * s->item;
    char *out = (char *)io[s->target] + range.begin * s->item;
    if (in != out) memcpy(out, in, (range.end - range.begin) * s->item);
    return DONE;
}

/* The element of the second array where the first, of bytes, is not 0, and of the third elsewhere. */
FIELDS(Choose, int64_t size, item;)

#define CHOOSE(type)                                                                              \
    {                                                                                             \
        const type *x = io[1], *y = io[2];                                                        \
        type *out = io[3];                                                                        \
        for (int64_t i = range.begin; i < range.end; i++) out[i] = condition[i] ? x[i] : y[i];    \
        return DONE;                                                                              \
    }

static int choose(const void *fields, void *const *io, int64_t part, int64_t parts) {
    const Choose *s = fields;
    Range range = elements_of(s->size, part, parts);
    const uint8_t *condition = io[0];
    switch (s->item) {
    case 1: CHOOSE(uint8_t)
    case 2: CHOOSE(uint16_t)
    case 4: CHOOSE(uint32_t)
    default: CHOOSE(uint64_t)
    }
}

/* -- conversions --------------------------------------------------------------------------------------------------- */

FIELDS(Cast, int64_t size, target;)

#define AS_IS(x) (x)
/* Converts to 8 bits via 64 bits, so that values out of range wrap around; values that do not fit in 64 bits become the
   lowest integer, which is also what x86's own instruction returns. */
#if defined(__x86_64__)
#define WRAPPED(x) ((int64_t)(x))
#else
#define WRAPPED(x) _Generic((x), float: whole(x), double: whole(x), default: (int64_t)(x))
#endif
#define TRUTH(x) ((x) != 0)

#define CAST(from, to, name, by)                                                                       \
    static int name(const void *fields, void *const *io, int64_t part, int64_t parts) {                \
        const Cast *s = fields;                                                                        \
        Range range = elements_of(s->size, part, parts);                                               \
        const from *x = io[0];                                                                         \
        to *out = io[s->target];                                                                              \
        for (int64_t i = range.begin; i < range.end; i++) out[i] = (to)by(x[i]);                       \
        return DONE;                                                                                   \
    }

/* The table of types: the type in C, its name in NumPy, and the conversion to it. */
#define FROM(CASTS, ...)                                                                               \
    CASTS(float, float32, __VA_ARGS__) CASTS(double, float64, __VA_ARGS__) CASTS(uint8_t, uint8, __VA_ARGS__) \
    CASTS(int8_t, int8, __VA_ARGS__) CASTS(int32_t, int32, __VA_ARGS__) CASTS(int64_t, int64, __VA_ARGS__)

#define CAST_TO(from, from_name, to, to_name, by) CAST(from, to, from_name##_to_##to_name, by)
#define NAMED(from, from_name, to, to_name, by) KERNEL(from_name##_to_##to_name, Cast),

FROM(CAST_TO, float, float32, AS_IS)
FROM(CAST_TO, double, float64, AS_IS)
FROM(CAST_TO, uint8_t, uint8, WRAPPED)
FROM(CAST_TO, int8_t, int8, WRAPPED)
FROM(CAST_TO, int32_t, int32, AS_IS)
FROM(CAST_TO, int64_t, int64, AS_IS)
FROM(CAST_TO, uint8_t, bool, TRUTH)

KERNELS(FROM(NAMED, float, float32, AS_IS) FROM(NAMED, double, float64, AS_IS) FROM(NAMED, uint8_t, uint8, WRAPPED)
        FROM(NAMED, int8_t, int8, WRAPPED) FROM(NAMED, int32_t, int32, AS_IS) FROM(NAMED, int64_t, int64, AS_IS)
        FROM(NAMED, uint8_t, bool, TRUTH) KERNEL(fill, Fill), KERNEL(copy, Copy),
        KERNEL(choose, Choose))
