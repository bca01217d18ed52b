/* Attention in one pass: out = softmax(scale · query · keyᵀ, masked) · value for each head, without an array of scores.

   It processes a block of keys and a panel of queries at a time; for each query, it keeps the largest score so far and
   the sum of the exponentials relative to that score. When a larger score appears, the sum and the result so far are
   scaled down (Milakov and Gimelshein 2018; Dao et al. 2022). Scores are (keys, queries): the lanes of a vector are
   queries, so the maximum and the sum need no lane shuffles, and the exponentials have the layout that the product with
   value reads. */

#include "../gemm.h"
#include "../philox.h"
#include "../vmath.h"
#include "fused_attention.h"

enum { MAX_KEYS = 128 };        /* keys per block, whose scores for a panel of queries fit in the first-level cache */

typedef struct {                /* memory of a thread */
    real *query, *key, *value, *scores, *mask, *drawn, *dropped, *most, *sums;
} Memory;

static int64_t memory_of(const Attention *s, int64_t queries, real *from, Memory *memory) {
    int64_t padded = column_panels(queries) * TILE_COLUMNS, keys = min_int(s->keys, MAX_KEYS);
    int64_t dropped = s->kept < 0 ? 0 : keys * TILE_COLUMNS;
    int64_t sizes[] = {packed_columns(s->depth, queries), packed_rows(keys, s->depth), packed_columns(keys, s->width),
                       keys * TILE_COLUMNS, keys * TILE_COLUMNS, dropped, dropped, padded, padded};
    real **places[] = {&memory->query, &memory->key, &memory->value, &memory->scores, &memory->mask, &memory->drawn,
                       &memory->dropped, &memory->most, &memory->sums};
    int64_t total = 0;
    for (int i = 0; i < 9; i++) {
        if (from) *places[i] = from + total;
        total += (sizes[i] + LANES - 1) / LANES * LANES;
    }
    return total;
}

/* The mask for the current block of keys and panel of queries. */
typedef struct {
    const real *rows;           /* [key][TILE_COLUMNS] if it differs between queries, otherwise [key] or one value */
    int64_t key, query;         /* steps: from key to key; from query to query, 1 if the mask differs between queries */
    int64_t first;              /* index of the block's first key */
} Mask;

static Mask mask_of(const Attention *s, const real *mask, int64_t query, int64_t queries, int64_t key, int64_t keys,
                    real *turned) {
    Mask found = {.rows = mask, .first = key};
    if (!mask) return found;
    const real *from = mask + query * s->mask_query + key * s->mask_key;
    if (!s->mask_query) {
        found.rows = from, found.key = s->mask_key;
        return found;
    }
    found.rows = turned, found.query = 1, found.key = s->mask_key ? TILE_COLUMNS : 0;
    if (queries < TILE_COLUMNS) memset(turned, 0, keys * TILE_COLUMNS * sizeof(real));
    pack_across(turned, TILE_COLUMNS, from, s->mask_query, queries, s->mask_key ? keys : 1);
    return found;
}

INLINED vec mask_at(const Mask *mask, int64_t key, int64_t column) {
    const real *at = mask->rows + key * mask->key;
    return mask->query ? load(at + column) : all(*at);
}

/* Computes the scores of one vector of queries, masked for softmax, and the maximum of these scores and `most`. */
INLINED vec mask_scores(const Attention *s, real *scores, int64_t keys, const Mask *mask, int64_t column, int masking,
                        vec most) {
    vec fill = all(masking == LENGTH ? -INFINITY : (real)s->fill);
    for (int64_t k = 0; k < keys; k++) {
        vec x = load(scores + k * TILE_COLUMNS);
        if (masking != NONE) {
            vec m = mask_at(mask, k, column);
            if (masking == ADD) x += m;
            else if (masking == WHERE) x = select(m != 0, x, fill);
            else x = select(all((real)(mask->first + k)) < m, x, fill);
            store(scores + k * TILE_COLUMNS, x);
        }
        most = at_least(most, x);
    }
    return most;
}

