/* Shared by the normalization files: sums over contiguous pieces of memory.

   Each chunk is summed in vectors, and the sums of the chunks are added in double precision, so the error does not grow
   with the length. */

#ifndef MINIGLUON_NORMALIZATION_H
#define MINIGLUON_NORMALIZATION_H

#include "../vmath.h"

#define INLINE static inline __attribute__((always_inline))

enum { WIDE = 4 };                      /* vectors that are summed together */
#define CHUNK (64 * WIDE * LANES)       /* elements of a chunk */

INLINE vec load_up_to(const real *p, int64_t n) {
    if (n >= LANES) return load(p);
    return load_some(p, n, 0);
}

INLINE void store_up_to(real *p, vec v, int64_t n) {
    if (n >= LANES) store(p, v);
    else store_some(p, v, n);
}

INLINE real sum_wide(const vec *sums) { return sum_lanes((sums[0] + sums[1]) + (sums[2] + sums[3])); }

/* Σ x */
static inline double sum_of(const real *x, int64_t n) {
    double total = 0;
    for (int64_t start = 0; start < n; start += CHUNK) {
        const real *p = x + start;
        int64_t count = min_int(CHUNK, n - start), i = 0;
        vec sums[WIDE] = {all(0), all(0), all(0), all(0)};
        for (; i + WIDE * LANES <= count; i += WIDE * LANES)
            for (int k = 0; k < WIDE; k++) sums[k] += load(p + i + k * LANES);
        for (; i < count; i += LANES) sums[0] += load_up_to(p + i, count - i);
        total += sum_wide(sums);
    }
    return total;
}

/* Σ (x - mean)² */
static inline double sum_of_squares(const real *x, int64_t n, real mean) {
    double total = 0;
    for (int64_t start = 0; start < n; start += CHUNK) {
        const real *p = x + start;
        int64_t count = min_int(CHUNK, n - start), i = 0;
        vec sums[WIDE] = {all(0), all(0), all(0), all(0)};
        for (; i + WIDE * LANES <= count; i += WIDE * LANES)
            for (int k = 0; k < WIDE; k++) {
                vec d = load(p + i + k * LANES) - mean;
                sums[k] += d * d;
            }
        for (; i < count; i += LANES) {
            vec d = (count - i >= LANES ? load(p + i) : load_some(p + i, count - i, mean)) - mean;
            sums[0] += d * d;
        }
        total += sum_wide(sums);
    }
    return total;
}

/* Adds Σ g to *sum and Σ g (x - mean) · inverse to *product. Elements are normalized first, because huge elements would
   overflow. */
static inline void sums_of_gradient(const real *g, const real *x, int64_t n, real mean, real inverse, double *sum,
                                    double *product) {
    for (int64_t start = 0; start < n; start += CHUNK) {
        const real *p = g + start, *q = x + start;
        int64_t count = min_int(CHUNK, n - start), i = 0;
        vec sums[WIDE] = {all(0), all(0), all(0), all(0)}, products[WIDE] = {all(0), all(0), all(0), all(0)};
        for (; i + WIDE * LANES <= count; i += WIDE * LANES)
            for (int k = 0; k < WIDE; k++) {
                vec v = load(p + i + k * LANES);
                sums[k] += v;
                products[k] += v * ((load(q + i + k * LANES) - mean) * inverse);
            }
        for (; i < count; i += LANES) {
            vec v = load_up_to(p + i, count - i);
            vec d = (count - i >= LANES ? load(q + i) : load_some(q + i, count - i, mean)) - mean;
            sums[0] += v;
            products[0] += v * (d * inverse);
        }
        *sum += sum_wide(sums);
        *product += sum_wide(products);
    }
}

/* out = (x - mean) · scale + shift, and the same with max(·, 0); out may be x. */
INLINE void normalize(const real *x, real *out, int64_t n, real mean, real scale, real shift, int relu) {
    for (int64_t i = 0; i < n; i += LANES) {
        vec y = (load_up_to(x + i, n - i) - mean) * scale + shift;
        if (relu) y = max_vec(y, all(0));
        store_up_to(out + i, y, n - i);
    }
}

/* out = (g + (x - mean) · inverse · b + c) · a; out may be x or g. If b and c are 0, x may be infinite. */
INLINE void mix(const real *g, const real *x, real *out, int64_t n, real mean, real inverse, real a, real b, real c) {
    if (b == 0 && c == 0) {
        for (int64_t i = 0; i < n; i += LANES) store_up_to(out + i, load_up_to(g + i, n - i) * a, n - i);
        return;
    }
    for (int64_t i = 0; i < n; i += LANES)
        store_up_to(out + i, (load_up_to(g + i, n - i) + ((load_up_to(x + i, n - i) - mean) * inverse * b + c)) * a,
                    n - i);
}

#endif
