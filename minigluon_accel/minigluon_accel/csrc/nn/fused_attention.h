/* Parameters of attention and its gradient: the locations of query, key and value, and the masking of scores. */

#ifndef MINIGLUON_FUSED_ATTENTION_H
#define MINIGLUON_FUSED_ATTENTION_H

#include "../vector.h"

enum { NONE, ADD, WHERE, LENGTH, UNTIL };       /* types of masking, numbered as in kernels/nn/fused_attention.py */

/* An array (batch, heads, length, size) in memory: its index in io, the offset of its first element in that array, and
   its strides; the elements of a row are adjacent. */
typedef struct { int64_t at, first, batch, head, row; } Rows;

FIELDS(Attention,
    int64_t batch, heads, queries, keys, depth, width;      /* depth: size of query and key. width: size of value */
    Rows query, key, value, out;
    int64_t norms;      /* index in io of (2, batch, heads, length): the largest score, then the sum of exponentials */
    int64_t mask, mask_batch, mask_head, mask_query, mask_key;      /* index of the mask, or -1 for none; its strides,
                                                                       which are 0 along axes of length 1 */
    int64_t masking, weighs;
    int64_t blocks;                             /* number of blocks into which the queries of each head are divided */
    int64_t grad;                               /* for the gradient: indices of the gradient at out, and of the
                                                   result */
    Rows to_query, to_key, to_value;            /* for the gradient: where its results are stored */
    int64_t kept;           /* index in io of the bits of weights that are not dropped, or -1; see `kept_row` */
    int64_t draws, least;   /* used in the forward pass (see csrc/nn/dropout.c) */
    double scale, fill, factor;     /* factor: multiplies the weights that are not dropped */
)

/* A range of the queries of a head. */
typedef struct {
    const real *query, *key, *value, *mask;
    real *out, *largest, *sums;
    int64_t queries, first;     /* first: index of its first query, counted across all heads */
} Item;

static inline real *rows_of(const Rows *rows, void *const *io, int64_t batch, int64_t head, int64_t row) {
    return (real *)io[rows->at] + rows->first + batch * rows->batch + head * rows->head + row * rows->row;
}

/* Each query has a row of bytes with one bit per key, eight to a byte, the lowest bit first. row: the index of a query,
   counted across all heads */
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
