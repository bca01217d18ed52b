/* NumPy's Philox generator, Philox 4x64-10 (Salmon et al. 2011, 'Parallel random numbers: as easy as 1, 2, 3'): it
   produces the same numbers from the same state, but it can start at any position, so that threads can draw parts of a
   sequence.

   The state is NumPy's own, in the memory at `bit_generator.ctypes.state_address`, so seeding, and draws by NumPy in
   between, need no extra code. `kernels/philox.py` tests that the state's layout is as declared here. */

#ifndef MINIGLUON_PHILOX_H
#define MINIGLUON_PHILOX_H

#include "kernel.h"

typedef struct {
    uint64_t *counter;          /* four words: the counter of the block in the buffer */
    uint64_t *key;              /* two words: the key */
    int position;               /* index of the next word in the buffer; 4 when the buffer is used up */
    uint64_t buffer[4];
    int has_half;               /* whether half of the last word is left, which is: */
    uint32_t half;
} Philox;

typedef struct {
    uint64_t counter[4], key[2];
    int64_t ready;              /* number of 32-bit numbers left in the buffer; they come first: */
    uint32_t first[10];
} Draws;                        /* a sequence of 32-bit numbers */

static inline void philox_block(const uint64_t *counter, const uint64_t *key, uint64_t *out) {
    uint64_t a = counter[0], b = counter[1], c = counter[2], d = counter[3], k = key[0], l = key[1];
    for (int round = 0; round < 10; round++) {
        unsigned __int128 x = (unsigned __int128)0xD2E7470EE14C6C93u * a, y = (unsigned __int128)0xCA5A826395121157u * c;
        a = (uint64_t)(y >> 64) ^ b ^ k;
        c = (uint64_t)(x >> 64) ^ d ^ l;
        b = (uint64_t)y, d = (uint64_t)x;
        k += 0x9E3779B97F4A7C15u, l += 0xBB67AE8584CAA73Bu;
    }
    out[0] = a, out[1] = b, out[2] = c, out[3] = d;
}

static inline void add_to_counter(uint64_t *counter, uint64_t n) {
    for (int i = 0; i < 4 && n; i++) counter[i] += n, n = counter[i] < n;
}

/* Take `count` 32-bit numbers from the generator; `draw` computes them later. */
static inline Draws take_draws(Philox *p, int64_t count) {
    Draws draws = {.ready = 0};
    memcpy(draws.counter, p->counter, sizeof draws.counter);
    memcpy(draws.key, p->key, sizeof draws.key);
    if (p->has_half) draws.first[draws.ready++] = p->half;
    for (int i = p->position; i < 4; i++) {
        draws.first[draws.ready++] = (uint32_t)p->buffer[i];
        draws.first[draws.ready++] = (uint32_t)(p->buffer[i] >> 32);
    }
    if (count == 0) return draws;
    /* number of half words in the buffer that are used up after this draw */
    int64_t used = 2 * p->position - (p->has_half != 0) + count, blocks = used > 8 ? (used - 1) / 8 : 0;
    if (blocks) {
        add_to_counter(p->counter, (uint64_t)blocks);
        philox_block(p->counter, p->key, p->buffer);
        used -= 8 * blocks;
    }
    p->position = (int)((used + 1) / 2);
    p->has_half = (int)(used % 2);
    if (p->has_half) p->half = (uint32_t)(p->buffer[p->position - 1] >> 32);
    return draws;
}

/* Computes numbers first, first + 1, ... of the sequence. */
static inline void draw(const Draws *draws, int64_t first, int64_t count, uint32_t *out) {
    int64_t i = 0;
    for (; i < count && first + i < draws->ready; i++) out[i] = draws->first[first + i];
    uint64_t counter[4], words[4];
    memcpy(counter, draws->counter, sizeof counter);
    add_to_counter(counter, (uint64_t)((first + i - draws->ready) / 8 + 1));
    int64_t skip = (first + i - draws->ready) % 8;
    while (i < count) {
        philox_block(counter, draws->key, words);
        add_to_counter(counter, 1);
        if (skip == 0 && count - i >= 8) {
            for (int k = 0; k < 4; k++) out[i + 2 * k] = (uint32_t)words[k], out[i + 2 * k + 1] = (uint32_t)(words[k] >> 32);
            i += 8;
            continue;
        }
        for (int64_t k = skip; k < 8 && i < count; k++) out[i++] = (uint32_t)(words[k / 2] >> k % 2 * 32);
        skip = 0;
    }
}

#endif
