// Indices, barriers, warp operations, and a thread's other built-ins.
#pragma once

#define EMULATOR_INDEX(name, symbol)                                                                        \
    extern __thread const uint3 name __asm__(symbol) __attribute__((tls_model("initial-exec")))
EMULATOR_INDEX(threadIdx, "emulator_thread_index");
EMULATOR_INDEX(blockIdx, "emulator_block_index");
EMULATOR_INDEX(blockDim, "emulator_block_size");
EMULATOR_INDEX(gridDim, "emulator_grid_size");
#undef EMULATOR_INDEX
constexpr int warpSize = 32;

inline void __syncthreads(EMULATOR_HERE) { emulator_barrier(emulator::plain, 0, file, line); }
inline int __syncthreads_count(int p, EMULATOR_HERE) { return emulator_barrier(emulator::count, p != 0, file, line); }
inline int __syncthreads_or(int p, EMULATOR_HERE) { return emulator_barrier(emulator::any, p != 0, file, line); }
inline int __syncthreads_and(int p, EMULATOR_HERE) { return emulator_barrier(emulator::all, p != 0, file, line); }

inline void __threadfence() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
inline void __threadfence_block() { __atomic_thread_fence(__ATOMIC_ACQ_REL); }
inline void __threadfence_system() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }

inline void __syncwarp(unsigned mask = 0xffffffffu, EMULATOR_HERE) {
    emulator_warp(emulator::sync_warp, mask, 0, 0, file, line);
}
inline unsigned __ballot_sync(unsigned mask, int p, EMULATOR_HERE) {
    return unsigned(emulator_warp(emulator::ballot, mask, p != 0, 0, file, line));
}
inline int __any_sync(unsigned mask, int p, EMULATOR_HERE) {
    return int(emulator_warp(emulator::vote_any, mask, p != 0, 0, file, line));
}
inline int __all_sync(unsigned mask, int p, EMULATOR_HERE) {
    return int(emulator_warp(emulator::vote_all, mask, p != 0, 0, file, line));
}
inline unsigned __activemask() { return emulator_active_mask(); }

namespace emulator {

// Converts a value to the bits that a warp operation exchanges, and back.
template <class T> inline unsigned long long carried(T value) {
    static_assert(sizeof(T) <= 8, "warp operations carry at most 8 bytes");
    unsigned long long bits = 0;
    memcpy(&bits, &value, sizeof(T));
    return bits;
}
template <class T> inline T delivered(unsigned long long bits) {
    T value;
    memcpy(&value, &bits, sizeof(T));
    return value;
}

inline int own_lane() {
    return int(threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)) % 32;
}

template <class T> inline T from_lane(unsigned mask, T value, int lane, const char *file, int line) {
    return delivered<T>(emulator_warp(shuffle, mask, carried(value), lane, file, line));
}

// *to = value once all lanes of the warp have arrived here and have therefore read their operands; see rewrite.py.
template <class T, class V> EMULATOR_INLINE void store_in_step(T *to, const V &value, EMULATOR_HERE) {
    T kept = value;
    emulator_warp(volatile_store, ~0u, reinterpret_cast<unsigned long long>(to), 0, file, line);
    *to = kept;
    emulator_warp(volatile_store, ~0u, reinterpret_cast<unsigned long long>(to), 0, file, line);
}

}  // namespace emulator

// Shuffles within parts of `width` lanes: from a given lane of the part, from a lower or higher lane, and from lane xor
// mask.
template <class T> inline T __shfl_sync(unsigned mask, T value, int source, int width = 32, EMULATOR_HERE) {
    int part = emulator::own_lane() & ~(width - 1);
    return emulator::from_lane(mask, value, part + (source & (width - 1)), file, line);
}
template <class T> inline T __shfl_up_sync(unsigned mask, T value, unsigned by, int width = 32, EMULATOR_HERE) {
    int lane = emulator::own_lane(), part = lane & ~(width - 1), source = lane - int(by);
    return emulator::from_lane(mask, value, source < part ? lane : source, file, line);
}
template <class T> inline T __shfl_down_sync(unsigned mask, T value, unsigned by, int width = 32, EMULATOR_HERE) {
    int lane = emulator::own_lane(), last = lane | (width - 1), source = lane + int(by);
    return emulator::from_lane(mask, value, source > last ? lane : source, file, line);
}
template <class T> inline T __shfl_xor_sync(unsigned mask, T value, int by, int width = 32, EMULATOR_HERE) {
    int lane = emulator::own_lane(), last = lane | (width - 1), source = lane ^ by;
    return emulator::from_lane(mask, value, source > last ? lane : source, file, line);
}

template <class T> inline unsigned __match_any_sync(unsigned mask, T value, EMULATOR_HERE) {
    return unsigned(emulator_warp(emulator::match_any, mask, emulator::carried(value), 0, file, line));
}
template <class T> inline unsigned __match_all_sync(unsigned mask, T value, int *equal, EMULATOR_HERE) {
    unsigned same = unsigned(emulator_warp(emulator::match_all, mask, emulator::carried(value), 0, file, line));
    *equal = same != 0;
    return same;
}

#define EMULATOR_REDUCTION(name, type, is_signed)                                                            \
    inline type __reduce_##name##_sync(unsigned mask, type value, EMULATOR_HERE) {                            \
        return type(emulator_warp(emulator::reduce_##name, mask, unsigned(value), is_signed, file, line));    \
    }
EMULATOR_REDUCTION(add, unsigned, 0)
EMULATOR_REDUCTION(add, int, 1)
EMULATOR_REDUCTION(min, unsigned, 0)
EMULATOR_REDUCTION(min, int, 1)
EMULATOR_REDUCTION(max, unsigned, 0)
EMULATOR_REDUCTION(max, int, 1)
EMULATOR_REDUCTION(and, unsigned, 0)
EMULATOR_REDUCTION(or, unsigned, 0)
EMULATOR_REDUCTION(xor, unsigned, 0)
#undef EMULATOR_REDUCTION

#undef assert
#define assert(expression) ((expression) ? (void)0 : emulator_assert(#expression, __FILE__, __LINE__))
inline void __trap(EMULATOR_HERE) { emulator_trap(file, line); }
inline void __brkpt() {}
inline void __nanosleep(unsigned) {}
inline long long clock64() { return (long long)__builtin_ia32_rdtsc(); }
inline unsigned long long __globaltimer() { return __builtin_ia32_rdtsc(); }

template <class T> inline T __ldg(const T *pointer) { return *pointer; }
template <class T> inline T __ldca(const T *pointer) { return *pointer; }
template <class T> inline T __ldcg(const T *pointer) { return *pointer; }
template <class T> inline T __ldcs(const T *pointer) { return *pointer; }
template <class T> inline void __stcg(T *pointer, T value) { *pointer = value; }
template <class T> inline void __stcs(T *pointer, T value) { *pointer = value; }
