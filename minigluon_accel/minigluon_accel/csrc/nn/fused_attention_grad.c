/* The gradient of attention. For each block of keys and of queries, the weights are recomputed from the scores and from
   two values that the forward pass saved for each row: the largest score and the sum of the exponentials.

   With weights P, result O and its gradient G, the gradient at P is G · valueᵀ, and the gradient at the scores is P (G
   · valueᵀ - D) with D = Σ G O for each query, because D equals the sum Σ P (G · valueᵀ) in the gradient of the
   softmax. The scores here are (queries, keys). */

#include "../gemm.h"
#include "../vmath.h"
#include "fused_attention.h"

enum { MAX_KEYS = 128, MAX_QUERIES = 42 };      /* sizes of a block; 42 is a multiple of each TILE_ROWS */

typedef struct {                /* memory of a thread; `across`: packed as columns, for a product that sums over
                                   length */
    real *query, *grad, *query_across, *grad_across;
    real *key, *value, *key_across;
    real *scores, *to_scores, *turned, *totals, *dropped;
} Memory;

static int64_t memory_of(const Attention *s, real *from, Memory *m) {
    int64_t queries = min_int(s->queries, MAX_QUERIES), keys = min_int(s->keys, MAX_KEYS);
    int64_t block = queries * column_panels(keys) * TILE_COLUMNS, total = 0;
    int64_t sizes[] = {packed_rows(queries, s->depth), packed_rows(queries, s->width),
                       packed_columns(queries, s->depth), packed_columns(queries, s->width),
                       packed_columns(s->depth, keys), packed_columns(s->width, keys), packed_columns(keys, s->depth),
                       block, block, packed_rows(queries, keys), s->queries,
                       s->kept < 0 ? 0 : packed_columns(1, keys)};
    real **places[] = {&m->query, &m->grad, &m->query_across, &m->grad_across, &m->key, &m->value, &m->key_across,
                       &m->scores, &m->to_scores, &m->turned, &m->totals, &m->dropped};
    for (int i = 0; i < 12; i++) {
        if (from) *places[i] = from + total;
        total += (sizes[i] + LANES - 1) / LANES * LANES;
    }
    return total;
}

/* Rows (length, size) as the second factor of a product that sums over length: used in place if they consist of whole
   vectors. */
typedef struct { const real *rows; int64_t step, panel; } Across;       /* panel: distance from TILE_COLUMNS columns to
                                                                           the next */

static Across across(const real *from, int64_t row, int64_t length, int64_t size, real *packed) {
    if (size % LANES == 0) return (Across){from, row, TILE_COLUMNS};
    pack_columns(packed, from, row, 1, length, size);
    return (Across){packed, TILE_COLUMNS, TILE_COLUMNS * length};
}

/* Stores a · b in out (rows, size), or adds it to out. Element (i, k) of a is at a[panel of i + k * step + i within
   it]. panel: the distance between panels, or 0 if rows are adjacent. */
static void multiply(const real *a, int64_t step, int64_t panel, const Across *b, int64_t depth, int64_t rows,
                     int64_t size, real *out, int64_t stride, int accumulate) {
    Target to = {.out = out, .stride = stride, .accumulate = accumulate};
    for (int64_t column = 0; column < size; column += TILE_COLUMNS)
        for (int64_t p = 0; p < row_panels(rows); p++) {
            Range range = row_panel(rows, p);
            tile(a + (panel ? p * panel : range.begin), step, b->rows + column / TILE_COLUMNS * b->panel, b->step, depth,
                 range.begin, column, range.end - range.begin, min_int(size - column, TILE_COLUMNS), &to);
        }
}

/* The dropout factors of a row's weights, from their bits. */
static void factors_of(const Attention *s, const uint8_t *bits, int64_t keys, real *dropped) {
    real factor = (real)s->factor;
    for (int64_t k = 0; k < keys; k += 8) {
        int byte = bits[k / 8];
        for (int i = 0; i < 8; i++) dropped[k + i] = (real)(byte >> i & 1) * factor;
    }
}

/* Replaces one row of scores with its weights, ready for the product with value, and replaces the gradient at the
   weights with the gradient at the scores. dropped: the dropout factors of the weights, or NULL. */
