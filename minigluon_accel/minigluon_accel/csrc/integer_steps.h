/* The operators that follow a product of integers, or that form an elementwise operator: each element is converted to
   float32, and goes through some steps in registers. The integers are those of the reference in
   `minigluon/ops/quantized`, because each step rounds as the reference does.

   A kernel receives the operators as rows of STEP_LENGTH numbers. At the start of a part, `resolve` reads the ranges,
   which are arrays of one element, and turns the operators into steps. */

#ifndef MINIGLUON_STEPS_H
#define MINIGLUON_STEPS_H

#include "integers.h"

/* Also in kernels/integer_steps.py, with the numbers that follow each. */
enum { QUANTIZE, REQUANTIZE, DEQUANTIZE, RELU, NORMALIZE, ADD, WIDEN, ADD_REALS, CLIP, RESCALE,
       ADD_SCALED };
enum { STEP_LENGTH = 8, MOST_STEPS = 32 };     /* an operator has at most 3 steps, and there are at most 10 operators */

/* One step is x -> end(post · core(first · x · second)). Its parts come in this order, and each may be missing: a
   factor is then 1. */
typedef enum { NOTHING, SHIFT, PLUS, LIMIT } Core;
typedef enum { OPEN, TO_SIGNED, TO_UNSIGNED, TO_SUMS } End;     /* which integers numbers are rounded to */
typedef enum { AT_FIRST, AT_CORE, AT_POST, AT_END } Place;

typedef struct {
    Core core;
    End end;
    Place place;                                /* the last part that is there */
    float first, second, post, low, high;       /* factors; bounds of the end */
    const float *mean, *factor, *beta;          /* SHIFT: (x - mean) · factor + beta of each channel */
    const void *other;                          /* PLUS: x + unit · another array of the same shape */
    int type;                                   /* its type */
    float unit, least, most;                    /* LIMIT: the bounds */
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

/* The step to which a part at this place belongs: the last one, or a new one. */
INLINED Step *step_for(Steps *s, Place place) {
    if (s->count == 0 || s->steps[s->count - 1].place >= place)
        s->steps[s->count++] = (Step){.first = 1, .second = 1, .post = 1};
    Step *step = &s->steps[s->count - 1];
    step->place = place;
    return step;
}

INLINED void scale(Steps *s, float first, float second) {
    int is_post = second == 1 && s->count > 0 && s->steps[s->count - 1].place == AT_CORE;
    Step *step = step_for(s, is_post ? AT_POST : AT_FIRST);
    if (is_post) step->post = first;
    else step->first = first, step->second = second;
}

/* To the nearest integers of a type, halves to even. NaN becomes the largest int8 or int32, or 0 as uint8. */
INLINED void bound(Steps *s, int type) {
    Step *step = step_for(s, AT_END);
    step->end = type == SIGNED ? TO_SIGNED : type == UNSIGNED ? TO_UNSIGNED : TO_SUMS;
    step->low = type == SIGNED ? -128.0f : 0, step->high = type == SIGNED ? 127.0f : 255.0f;
    s->type = type;
}

/* max(x, 0) of bytes. */
INLINED void positive(Steps *s) {
    if (s->count == 0 || s->steps[s->count - 1].place != AT_END) bound(s, s->type);
    s->steps[s->count - 1].low = 0;
}

INLINED void plus(Steps *s, const void *other, int type, float unit) {
    Step *step = step_for(s, AT_CORE);
    step->core = PLUS, step->other = other, step->type = type, step->unit = unit;
}

INLINED void limit(Steps *s, float least, float most) {
    Step *step = step_for(s, AT_CORE);
    step->core = LIMIT, step->least = least, step->most = most;
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
    Step *step = step_for(s, AT_CORE);
    step->core = SHIFT, step->beta = io[(int64_t)row[3]], step->mean = io[(int64_t)row[4]], step->factor = factor;
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
    scale(s, a / steps_of(s->type) * unit, 1);
    plus(s, io[(int64_t)row[5]], other, b / steps_of(other) * unit);
    bound(s, type);
    set_range(s, low, high);
}

/* row: type and place of integers that are converted to real numbers and added, places of their low and high. */
OFFERED void resolve_add_reals(Steps *s, const double *row, void *const *io) {
    int type = (int)row[1];
    float step = magnitude_at(io, (int64_t)row[3], (int64_t)row[4]) / steps_of(type);
    plus(s, io[(int64_t)row[2]], type, step);
}

/* row: type of the result, or REALS; its low and high; place of floats for each channel, offset in bytes of the first ones
   (what is subtracted from sums), the length in bytes of these and of the factors and summands that follow; a factor of
   all channels, by which numbers are multiplied last. */
OFFERED void resolve_rescale(Steps *s, const double *row, void *const *io) {
    const char *first = (const char *)io[(int64_t)row[4]] + (int64_t)row[5];
    int64_t length = (int64_t)row[6];
    Step *step = step_for(s, AT_CORE);
    step->core = SHIFT, step->mean = (const float *)first, step->factor = (const float *)(first + length);
    step->beta = (const float *)(first + 2 * length);
    if (row[7] != 1) scale(s, (float)row[7], 1);
    s->type = (int)row[1];
    if (s->type != REALS) bound(s, s->type);
    set_range(s, (float)row[2], (float)row[3]);
}

/* row: type of the result, its low and high; type and place of integers that are added in its steps, places of their low
   and high. As in MXNet, uint8 that int8 were added to ends at 127. */
OFFERED void resolve_add_scaled(Steps *s, const double *row, void *const *io) {
    int type = (int)row[1], other = (int)row[4];
    float low = (float)row[2], high = (float)row[3];
    float unit = steps_of(type) / magnitude_of(low, high);
    plus(s, io[(int64_t)row[5]], other, unit / (steps_of(other) / magnitude_at(io, (int64_t)row[6], (int64_t)row[7])));
    bound(s, type);
    if (type == UNSIGNED && other == SIGNED) s->steps[s->count - 1].high = 127.0f;
    set_range(s, low, high);
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
        case RELU: positive(s); break;
        case NORMALIZE: resolve_normalize(s, row, io); break;
        case ADD: resolve_add(s, row, io); break;
        case ADD_REALS: resolve_add_reals(s, row, io); break;
        case CLIP: limit(s, (float)row[1], (float)row[2]); break;
        case RESCALE: resolve_rescale(s, row, io); break;
        case ADD_SCALED: resolve_add_scaled(s, row, io); break;
        default: __builtin_unreachable();
    }
}

