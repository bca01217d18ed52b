/* Functions that work on all lanes of a vector: exp_vec, log_vec, tanh_vec, ...

   Each handles NaN, infinities, signed zeros and denormal numbers like the C function of that name. The largest errors,
   as measured by `tests/accel/math/test_accel_elementwise.py`, are 1 to 3 units in the last place. The polynomials are
   minimax approximations (computed by Remez's algorithm with 60 digits); they are valid in the ranges given. */

#ifndef MINIGLUON_VMATH_H
#define MINIGLUON_VMATH_H

#include "vector.h"

#if REAL_BITS == 32
enum { MANTISSA = 23 };
#define BIAS 127
#define C(f32, f64) f32##f
#define C_INT(f32, f64) f32
#else
enum { MANTISSA = 52 };
#define BIAS 1023
#define C(f32, f64) f64
#define C_INT(f32, f64) f64
#endif

#define SMALLEST_NORMAL C(1.17549435e-38, 2.2250738585072014e-308)
#define SIGN_BIT ((bits)((uint64_t)1 << (REAL_BITS - 1)))

/* c[0] + c[1] x + c[2] x² + ... */
#define POLYNOMIAL(x, c) polynomial(x, c, sizeof(c) / sizeof *(c))

static inline __attribute__((always_inline)) vec polynomial(vec x, const real *c, int count) {
    vec sum = all(c[count - 1]);
#pragma GCC unroll 20
    for (int k = count - 2; k >= 0; k--) sum = sum * x + c[k];
    return sum;
}

static inline vec abs_vec(vec x) { return (vec)((mask)x & ~SIGN_BIT); }
static inline vec with_sign(vec size, vec sign) {
    return (vec)(((mask)size & ~SIGN_BIT) | ((mask)sign & SIGN_BIT));
}
static inline vec one_where(mask which) { return (vec)(which & (mask)all(1)); }     /* 1 and 0 */
static inline vec only_where(mask which, vec x) { return (vec)(which & (mask)x); }  /* x and 0 */

/* The C function applied to each lane; the compiler turns it into one instruction if possible. */
#define LANE_BY_LANE(name, function)                                                \
    static inline vec name(vec x) {                                                 \
        vec y;                                                                      \
        for (int i = 0; i < (int)LANES; i++) y[i] = function(x[i]);                 \
        return y;                                                                   \
    }

#if REAL_BITS == 32
LANE_BY_LANE(sqrt_vec, __builtin_sqrtf)
LANE_BY_LANE(floor_vec, __builtin_floorf)
LANE_BY_LANE(ceil_vec, __builtin_ceilf)
LANE_BY_LANE(trunc_vec, __builtin_truncf)
#else
LANE_BY_LANE(sqrt_vec, __builtin_sqrt)
LANE_BY_LANE(floor_vec, __builtin_floor)
LANE_BY_LANE(ceil_vec, __builtin_ceil)
LANE_BY_LANE(trunc_vec, __builtin_trunc)
#endif

static inline vec rsqrt_vec(vec x) { return 1 / sqrt_vec(x); }

/* -- exponential --------------------------------------------------------------------------------------------------- */

/* Adding this number leaves an integer in the low bits. */
#define WHOLE C(12582912.0, 6755399441055744.0)

#define LOG2_E ((real)1.4426950408889634074)
/* log 2 in two parts; integers times the first part are exact */
#define LN2_HIGH C(0.693359375, 0.69314718036912381649)
#define LN2_LOW C(-2.12194440054690583e-4, 1.9082149292705877e-10)

/* 2ⁿ, a normal number */
static inline vec power_of_2(mask n) { return (vec)((n + BIAS) << MANTISSA); }

/* x = n log 2 + r with |r| <= log 2 / 2 */
static inline vec without_powers_of_2(vec x, vec *n) {
    *n = (x * LOG2_E + WHOLE) - WHOLE;
    return (x - *n * LN2_HIGH) - *n * LN2_LOW;
}

/* (eʳ - 1 - r) / r² for |r| <= log 2 / 2 */
static inline vec exp_tail(vec r) {
#if REAL_BITS == 32
    static const real c[] = {0.5000000049f, 0.1666666682f, 0.04166634305f, 0.008333272524f, 0.001394197826f,
                             0.0001991461379f};
#else
    static const real c[] = {
        0.5, 0.166666666666666776, 0.0416666666666667011, 0.00833333333332065452, 0.00138888888888664888,
        0.00019841269888903528, 0.0000248015873618856746, 2.755724115252257e-6, 2.75572412404104944e-7,
        2.51101818875175417e-8, 2.09249985058440522e-9};
#endif
    return POLYNOMIAL(r, c);
}

