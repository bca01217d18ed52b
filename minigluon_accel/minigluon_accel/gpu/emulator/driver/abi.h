// The interface between compiled modules and the driver, included by both. The names that kernels see begin with
// emulator_.
#pragma once

namespace emulator {

struct Index { unsigned x, y, z; };

// One parameter of a kernel: its offset in the packed arguments, and whether it is a pointer.
struct Parameter { unsigned offset, size; bool pointer; };

struct Kernel {
    const char *name;
    const char *names;                      // names of its parameters, separated by commas
    const void *address;                    // address of the function, used to find it by its symbol
    void (*call)(void **arguments);         // runs one thread
    const Parameter *parameters;
    unsigned count;
    unsigned bytes;                         // total bytes of the arguments
    unsigned threads;                       // maximum number of threads in a block, from __launch_bounds__; 0: no bound
};

enum Barrier { plain = 0, count = 1, any = 2, all = 3 };

enum Operation { sync_warp, shuffle, ballot, vote_any, vote_all, match_any, match_all, reduce_add, reduce_min,
                 reduce_max, reduce_and, reduce_or, reduce_xor, volatile_store };

}  // namespace emulator

extern "C" {
// The kernels and their number: every module defines both.
extern const unsigned emulator_kernel_count;
extern const emulator::Kernel emulator_kernels[];

int emulator_barrier(int kind, int predicate, const char *file, int line);
unsigned long long emulator_warp(int operation, unsigned mask, unsigned long long value, int source,
                                 const char *file, int line);
unsigned emulator_active_mask();
[[noreturn]] void emulator_assert(const char *text, const char *file, int line);
[[noreturn]] void emulator_trap(const char *file, int line);
}