INLINED void row_back(const Attention *s, real *scores, real *to_scores, int64_t keys, int64_t first, const real *masks,
                      const real *dropped, real largest, real sum, real total, int masking) {
    real lanes[VECTOR_BYTES / sizeof(real)];
    if (masking == LENGTH && sum == 0) largest = 0, sum = 1;        /* the query has no key within its length */
    for (bits i = 0; i < LANES; i++) lanes[i] = (real)i;
    vec fill = all(masking == LENGTH ? -INFINITY : (real)s->fill), by = all(1 / sum), m = all(0);
    for (int64_t j = 0; j < keys; j += LANES) {
        vec x = load(scores + j), to = load(to_scores + j);
        mask kept = (mask)all(0);
        if (masking == ADD || masking == WHERE) {
            int64_t left = keys - j;
            m = !s->mask_key ? all(*masks) : left >= LANES ? load(masks + j) : load_some(masks + j, left, 0);
        }
        if (masking == ADD) x += m;
        if (masking == WHERE) kept = m != 0;
        if (masking == LENGTH || masking == UNTIL) kept = load(lanes) + (real)(first + j) < *masks;
        if (masking >= WHERE) x = select(kept, x, fill);
        vec weight = exp_vec(x - largest) * by;
        vec met = weight;
        if (masking == WHERE && s->weighs) to *= m, met *= m;
        if (dropped) to *= load(dropped + j), met *= load(dropped + j);
        store(scores + j, met);
        vec back = weight * (to - total) * (real)s->scale;
        store(to_scores + j, masking >= WHERE ? only_where(kept, back) : back);
    }
}

/* The same for all rows of a block. masks, bits: the mask and the bits of the weights that were not dropped, from this
   block on; either may be NULL. */
static void weights_back(const Attention *s, const Memory *m, int64_t queries, int64_t keys, int64_t first,
                         const real *masks, const uint8_t *bits, const real *largest, const real *sums,
                         const real *totals) {
    int64_t stride = column_panels(keys) * TILE_COLUMNS;
    const real *met = bits ? m->dropped : NULL;
    for (int64_t i = 0; i < queries; i++) {
        if (bits) factors_of(s, bits + i * ((s->keys + 7) / 8), keys, m->dropped);
        real *scores = m->scores + i * stride, *to = m->to_scores + i * stride;
        const real *row = masks + i * s->mask_query;
        switch (s->masking) {
            case NONE: row_back(s, scores, to, keys, first, row, met, largest[i], sums[i], totals[i], NONE); break;
            case ADD: row_back(s, scores, to, keys, first, row, met, largest[i], sums[i], totals[i], ADD); break;
            case WHERE: row_back(s, scores, to, keys, first, row, met, largest[i], sums[i], totals[i], WHERE); break;
            case LENGTH: row_back(s, scores, to, keys, first, row, met, largest[i], sums[i], totals[i], LENGTH); break;
            default: row_back(s, scores, to, keys, first, row, met, largest[i], sums[i], totals[i], UNTIL);
        }
    }
}

/* A head's arrays. */
typedef struct {
    Item item;
    const real *grad;
    const uint8_t *kept;        /* the rows of bits, or NULL */
    real *to_query, *to_key, *to_value;
} Head;

