/* Bilinear interpolation in a plane: the four elements around a point, and their weights. */

#ifndef MINIGLUON_INTERPOLATION_H
#define MINIGLUON_INTERPOLATION_H

#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#elif defined(__GNUC__)
#pragma GCC optimize("fp-contract=off")
#endif

#include "vector.h"

/* An element beyond the edge has position 0 and there = 0. by_y, by_x: the derivatives of the weights. */
typedef struct { int64_t at[4]; real weight[4], by_y[4], by_x[4]; int there[4]; } Point;

static inline real floor_of(real x) { return REAL_BITS == 32 ? (real)floorf((float)x) : (real)floor(x); }

static inline Point point_at(real y, real x, int64_t h, int64_t w) {
    y = y > -1 && y < (real)h ? y : -2;
    x = x > -1 && x < (real)w ? x : -2;
    int64_t top = (int64_t)floor_of(y), left = (int64_t)floor_of(x);
    real down = y - (real)top, right = x - (real)left;
    Point p;
    for (int k = 0; k < 4; k++) {
        int64_t row = top + k / 2, column = left + k % 2;
        p.there[k] = row >= 0 && row < h && column >= 0 && column < w;
        p.at[k] = p.there[k] ? row * w + column : 0;
        real vertical = k / 2 ? down : 1 - down, horizontal = k % 2 ? right : 1 - right;
        p.weight[k] = p.there[k] ? vertical * horizontal : 0;
        p.by_y[k] = k / 2 ? horizontal : -horizontal;
        p.by_x[k] = k % 2 ? vertical : -vertical;
    }
    return p;
}

/* A point along an axis, clamped to [0, length - 1]; if it is outside by more than 1, the result is far outside. */
static inline real moved_inside(real at, int64_t length) {
    real last = (real)(length - 1);
    if (!(at >= -1 && at <= last + 1)) return -2;
    return at < 0 ? 0 : at > last ? last : at;
}

static inline real sum_of(const Point *p, const real *plane, const real *weights) {
    real sum = 0;
    for (int k = 0; k < 4; k++)
        if (p->there[k]) sum += plane[p->at[k]] * weights[k];
    return sum;
}

static inline void spread(const Point *p, real *plane, real value) {
    for (int k = 0; k < 4; k++)
        if (p->there[k]) plane[p->at[k]] += value * p->weight[k];
}

#endif
