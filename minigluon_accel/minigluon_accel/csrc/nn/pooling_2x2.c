/* Max pooling, its pooling indices, and its gradients for the most common windows, which have 2 x 2 elements and tile
   each image.

   Two consecutive rows of data then belong to one row of windows, whichever image they are in. A vector of windows
   needs two vectors from each row; `evens` and `odds` sort their elements by tap. If rows have fewer windows than half
   a vector, several rows are processed together, with shuffles that also sort by row. */

#include "pooling.h"

FIELDS(Tiles, int64_t lines, width;)        /* rows of windows in all images; windows in a row */

typedef struct { vec tap[4]; } Taps;                    /* taps of LANES windows: upper left, upper right, lower left,
                                                           lower right */

typedef struct {
    int64_t width;          /* windows in a row */
    int64_t windows;        /* windows per step */
    int64_t steps;          /* whole steps per row, or, with packed rows, in total */
    mask upper, lower;      /* packed: lanes of the upper and of the lower rows of windows in two vectors of data */
    mask back[2];           /* packed: the inverse, from a vector of upper rows and one of lower rows */
} Way;

/* Rows of 1, 2, 4 or 8 windows (with 16 lanes) can be packed if the machine has arbitrary shuffles of two vectors. */
static inline int is_packed(int64_t width) {
#if defined(__AVX512F__)
    return width <= LANES / 2 && LANES % width == 0;
#else
    return width < 0;
#endif
}

static inline vec from_two(vec a, vec b, mask lanes) {
#if defined(__AVX512F__) && REAL_BITS == 32
    return (vec)_mm512_permutex2var_ps((__m512)a, (__m512i)lanes, (__m512)b);
#elif defined(__AVX512F__)
    return (vec)_mm512_permutex2var_pd((__m512d)a, (__m512i)lanes, (__m512d)b);
#else
    (void)b, (void)lanes;
    return a;               /* not used: see is_packed */
#endif
}

static Way way_of(int64_t width) {
    Way way = {.width = width};
    for (int64_t i = 0; i < LANES; i++) {
        int64_t row = i / width, column = i % width;
        way.upper[i] = (bits)(2 * row * width + column);
        way.lower[i] = (bits)((2 * row + 1) * width + column);
        for (int64_t k = 0; k < 2; k++) {       /* for lane i of vector k: its row of windows, and whether it is upper
                                                   or lower */
            int64_t line = (k * LANES + i) / width;
            way.back[k][i] = (bits)(line / 2 * width + column + line % 2 * LANES);
        }
    }
    return way;
}

/* The taps of `count` windows in one row, which begins at p; `below` is the distance to the lower row of data. */
INLINE Taps taps_of_row(const real *p, int64_t below, int64_t count) {
    Taps t;
    for (int64_t row = 0; row < 2; row++) {
        const real *q = p + row * below;
        vec a = 2 * count >= LANES ? load(q) : load_some(q, 2 * count, 0), b = a;
        if (2 * count > LANES) b = count == LANES ? load(q + LANES) : load_some(q + LANES, 2 * count - LANES, 0);
        t.tap[2 * row] = evens(a, b), t.tap[2 * row + 1] = odds(a, b);
    }
    return t;
}

INLINE void put_taps_of_row(real *p, int64_t below, int64_t count, Taps t) {
    for (int64_t row = 0; row < 2; row++) {
        real *q = p + row * below;
        vec a = first_in_turn(t.tap[2 * row], t.tap[2 * row + 1]), b = last_in_turn(t.tap[2 * row], t.tap[2 * row + 1]);
        if (count == LANES) store(q, a), store(q + LANES, b);
        else if (2 * count >= LANES) store(q, a), store_some(q + LANES, b, 2 * count - LANES);
        else store_some(q, a, 2 * count);
    }
}

/* The same for LANES windows in packed rows, which are 4 · LANES contiguous elements. */
INLINE Taps packed_taps(const real *p, const Way *way) {
    vec a = load(p), b = load(p + LANES), c = load(p + 2 * LANES), d = load(p + 3 * LANES);
    vec left[2] = {evens(a, b), evens(c, d)}, right[2] = {odds(a, b), odds(c, d)};
    Taps t = {{from_two(left[0], left[1], way->upper), from_two(right[0], right[1], way->upper),
               from_two(left[0], left[1], way->lower), from_two(right[0], right[1], way->lower)}};
    return t;
}

INLINE void put_packed_taps(real *p, const Way *way, Taps t) {
    for (int64_t k = 0; k < 2; k++) {
        vec left = from_two(t.tap[0], t.tap[2], way->back[k]), right = from_two(t.tap[1], t.tap[3], way->back[k]);
        store(p + 2 * k * LANES, first_in_turn(left, right));
        store(p + (2 * k + 1) * LANES, last_in_turn(left, right));
    }
}

/* -- processing the taps ------------------------------------------------------------------------------------------- */

static inline mask all_bits(bits x) { return x - (mask){0}; }

