/* Attention for new positions, whose keys and values are appended to caches of those of earlier positions.

   Each part handles a range of the heads of keys and values of all items, with the group of queries that share each.
   For one new position, as in decoding, most of the time is spent reading the caches. */

#include "../indices.h"
#include "../vmath.h"

#define INLINE static inline __attribute__((always_inline))

FIELDS(Cached,
    int64_t batch, shared, group, length, size, capacity;       /* shared: heads of keys and values; group: heads of
                                                                   queries for each; size: size of a head; length:
                                                                   number of new positions */
    int64_t index_type;                                 /* type of the array of cached lengths */
    double factor;                                      /* factor of the scores */
)

enum { WIDE = 4 };      /* type of the array of cached lengths */

INLINE vec load_up_to(const real *p, int64_t n) { return n >= LANES ? load(p) : load_some(p, n, 0); }

INLINE void store_up_to(real *p, vec v, int64_t n) {
    if (n >= LANES) store(p, v);
    else store_some(p, v, n);
}

INLINE real dot(const real *a, const real *b, int64_t n) {
    vec sum = all(0);
    for (int64_t i = 0; i < n; i += LANES) sum += load_up_to(a + i, n - i) * load_up_to(b + i, n - i);
    return (real)sum_lanes(sum);
}

/* Replaces scores with exp(scores - their maximum); returns the sum of the results. */
INLINE real exponentials(real *scores, int64_t n) {
    real most = -INFINITY;
    for (int64_t i = 0; i < n; i++) most = scores[i] > most ? scores[i] : most;
    vec sums = all(0);
    for (int64_t i = 0; i < n; i += LANES) {
        vec e = exp_vec((n - i >= LANES ? load(scores + i) : load_some(scores + i, n - i, -INFINITY)) - most);
        store_up_to(scores + i, e, n - i);
        sums += e;
    }
    return (real)sum_lanes(sums);
}

/* out = Σ weights[j] · values[j] / total, for `vectors` vectors of a row, the last of which has `rest` elements. */
INLINE void weighted_sum(const real *weights, real total, const real *values, real *out, int64_t n, int64_t size,
                         int vectors, int64_t rest) {
    vec sum[WIDE];
    for (int v = 0; v < vectors; v++) sum[v] = all(0);
    for (int64_t j = 0; j < n; j++)
        for (int v = 0; v < vectors; v++) {
            const real *p = values + j * size + v * LANES;
            sum[v] += all(weights[j]) * (v + 1 < vectors ? load(p) : load_up_to(p, rest));
        }
    for (int v = 0; v < vectors; v++) store_up_to(out + v * LANES, sum[v] / total, v + 1 < vectors ? LANES : rest);
}

/* One head of keys and values of one item, and the queries of its group. data, out: the item's; shared: the head. */
static int one_head(const Cached *s, const real *data, real *keys, real *values, real *out, int64_t first,
                    int64_t shared) {
    int64_t size = s->size, width = s->group * s->shared * size, step = width + 2 * s->shared * size;
    const real *new_keys = data + width + shared * size, *new_values = new_keys + s->shared * size;
    real *scores = thread_scratch((size_t)s->capacity * sizeof(real));
    if (!scores) return NO_MEMORY;
    for (int64_t t = 0; t < s->length; t++) {
        memcpy(keys + (first + t) * size, new_keys + t * step, (size_t)size * sizeof(real));
        memcpy(values + (first + t) * size, new_values + t * step, (size_t)size * sizeof(real));
    }
    for (int64_t n = 0; n < s->length * s->group; n++) {
        int64_t t = n / s->group, head = shared * s->group + n % s->group, count = first + t + 1, i = 0;
        const real *query = data + t * step + head * size;
        for (int64_t j = 0; j < count; j++)
            scores[j] = (real)s->factor * dot(query, keys + j * size, size);
        real total = exponentials(scores, count), *row = out + t * width + head * size;
        for (; i + WIDE * LANES <= size; i += WIDE * LANES)
            weighted_sum(scores, total, values + i, row + i, count, size, WIDE, LANES);
        for (; i < size; i += LANES) weighted_sum(scores, total, values + i, row + i, count, size, 1, size - i);
    }
    return DONE;
}

/* data, keys, values, cached lengths | out */
static int cached_attention(const void *fields, void *const *io, int64_t part, int64_t parts) {
    const Cached *s = fields;
    int64_t width = s->group * s->shared * s->size, step = width + 2 * s->shared * s->size;
    int64_t cache = s->capacity * s->size;
    Range range = range_of(s->batch * s->shared, part, parts);
    for (int64_t i = range.begin; i < range.end; i++) {
        int64_t item = i / s->shared;
        int64_t first = index_of(s->index_type, io[3], item);
        first = min_int(max_int(first, 0), s->capacity - s->length);
        int code = one_head(s, (const real *)io[0] + item * s->length * step, (real *)io[1] + i * cache,
                            (real *)io[2] + i * cache, (real *)io[4] + item * s->length * width, first, i % s->shared);
        if (code != DONE) return code;
    }
    return DONE;
}

KERNELS(KERNEL(cached_attention, Cached))
