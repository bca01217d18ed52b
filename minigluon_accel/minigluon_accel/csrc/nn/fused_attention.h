/* What attention and its gradient are told: where query, key and value lie, and how scores are masked. */

#ifndef MINIGLUON_FUSED_ATTENTION_H
#define MINIGLUON_FUSED_ATTENTION_H

#include "../vector.h"

enum { NONE, ADD, WHERE, LENGTH, UNTIL };       /* masking, as kernels/nn/fused_attention.py numbers it */

/* An array (batch, heads, length, size) in memory: its place in io, its first element there, and how far apart
   neighbours are; the numbers of a row are adjacent. */
typedef struct { int64_t at, first, batch, head, row; } Rows;

FIELDS(Attention,
    int64_t batch, heads, queries, keys, depth, width;      /* depth: of query and key. width: of value */
    Rows query, key, value, out;
    int64_t norms;      /* place of (2, batch, heads, length): the largest score, the sum of exponentials below it */
    int64_t mask, mask_batch, mask_head, mask_query, mask_key;      /* -1 for none; steps, 0 along what it is 1 of */
    int64_t masking, weighs;
    int64_t blocks;                             /* into which the queries of each head are divided */
    int64_t grad;                               /* for the gradient: the place of that at out, which is the result */
    Rows to_query, to_key, to_value;            /* and where its results go */
    int64_t kept;           /* place of the bits of weights that are not dropped, -1 where none is; `kept_row` */
    int64_t draws, least;   /* on the way forward: see csrc/nn/dropout.c */
    double scale, fill, factor;     /* factor: by what weights are multiplied that are not dropped */
)

/* Some queries of a head. */
typedef struct {
    const real *query, *key, *value, *mask;
    real *out, *largest, *sums;
    int64_t queries, first;     /* first: the number of its first query, counted through all heads */
} Item;

static inline real *rows_of(const Rows *rows, void *const *io, int64_t batch, int64_t head, int64_t row) {
    return (real *)io[rows->at] + rows->first + batch * rows->batch + head * rows->head + row * rows->row;
}

/* Of each query a row of bytes with a bit for each key, eight in a byte from its lowest bit on. row: the number of a
   query, counted through all heads */
static inline uint8_t *kept_row(const Attention *s, void *const *io, int64_t row) {
    return (uint8_t *)io[s->kept] + row * ((s->keys + 7) / 8);
}

static inline Item item_at(const Attention *s, void *const *io, int64_t number) {
    int64_t pair = number / s->blocks, batch = pair / s->heads, head = pair % s->heads;
    Range queries = range_of(s->queries, number % s->blocks, s->blocks);
    real *norms = (real *)io[s->norms] + pair * s->queries + queries.begin;
    Item item = {
        .query = rows_of(&s->query, io, batch, head, queries.begin),
        .key = rows_of(&s->key, io, batch, head, 0), .value = rows_of(&s->value, io, batch, head, 0),
        .mask = s->mask < 0 ? NULL : (const real *)io[s->mask] + batch * s->mask_batch + head * s->mask_head
                                     + queries.begin * s->mask_query,
        .out = rows_of(&s->out, io, batch, head, queries.begin),
        .largest = norms, .sums = norms + s->batch * s->heads * s->queries,
        .queries = queries.end - queries.begin, .first = pair * s->queries + queries.begin,
    };
    return item;
}

#endif
