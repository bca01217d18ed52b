/* Transposition of squares held in registers: LANES vectors of LANES elements. */

#ifndef MINIGLUON_TRANSPOSE_H
#define MINIGLUON_TRANSPOSE_H

#include "vector.h"

enum { EDGE = VECTOR_BYTES / sizeof(real) };

#if VECTOR_BYTES * 8 == REAL_BITS * 16
#define LANE_NUMBERS {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}
#elif VECTOR_BYTES * 8 == REAL_BITS * 8
#define LANE_NUMBERS {0, 1, 2, 3, 4, 5, 6, 7}
#elif VECTOR_BYTES * 8 == REAL_BITS * 4
#define LANE_NUMBERS {0, 1, 2, 3}
#else
#define LANE_NUMBERS {0, 1}
#endif

#if defined(__clang__)
/* Clang's shuffle requires literal lanes. */
static inline vec mix_lanes(vec a, vec b, mask from) {
    vec mixed;
    for (int i = 0; i < EDGE; i++) mixed[i] = from[i] < EDGE ? a[from[i]] : b[from[i] - EDGE];
    return mixed;
}
#else
#define mix_lanes(a, b, from) __builtin_shuffle(a, b, from)
#endif

/* Element j of vector i becomes element i of vector j. Each step takes pairs of vectors that are a certain distance
   apart, and exchanges the odd halves of one vector with the even halves of the other. The lanes are constants, so
   compilers can choose the instructions. */
static inline __attribute__((always_inline, unused)) void turn_square(vec square[EDGE]) {
    const mask lane = LANE_NUMBERS;
#pragma GCC unroll 4
    for (int distance = 1; distance < EDGE; distance *= 2) {
        const mask odd = (lane & (bits)distance) != 0;
        const mask low = lane + (odd & (bits)(EDGE - distance)), high = low + (bits)distance;
#pragma GCC unroll 16
        for (int i = 0; i < EDGE; i++) {
            if (i & distance) continue;
            vec a = square[i], b = square[i + distance];
            square[i] = mix_lanes(a, b, low);
            square[i + distance] = mix_lanes(a, b, high);
        }
    }
}

#endif
