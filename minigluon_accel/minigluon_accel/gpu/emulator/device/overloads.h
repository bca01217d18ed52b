// C's mathematical functions under the same names for float and for integers, as in C++ and CUDA.
#pragma once

// They are visible but not in the global namespace, so that C++'s headers, which a kernel may include, can declare the
// same functions there.
namespace emulator_overloads {

template <class T, class R> using IfWhole = std::enable_if_t<std::is_integral<T>::value, R>;
template <class T, class U, class R>
using IfMixed = std::enable_if_t<std::is_arithmetic<T>::value && std::is_arithmetic<U>::value
                                 && !std::is_same<T, U>::value, R>;

#define EMULATOR_OF_ONE(name, result, of_float)                                                               \
    inline of_float name(float x) { return name##f(x); }                                                      \
    template <class T> inline IfWhole<T, result> name(T x) { return ::name(double(x)); }
#define EMULATOR_OF_TWO(name)                                                                                 \
    inline float name(float x, float y) { return name##f(x, y); }                                             \
    template <class T> inline IfWhole<T, double> name(T x, T y) { return ::name(double(x), double(y)); }      \
    template <class T, class U> inline IfMixed<T, U, double> name(T x, U y) {                                 \
        return ::name(double(x), double(y));                                                                  \
    }
#define EMULATOR_REAL(name) EMULATOR_OF_ONE(name, double, float)
#define EMULATOR_WHOLE(name, type) EMULATOR_OF_ONE(name, type, type)

EMULATOR_REAL(acos) EMULATOR_REAL(asin) EMULATOR_REAL(atan) EMULATOR_REAL(acosh) EMULATOR_REAL(asinh)
EMULATOR_REAL(atanh) EMULATOR_REAL(cos) EMULATOR_REAL(sin) EMULATOR_REAL(tan) EMULATOR_REAL(cosh) EMULATOR_REAL(sinh)
EMULATOR_REAL(tanh) EMULATOR_REAL(exp) EMULATOR_REAL(exp2) EMULATOR_REAL(expm1) EMULATOR_REAL(log) EMULATOR_REAL(log2)
EMULATOR_REAL(log10) EMULATOR_REAL(log1p) EMULATOR_REAL(logb) EMULATOR_REAL(sqrt) EMULATOR_REAL(cbrt)
EMULATOR_REAL(ceil) EMULATOR_REAL(floor) EMULATOR_REAL(trunc) EMULATOR_REAL(round) EMULATOR_REAL(rint)
EMULATOR_REAL(nearbyint) EMULATOR_REAL(fabs) EMULATOR_REAL(erf) EMULATOR_REAL(erfc) EMULATOR_REAL(lgamma)
EMULATOR_REAL(tgamma)
EMULATOR_WHOLE(ilogb, int) EMULATOR_WHOLE(lrint, long) EMULATOR_WHOLE(llrint, long long) EMULATOR_WHOLE(lround, long)
EMULATOR_WHOLE(llround, long long)
EMULATOR_OF_TWO(atan2) EMULATOR_OF_TWO(copysign) EMULATOR_OF_TWO(fdim) EMULATOR_OF_TWO(fmax) EMULATOR_OF_TWO(fmin)
EMULATOR_OF_TWO(fmod) EMULATOR_OF_TWO(hypot) EMULATOR_OF_TWO(nextafter) EMULATOR_OF_TWO(pow) EMULATOR_OF_TWO(remainder)
inline float fma(float x, float y, float z) { return fmaf(x, y, z); }
inline float frexp(float x, int *exponent) { return frexpf(x, exponent); }
inline float ldexp(float x, int exponent) { return ldexpf(x, exponent); }
inline float scalbn(float x, int exponent) { return scalbnf(x, exponent); }
inline float scalbln(float x, long exponent) { return scalblnf(x, exponent); }
inline float modf(float x, float *whole) { return modff(x, whole); }
inline float remquo(float x, float y, int *quotient) { return remquof(x, y, quotient); }
#undef EMULATOR_REAL
#undef EMULATOR_WHOLE
#undef EMULATOR_OF_ONE
#undef EMULATOR_OF_TWO

// These are macros in C.
#undef isfinite
#undef isinf
#undef isnan
#undef signbit
template <class T> inline bool isfinite(T x) { return __builtin_isfinite(double(x)); }
template <class T> inline bool isinf(T x) { return __builtin_isinf(double(x)); }
template <class T> inline bool isnan(T x) { return __builtin_isnan(double(x)); }
template <class T> inline bool signbit(T x) { return __builtin_signbit(double(x)); }

}  // namespace emulator_overloads

using namespace emulator_overloads;
using std::abs;
