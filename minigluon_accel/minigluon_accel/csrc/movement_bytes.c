/* Moves elements: each axis has a length, and strides in the source and in the target.
   So one loop nest performs transposes, slices, flips, repetitions (stride 0), and the copies for a concatenation. */

#include "kernel.h"

/* Copies from io[source] to io[target], starting at the elements `first`. numbers: lengths of the axes, then their
   strides in the source, then their strides in the target. There are at least two axes. In a transpose, the last axis
   is contiguous in the target, and the axis before it in the source. */
FIELDS(Move, int64_t item, source, target, axes, source_first, target_first, numbers[];)

typedef struct { int64_t high, wide, from_down, from_right, to_down, to_right; } Plane;

enum { ROWS = 16, LINE = 64 };      /* rows in a unit of work; bytes in a cache line */

/* Rows of a plane. A transposed plane is copied in squares, so that each line is fully used while it is in the
   cache. */
#define MOVER(T)                                                                                 \
    static void move_##T(T *restrict to, const T *restrict from, Plane p) {                      \
        const int64_t square = p.from_right == 1 ? p.wide : LINE / (int64_t)sizeof(T);           \
        for (int64_t begin = 0; begin < p.wide; begin += square) {                               \
            int64_t n = min_int(square, p.wide - begin);                                         \
            for (int64_t i = 0; i < p.high; i++) {                                               \
                const T *x = from + i * p.from_down + begin * p.from_right;                      \
                T *y = to + i * p.to_down + begin * p.to_right;                                  \
                if (p.from_right == 1 && p.to_right == 1) memcpy(y, x, n * sizeof(T));           \
                else if (p.to_right == 1) for (int64_t k = 0; k < n; k++) y[k] = x[k * p.from_right]; \
                else for (int64_t k = 0; k < n; k++) y[k * p.to_right] = x[k * p.from_right];    \
            }                                                                                    \
        }                                                                                        \
    }

MOVER(uint8_t)
MOVER(uint16_t)
MOVER(uint32_t)
MOVER(uint64_t)

static int move(const void *fields, void *const *io, int64_t part, int64_t parts) {
    const Move *s = fields;
    const int64_t *length = s->numbers, *in = length + s->axes, *out = in + s->axes, row = s->axes - 2;
    int64_t planes = 1, strips = (length[row] + ROWS - 1) / ROWS;
    for (int64_t k = 0; k < row; k++) planes *= length[k];
    Range range = range_of(planes * strips, part, parts);
    for (int64_t unit = range.begin; unit < range.end; unit++) {
        int64_t first = unit % strips * ROWS, rest = unit / strips;
        int64_t from = s->source_first + first * in[row], to = s->target_first + first * out[row];
        for (int64_t k = row - 1; k >= 0; k--) {
            from += rest % length[k] * in[k];
            to += rest % length[k] * out[k];
            rest /= length[k];
        }
        Plane p = {min_int(ROWS, length[row] - first), length[row + 1], in[row], in[row + 1], out[row], out[row + 1]};
        const void *source = io[s->source];
        void *target = io[s->target];
        switch (s->item) {
        case 1: move_uint8_t((uint8_t *)target + to, (const uint8_t *)source + from, p); break;
        case 2: move_uint16_t((uint16_t *)target + to, (const uint16_t *)source + from, p); break;
        case 4: move_uint32_t((uint32_t *)target + to, (const uint32_t *)source + from, p); break;
        default: move_uint64_t((uint64_t *)target + to, (const uint64_t *)source + from, p);
        }
    }
    return DONE;
}

KERNELS(KERNEL(move, Move))
