/* Indices taken from the values of an array of any type: they are read as integers and brought into range according to
   a mode. */

#ifndef MINIGLUON_INDICES_H
#define MINIGLUON_INDICES_H

#include "kernel.h"

enum { INDEX_FLOAT, INDEX_DOUBLE, INDEX_INT32, INDEX_INT64, INDEX_UINT8 };
enum { CLIP, WRAP, RAISE };

/* A value outside the range of int64 becomes the lowest int64, as in NumPy on most machines. */
static inline int64_t whole(double x) { return x > -9.2e18 && x < 9.2e18 ? (int64_t)x : INT64_MIN; }

/* Index i, truncated to an integer. */
static inline int64_t index_of(int64_t type, const void *index, int64_t i) {
    switch (type) {
    case INDEX_FLOAT: return whole(((const float *)index)[i]);
    case INDEX_DOUBLE: return whole(((const double *)index)[i]);
    case INDEX_INT32: return ((const int32_t *)index)[i];
    case INDEX_INT64: return ((const int64_t *)index)[i];
    default: return ((const uint8_t *)index)[i];
    }
}

/* The same, brought into the range 0 ... count - 1; in mode RAISE, the check has already ensured this. */
static inline int64_t index_within(int64_t count, int64_t mode, int64_t type, const void *index, int64_t i) {
    int64_t n = index_of(type, index, i);
    if (mode != WRAP) return min_int(max_int(n, 0), count - 1);
    n %= count;
    return n < 0 ? n + count : n;
}

#endif