/* x 2ⁿ, even if the result or 2ⁿ is outside the range of normal numbers; n is an integer */
static inline vec scaled(vec x, vec n) {
#if defined(__AVX512F__) && REAL_BITS == 32
    return (vec)_mm512_scalef_ps((__m512)x, (__m512)n);
#elif defined(__AVX512F__)
    return (vec)_mm512_scalef_pd((__m512d)x, (__m512d)n);
#else
    mask power = (mask)(n + WHOLE) - (mask)all(WHOLE), half = power >> 1;
    return x * power_of_2(half) * power_of_2(power - half);
#endif
}

#define EXP_LOW C(-105.0, -746.0)       /* the result is 0 */
#define EXP_HIGH C(89.0, 710.0)         /* the result is infinite */

static inline vec exp_vec(vec x) {
    x = at_most(at_least(x, all(EXP_LOW)), all(EXP_HIGH));
    vec n, r = without_powers_of_2(x, &n);
    return scaled(1 + (r + r * r * exp_tail(r)), n);
}

static inline vec expm1_vec(vec x) {
    vec limited = at_most(at_least(x, all(C(-20.0, -40.0))), all(EXP_HIGH));
    vec n, r = without_powers_of_2(limited, &n), small = r + r * r * exp_tail(r);
    vec half = scaled(all(1), n - 1);   /* exponent of 2ⁿ, which may be out of range */
    vec y = 2 * (half * small + (half - (real)0.5));
    return select(abs_vec(x) < SMALLEST_NORMAL, x, y);
}

static inline vec sigmoid_vec(vec x) { return 1 / (1 + exp_vec(-x)); }

/* With t = e⁻²ˣ - 1 for |x|: tanh = -t / (t + 2). Beyond the limit the result rounds to 1. */
static inline vec tanh_rest(vec x, vec *n) {
    return without_powers_of_2(-2 * at_most(abs_vec(x), all(C(10.0, 20.0))), n);
}

static inline vec tanh_of(vec x, vec n, vec r, vec tail) {
    vec power = power_of_2((mask)(n + WHOLE) - (mask)all(WHOLE));
    vec t = power * (r + r * r * tail) + (power - 1);
    return with_sign(t / (t + 2), x);
}

static inline vec tanh_vec(vec x) {
    vec n, r = tanh_rest(x, &n);
    return tanh_of(x, n, r, exp_tail(r));
}

/* Functions of AT_ONCE vectors, interleaved: a chain of 30 dependent operations on one vector would leave no space in
   the processor's queue for the operations of the next. Interleaved, GELU takes 6/10 of the time, and tanh takes
   8/10. */
enum { AT_ONCE = 8 };
#define EACH_AT_ONCE(i, ...)                                                        \
    _Pragma("GCC unroll 8")                                                         \
    for (int i = 0; i < AT_ONCE; i++) { __VA_ARGS__ }

static inline void tanh_vecs(vec x[AT_ONCE]) {
    vec n[AT_ONCE], r[AT_ONCE], tail[AT_ONCE];
    EACH_AT_ONCE(i, r[i] = tanh_rest(x[i], &n[i]);)
    EACH_AT_ONCE(i, tail[i] = exp_tail(r[i]);)
    EACH_AT_ONCE(i, x[i] = tanh_of(x[i], n[i], r[i], tail[i]);)
}

/* -- logarithm ----------------------------------------------------------------------------------------------------- */

#define ROOT_HALF_BITS C_INT(0x3f3504f3, 0x3fe6a09e667f3bcd)
#define INTO_NORMAL C_INT(24, 54)       /* denormal numbers times 2 to this power are normal */

/* log(1 + f) - f + f² / 2 for √½ <= 1 + f < √2 */
static inline vec log_tail(vec f) {
#if REAL_BITS == 32
    static const real c[] = {0.333333104f, -0.24999987f, 0.2000223123f, -0.1666923032f, 0.1421851132f, -0.1238461387f,
                             0.1187457433f, -0.1178905042f, 0.06910541843f};
    return f * f * f * POLYNOMIAL(f, c);
#else
    /* log(1 + f) = 2 artanh(s) with s = f / (2 + f), and f - f² / 2 = 2 s - s f² / 2 + ... : the remainder is s (f² / 2
       + (2 artanh(s) / s - 2)) */
    static const real c[] = {
        0.666666666666666609, 0.400000000000062998, 0.285714285690718153, 0.222222226486674598, 0.181817755280871986,
        0.153870964214098691, 0.132499955112340033, 0.132524138755003265};
    vec s = f / (2 + f), z = s * s;
    return s * (f * f * (real)0.5 + z * POLYNOMIAL(z, c));
#endif
}

