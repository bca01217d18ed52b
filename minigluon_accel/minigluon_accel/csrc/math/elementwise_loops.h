/* Loops over blocks of elements, one for each elementwise operation; `loops[]` and LOOP_NAMES list them.

   Each row of the table below contains a name and an expression for the result in terms of vectors x, y, z and scalars
   p, q. `out` may be an operand: each vector is read before it is written. */

#ifndef MINIGLUON_LOOPS_H
#define MINIGLUON_LOOPS_H

#include "elementwise_erfinv.h"

typedef void Loop(real *out, const real *a, const real *b, const real *c, double p, double q, int64_t size);

/* C functions that have no vector form here. */
#if REAL_BITS == 32
#define C_FUNCTION(name) name##f
#else
#define C_FUNCTION(name) name
#endif

#define EACH_LANE(name, arguments, expression)                     \
    static vec name arguments {                                    \
        vec result;                                                \
        for (int i = 0; i < (int)LANES; i++) result[i] = expression; \
        return result;                                             \
    }

/* The remainder with the sign of y; 0 if y is 0. */
static real modulo(real x, real y) {
    if (y == 0) return 0;
    real rest = C_FUNCTION(fmod)(x, y);
    if (rest == 0) return C_FUNCTION(copysign)(0, y);
    return (rest < 0) != (y < 0) ? rest + y : rest;
}

EACH_LANE(mod_vec, (vec x, vec y), modulo(x[i], y[i]))
EACH_LANE(power_vec, (vec x, vec y), C_FUNCTION(pow)(x[i], y[i]))
EACH_LANE(hypot_vec, (vec x, vec y), C_FUNCTION(hypot)(x[i], y[i]))
EACH_LANE(cbrt_vec, (vec x), C_FUNCTION(cbrt)(x[i]))
EACH_LANE(gamma_vec, (vec x), x[i] < 0 && x[i] == C_FUNCTION(floor)(x[i]) ? NAN : C_FUNCTION(tgamma)(x[i]))
EACH_LANE(gammaln_vec, (vec x), C_FUNCTION(lgamma)(x[i]))

static inline vec sign_vec(vec x) { return one_where(x > 0) - one_where(x < 0); }
static inline vec relu_vec(vec x) { return max_vec(x, all(0)); }
static inline vec clip_vec(vec x, vec low, vec high) { return min_vec(max_vec(x, low), high); }
static inline vec is_finite(vec x) { return one_where(abs_vec(x) < INFINITY); }

/* The distance from the integer below is exact; x + 0.5 is not, where x has no digit left for a half. */
static inline vec round_vec(vec x) {
    vec size = abs_vec(x), whole = floor_vec(size);
    return with_sign(whole + one_where(size - whole >= (real)0.5), x);
}

static inline vec rint_vec(vec x) {
    vec low = floor_vec(x), high = ceil_vec(x);
    return select(x - low <= high - x, low, high);
}

/* x to the power 1/2 by C's rules: √x, except for -∞ and -0 */
static inline vec root_vec(vec x) { return select(x == -INFINITY, all(INFINITY), sqrt_vec(x) + 0); }

static inline vec smooth_l1_vec(vec x, vec s2) {
    vec size = abs_vec(x);
    return select(size < 1 / s2, s2 * x * x / 2, size - (real)0.5 / s2);
}

/* slope (eˣ - 1) for x below 0, else x */
static inline vec elu_vec(vec x, vec slope) {
    vec below = slope * expm1_vec(select(x > 0, all(0), x));
    return select(x > 0, x, below);
}

/* The tables. For two operands, in addition to name(x, y), name_r takes a scalar as y, and name_l takes a scalar as x.

   Operations that take few instructions, which `elementwise_fused.h` also supports: */
