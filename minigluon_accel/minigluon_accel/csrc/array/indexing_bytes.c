/* Taking slices by index: take and Embedding for elements of any type, and one_hot. */

#include "../indices.h"

/* data (outer, count, bytes), indices (taken) | out (outer, taken, bytes). data, index, out: operand indices.
   takes_filling: index -1 selects zeros, and other indices out of range are refused. */
FIELDS(Take, int64_t outer, count, bytes, taken, index_type, mode, data, index, out, takes_filling;)

/* In mode RAISE, looks for indices out of range before anything is written; if there are any, the reference raises the
   error. */
static int check_indexes(const void *fields, void *const *io, int64_t part, int64_t parts) {
    const Take *s = fields;
    Range range = range_of(s->taken, part, parts);
    for (int64_t i = range.begin; i < range.end; i++) {
        int64_t n = index_of(s->index_type, io[s->index], i);
        if (n < 0 || n >= s->count) return REFUSED;
    }
    return DONE;
}

static int take(const void *fields, void *const *io, int64_t part, int64_t parts) {
    const Take *s = fields;
    const char *data = io[s->data];
    char *out = io[s->out];
    Range range = range_of(s->outer * s->taken, part, parts);
    for (int64_t i = range.begin; i < range.end; i++) {
        int64_t n;
        if (s->takes_filling) {
            n = index_of(s->index_type, io[s->index], i % s->taken);
            if (n < -1 || n >= s->count) return REFUSED;
            n = max_int(n, 0);
        } else {
            n = index_within(s->count, s->mode, s->index_type, io[s->index], i % s->taken);
        }
        const char *from = data + (i / s->taken * s->count + n) * s->bytes;
        if (s->bytes == 4) memcpy(out + i * 4, from, 4);            /* one element: avoids a call of memcpy */
        else memcpy(out + i * s->bytes, from, s->bytes);
    }
    return DONE;
}

/* indices (rows) | out (rows, depth), whose elements have the bits `on` at the row's index, if that is in range, and
   the bits `off` elsewhere. */
FIELDS(OneHot, int64_t rows, depth, item, on, off, index_type;)

#define FILL_ROW(type)                                                                   \
    {                                                                                    \
        type *row = (type *)io[1] + i * s->depth;                                        \
        for (int64_t k = 0; k < s->depth; k++) row[k] = (type)s->off;                    \
        if (n >= 0 && n < s->depth) row[n] = (type)s->on;                                \
        break;                                                                           \
    }

static int one_hot(const void *fields, void *const *io, int64_t part, int64_t parts) {
    const OneHot *s = fields;
    Range range = range_of(s->rows, part, parts);
    for (int64_t i = range.begin; i < range.end; i++) {
        int64_t n = index_of(s->index_type, io[0], i);
        switch (s->item) {
        case 1: FILL_ROW(uint8_t)
        case 2: FILL_ROW(uint16_t)
        case 4: FILL_ROW(uint32_t)
        default: FILL_ROW(uint64_t)
        }
    }
    return DONE;
}

KERNELS(KERNEL(check_indexes, Take), KERNEL(take, Take), KERNEL(one_hot, OneHot))