/* f and the power n for which x = 2ⁿ (1 + f); x is finite and above 0 */
static inline vec log_parts(vec x, vec *n) {
    mask denormal = x < SMALLEST_NORMAL;
    x = select(denormal, x * ((bits)1 << INTO_NORMAL), x);
    mask exponent = ((mask)x - ROOT_HALF_BITS) >> MANTISSA;
    vec f = (vec)((mask)x - (exponent << MANTISSA)) - 1;
    *n = (vec)(exponent + (mask)all(WHOLE)) - WHOLE - only_where(denormal, all(INTO_NORMAL));
    return f;
}

/* y, or log(x) if x is not finite or not above 0 */
static inline vec log_or_special(vec x, vec y) {
    y = select(x > 0, y, select(x == 0, all(-INFINITY), all(NAN)));
    return select(x < INFINITY, y, select(x == x, all(INFINITY), x));
}

static inline vec log_of_positive(vec x) {
    vec n, f = log_parts(x, &n);
    vec rest = n * LN2_LOW + log_tail(f) - (real)0.5 * f * f;
    return n * LN2_HIGH + (f + rest);
}

static inline vec log_vec(vec x) { return log_or_special(x, log_of_positive(x)); }

static inline vec log2_vec(vec x) {
    vec n, f = log_parts(x, &n);
    return log_or_special(x, n + (f + (log_tail(f) - (real)0.5 * f * f)) * LOG2_E);
}

static inline vec log10_vec(vec x) { return log_vec(x) * (real)0.43429448190325182765; }

static inline vec log1p_vec(vec x) {
    vec u = 1 + x;
    vec lost = select(abs_vec(x) < 1, x - (u - 1), 1 - (u - x));   /* the part of x that was lost by rounding u */
    vec y = log_or_special(u, log_of_positive(u));
    y += only_where((u > 0) & (u < INFINITY), lost / u);
    return select(x == 0, x, y);        /* -0 */
}

/* log(1 + eˣ) */
static inline vec softrelu_vec(vec x) {
    vec y = at_least(x, all(0)) + log1p_vec(exp_vec(-abs_vec(x)));
    return select(x == x, y, x);
}

/* -- error function ------------------------------------------------------------------------------------------------ */

static inline vec erf_vec(vec x) {
#if REAL_BITS == 32
    /* erf(x) / x - 1 as a polynomial in x², for |x| <= 1 */
    static const real small[] = {0.1283791671f, -0.3761263848f, 0.1128378274f, -0.02686544561f, 0.005221074484f,
                                 -0.0008484707439f, 0.0001127052676f, -9.680120533e-6f};
    /* log(1 - erf(x)), 1 <= x <= 4 */
    static const real large[] = {0.0001883646553f, -1.129579847f, -0.6332172761f, -0.1084211944f, 0.02520979272f,
                                 -0.004205090862f, 0.0004414353614f, -2.169461379e-5f};
#else
    static const real small[] = {
        0.128379167095512574, -0.376126389031837481, 0.112837916709548828, -0.0268661706450776079,
        0.00522397762482620531, -0.000854832698131516999, 0.000120553311294695726, -0.0000149255956995920798,
        1.64610074706666948e-6, -1.63503870239259798e-7, 1.46602757362690037e-8, -1.13747818272991822e-9,
        5.96043842005868674e-11};
    static const real large[] = {               /* 1 <= x <= 6 */
        -1.8148350348657317e-7, -1.12837731081526708, -0.636628574063570102, -0.102747008785196272,
        0.019077672465543103, 0.000281194550941157646, -0.00176978765775755687, 0.000641857243079123664,
        -0.000045293381835530698, -0.0000701085050054863981, 0.000044924377046100219, -0.000016474535221596352,
        4.31618041562004975e-6, -8.48239846169001102e-7, 1.2532236073657392e-7, -1.3580557789451361e-8,
        1.02184302168232785e-9, -4.77608633072850267e-11, 1.04481699891747773e-12};
#endif
    vec size = at_most(abs_vec(x), all(C(4.0, 6.0)));
    vec near = x * POLYNOMIAL(x * x, small) + x;
    vec far = with_sign(1 - exp_vec(POLYNOMIAL(size, large)), x);
    return select(size <= 1, near, select(x == x, far, x));
}

/* Φ(x), the normal distribution function, and gelu, x Φ(x) */
#if REAL_BITS == 32
/* log Φ(-|x|), as one polynomial for all x. Computed from 1 + erf, a small Φ would lose its digits. */
static inline vec log_below(vec x) {
    static const real c[] = {-0.6931471792f, -0.7978845303f, -0.3183107353f, -0.03633014386f, 0.004765659198f,
                             6.565223969e-5f, -0.0002440531865f, 7.643908839e-5f, -1.444641425e-5f, 1.837921821e-6f,
                             -1.544309527e-7f, 7.767188528e-9f, -1.772263532e-10f};
    return POLYNOMIAL(abs_vec(x), c);
}