/* Packs bytes of 0 or 1 into bits, eight to a byte, the lowest bit first; after `count` bits, zeros fill up to a
   multiple of 8. The multiplication moves the lowest bit of byte i to bit 56 + i, and no other bit reaches that
   position. */
static void pack_bits(uint8_t *bits, const uint8_t *bytes, int64_t count) {
    for (int64_t i = 0; i < count; i += 8) {
        uint64_t eight = 0;
        for (int j = 0; j < 8; j++) eight |= (uint64_t)bytes[i + j] << 8 * j;
        bits[i / 8] = (uint8_t)(eight * 0x0102040810204080u >> 56);
    }
}

/* Decides at random which weights of a block are dropped, and writes the bits and factors of all weights, (keys,
   TILE_COLUMNS). rows: memory for the factors in the order in which they are drawn, (queries, keys). */
static void drop(const Attention *s, void *const *io, int64_t row, int64_t queries, int64_t first, int64_t keys,
                 real *rows, real *dropped) {
    uint32_t numbers[MAX_KEYS], least = (uint32_t)s->least;
    real factor = (real)s->factor;
    for (int64_t i = 0; i < queries; i++) {
        uint8_t stays[MAX_KEYS] = {0};
        draw(io[s->draws], (row + i) * s->keys + first, keys, numbers);
        for (int64_t k = 0; k < keys; k++) stays[k] = numbers[k] >> 8 >= least;
        for (int64_t k = 0; k < keys; k++) rows[i * keys + k] = (real)stays[k] * factor;
        pack_bits(kept_row(s, io, row + i) + first / 8, stays, keys);
    }
    if (queries < TILE_COLUMNS) memset(dropped, 0, keys * TILE_COLUMNS * sizeof(real));
    pack_across(dropped, TILE_COLUMNS, rows, keys, queries, keys);
}

/* Replaces scores (keys, TILE_COLUMNS) with exponentials relative to the largest score so far, ready for the product
   with value. dropped: the factors that `drop` has written, or NULL. factor: multiplies the sums and results so far. */
static void exponentials(const Attention *s, real *scores, int64_t keys, const Mask *mask, const real *dropped,
                         real *most, real *sums, real *factor) {
    for (int64_t column = 0; column < TILE_COLUMNS; column += LANES) {
        vec before = load(most + column), largest;
        real *at = scores + column;
        switch (s->masking) {
            case NONE: largest = mask_scores(s, at, keys, mask, column, NONE, before); break;
            case ADD: largest = mask_scores(s, at, keys, mask, column, ADD, before); break;
            case WHERE: largest = mask_scores(s, at, keys, mask, column, WHERE, before); break;
            default: largest = mask_scores(s, at, keys, mask, column, (int)s->masking, before);
        }
        vec base = select(largest == -INFINITY, all(0), largest);      /* if all keys so far are masked, exp returns
                                                                          0 */
        vec scale = exp_vec(before - base), sum = load(sums + column) * scale;
        store(most + column, largest), store(factor + column, scale);
        for (int64_t k = 0; k < keys; k++) {
            vec e = exp_vec(load(at + k * TILE_COLUMNS) - base);
            sum += e;
            if (s->weighs) e *= mask_at(mask, k, column);
            if (dropped) e *= load(dropped + k * TILE_COLUMNS + column);
            store(at + k * TILE_COLUMNS, e);
        }
        store(sums + column, sum);
    }
}

INLINED void scale_row(real *row, int64_t size, real factor) {
    for (int64_t i = 0; i < size; i += LANES) {
        int64_t left = size - i;
        if (left >= LANES) store(row + i, load(row + i) * factor);
        else store_some(row + i, load_some(row + i, left, 0) * factor, left);
    }
}

/* Adds exponentials · value to out (queries, width) for one panel of queries. */
static void add_values(const Attention *s, const real *scores, int64_t keys, const real *value, int64_t step,
                       int is_packed, real *out, int64_t queries, int accumulate) {
    Target to = {.out = out, .stride = s->out.row, .accumulate = accumulate};
    for (int64_t column = 0; column < s->width; column += TILE_COLUMNS) {
        const real *columns = value + (is_packed ? column * keys : column);
        for (int64_t p = 0; p < row_panels(queries); p++) {
            Range rows = row_panel(queries, p);
            tile(scores + rows.begin, TILE_COLUMNS, columns, step, keys, rows.begin, column, rows.end - rows.begin,
                 min_int(s->width - column, TILE_COLUMNS), &to);
        }
    }
}