#define SHORT_LOOPS(UNARY, BINARY)                                                        \
    UNARY(identity, x)                                                                    \
    UNARY(negative, -x)                                                                   \
    UNARY(abs, abs_vec(x))                                                                \
    UNARY(sign, sign_vec(x))                                                              \
    UNARY(logical_not, one_where(x == 0))                                                 \
    UNARY(reciprocal, 1 / x)                                                              \
    UNARY(square, x * x)                                                                  \
    UNARY(cube, x * x * x)                                                                \
    UNARY(relu, relu_vec(x))                                                              \
    UNARY(clip, clip_vec(x, p, q))                                                        \
    UNARY(leaky, select(x > 0, x, x * p))                                                 \
    BINARY(add, x + y)                                                                    \
    BINARY(sub, x - y)                                                                    \
    BINARY(mul, x * y)                                                                    \
    BINARY(div, x / y)                                                                    \
    BINARY(maximum, max_vec(x, y))                                                        \
    BINARY(minimum, min_vec(x, y))                                                        \
    BINARY(equal, one_where(x == y))                                                      \
    BINARY(not_equal, one_where(x != y))                                                  \
    BINARY(greater, one_where(x > y))                                                     \
    BINARY(greater_equal, one_where(x >= y))                                              \
    BINARY(lesser, one_where(x < y))                                                      \
    BINARY(lesser_equal, one_where(x <= y))                                               \
    BINARY(relu_grad, x * one_where(y > 0))

#define LOOPS(UNARY, BINARY, TERNARY)                                                     \
    SHORT_LOOPS(UNARY, BINARY)                                                            \
    UNARY(constant, p)                                                                    \
    UNARY(rint, rint_vec(x))                                                              \
    UNARY(round, round_vec(x))                                                            \
    UNARY(ceil, ceil_vec(x))                                                              \
    UNARY(floor, floor_vec(x))                                                            \
    UNARY(trunc, trunc_vec(x))                                                            \
    UNARY(isnan, one_where(x != x))                                                       \
    UNARY(isinf, one_where(abs_vec(x) == INFINITY))                                       \
    UNARY(isfinite, is_finite(x))                                                         \
    UNARY(root, root_vec(x))                                                              \
    UNARY(sqrt, sqrt_vec(x))                                                              \
    UNARY(rsqrt, rsqrt_vec(x))                                                            \
    UNARY(cbrt, cbrt_vec(x))                                                              \
    UNARY(rcbrt, 1 / cbrt_vec(x))                                                         \
    UNARY(exp, exp_vec(x))                                                                \
    UNARY(expm1, expm1_vec(x))                                                            \
    UNARY(log, log_vec(x))                                                                \
    UNARY(log2, log2_vec(x))                                                              \
    UNARY(log10, log10_vec(x))                                                            \
    UNARY(log1p, log1p_vec(x))                                                            \
    UNARY(sigmoid, sigmoid_vec(x))                                                        \
    UNARY(softsign, x / (1 + abs_vec(x)))                                                 \
    UNARY(softrelu, softrelu_vec(x))                                                      \
    UNARY(erf, erf_vec(x))                                                                \
    UNARY(erfinv, erfinv_vec(x))                                                          \
    UNARY(gamma, gamma_vec(x))                                                            \
    UNARY(gammaln, gammaln_vec(x))                                                        \
    UNARY(gelu, gelu_vec(x))                                                              \
    UNARY(gelu_slope, gelu_slope_vec(x))                                                  \
    UNARY(hard_sigmoid, clip_vec(p * x + q, all(0), all(1)))                              \
    UNARY(smooth_l1, smooth_l1_vec(x, p))                                                 \
    UNARY(elu, elu_vec(x, p))                                                             \
    UNARY(selu, p * elu_vec(x, q))                                                        \
    BINARY(mod, mod_vec(x, y))                                                            \
    BINARY(power, power_vec(x, y))                                                        \
    BINARY(hypot, hypot_vec(x, y))                                                        \
    BINARY(logical_and, one_where((x != 0) & (y != 0)))                                   \
    BINARY(logical_or, one_where((x != 0) | (y != 0)))                                    \
    BINARY(logical_xor, one_where((x != 0) ^ (y != 0)))                                   \
    TERNARY(where, select(x != 0, y, z))                                                  \
    TERNARY(clip_grad, select((y < p) | (y > q), all(0), x))

/* A loop: `get` reads operands as whole vectors, and `get_some` the elements after the last whole vector. */
#define LOOP(name, whole, rest, expression)                                               \
    static void name##_loop(real *out, const real *a, const real *b, const real *c, double p_, double q_, \
                            int64_t size) {                                               \
        const vec p = all((real)p_), q = all((real)q_);                                   \
        int64_t i = 0;                                                                    \
        for (; i + LANES <= size; i += LANES) {                                           \
            whole                                                                         \
            store(out + i, expression);                                                   \
        }                                                                                 \
        if (i < size) {                                                                   \
            rest                                                                          \
            store_some(out + i, expression, size - i);                                    \
        }                                                                                 \
        (void)a, (void)b, (void)c, (void)p, (void)q;                                      \
    }

