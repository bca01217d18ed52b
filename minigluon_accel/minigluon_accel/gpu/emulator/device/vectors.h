// float2, make_float2, and so on: aligned as on a GPU, so that a misaligned access is detected.
#pragma once

#define EMULATOR_VECTORS(type, name, one, two, four)                                                        \
    struct one name##1 { type x; };                                                                         \
    struct two name##2 { type x, y; };                                                                      \
    struct name##3 { type x, y, z; };                                                                       \
    struct four name##4 { type x, y, z, w; };                                                               \
    inline name##1 make_##name##1(type x) { return {x}; }                                                   \
    inline name##2 make_##name##2(type x, type y) { return {x, y}; }                                        \
    inline name##3 make_##name##3(type x, type y, type z) { return {x, y, z}; }                             \
    inline name##4 make_##name##4(type x, type y, type z, type w) { return {x, y, z, w}; }

EMULATOR_VECTORS(signed char, char, , __align__(2), __align__(4))
EMULATOR_VECTORS(unsigned char, uchar, , __align__(2), __align__(4))
EMULATOR_VECTORS(short, short, , __align__(4), __align__(8))
EMULATOR_VECTORS(unsigned short, ushort, , __align__(4), __align__(8))
EMULATOR_VECTORS(int, int, , __align__(8), __align__(16))
EMULATOR_VECTORS(unsigned, uint, , __align__(8), __align__(16))
EMULATOR_VECTORS(long, long, , __align__(16), __align__(16))
EMULATOR_VECTORS(unsigned long, ulong, , __align__(16), __align__(16))
EMULATOR_VECTORS(long long, longlong, , __align__(16), __align__(16))
EMULATOR_VECTORS(unsigned long long, ulonglong, , __align__(16), __align__(16))
EMULATOR_VECTORS(float, float, , __align__(8), __align__(16))
EMULATOR_VECTORS(double, double, , __align__(16), __align__(16))
#undef EMULATOR_VECTORS

struct dim3 {
    unsigned x, y, z;
    constexpr dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {}
    constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
    operator uint3() const { return {x, y, z}; }
};
