// CUDA's mathematical functions that the C library lacks, and its intrinsics.
#pragma once

#ifndef INFINITY
#define INFINITY __builtin_inff()
#endif

#define EMULATOR_MIN_MAX(type)                                                                                 \
    inline type min(type a, type b) { return b < a ? b : a; }                                                  \
    inline type max(type a, type b) { return a < b ? b : a; }
EMULATOR_MIN_MAX(int)
EMULATOR_MIN_MAX(unsigned)
EMULATOR_MIN_MAX(long)
EMULATOR_MIN_MAX(unsigned long)
EMULATOR_MIN_MAX(long long)
EMULATOR_MIN_MAX(unsigned long long)
#undef EMULATOR_MIN_MAX
inline float min(float a, float b) { return fminf(a, b); }
inline float max(float a, float b) { return fmaxf(a, b); }
inline double min(double a, double b) { return fmin(a, b); }
inline double max(double a, double b) { return fmax(a, b); }
inline double min(float a, double b) { return fmin(a, b); }
inline double min(double a, float b) { return fmin(a, b); }
inline double max(float a, double b) { return fmax(a, b); }
inline double max(double a, float b) { return fmax(a, b); }
inline unsigned min(int a, unsigned b) { return min(unsigned(a), b); }
inline unsigned min(unsigned a, int b) { return min(a, unsigned(b)); }
inline unsigned max(int a, unsigned b) { return max(unsigned(a), b); }
inline unsigned max(unsigned a, int b) { return max(a, unsigned(b)); }
inline long long min(int a, long long b) { return min((long long)a, b); }
inline long long min(long long a, int b) { return min(a, (long long)b); }
inline long long max(int a, long long b) { return max((long long)a, b); }
inline long long max(long long a, int b) { return max(a, (long long)b); }

// The inverse of erf: a starting value from Winitzki's formula, then Halley's iteration on erf itself.
inline double erfinv(double y) {
    if (!(y > -1 && y < 1)) return y == 1 ? INFINITY : y == -1 ? -INFINITY : (double)NAN;
    if (y == 0) return y;
    double l = log1p(-y * y), b = 4.330746750799873 + l / 2;          // 2 / (pi * 0.147)
    double x = copysign(sqrt(sqrt(b * b - l / 0.147) - b), y);
    for (int step = 0; step < 3; ++step) {
        // For y near 1, the difference of the complements keeps the digits that erf(x) - y would lose.
        double difference = fabs(y) < 0.5 ? erf(x) - y : ((1 - fabs(y)) - erfc(fabs(x))) * (y < 0 ? -1 : 1);
        double slope = 1.1283791670955126 * exp(-x * x);                // derivative of erf: 2 / sqrt(pi) * exp(-x^2)
        double newton = difference / slope;
        x -= newton / (1 + x * newton);
    }
    return x;
}
inline float erfinvf(float y) { return (float)erfinv((double)y); }
inline double erfcinv(double y) { return erfinv(1 - y); }
inline float erfcinvf(float y) { return (float)erfcinv((double)y); }
inline double normcdf(double x) { return 0.5 * erfc(-x * 0.7071067811865476); }
inline float normcdff(float x) { return (float)normcdf(x); }
inline double normcdfinv(double y) { return -1.4142135623730951 * erfcinv(2 * y); }
inline float normcdfinvf(float y) { return (float)normcdfinv((double)y); }
inline double erfcx(double x) { return exp(x * x) * erfc(x); }
inline float erfcxf(float x) { return (float)erfcx((double)x); }

inline float rsqrtf(float x) { return 1 / sqrtf(x); }
inline double rsqrt(double x) { return 1 / sqrt(x); }
inline float rcbrtf(float x) { return 1 / cbrtf(x); }
inline double rcbrt(double x) { return 1 / cbrt(x); }
inline float rhypotf(float x, float y) { return 1 / hypotf(x, y); }
inline double rhypot(double x, double y) { return 1 / hypot(x, y); }
inline float sinpif(float x) { return (float)sin(M_PI * fmod((double)x, 2)); }
inline double sinpi(double x) { return sin(M_PI * fmod(x, 2)); }
inline float cospif(float x) { return (float)cos(M_PI * fmod((double)x, 2)); }
inline double cospi(double x) { return cos(M_PI * fmod(x, 2)); }
inline void sincospif(float x, float *s, float *c) { *s = sinpif(x); *c = cospif(x); }
inline void sincos(float x, float *s, float *c) { sincosf(x, s, c); }