#define READ(x, from) vec x = load(from + i);
#define READ_REST(x, from) vec x = load_some(from + i, size - i, 1);
#define USED (void)x;

#define UNARY_LOOP(name, expression)                                                      \
    LOOP(name, READ(x, a) USED, READ_REST(x, a) USED, expression)
#define BINARY_LOOP(name, expression)                                                     \
    LOOP(name, READ(x, a) READ(y, b), READ_REST(x, a) READ_REST(y, b), expression)        \
    LOOP(name##_r, READ(x, a) vec y = p;, READ_REST(x, a) vec y = p;, expression)         \
    LOOP(name##_l, READ(y, a) vec x = p;, READ_REST(y, a) vec x = p;, expression)
#define TERNARY_LOOP(name, expression)                                                    \
    LOOP(name, READ(x, a) READ(y, b) READ(z, c) (void)z;,                                 \
         READ_REST(x, a) READ_REST(y, b) READ_REST(z, c) (void)z;, expression)

LOOPS(UNARY_LOOP, BINARY_LOOP, TERNARY_LOOP)

/* Sine, cosine, tangent: C's functions handle blocks that contain large numbers, infinities or NaN. */
static int are_turns(const real *x, int64_t size) {
    mask large = {0};
    int64_t i = 0;
    for (; i + LANES <= size; i += LANES) large |= ~(abs_vec(load(x + i)) <= TURNS_LIMIT);
    if (i < size) large |= ~(abs_vec(load_some(x + i, size - i, 0)) <= TURNS_LIMIT);
    bits any = 0;
    for (int lane = 0; lane < (int)LANES; lane++) any |= large[lane];
    return !any;
}

#define TURNS(name)                                                                       \
    UNARY_LOOP(near_##name, name##_vec(x))                                                \
    static void name##_loop(real *out, const real *a, const real *b, const real *c, double p, double q, \
                            int64_t size) {                                               \
        if (are_turns(a, size)) near_##name##_loop(out, a, b, c, p, q, size);             \
        else for (int64_t i = 0; i < size; i++) out[i] = C_FUNCTION(name)(a[i]);          \
    }

TURNS(sin)
TURNS(cos)
TURNS(tan)

/* Handles AT_ONCE vectors together, then the remaining vectors. */
UNARY_LOOP(few_tanh, tanh_vec(x))
static void tanh_loop(real *out, const real *a, const real *b, const real *c, double p, double q, int64_t size) {
    int64_t i = 0;
    for (; i + AT_ONCE * LANES <= size; i += AT_ONCE * LANES) {
        vec x[AT_ONCE];
        EACH_AT_ONCE(v, x[v] = load(a + i + v * LANES);)
        tanh_vecs(x);
        EACH_AT_ONCE(v, store(out + i + v * LANES, x[v]);)
    }
    few_tanh_loop(out + i, a + i, b, c, p, q, size - i);
}

#define ONE_ENTRY(name, expression) name##_loop,
#define THREE_ENTRIES(name, expression) name##_loop, name##_r_loop, name##_l_loop,
#define ONE_NAME(name, expression) #name " "
#define THREE_NAMES(name, expression) #name " " #name "_r " #name "_l "

#define ONE_NUMBER(name, expression) NUMBER_##name,
#define THREE_NUMBERS(name, expression) NUMBER_##name, NUMBER_##name##_r, NUMBER_##name##_l,

#define SHORT_LOOP_NAMES SHORT_LOOPS(ONE_NAME, THREE_NAMES)
#define LOOP_NAMES LOOPS(ONE_NAME, THREE_NAMES, ONE_NAME) "sin cos tan tanh"
enum { LOOPS(ONE_NUMBER, THREE_NUMBERS, ONE_NUMBER) };
static Loop *const loops[] = {LOOPS(ONE_ENTRY, THREE_ENTRIES, ONE_ENTRY) sin_loop, cos_loop, tan_loop, tanh_loop};

#endif
