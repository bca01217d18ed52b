// Stacks, and switching between them. In the System V ABI for x86-64, rbx, rbp and r12 to r15 survive calls; other
// registers may not.
#include "core/fibers.h"
#include <new>
#include <sys/mman.h>

#if !defined(__x86_64__) || !defined(__linux__)
#error "the emulator's stack switch is written for x86-64 Linux"
#endif

asm(R"(
    .text
    .globl emulator_switch
    .hidden emulator_switch
    .type emulator_switch, @function
emulator_switch:
    pushq %rbp
    pushq %rbx
    pushq %r12
    pushq %r13
    pushq %r14
    pushq %r15
    movq %rsp, (%rdi)
    movq %rsi, %rsp
    popq %r15
    popq %r14
    popq %r13
    popq %r12
    popq %rbx
    popq %rbp
    ret
    .size emulator_switch, . - emulator_switch
)");

void prepare(Fiber &fiber, int number, void (*body)()) {
    if (!fiber.top) {
        void *pages = mmap(nullptr, GUARD + STACK, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (pages == MAP_FAILED) throw std::bad_alloc();
        char *stack = static_cast<char *>(pages) + GUARD;
        if (mprotect(stack, STACK, PROT_READ | PROT_WRITE)) throw std::bad_alloc();
        // If all stacks began at the same offset in their pages, they would share a few cache sets, so each stack
        // begins 576 bytes further down.
        fiber.top = stack + STACK - number % 7 * 576;
        fiber.lowest = stack;
    }
    // The values that emulator_switch pops: six registers, and body as the return address. Above them is a slot for the
    // return address that a call of body would have pushed, so that the stack is aligned as after a call.
    void **frame = reinterpret_cast<void **>(fiber.top) - 8;
    for (int i = 0; i < 8; ++i) frame[i] = nullptr;
    frame[6] = reinterpret_cast<void *>(body);
    fiber.stack_pointer = frame;
}

void free_stack(Fiber &fiber) {
    if (fiber.top) munmap(fiber.lowest - GUARD, GUARD + STACK);
    fiber.top = nullptr;
}