// The same names for float, without the suffix f.
#define EMULATOR_FLOAT(name) inline float name(float x) { return name##f(x); }
EMULATOR_FLOAT(rsqrt)
EMULATOR_FLOAT(rcbrt)
EMULATOR_FLOAT(sinpi)
EMULATOR_FLOAT(cospi)
EMULATOR_FLOAT(exp10)
EMULATOR_FLOAT(erfinv)
EMULATOR_FLOAT(erfcinv)
EMULATOR_FLOAT(erfcx)
EMULATOR_FLOAT(normcdf)
EMULATOR_FLOAT(normcdfinv)
EMULATOR_FLOAT(j0)
EMULATOR_FLOAT(j1)
EMULATOR_FLOAT(y0)
EMULATOR_FLOAT(y1)
#undef EMULATOR_FLOAT
inline float norm3df(float a, float b, float c) { return sqrtf(a * a + b * b + c * c); }
inline double norm3d(double a, double b, double c) { return sqrt(a * a + b * b + c * c); }
inline float fdividef(float a, float b) { return a / b; }
inline float saturate(float x) { return fminf(fmaxf(x, 0.0f), 1.0f); }
inline float __saturatef(float x) { return saturate(x); }

inline float __expf(float x) { return expf(x); }
inline float __exp10f(float x) { return powf(10.0f, x); }
inline float __logf(float x) { return logf(x); }
inline float __log2f(float x) { return log2f(x); }
inline float __log10f(float x) { return log10f(x); }
inline float __powf(float x, float y) { return powf(x, y); }
inline float __sinf(float x) { return sinf(x); }
inline float __cosf(float x) { return cosf(x); }
inline float __tanf(float x) { return tanf(x); }
inline float __tanhf(float x) { return tanhf(x); }
inline void __sincosf(float x, float *s, float *c) { *s = sinf(x); *c = cosf(x); }
inline float __fdividef(float a, float b) { return a / b; }

namespace emulator {

// Hides the value from the compiler, so that rounded values remain rounded and do not become part of an fma.
template <class R> inline R rounded(R x) {
    asm("" : "+x"(x));
    return x;
}

}  // namespace emulator

#define EMULATOR_ROUNDED(type, letter, root)                                                                    \
    inline type __##letter##add_rn(type a, type b) { return emulator::rounded(a) + emulator::rounded(b); }     \
    inline type __##letter##sub_rn(type a, type b) { return emulator::rounded(a) - emulator::rounded(b); }     \
    inline type __##letter##mul_rn(type a, type b) { return emulator::rounded(a * b); }                        \
    inline type __##letter##div_rn(type a, type b) { return a / b; }                                           \
    inline type __##letter##rcp_rn(type a) { return 1 / a; }                                                   \
    inline type __##letter##sqrt_rn(type a) { return root(a); }
EMULATOR_ROUNDED(float, f, sqrtf)
EMULATOR_ROUNDED(double, d, sqrt)
#undef EMULATOR_ROUNDED
inline float __fsqrt_rd(float a) { return sqrtf(a); }
inline float __frsqrt_rn(float a) { return rsqrtf(a); }
inline float __fmaf_rn(float a, float b, float c) { return fmaf(a, b, c); }
inline double __fma_rn(double a, double b, double c) { return fma(a, b, c); }
inline float __frcp_rz(float a) { return 1 / a; }

// The bits of one type, read as another type.
#define EMULATOR_BITS(name, to, from)                                                                          \
    inline to name(from value) { return emulator::delivered<to>(emulator::carried(value)); }
EMULATOR_BITS(__float_as_int, int, float)
EMULATOR_BITS(__float_as_uint, unsigned, float)
EMULATOR_BITS(__int_as_float, float, int)
EMULATOR_BITS(__uint_as_float, float, unsigned)
EMULATOR_BITS(__double_as_longlong, long long, double)
EMULATOR_BITS(__longlong_as_double, double, long long)
#undef EMULATOR_BITS
inline int __double2hiint(double x) { return int(__double_as_longlong(x) >> 32); }
inline int __double2loint(double x) { return int(__double_as_longlong(x)); }
inline double __hiloint2double(int high, int low) {
    return __longlong_as_double((long long)((unsigned long long)(unsigned)high << 32 | (unsigned)low));
}

namespace emulator {

// A real number without a fraction, converted to an integer: the nearest representable one, or 0 for NaN, as on a GPU.
template <class I, class R> inline I to_integer(R x) {
    constexpr I least = std::is_signed<I>::value ? I(1) << (sizeof(I) * 8 - 1) : 0, most = I(~least);
    return x != x ? I(0) : x <= R(least) ? least : x >= R(most) ? most : I(x);
}

inline float toward(float x, double exact, int direction) {         // rounds `exact`, near x, up (1) or down (-1)
    if (direction > 0 && x < exact) return nextafterf(x, INFINITY);
    return direction < 0 && x > exact ? nextafterf(x, -INFINITY) : x;
}

}  // namespace emulator