/* -- a group of vectors -------------------------------------------------------------------------------------------- */

/* Vectors that are in registers together, as many as fit there along with constants. */
#if defined(__AVX512F__)
enum { AT_ONCE = 8 };
#else
enum { AT_ONCE = 4 };
#endif

/* Up to AT_ONCE vectors of n numbers, `stride` elements apart. at: the index of the first number in the whole array;
   column: that of its channel. With is_one_channel, all numbers are of this channel. */
typedef struct { int64_t rows, n, at, stride, column; int is_one_channel; } Group;

/* To the nearest int32, as float32. Numbers from 2²³ on are whole. */
INLINED vec to_sums(vec x) {
    const vec end = all(2147483648.0f), round = all(8388608.0f);
    x = not_below(not_above(x, end), -end);
    vec rounded = select(x < 0, x - round + round, x + round - round);
    return select((x < round) & (x > -round), rounded, x);
}

INLINED vec ended(End end, vec x, vec low, vec high) {
    const vec round = all(12582912.0f);         /* 1.5 · 2²³, whose neighbors are whole numbers */
    if (end == TO_SIGNED) return not_below(not_above(x, high), low) + round - round;
    if (end == TO_UNSIGNED) return not_above(not_below(x, low), high) + round - round;
    return end == TO_SUMS ? to_sums(x) : x;
}

INLINED vec of_channels(const float *p, const Group *g) {
    return g->is_one_channel ? all(p[g->column]) : load_typed(p + g->column, REALS, g->n);
}

#define EACH_AT_ONCE(statement)                             \
    _Pragma("GCC unroll 8")                                 \
    for (int i = 0; i < AT_ONCE; i++) { statement }

