/* The operators that follow a product of integers, or that form an elementwise operator: each element is converted to
   float32, and goes through some steps in registers. The integers are those of the reference in
   `minigluon/ops/quantized`, because each step rounds as the reference does.

   A kernel receives the operators as rows of STEP_LENGTH numbers. At the start of a part, `resolve` reads the ranges,
   which are arrays of one element, and turns the operators into steps. */

#ifndef MINIGLUON_STEPS_H
#define MINIGLUON_STEPS_H

#include "integers.h"

/* Also in kernels/integer_steps.py, with the numbers that follow each. */
enum { QUANTIZE, REQUANTIZE, DEQUANTIZE, RELU, NORMALIZE, ADD, WIDEN, ADD_REALS, CLIP };
enum { STEP_LENGTH = 8, MOST_STEPS = 64 };     /* an operator has at most 6 steps, and there are at most 10 operators */

typedef enum { SCALE, BOUND, BOUND_SUMS, POSITIVE, LIMIT, SHIFT, PLUS } Kind;

typedef struct {
    Kind kind;
    float first, second, low, high;             /* factors; bounds */
    int nan_is_high;                            /* what becomes of NaN: the upper or the lower bound */
    const float *mean, *factor, *beta;          /* of each channel */
    const void *other;                          /* another array of the same shape */
    int type;                                   /* its type */
} Step;

/* The steps, the range of the array so far, and its type. */
typedef struct {
    Step steps[MOST_STEPS];
    int count, type;
    float low, high;
} Steps;

INLINED float steps_of(int type) { return type == SIGNED ? 127.5f : type == UNSIGNED ? 255.5f : 2147483648.0f; }

INLINED float larger(float a, float b) { return a != a || a > b ? a : b; }
/* The larger magnitude of a range; NaN if an end is NaN. */
INLINED float magnitude_of(float low, float high) { return larger(fabsf(low), fabsf(high)); }

INLINED float magnitude_at(void *const *io, int64_t low, int64_t high) {
    return magnitude_of(*(const float *)io[low], *(const float *)io[high]);
}

/* The magnitude of int32 that are sums of products of integers with magnitudes a and b. */
INLINED float product_magnitude(int type, float a, float b) {
    return a / floorf(steps_of(type)) * (b / 127.0f) * 2147483648.0f;
}

/* The factor of a bias in units of the products. own: the bias's magnitude. */
INLINED float bias_factor(int type, float data, float weight, float own) {
    return steps_of(type) / data * (127.5f / weight) / (127.5f / own);
}

/* Biases in these units, rounded toward zero. Returns 0 if one of them has no place in an int64. */
OFFERED int put_biases(const int8_t *bias, int64_t count, float factor, int32_t *out) {
    int fits = 1;
    for (int64_t i = 0; i < count; i++) {
        float x = (float)bias[i] * factor;
        x = x != x ? 0 : x;
        fits &= fabsf(x) < 4e18f;
        out[i] = (int32_t)(int64_t)(fabsf(x) < 4e18f ? x : 0);
    }
    return fits;
}

INLINED void add_step(Steps *s, Step step) { s->steps[s->count++] = step; }
INLINED void scale(Steps *s, float first, float second) {
    add_step(s, (Step){.kind = SCALE, .first = first, .second = second});
}

/* To the nearest integers of a type, halves to even. NaN becomes the largest int8 or 0 as uint8. */
INLINED void bound(Steps *s, int type) {
    if (type == SUMS) add_step(s, (Step){.kind = BOUND_SUMS});
    else add_step(s, (Step){.kind = BOUND, .low = type == SIGNED ? -128.0f : 0, .high = type == SIGNED ? 127.0f : 255.0f,
                            .nan_is_high = type == SIGNED});
    s->type = type;
}

INLINED void set_range(Steps *s, float low, float high) { s->low = low, s->high = high; }

/* A range that a row holds in two numbers: its ends, or, with row[4], the places of arrays that hold them. */
INLINED float end_of(const double *row, int64_t index, void *const *io) {
    return row[4] ? *(const float *)io[(int64_t)row[index]] : (float)row[index];
}

/* row: type of the result, low, high, whether these are places; whether m becomes 127 or 255 in place of 127.5 or
   255.5. */
