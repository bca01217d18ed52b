// Atomic operations: blocks run on several processors at once. They are inlined at every optimization level, so that
// messages name the lines that call them.
#pragma once

namespace emulator {

// The unsigned type with the width of T, as which its bits are exchanged.
template <class T> using Bits = std::conditional_t<sizeof(T) == 2, unsigned short,
                                std::conditional_t<sizeof(T) == 4, unsigned, unsigned long long>>;

// *address = change(*address), as an atomic step. Returns the old value.
template <class T, class F> EMULATOR_INLINE T atomically(T *address, F change) {
    auto *bits = reinterpret_cast<Bits<T> *>(address);
    Bits<T> before = __atomic_load_n(bits, __ATOMIC_RELAXED), after;
    do {
        T value;
        memcpy(&value, &before, sizeof value);
        value = change(value);
        memcpy(&after, &value, sizeof value);
    } while (!__atomic_compare_exchange_n(bits, &before, after, true, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED));
    T old;
    memcpy(&old, &before, sizeof old);
    return old;
}

}  // namespace emulator

#define EMULATOR_INTEGER_ATOMICS(type)                                                                         \
    EMULATOR_INLINE type atomicAdd(type *p, type v) { return __atomic_fetch_add(p, v, __ATOMIC_SEQ_CST); }     \
    EMULATOR_INLINE type atomicAnd(type *p, type v) { return __atomic_fetch_and(p, v, __ATOMIC_SEQ_CST); }     \
    EMULATOR_INLINE type atomicOr(type *p, type v) { return __atomic_fetch_or(p, v, __ATOMIC_SEQ_CST); }       \
    EMULATOR_INLINE type atomicXor(type *p, type v) { return __atomic_fetch_xor(p, v, __ATOMIC_SEQ_CST); }     \
    EMULATOR_INLINE type atomicExch(type *p, type v) { return __atomic_exchange_n(p, v, __ATOMIC_SEQ_CST); }   \
    EMULATOR_INLINE type atomicMin(type *p, type v) {                                                          \
        return emulator::atomically(p, [v](type old) { return old < v ? old : v; });                           \
    }                                                                                                          \
    EMULATOR_INLINE type atomicMax(type *p, type v) {                                                          \
        return emulator::atomically(p, [v](type old) { return old < v ? v : old; });                           \
    }                                                                                                          \
    EMULATOR_INLINE type atomicCAS(type *p, type expected, type v) {                                           \
        __atomic_compare_exchange_n(p, &expected, v, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);               \
        return expected;                                                                                       \
    }
EMULATOR_INTEGER_ATOMICS(int)
EMULATOR_INTEGER_ATOMICS(unsigned)
EMULATOR_INTEGER_ATOMICS(long long)
EMULATOR_INTEGER_ATOMICS(unsigned long long)
#undef EMULATOR_INTEGER_ATOMICS

EMULATOR_INLINE int atomicSub(int *p, int v) { return __atomic_fetch_sub(p, v, __ATOMIC_SEQ_CST); }
EMULATOR_INLINE unsigned atomicSub(unsigned *p, unsigned v) { return __atomic_fetch_sub(p, v, __ATOMIC_SEQ_CST); }
EMULATOR_INLINE unsigned atomicInc(unsigned *p, unsigned most) {
    return emulator::atomically(p, [most](unsigned old) { return old >= most ? 0u : old + 1; });
}
EMULATOR_INLINE unsigned atomicDec(unsigned *p, unsigned most) {
    return emulator::atomically(p, [most](unsigned old) { return old == 0 || old > most ? most : old - 1; });
}
EMULATOR_INLINE unsigned short atomicCAS(unsigned short *p, unsigned short expected, unsigned short v) {
    __atomic_compare_exchange_n(p, &expected, v, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    return expected;
}
EMULATOR_INLINE float atomicAdd(float *p, float v) { return emulator::atomically(p, [v](float old) { return old + v; }); }
EMULATOR_INLINE double atomicAdd(double *p, double v) { return emulator::atomically(p, [v](double old) { return old + v; }); }
EMULATOR_INLINE float atomicExch(float *p, float v) { return emulator::atomically(p, [v](float) { return v; }); }

#define EMULATOR_BLOCK_ATOMIC(name)                                                                            \
    template <class T> EMULATOR_INLINE T name##_block(T *p, T v) { return name(p, v); }                        \
    template <class T> EMULATOR_INLINE T name##_system(T *p, T v) { return name(p, v); }
EMULATOR_BLOCK_ATOMIC(atomicAdd)
EMULATOR_BLOCK_ATOMIC(atomicMin)
EMULATOR_BLOCK_ATOMIC(atomicMax)
EMULATOR_BLOCK_ATOMIC(atomicExch)
#undef EMULATOR_BLOCK_ATOMIC
