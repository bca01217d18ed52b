/* Boxes given by their corners, their overlap, and non-maximum suppression. */

#ifndef MINIGLUON_BOXES_H
#define MINIGLUON_BOXES_H

/* Products and sums are rounded separately, as in NumPy: otherwise an overlap could reach a threshold in only one of
   the two implementations. */
#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#elif defined(__GNUC__)
#pragma GCC optimize("fp-contract=off")
#endif

#include <stdlib.h>

#include "../vector.h"

static inline real larger(real a, real b) { return a > b || a != a ? a : b; }          /* NaN wins */
static inline real smaller(real a, real b) { return a < b || a != a ? a : b; }

/* The intersection over union of two boxes given by their corners; 0 if the union is empty. */
static inline real overlap_of(const real *a, const real *b) {
    real w = larger(smaller(a[2], b[2]) - larger(a[0], b[0]), 0), h = larger(smaller(a[3], b[3]) - larger(a[1], b[1]), 0);
    real shared = w * h, area = larger(a[2] - a[0], 0) * larger(a[3] - a[1], 0);
    real whole = area + larger(b[2] - b[0], 0) * larger(b[3] - b[1], 0) - shared;
    return whole > 0 ? shared / whole : 0;
}

/* The center and the size of a box along an axis. */
static inline void along(const real *box, int64_t axis, real *middle, real *size) {
    *size = box[2 + axis] - box[axis];
    *middle = box[axis] + *size * (real)0.5;
}

/* Boxes sorted by score, best first, with one array per coordinate. alive: 1 unless suppressed. */
typedef struct {
    real *left, *top, *right, *bottom, *area, *kind;
    unsigned char *alive;
    int64_t count;
} Boxes;

/* Places the arrays of `count` boxes in memory of boxes_bytes bytes. */
static inline size_t boxes_bytes(int64_t count) { return count * (6 * sizeof(real) + 1); }

static inline Boxes boxes_at(void *memory, int64_t count) {
    real *column = memory;
    return (Boxes){column, column + count, column + 2 * count, column + 3 * count, column + 4 * count,
                   column + 5 * count, (unsigned char *)(column + 6 * count), count};
}

static inline void put_box(Boxes boxes, int64_t i, real left, real top, real right, real bottom, real kind) {
    boxes.left[i] = left;
    boxes.top[i] = top;
    boxes.right[i] = right;
    boxes.bottom[i] = bottom;
    boxes.area[i] = larger(right - left, 0) * larger(bottom - top, 0);
    boxes.kind[i] = kind;
    boxes.alive[i] = 1;
}

/* Suppress every box that overlaps too much with a better survivor of its class. any_kind: treat all boxes as one
   class. reaches: whether an overlap equal to the threshold already counts as too much. */
static inline void suppress(Boxes b, real threshold, int64_t any_kind, int64_t reaches) {
    for (int64_t i = 0; i < b.count; i++) {
        if (!b.alive[i]) continue;
        real left = b.left[i], top = b.top[i], right = b.right[i], bottom = b.bottom[i], area = b.area[i];
        real kind = b.kind[i];
        for (int64_t j = i + 1; j < b.count; j++) {
            real w = larger(smaller(right, b.right[j]) - larger(left, b.left[j]), 0);
            real h = larger(smaller(bottom, b.bottom[j]) - larger(top, b.top[j]), 0);
            real shared = w * h, whole = area + b.area[j] - shared;
            real found = whole > 0 ? shared / (whole > 0 ? whole : 1) : 0;
            int covered = reaches ? found >= threshold : found > threshold;
            b.alive[j] &= !(covered & (any_kind | (b.kind[j] == kind)));
        }
    }
}

typedef struct { real score; int64_t row; } Ranked;

static inline int by_score(const void *a, const void *b) {
    const Ranked *x = a, *y = b;
    if (x->score != y->score) return x->score > y->score ? -1 : 1;
    return x->row < y->row ? -1 : x->row > y->row;
}

#endif
