// The threads of a block are fibers: separate stacks between which one thread of the operating system switches.
#pragma once
#include <cstddef>
#include <cstdint>

constexpr size_t STACK = 128 << 10, GUARD = 64 << 10;

struct Fiber {
    void *stack_pointer = nullptr;      // stack pointer at which it continues
    char *top = nullptr;                // top of its stack, which grows down from here
    char *lowest = nullptr;             // lowest address of its stack
};

// Save the callee-saved registers on this stack, store the stack pointer in *from, and continue on the stack `to`.
extern "C" void emulator_switch(void **from, void *to);

// Give the fiber a stack, once, and let it continue with `body`, which never returns.
void prepare(Fiber &fiber, int number, void (*body)());
void free_stack(Fiber &fiber);

// Whether this address is in the guard pages of the fiber's stack, which an overflow hits.
inline bool in_guard(const Fiber &fiber, uintptr_t address) {
    uintptr_t lowest = reinterpret_cast<uintptr_t>(fiber.lowest);
    return address < lowest && address >= lowest - GUARD;
}
inline bool on_stack(const Fiber &fiber, uintptr_t address) {
    return address >= reinterpret_cast<uintptr_t>(fiber.lowest) && address < reinterpret_cast<uintptr_t>(fiber.top);
}