/* core, end and type are constants. */
INLINED void run_step(const Step *s, const Group *g, Core core, End end, int type, vec x[AT_ONCE]) {
    const vec first = all(s->first), second = all(s->second), post = all(s->post), low = all(s->low);
    const vec high = all(s->high), unit = all(s->unit), least = all(s->least), most = all(s->most);
    if (core == NOTHING) EACH_AT_ONCE(x[i] = ended(end, x[i] * first * second, low, high);)
    if (core == LIMIT)
        EACH_AT_ONCE(x[i] = ended(end, at_most(at_least(x[i] * first, least), most) * post, low, high);)
    if (core == SHIFT) {
        const vec mean = of_channels(s->mean, g), factor = of_channels(s->factor, g), beta = of_channels(s->beta, g);
        EACH_AT_ONCE(x[i] = ended(end, ((x[i] * first - mean) * factor + beta) * post, low, high);)
    }
    if (core == PLUS) {
        const char *other = (const char *)s->other + g->at;
        EACH_AT_ONCE(
            vec more = i < g->rows ? load_typed(other + i * g->stride, type, g->n) : (vec){0};
            x[i] = ended(end, (x[i] * first + more * unit) * post, low, high);)
    }
}

/* Groups that wait for their steps. Each step runs on all of them before the next one, because the choice of a step is
   a jump that processors do not predict well. */
enum { MOST_GROUPS = 8 };

typedef struct {
    const Steps *steps;
    void *out;                                  /* the array to which results go */
    int type, count;                            /* its type; the number of groups */
    Group groups[MOST_GROUPS];
    vec x[MOST_GROUPS * AT_ONCE];
} Waiting;

/* core, end and type are constants. */
INLINED void run_on_all(const Step *s, Waiting *w, Core core, End end, int type) {
    for (int k = 0; k < w->count; k++) {
        vec x[AT_ONCE];
        EACH_AT_ONCE(x[i] = w->x[k * AT_ONCE + i];)
        run_step(s, &w->groups[k], core, end, type, x);
        EACH_AT_ONCE(w->x[k * AT_ONCE + i] = x[i];)
    }
}

#define RUN(core, type)                                                                 \
    switch (s->end) {                                                                   \
        case TO_SIGNED: run_on_all(s, w, core, TO_SIGNED, type); break;                 \
        case TO_UNSIGNED: run_on_all(s, w, core, TO_UNSIGNED, type); break;             \
        case TO_SUMS: run_on_all(s, w, core, TO_SUMS, type); break;                     \
        default: run_on_all(s, w, core, OPEN, type);                                    \
    }

INLINED void store_groups(const Waiting *w, int type) {
    int64_t size = type == REALS || type == SUMS ? 4 : 1;
    for (int k = 0; k < w->count; k++) {
        const Group *g = &w->groups[k];
        char *out = (char *)w->out + g->at * size;
        const vec *x = w->x + k * AT_ONCE, *end = x + g->rows;
        int64_t stride = g->stride * size;
        if (g->n == LANES) for (; x < end; x++, out += stride) store_typed(out, type, *x, LANES);
        else for (; x < end; x++, out += stride) store_typed(out, type, *x, g->n);
    }
}

/* Runs all steps on the groups that wait, and stores the results. */
OFFERED void finish(Waiting *w) {
    for (const Step *s = w->steps->steps; s < w->steps->steps + w->steps->count; s++)
        switch (s->core) {
            case SHIFT: RUN(SHIFT, SIGNED) break;
            case LIMIT: RUN(LIMIT, SIGNED) break;
            case PLUS:
                if (s->type == SIGNED) RUN(PLUS, SIGNED)
                else RUN(PLUS, UNSIGNED)
                break;
            default: RUN(NOTHING, SIGNED)
        }
    if (w->type == REALS) store_groups(w, REALS);
    else if (w->type == SUMS) store_groups(w, SUMS);
    else store_groups(w, SIGNED);
    w->count = 0;
}

/* Memory for the vectors of a group that will wait; the vectors that it lacks are 0. */
INLINED vec *waiting_group(Waiting *w, Group group) {
    if (w->count == MOST_GROUPS) finish(w);
    vec *x = w->x + w->count * AT_ONCE;
    for (int64_t i = group.rows; i < AT_ONCE; i++) x[i] = (vec){0};
    w->groups[w->count++] = group;
    return x;
}

/* The same for sums, which are `apart` vectors apart, plus a start. */
INLINED void wait_with_sums(Waiting *w, Group group, const ints *sums, int64_t apart, ints start) {
    vec *x = waiting_group(w, group);
    for (int64_t i = 0; i < group.rows; i++) x[i] = to_reals(sums[i * apart] + start);
}

/* Writes the range to two arrays of one element; -1: nowhere. */
INLINED void put_range(const Steps *s, void *const *io, int64_t low, int64_t high) {
    if (low >= 0) *(float *)io[low] = s->low, *(float *)io[high] = s->high;
}

#endif
