/* Shared by the forward and backward steps of recurrent layers; the formulas are in `minigluon/ops/rnn/cells.py`.

   Each step is a separate kernel, because it must finish before the next one begins. A step works on both directions of
   a layer at once; direction 1 goes through time from the end to the beginning. */

#ifndef MINIGLUON_RECURRENT_H
#define MINIGLUON_RECURRENT_H

#include "../panels.h"
#include "../vmath.h"

/* The location of an array: its index in io (-1 if there is none), the offset of its first element in that array, and
   the distance from direction 0 to direction 1. */
typedef struct { int64_t place, first, side; } At;

static inline real *address(void *const *io, At at, int64_t direction) {
    return at.place < 0 ? NULL : (real *)io[at.place] + at.first + direction * at.side;
}

/* p + distance; NULL if there is no array */
static inline real *further(real *p, int64_t distance) { return p ? p + distance : NULL; }

/* `count` elements at p; zeros if there is no array */
static inline vec read(const real *p, int64_t count) {
    return !p ? (vec){0} : count == LANES ? load(p) : load_some(p, count, 0);
}

static inline void write(real *p, vec v, int64_t count) {
    if (count == LANES) store(p, v);
    else store_some(p, v, count);
}

/* The index of the time step that a direction processes in its step `step`. */
static inline int64_t time_of(int64_t step, int64_t steps, int64_t direction) {
    return direction ? steps - 1 - step : step;
}

enum { RELU = 0, TANH = 1 };        /* activations of a plain recurrent layer */

#endif