OFFERED void resolve_quantize(Steps *s, const double *row, void *const *io) {
    float low = end_of(row, 2, io), high = end_of(row, 3, io), m = magnitude_of(low, high);
    int type = (int)row[1];
    scale(s, (row[5] ? floorf(steps_of(type)) : steps_of(type)) / m, 1);
    bound(s, type);
    set_range(s, type == SIGNED ? -m : low, type == SIGNED ? m : high);
}

/* row: type of the result, low, high, whether these are places. */
OFFERED void resolve_requantize(Steps *s, const double *row, void *const *io) {
    float m = magnitude_of(end_of(row, 2, io), end_of(row, 3, io));
    int type = (int)row[1];
    scale(s, magnitude_of(s->low, s->high) / 2147483648.0f, floorf(steps_of(type)) / m);
    bound(s, type);
    set_range(s, type == SIGNED ? -m : 0, m);
}

/* row: type of the result; its low and high as places. */
OFFERED void resolve_widen(Steps *s, const double *row, void *const *io) {
    float low = end_of(row, 2, io), high = end_of(row, 3, io), m = magnitude_of(low, high);
    float old = magnitude_of(s->low, s->high);
    int type = (int)row[1];
    if (type != s->type || !(old == m)) {
        scale(s, steps_of(type) / m / (steps_of(s->type) / old), 1);
        bound(s, type);
    }
    set_range(s, low, high);
}

/* row: calibrated low and high; place of beta; place and offset of the means; place and offset of the factors. */
OFFERED void resolve_normalize(Steps *s, const double *row, void *const *io) {
    float low = (float)row[1], high = (float)row[2], m = magnitude_of(low, high), own = magnitude_of(s->low, s->high);
    if (s->type != SIGNED) {
        scale(s, 127.5f / 255.5f, 1);
        bound(s, SIGNED);
    }
    scale(s, own / 127.5f, 1);
    const float *factor = (const float *)((const char *)io[(int64_t)row[5]] + (int64_t)row[6]);
    add_step(s, (Step){.kind = SHIFT, .beta = io[(int64_t)row[3]], .mean = io[(int64_t)row[4]], .factor = factor});
    scale(s, 127.5f / m, 1);
    bound(s, SIGNED);
    set_range(s, low, high);
}

/* row: type of the result, calibrated low and high (unless it is int32); type and place of the other array, places of
   its low and high. */
OFFERED void resolve_add(Steps *s, const double *row, void *const *io) {
    int type = (int)row[1], other = (int)row[4];
    float a = magnitude_of(s->low, s->high), b = magnitude_at(io, (int64_t)row[6], (int64_t)row[7]), m = a + b;
    float low = -m, high = m;
    if (type != SUMS) low = (float)row[2], high = (float)row[3], m = magnitude_of(low, high);
    float unit = steps_of(type) / m;
    add_step(s, (Step){.kind = PLUS, .first = a / steps_of(s->type) * unit, .second = b / steps_of(other) * unit,
                       .other = io[(int64_t)row[5]], .type = other});
    bound(s, type);
    set_range(s, low, high);
}

/* row: type and place of integers that are converted to real numbers and added, places of their low and high. */
OFFERED void resolve_add_reals(Steps *s, const double *row, void *const *io) {
    int type = (int)row[1];
    float step = magnitude_at(io, (int64_t)row[3], (int64_t)row[4]) / steps_of(type);
    add_step(s, (Step){.kind = PLUS, .first = 1, .second = step, .other = io[(int64_t)row[2]], .type = type});
}

OFFERED void resolve_dequantize(Steps *s) {
    scale(s, magnitude_of(s->low, s->high) / steps_of(s->type), 1);
    s->type = REALS;
}

/* Appends the steps of `count` operators. */
OFFERED void resolve(Steps *s, const double *row, int64_t count, void *const *io) {
    for (int64_t i = 0; i < count; i++, row += STEP_LENGTH) switch ((int)row[0]) {
        case QUANTIZE: resolve_quantize(s, row, io); break;
        case REQUANTIZE: resolve_requantize(s, row, io); break;
        case WIDEN: resolve_widen(s, row, io); break;
        case DEQUANTIZE: resolve_dequantize(s); break;
        case RELU: add_step(s, (Step){.kind = POSITIVE}); break;
        case NORMALIZE: resolve_normalize(s, row, io); break;
        case ADD: resolve_add(s, row, io); break;
        case ADD_REALS: resolve_add_reals(s, row, io); break;
        case CLIP: add_step(s, (Step){.kind = LIMIT, .low = (float)row[1], .high = (float)row[2]}); break;
        default: __builtin_unreachable();
    }
}