#define EMULATOR_TO_INTEGER(real, name, integer)                                                               \
    inline integer __##name##_rn(real x) { return emulator::to_integer<integer>(rint(x)); }                    \
    inline integer __##name##_rz(real x) { return emulator::to_integer<integer>(trunc(x)); }                   \
    inline integer __##name##_rd(real x) { return emulator::to_integer<integer>(floor(x)); }                   \
    inline integer __##name##_ru(real x) { return emulator::to_integer<integer>(ceil(x)); }
EMULATOR_TO_INTEGER(float, float2int, int)
EMULATOR_TO_INTEGER(float, float2uint, unsigned)
EMULATOR_TO_INTEGER(float, float2ll, long long)
EMULATOR_TO_INTEGER(float, float2ull, unsigned long long)
EMULATOR_TO_INTEGER(double, double2int, int)
EMULATOR_TO_INTEGER(double, double2uint, unsigned)
EMULATOR_TO_INTEGER(double, double2ll, long long)
EMULATOR_TO_INTEGER(double, double2ull, unsigned long long)
#undef EMULATOR_TO_INTEGER
inline float __int2float_rn(int x) { return float(x); }
inline float __uint2float_rn(unsigned x) { return float(x); }
inline float __ll2float_rn(long long x) { return float(x); }
inline float __ull2float_rn(unsigned long long x) { return float(x); }
inline float __int2float_rz(int x) { return emulator::toward(float(x), x, x < 0 ? 1 : -1); }
inline float __uint2float_rz(unsigned x) { return emulator::toward(float(x), x, -1); }
inline double __int2double_rn(int x) { return x; }
inline double __uint2double_rn(unsigned x) { return x; }
inline double __ll2double_rn(long long x) { return double(x); }
inline double __ull2double_rn(unsigned long long x) { return double(x); }
inline float __double2float_rn(double x) { return float(x); }
inline float __double2float_rz(double x) { return emulator::toward(float(x), x, x < 0 ? 1 : -1); }
inline float __double2float_ru(double x) { return emulator::toward(float(x), x, 1); }
inline float __double2float_rd(double x) { return emulator::toward(float(x), x, -1); }

inline int __popc(unsigned x) { return __builtin_popcount(x); }
inline int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
inline int __clz(int x) { return x ? __builtin_clz(unsigned(x)) : 32; }
inline int __clzll(long long x) { return x ? __builtin_clzll((unsigned long long)x) : 64; }
inline int __ffs(int x) { return __builtin_ffs(x); }
inline int __ffsll(long long x) { return __builtin_ffsll(x); }
inline unsigned __brev(unsigned x) {
    unsigned result = 0;
    for (int bit = 0; bit < 32; ++bit) result |= (x >> bit & 1) << (31 - bit);
    return result;
}
inline unsigned long long __brevll(unsigned long long x) {
    return (unsigned long long)__brev(unsigned(x)) << 32 | __brev(unsigned(x >> 32));
}
inline int __mulhi(int a, int b) { return int((long long)a * b >> 32); }
inline unsigned __umulhi(unsigned a, unsigned b) { return unsigned((unsigned long long)a * b >> 32); }
inline long long __mul64hi(long long a, long long b) { return (long long)((__int128)a * b >> 64); }
inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
    return (unsigned long long)((unsigned __int128)a * b >> 64);
}
inline int __mul24(int a, int b) { return int((long long)(a << 8 >> 8) * (b << 8 >> 8)); }
inline unsigned __umul24(unsigned a, unsigned b) { return (a & 0xffffff) * (b & 0xffffff); }
inline unsigned __funnelshift_l(unsigned low, unsigned high, unsigned by) {
    return unsigned(((unsigned long long)high << 32 | low) << (by & 31) >> 32);
}
inline unsigned __funnelshift_r(unsigned low, unsigned high, unsigned by) {
    return unsigned(((unsigned long long)high << 32 | low) >> (by & 31));
}
inline unsigned __byte_perm(unsigned a, unsigned b, unsigned selector) {
    unsigned long long bytes = (unsigned long long)b << 32 | a;
    unsigned result = 0;
    for (int i = 0; i < 4; ++i) {
        unsigned choice = selector >> 4 * i & 15, byte = unsigned(bytes >> 8 * (choice & 7)) & 255;
        result |= (choice & 8 ? (byte & 128 ? 255u : 0u) : byte) << 8 * i;
    }
    return result;
}
inline int __dp4a(int a, int b, int c) {
    for (int i = 0; i < 4; ++i) c += (signed char)(a >> 8 * i) * (signed char)(b >> 8 * i);
    return c;
}