/* Processes a block of packed keys and a block of queries. */
static void go_back(const Attention *s, const Head *head, const Memory *m, int64_t first, int64_t keys,
                    const Across *key, int64_t query, int64_t queries) {
    const Item *item = &head->item;
    const real *rows = item->query + query * s->query.row, *grads = head->grad + query * s->out.row;
    int64_t stride = column_panels(keys) * TILE_COLUMNS;
    pack_rows(m->query, rows, s->query.row, 1, queries, s->depth);
    pack_rows(m->grad, grads, s->out.row, 1, queries, s->width);
    Target scores = {.out = m->scores, .stride = stride}, to_scores = {.out = m->to_scores, .stride = stride};
    gemm_block(m->query, m->key, queries, stride, s->depth, &scores);
    gemm_block(m->grad, m->value, queries, stride, s->width, &to_scores);
    const real *masks = item->mask ? item->mask + query * s->mask_query + first * s->mask_key : m->scores;
    const uint8_t *bits = head->kept ? head->kept + query * ((s->keys + 7) / 8) + first / 8 : NULL;
    weights_back(s, m, queries, keys, first, masks, bits, item->largest + query, item->sums + query, m->totals + query);
    Across grad = across(grads, s->out.row, queries, s->width, m->grad_across);
    multiply(m->scores, stride, 0, &grad, queries, keys, s->width, head->to_value + first * s->to_value.row,
             s->to_value.row, query > 0);
    Across other = across(rows, s->query.row, queries, s->depth, m->query_across);
    multiply(m->to_scores, stride, 0, &other, queries, keys, s->depth, head->to_key + first * s->to_key.row,
             s->to_key.row, query > 0);
    pack_rows(m->turned, m->to_scores, stride, 1, queries, keys);
    multiply(m->turned, TILE_ROWS, TILE_ROWS * keys, key, keys, queries, s->depth,
             head->to_query + query * s->to_query.row, s->to_query.row, first > 0);
}

/* The missing columns of the last panel are multiplied anyway. */
static void clear_last_panel(real *packed, int64_t depth, int64_t columns) {
    if (columns % TILE_COLUMNS)
        memset(packed + packed_columns(depth, columns) - TILE_COLUMNS * depth, 0, TILE_COLUMNS * depth * sizeof(real));
}

static void head_back(const Attention *s, const Head *head, const Memory *m) {
    const Item *item = &head->item;
    for (int64_t i = 0; i < s->queries; i++) {
        const real *grad = head->grad + i * s->out.row, *out = item->out + i * s->out.row;
        vec sum = all(0);
        for (int64_t j = 0; j < s->width; j += LANES) {
            int64_t left = min_int(s->width - j, LANES);
            sum += left < LANES ? load_some(grad + j, left, 0) * load_some(out + j, left, 0)
                                : load(grad + j) * load(out + j);
        }
        m->totals[i] = sum_lanes(sum);
    }
    for (int64_t first = 0; first < s->keys; first += MAX_KEYS) {
        int64_t keys = min_int(s->keys - first, MAX_KEYS);
        const real *key = item->key + first * s->key.row;
        clear_last_panel(m->key, s->depth, keys), clear_last_panel(m->value, s->width, keys);
        pack_columns(m->key, key, 1, s->key.row, s->depth, keys);
        pack_columns(m->value, item->value + first * s->value.row, 1, s->value.row, s->width, keys);
        for (int64_t i = 0; i < packed_columns(s->depth, keys); i += LANES)
            store(m->key + i, load(m->key + i) * (real)s->scale);
        Across rows = across(key, s->key.row, keys, s->depth, m->key_across);
        for (int64_t query = 0; query < s->queries; query += MAX_QUERIES)
            go_back(s, head, m, first, keys, &rows, query, min_int(s->queries - query, MAX_QUERIES));
    }
}

/* Each part handles whole heads. fields.blocks is 1. */
static int attention_grad(const void *fields, void *const *io, int64_t part, int64_t parts) {
    const Attention *s = fields;
    Memory m;
    real *memory = thread_scratch(memory_of(s, NULL, &m) * sizeof(real));
    if (!memory) return NO_MEMORY;
    memory_of(s, memory, &m);
    Rows grad = s->out;
    grad.at = s->grad;
    Range range = range_of(s->batch * s->heads, part, parts);
    for (int64_t pair = range.begin; pair < range.end; pair++) {
        int64_t batch = pair / s->heads, number = pair % s->heads;
        Head head = {
            .item = item_at(s, io, pair), .grad = rows_of(&grad, io, batch, number, 0),
            .kept = s->kept < 0 ? NULL : kept_row(s, io, pair * s->queries),
            .to_query = rows_of(&s->to_query, io, batch, number, 0),
            .to_key = rows_of(&s->to_key, io, batch, number, 0),
            .to_value = rows_of(&s->to_value, io, batch, number, 0),
        };
        head_back(s, &head, &m);
    }
    return DONE;
}

KERNELS(KERNEL(attention_grad, Attention))