/* -- a tile -------------------------------------------------------------------------------------------------------- */

/* rows x vectors of numbers. at: the index of the first one in the whole array, whose rows are `stride` apart. column,
   columns: the index of the first channel, and the number of channels from there; with is_one_channel, all of them are
   of channel `column`. */
typedef struct {
    vec *x;
    int64_t rows, vectors, at, stride, column, columns;
    int is_one_channel;
} Tile;

#define EACH_VECTOR(statement)                                                             \
    for (int64_t k = 0; k < t->rows * t->vectors; k++) {                                   \
        vec x = t->x[k];                                                                   \
        statement                                                                          \
        t->x[k] = x;                                                                       \
    }

/* The number of elements in vector j of a row. */
INLINED int64_t count_in(const Tile *t, int64_t j) { return max_int(0, min_int(LANES, t->columns - j * LANES)); }

OFFERED void bound_tile(const Step *s, const Tile *t) {
    const vec low = all(s->low), high = all(s->high), round = all(12582912.0f);     /* 1.5 · 2²³: no digits below 1 */
    if (s->nan_is_high) EACH_VECTOR(x = not_below(not_above(x, high), low); x = x + round - round;)
    else EACH_VECTOR(x = not_above(not_below(x, low), high); x = x + round - round;)
}

/* To the nearest int32, as float32. Numbers from 2²³ on are whole. */
OFFERED void bound_sums(const Tile *t) {
    const vec end = all(2147483648.0f), round = all(8388608.0f);
    EACH_VECTOR(
        x = not_below(not_above(x, end), -end);
        vec up = x + round - round;
        vec down = x - round + round;
        vec rounded = select(x < 0, down, up);
        x = select((x < round) & (x > -round), rounded, x);)
}

OFFERED void shift_tile(const Step *s, const Tile *t) {
    for (int64_t j = 0; j < t->vectors; j++) {
        int64_t n = count_in(t, j), c = t->column + j * LANES;
        vec mean, factor, beta;
        if (t->is_one_channel) mean = all(s->mean[t->column]), factor = all(s->factor[t->column]), beta = all(s->beta[t->column]);
        else mean = load_typed(s->mean + c, REALS, n), factor = load_typed(s->factor + c, REALS, n),
             beta = load_typed(s->beta + c, REALS, n);
        for (int64_t k = j; k < t->rows * t->vectors; k += t->vectors) t->x[k] = (t->x[k] - mean) * factor + beta;
    }
}

OFFERED void plus_tile(const Step *s, const Tile *t) {
    const vec first = all(s->first), second = all(s->second);
    for (int64_t i = 0, k = 0; i < t->rows; i++)
        for (int64_t j = 0; j < t->vectors; j++, k++) {
            const char *other = (const char *)s->other + (t->at + i * t->stride + j * LANES);
            t->x[k] = t->x[k] * first + load_typed(other, s->type, count_in(t, j)) * second;
        }
}

OFFERED void apply(const Steps *steps, const Tile *t) {
    for (const Step *s = steps->steps; s < steps->steps + steps->count; s++) {
        const vec first = all(s->first), second = all(s->second), zero = {0};
        switch (s->kind) {
            case SCALE: EACH_VECTOR(x = x * first * second;) break;
            case POSITIVE: EACH_VECTOR(x = not_below(x, zero);) break;
            case LIMIT: EACH_VECTOR(x = at_most(at_least(x, all(s->low)), all(s->high));) break;
            case BOUND: bound_tile(s, t); break;
            case BOUND_SUMS: bound_sums(t); break;
            case SHIFT: shift_tile(s, t); break;
            case PLUS: plus_tile(s, t); break;
        }
    }
}

/* Stores a tile. out: the first byte of the whole array. */
INLINED void store_rows(void *out, int type, const Tile *t) {
    for (int64_t i = 0, k = 0; i < t->rows; i++)
        for (int64_t j = 0; j < t->vectors; j++, k++)
            store_typed((char *)out + (t->at + i * t->stride + j * LANES) * bytes_of(type), type, t->x[k], count_in(t, j));
}

/* Writes the range to two arrays of one element; -1: nowhere. */
INLINED void put_range(const Steps *s, void *const *io, int64_t low, int64_t high) {
    if (low >= 0) *(float *)io[low] = s->low, *(float *)io[high] = s->high;
}

#endif
