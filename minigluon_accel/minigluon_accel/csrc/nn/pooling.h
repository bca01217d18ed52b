/* Shared by the pooling files: positions of windows, and rows of data that are split by the stride and joined again. */

#ifndef MINIGLUON_POOLING_H
#define MINIGLUON_POOLING_H

#include <float.h>

#include "../vector.h"

/* Windows on `images` of three axes; leading axes may have length 1 (kernel and stride 1, pad 0). */
FIELDS(Windows,
    int64_t images;
    int64_t size[3];        /* size of data */
    int64_t out[3];         /* number of windows */
    int64_t kernel[3], stride[3], pad[3];
    int64_t channels;       /* adjacent elements per position: 1, unless channels are the last axis */
    int64_t kind;
)

/* How the elements of a window are combined. */
enum { MAX, SUM, SUM_OF_SQUARES, AVERAGE, AVERAGE_INSIDE };

#if REAL_BITS == 32
#define LOWEST (-FLT_MAX)       /* the padding value of max pooling, as in the reference */
#else
#define LOWEST (-DBL_MAX)
#endif

/* Takes every second lane of two vectors; interleaves two vectors lane by lane. */
#if defined(__clang__)
#define SHUFFLE(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#else
#define SHUFFLE(a, b, ...) __builtin_shuffle(a, b, (mask){__VA_ARGS__})
#endif
#if VECTOR_BYTES * 8 == 16 * REAL_BITS
#define EVENS 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30
#define ODDS 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31
#define FIRST_IN_TURN 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23
#define LAST_IN_TURN 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31
#elif VECTOR_BYTES * 8 == 8 * REAL_BITS
#define EVENS 0, 2, 4, 6, 8, 10, 12, 14
#define ODDS 1, 3, 5, 7, 9, 11, 13, 15
#define FIRST_IN_TURN 0, 8, 1, 9, 2, 10, 3, 11
#define LAST_IN_TURN 4, 12, 5, 13, 6, 14, 7, 15
#elif VECTOR_BYTES * 8 == 4 * REAL_BITS
#define EVENS 0, 2, 4, 6
#define ODDS 1, 3, 5, 7
#define FIRST_IN_TURN 0, 4, 1, 5
#define LAST_IN_TURN 2, 6, 3, 7
#else
#define EVENS 0, 2
#define ODDS 1, 3
#define FIRST_IN_TURN 0, 2
#define LAST_IN_TURN 1, 3
#endif

static inline vec evens(vec a, vec b) { return SHUFFLE(a, b, EVENS); }
static inline vec odds(vec a, vec b) { return SHUFFLE(a, b, ODDS); }
static inline vec first_in_turn(vec a, vec b) { return SHUFFLE(a, b, FIRST_IN_TURN); }
static inline vec last_in_turn(vec a, vec b) { return SHUFFLE(a, b, LAST_IN_TURN); }

static inline int64_t round_up(int64_t n, int64_t to) { return (n + to - 1) / to * to; }

/* The taps of window `window` along an axis that are inside the data; end <= begin if there are none. */
static inline Range taps_inside(const Windows *w, int axis, int64_t window) {
    int64_t start = window * w->stride[axis] - w->pad[axis];
    return (Range){max_int(0, -start), min_int(w->kernel[axis], w->size[axis] - start)};
}

/* The windows along an axis that have element `i` of data among their taps. */
static inline Range windows_over(const Windows *w, int axis, int64_t i) {
    int64_t place = i + w->pad[axis], before = place - w->kernel[axis] + 1;
    return (Range){before <= 0 ? 0 : (before + w->stride[axis] - 1) / w->stride[axis],
                   min_int(w->out[axis], place / w->stride[axis] + 1)};
}

/* The number of elements that a window averages along an axis. */
static inline int64_t count_along(const Windows *w, int axis, int64_t window) {
    int64_t start = window * w->stride[axis] - w->pad[axis];
    int64_t end = min_int(start + w->kernel[axis], w->size[axis] + w->pad[axis]);
    if (w->kind == AVERAGE_INSIDE) start = max_int(start, 0), end = min_int(end, w->size[axis]);
    return max_int(end - start, 1);
}

/* The number of elements that a window averages is the product of its counts along the axes. `columns` receives the
   counts along the last axis. */
static inline void count_columns(const Windows *w, real *columns) {
    for (int64_t i = 0; i < w->out[2]; i++) columns[i] = (real)count_along(w, 2, i);
}

static inline real count_of_row(const Windows *w, int64_t depth, int64_t height) {
    return (real)(count_along(w, 0, depth) * count_along(w, 1, height));
}

static inline void fill_reals(real *p, int64_t n, real value) {
    for (int64_t i = 0; i < n; i++) p[i] = value;
}

/* A padded row of data extends as far as the windows reach, rounded up to whole vectors of windows. */
static inline int64_t row_size(const Windows *w) {
    int64_t reach = round_up(w->out[2], LANES) * w->stride[2] + w->kernel[2] + LANES;
    return max_int(reach, w->pad[2] + w->size[2]) + LANES;
}

#define INLINE static inline __attribute__((always_inline))

/* The elements of a row that a vector of windows, starting at window j, has at tap `tap`. */
INLINE vec seen(const real *row, int64_t j, int64_t tap, int64_t stride) {
    if (stride == 1) return load(row + j + tap);
    if (stride == 2 && tap % 2 == 0) return evens(load(row + 2 * j + tap), load(row + 2 * j + tap + LANES));
    if (stride == 2) return odds(load(row + 2 * j + tap - 1), load(row + 2 * j + tap - 1 + LANES));
    vec v;
    for (int64_t i = 0; i < LANES; i++) v[i] = row[(j + i) * stride + tap];
    return v;
}

/* Calls a function whose last arguments are the taps and the stride of a row; common values are passed as constants. */
#define FOR_FREQUENT(w, function, ...)                                                               \
    do {                                                                                             \
        int64_t taps_ = (w)->kernel[2], stride_ = (w)->stride[2];                                    \
        if (stride_ == 2 && taps_ == 3) function(__VA_ARGS__, 3, 2);                                 \
        else if (stride_ == 2 && taps_ == 2) function(__VA_ARGS__, 2, 2);                            \
        else if (stride_ == 2) function(__VA_ARGS__, taps_, 2);                                      \
        else if (stride_ == 1) function(__VA_ARGS__, taps_, 1);                                      \
        else function(__VA_ARGS__, taps_, stride_);                                                  \
    } while (0)

#endif
