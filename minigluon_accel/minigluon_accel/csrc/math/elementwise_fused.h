/* Fused lines of a program: the result of a line is read only by the next line, and therefore stays in registers. The
   final result is bitwise the same as with separate loops, without the stores and loads between them. */

#ifndef MINIGLUON_FUSED_H
#define MINIGLUON_FUSED_H

#include "elementwise_loops.h"

/* A line's operands and result are indices of buffers: see elementwise.c. In fused lines, `a` is used only in the first
   line, `b` is the operand besides the kept value, and `loop` is twice the index of the loop, plus one if the kept
   value is its y instead of its x. */
typedef struct { int64_t loop, out, a, b, c; double p, q; } Line;

enum { KEPT = -1 };         /* the index for a result that stays in registers */

/* The number of vectors that go through all lines together, so that a case is selected only once for all of them. It is
   half the number of registers. */
#if VECTOR_BYTES == 64 || defined(__aarch64__)
enum { STRIP = 16 };
#else
enum { STRIP = 8 };
#endif

#define EACH_VECTOR(...)                                                                                     \
    _Pragma("GCC unroll 16")                                                                                 \
    for (int v = 0; v < vectors; v++) { __VA_ARGS__ }

#define OTHER (whole ? load(other + v * LANES) : load_some(other, rest, 1))

#define STEP(number, read_x, read_y, expression)                                                             \
    case number:                                                                                             \
        EACH_VECTOR(vec x = read_x, y = read_y; kept[v] = expression; (void)x, (void)y;)                     \
        break;
#define UNARY_STEP(name, expression) STEP(2 * NUMBER_##name, kept[v], kept[v], expression)
#define BINARY_STEP(name, expression)                                                                        \
    STEP(2 * NUMBER_##name, kept[v], OTHER, expression)                                                      \
    STEP(2 * NUMBER_##name + 1, OTHER, kept[v], expression)                                                  \
    STEP(2 * NUMBER_##name##_r, kept[v], p, expression)                                                      \
    STEP(2 * NUMBER_##name##_l, p, kept[v], expression)

/* `vectors` whole vectors, or the first `rest` elements of one vector, from element i on. */
static inline __attribute__((always_inline)) void joined_strip(
        const Line *line, const Line *last, real *const *places, int64_t i, int vectors, int whole, int64_t rest) {
    vec kept[STRIP];
    const real *first = places[line->a] + i;
    EACH_VECTOR(kept[v] = whole ? load(first + v * LANES) : load_some(first, rest, 1);)
    for (;; line++) {
        const real *other = places[line->b] + i;
        const vec p = all((real)line->p), q = all((real)line->q);
        switch (line->loop) { SHORT_LOOPS(UNARY_STEP, BINARY_STEP) }
        (void)q;
        if (line == last) break;
    }
    real *out = places[last->out] + i;
    if (whole) EACH_VECTOR(store(out + v * LANES, kept[v]);)
    else store_some(out, kept[0], rest);
}

/* Runs, on `count` elements, the lines from `line` to the first that is not KEPT; returns the line after that one. */
static const Line *joined(const Line *line, real *const *places, int64_t count) {
    const Line *last = line;
    while (last->out == KEPT) last++;
    int64_t i = 0;
    for (; i + STRIP * LANES <= count; i += STRIP * LANES) joined_strip(line, last, places, i, STRIP, 1, 0);
    for (; i < count; i += LANES) joined_strip(line, last, places, i, 1, 0, min_int(LANES, count - i));
    return last + 1;
}

#endif