static inline vec phi_of(vec x, vec below) { return select(x > 0, 1 - below, below); }
static inline vec phi_vec(vec x) { return phi_of(x, exp_vec(log_below(x))); }
#else
static inline vec phi_vec(vec x) {
    vec tail = -0.70710678118654752440 * x, result;
    for (int i = 0; i < (int)LANES; i++) result[i] = 0.5 * erfc(tail[i]);
    return result;
}
#endif

/* Below -200, Φ is 0, and -∞ would produce NaN. */
static inline vec not_below(vec x) { return at_least(x, all(-200)); }
static inline vec gelu_vec(vec x) { return not_below(x) * phi_vec(x); }

/* The derivative of gelu: Φ(x) + x φ(x), where φ is the density. */
static inline vec gelu_slope_vec(vec x) {
    vec limited = at_most(not_below(x), all(200));
    return phi_vec(x) + limited * exp_vec(x * x * (real)-0.5) * (real)0.39894228040143267794;
}

static inline void gelu_vecs(vec x[AT_ONCE]) {
#if REAL_BITS == 32
    vec below[AT_ONCE];
    EACH_AT_ONCE(i, below[i] = log_below(x[i]);)
    EACH_AT_ONCE(i, below[i] = exp_vec(below[i]);)
    EACH_AT_ONCE(i, x[i] = not_below(x[i]) * phi_of(x[i], below[i]);)
#else
    EACH_AT_ONCE(i, x[i] = gelu_vec(x[i]);)
#endif
}

/* -- trigonometric functions --------------------------------------------------------------------------------------- */

/* Larger numbers lose digits in `quarter_turns`, so C's own functions handle them. */
#define TURNS_LIMIT C(8000.0, 1.0e5)

/* x = n π/2 + r with |r| <= π/4. π/2 is in several parts, whose integer multiples are exact. */
static inline vec quarter_turns(vec x, mask *n) {
    vec shifted = x * (real)0.63661977236758134308 + WHOLE;
    *n = (mask)shifted - (mask)all(WHOLE);
    vec whole = shifted - WHOLE;
#if REAL_BITS == 32
    return (((x - whole * 1.5703125f) - whole * 4.8351287841796875e-4f) - whole * 3.1385570764541626e-7f)
           - whole * 6.077100506506192e-11f;
#else
    return ((x - whole * 1.5707963267341256) - whole * 6.077100506303966e-11) - whole * 2.0222662487959506e-21;
#endif
}

/* sin(r), cos(r) for |r| <= π/4 */
static inline vec sin_core(vec r) {
#if REAL_BITS == 32
    static const real c[] = {-0.166666542f, 0.008332131041f, -0.0001951084449f};
#else
    static const real c[] = {-0.166666666666666277, 0.00833333333332128315, -0.000198412698288678053,
                             2.75573133554841697e-6, -2.50507040210775436e-8, 1.58935867176962153e-10};
#endif
    vec z = r * r;
    return r + r * z * POLYNOMIAL(z, c);
}

static inline vec cos_core(vec r) {
#if REAL_BITS == 32
    static const real c[] = {0.04166664575f, -0.001388730981f, 2.443157012e-5f};
#else
    static const real c[] = {0.0416666666666665912, -0.00138888888888726165, 0.0000248015872885024961,
                             -2.75573140593757243e-7, 2.08756822357548816e-9, -1.13574660858011611e-11};
#endif
    vec z = r * r;
    return 1 - z * (real)0.5 + z * z * POLYNOMIAL(z, c);
}

/* the sine of r + n π/2; with n + 1, the cosine */
static inline vec sine_of(vec r, mask n) {
    vec y = select((n & 1) != 0, cos_core(r), sin_core(r));
    return (vec)((mask)y ^ ((n & 2) << (REAL_BITS - 2)));
}

/* |x| <= TURNS_LIMIT */
static inline vec sin_vec(vec x) {
    mask n;
    vec r = quarter_turns(x, &n);
    return select(x == 0, x, sine_of(r, n));
}

static inline vec cos_vec(vec x) {
    mask n;
    vec r = quarter_turns(x, &n);
    return sine_of(r, n + 1);
}

static inline vec tan_vec(vec x) {
    mask n;
    vec r = quarter_turns(x, &n);
    return select(x == 0, x, sine_of(r, n) / sine_of(r, n + 1));
}

#endif