/* Processes one block of keys for all queries of an item. */
static void attend_to(const Attention *s, void *const *io, const Item *item, int64_t first, int64_t keys,
                      const Memory *m) {
    const real *dropped = s->kept < 0 ? NULL : m->dropped;
    const real *value = item->value + first * s->value.row;
    int64_t step = s->value.row;
    int packs = s->width % LANES != 0;          /* whole vectors are read */
    pack_rows(m->key, item->key + first * s->key.row, s->key.row, 1, keys, s->depth);
    if (packs) {
        pack_columns(m->value, value, s->value.row, 1, keys, s->width);
        value = m->value, step = TILE_COLUMNS;
    }
    for (int64_t query = 0; query < item->queries; query += TILE_COLUMNS) {
        int64_t queries = min_int(item->queries - query, TILE_COLUMNS);
        real factor[TILE_COLUMNS];
        Target to = {.out = m->scores, .stride = TILE_COLUMNS};
        gemm_block(m->key, m->query + query * s->depth, keys, TILE_COLUMNS, s->depth, &to);
        Mask mask = mask_of(s, item->mask, query, queries, first, keys, m->mask);
        if (dropped) drop(s, io, item->first + query, queries, first, keys, m->drawn, m->dropped);
        exponentials(s, m->scores, keys, &mask, dropped, m->most + query, m->sums + query, factor);
        real *out = item->out + query * s->out.row;
        if (first > 0)
            for (int64_t i = 0; i < queries; i++)
                if (factor[i] != 1) scale_row(out + i * s->out.row, s->width, factor[i]);
        add_values(s, m->scores, keys, value, step, packs, out, queries, first > 0);
    }
}

/* Divides the results by the sums. The result of a query that has no key within its length is 0. */
static void finish(const Attention *s, const Item *item, const Memory *m) {
    for (int64_t i = 0; i < item->queries; i++) {
        real sum = m->sums[i];
        vec divisor = all(sum == 0 && s->masking == LENGTH ? 1 : sum);
        real *row = item->out + i * s->out.row;
        item->largest[i] = m->most[i], item->sums[i] = sum;
        for (int64_t j = 0; j < s->width; j += LANES) {
            int64_t left = s->width - j;
            if (left >= LANES) store(row + j, load(row + j) / divisor);
            else store_some(row + j, load_some(row + j, left, 0) / divisor, left);
        }
    }
}

static int attention(const void *fields, void *const *io, int64_t part, int64_t parts) {
    const Attention *s = fields;
    Memory m;
    int64_t most_queries = (s->queries + s->blocks - 1) / s->blocks;
    real *memory = thread_scratch(memory_of(s, most_queries, NULL, &m) * sizeof(real));
    if (!memory) return NO_MEMORY;
    Range range = range_of(s->batch * s->heads * s->blocks, part, parts);
    for (int64_t number = range.begin; number < range.end; number++) {
        Item item = item_at(s, io, number);
        int64_t padded = column_panels(item.queries) * TILE_COLUMNS;
        memory_of(s, most_queries, memory, &m);
        if (padded > item.queries) memset(m.query + (padded - TILE_COLUMNS) * s->depth, 0,
                                          TILE_COLUMNS * s->depth * sizeof(real));
        pack_columns(m.query, item.query, 1, s->query.row, s->depth, item.queries);
        for (int64_t i = 0; i < padded * s->depth; i += LANES) store(m.query + i, load(m.query + i) * (real)s->scale);
        for (int64_t i = 0; i < padded; i++) m.most[i] = -INFINITY, m.sums[i] = 0;
        for (int64_t first = 0; first < s->keys; first += MAX_KEYS)
            attend_to(s, io, &item, first, min_int(s->keys - first, MAX_KEYS), &m);
        finish(s, &item, &m);
    }
    return DONE;
}

KERNELS(KERNEL(attention, Attention))
