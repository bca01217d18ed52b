// The calls that -fsanitize=thread inserts before each access, and in place of atomic operations.
#include "checks/access.h"
#include "core/block.h"
#include "checks/races.h"

#define CALLER __builtin_return_address(0)

// Threads use volatile accesses to communicate without barriers.
#define ACCESSES(size)                                                                                          \
    EXPORT void __tsan_read##size(void *p) { look_at(p, size, Access::read, CALLER); }                          \
    EXPORT void __tsan_write##size(void *p) { look_at(p, size, Access::write, CALLER); }                        \
    EXPORT void __tsan_unaligned_read##size(void *p) { look_at(p, size, Access::read, CALLER); }                \
    EXPORT void __tsan_unaligned_write##size(void *p) { look_at(p, size, Access::write, CALLER); }              \
    EXPORT void __tsan_volatile_read##size(void *p) { look_at(p, size, Access::strong_read, CALLER); }          \
    EXPORT void __tsan_volatile_write##size(void *p) { look_at(p, size, Access::strong_write, CALLER); }        \
    EXPORT void __tsan_unaligned_volatile_read##size(void *p) { look_at(p, size, Access::strong_read, CALLER); }\
    EXPORT void __tsan_unaligned_volatile_write##size(void *p) { look_at(p, size, Access::strong_write, CALLER); }
ACCESSES(1)
ACCESSES(2)
ACCESSES(4)
ACCESSES(8)
ACCESSES(16)
EXPORT void __tsan_read_range(void *p, size_t size) { look_at(p, size, Access::read, CALLER); }
EXPORT void __tsan_write_range(void *p, size_t size) { look_at(p, size, Access::write, CALLER); }

EXPORT void __tsan_init() {}
EXPORT void __tsan_func_entry(void *) {}
EXPORT void __tsan_func_exit() {}
EXPORT void __tsan_vptr_update(void **, void *) {}
EXPORT void __tsan_vptr_read(void **) {}
EXPORT void __tsan_atomic_signal_fence(int) {}
// For the device, or only for the block: see threads.h.
EXPORT void __tsan_atomic_thread_fence(int order) {
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    if (running_block) fence(*running_block, order == __ATOMIC_SEQ_CST);
}

// Atomic operations are replaced with calls, which check them and then perform them.
#define ATOMICS(bits, type)                                                                                     \
    EXPORT type __tsan_atomic##bits##_load(type *p, int) {                                                      \
        look_at(p, sizeof *p, Access::strong_read, CALLER);                                                     \
        return __atomic_load_n(p, __ATOMIC_SEQ_CST);                                                            \
    }                                                                                                           \
    EXPORT void __tsan_atomic##bits##_store(type *p, type v, int) {                                             \
        look_at(p, sizeof *p, Access::strong_write, CALLER);                                                    \
        __atomic_store_n(p, v, __ATOMIC_SEQ_CST);                                                               \
    }                                                                                                           \
    EXPORT type __tsan_atomic##bits##_exchange(type *p, type v, int) {                                          \
        look_at(p, sizeof *p, Access::strong_write, CALLER);                                                    \
        return __atomic_exchange_n(p, v, __ATOMIC_SEQ_CST);                                                     \
    }                                                                                                           \
    EXPORT int __tsan_atomic##bits##_compare_exchange_strong(type *p, type *expected, type v, int, int) {       \
        look_at(p, sizeof *p, Access::strong_write, CALLER);                                                    \
        return __atomic_compare_exchange_n(p, expected, v, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);          \
    }                                                                                                           \
    EXPORT int __tsan_atomic##bits##_compare_exchange_weak(type *p, type *expected, type v, int, int) {         \
        look_at(p, sizeof *p, Access::strong_write, CALLER);                                                    \
        return __atomic_compare_exchange_n(p, expected, v, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);          \
    }                                                                                                           \
    EXPORT type __tsan_atomic##bits##_compare_exchange_val(type *p, type expected, type v, int, int) {          \
        look_at(p, sizeof *p, Access::strong_write, CALLER);                                                    \
        __atomic_compare_exchange_n(p, &expected, v, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);                \
        return expected;                                                                                        \
    }
#define FETCH(bits, type, name)                                                                                 \
    EXPORT type __tsan_atomic##bits##_fetch_##name(type *p, type v, int) {                                      \
        look_at(p, sizeof *p, Access::strong_write, CALLER);                                                    \
        return __atomic_fetch_##name(p, v, __ATOMIC_SEQ_CST);                                                   \
    }
#define ALL_ATOMICS(bits, type)                                                                                 \
    ATOMICS(bits, type) FETCH(bits, type, add) FETCH(bits, type, sub) FETCH(bits, type, and)                    \
    FETCH(bits, type, or) FETCH(bits, type, xor) FETCH(bits, type, nand)
ALL_ATOMICS(8, unsigned char)
ALL_ATOMICS(16, unsigned short)
ALL_ATOMICS(32, unsigned)
ALL_ATOMICS(64, unsigned long)