INLINE vec largest(Taps t) { return max_vec(max_vec(t.tap[0], t.tap[1]), max_vec(t.tap[2], t.tap[3])); }

/* The index of the first of the largest taps; in a row with NaN, the index of the right tap; in a window with NaN, the
   winner in the lower row. */
INLINE mask winner(Taps t, vec *found) {
    vec upper = max_vec(t.tap[0], t.tap[1]), lower = max_vec(t.tap[2], t.tap[3]);
    *found = max_vec(upper, lower);
    mask one = all_bits(1), right_above = t.tap[1] > t.tap[0], right_below = t.tap[3] > t.tap[2], below = lower > upper;
    right_below |= lower != lower, below |= *found != *found;
    return (mask)select(below, (vec)((right_below & one) + 2), (vec)(right_above & one));
}

INLINE Taps handed_back(vec grad, mask winner) {
    Taps t;
    for (bits k = 0; k < 4; k++) t.tap[k] = (vec)((winner == all_bits(k)) & (mask)grad);
    return t;
}

/* Stores the indices of winners as bytes. */
typedef uint8_t some_bytes __attribute__((vector_size(VECTOR_BYTES / sizeof(real))));

INLINE void store_bytes(uint8_t *p, mask v, int64_t count) {
    some_bytes few = __builtin_convertvector(v, some_bytes);
    if (count == LANES) memcpy(p, &few, sizeof few);
    else for (int64_t i = 0; i < count; i++) p[i] = few[i];
}

INLINE mask load_bytes(const uint8_t *p, int64_t count) {
    some_bytes few = {0};
    if (count == LANES) memcpy(&few, p, sizeof few);
    else for (int64_t i = 0; i < count; i++) few[i] = p[i];
    return __builtin_convertvector(few, mask);
}

enum { FORWARD, WINNERS, WINNERS_GRAD, MAX_GRAD };

/* Processes one vector of windows. data_at: where the windows' taps begin. at: the index of the first window. In the
   gradients, out is like data. */
INLINE void step(int task, int packed, const Way *way, void *const *io, int64_t at, int64_t data_at, int64_t count) {
    int64_t below = 2 * way->width;
    const real *data = task == MAX_GRAD ? io[1] : io[0];
    Taps taps = {{all(0)}};
    if (task != WINNERS_GRAD && packed) taps = packed_taps(data + data_at, way);
    if (task != WINNERS_GRAD && !packed) taps = taps_of_row(data + data_at, below, count);
    if (task == FORWARD || task == WINNERS) {
        vec found = largest(taps);
        if (task == WINNERS) store_bytes((uint8_t *)io[2] + at, winner(taps, &found), count);
        if (count == LANES) store((real *)io[1] + at, found);
        else store_some((real *)io[1] + at, found, count);
        return;
    }
    const real *grad = (const real *)io[0] + at;
    vec found, g = count == LANES ? load(grad) : load_some(grad, count, 0);
    Taps back = handed_back(g, task == MAX_GRAD ? winner(taps, &found)
                            : load_bytes((const uint8_t *)io[1] + at, count));
    if (packed) put_packed_taps((real *)io[3] + data_at, way, back);
    else put_taps_of_row((real *)io[3] + data_at, below, count, back);
}

INLINE int run(int task, const void *fields, void *const *io, int64_t part, int64_t parts) {
    const Tiles *s = fields;
    int64_t width = s->width, group = is_packed(width) ? LANES / width : 1;
    /* Parts are whole groups of packed rows; the last rows, which do not fill a group, are processed row by row. */
    Range groups = range_of(s->lines / group, part, parts);
    Range rows = {groups.end * group, part == parts - 1 ? s->lines : groups.end * group};
    Way way = way_of(width);
    if (group > 1)
        for (int64_t i = groups.begin; i < groups.end; i++) step(task, 1, &way, io, i * LANES, 4 * i * LANES, LANES);
    else
        rows.begin = groups.begin;
    for (int64_t line = rows.begin; line < rows.end; line++)
        for (int64_t j = 0; j < width; j += LANES)
            step(task, 0, &way, io, line * width + j, 4 * line * width + 2 * j, min_int(LANES, width - j));
    return DONE;
}

#define TILED(name, task)                                                                               \
    static int name(const void *fields, void *const *io, int64_t part, int64_t parts) {                 \
        return run(task, fields, io, part, parts);                                                      \
    }

TILED(pool_2x2, FORWARD)                    /* data | out */
TILED(pool_2x2_argmax, WINNERS)            /* data | out, winners */
TILED(pool_2x2_argmax_grad, WINNERS_GRAD)  /* grad, winners, data (only its shape is used) | out */
TILED(pool_2x2_max_grad, MAX_GRAD)          /* grad, data, pooled (not read) | out, which may be data */

KERNELS(KERNEL(pool_2x2, Tiles), KERNEL(pool_2x2_argmax, Tiles), KERNEL(pool_2x2_argmax_grad, Tiles),
        KERNEL(pool_2x2_max_grad, Tiles))
