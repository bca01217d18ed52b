// The handler of SIGSEGV and similar signals. In a kernel, the fault causes the block to fail, and its fibers are
// abandoned; anywhere else, the previous handler decides.
#include "checks/faults.h"
#include <csignal>
#include <cstdlib>
#include <ucontext.h>
#include "core/block.h"
#include "core/memory.h"

namespace {

const int SIGNALS[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL};
struct sigaction before[NSIG];

// Handlers need their own stack, because the thread's stack may be the one that overflowed.
struct SignalStack {
    void *memory = nullptr;
    SignalStack() {
        stack_t old;
        sigaltstack(nullptr, &old);
        if (!(old.ss_flags & SS_DISABLE)) return;
        stack_t mine{};
        mine.ss_size = 64 << 10;
        mine.ss_sp = memory = malloc(mine.ss_size);
        sigaltstack(&mine, nullptr);
    }
    ~SignalStack() {
        if (!memory) return;
        stack_t none{};
        none.ss_flags = SS_DISABLE;
        sigaltstack(&none, nullptr);
        free(memory);
    }
};

void address_fault(Block &block, const siginfo_t *info, bool writes) {
    uintptr_t address = reinterpret_cast<uintptr_t>(info->si_addr);
    const char *verb = writes ? "writes" : "reads";
    if (in_guard(block.fiber(), address))
        block.fail(HARDWARE_STACK_ERROR, "its stack overflows (too much recursion, or too large local arrays)");
    if (info->si_code == SI_KERNEL)
        block.fail(ILLEGAL_ADDRESS, "uses an address that no memory can have");
    if (block.launch().shared && address >= reinterpret_cast<uintptr_t>(block.dynamic_end()) &&
        address < reinterpret_cast<uintptr_t>(block.dynamic_end()) + 4096 + 16)
        block.fail(ILLEGAL_ADDRESS, format("%s dynamic shared memory %zu bytes past the end of its %u bytes", verb,
                   address - reinterpret_cast<uintptr_t>(block.dynamic_end()), block.launch().shared));
    block.fail(ILLEGAL_ADDRESS, format("%s at 0x%lx, ", verb, address) + whereabouts(address));
}

void pass_on(int signal, siginfo_t *info, void *context) {
    const struct sigaction &old = before[signal];
    if (old.sa_flags & SA_SIGINFO) return old.sa_sigaction(signal, info, context);
    if (old.sa_handler == SIG_IGN) return;
    if (old.sa_handler != SIG_DFL) return old.sa_handler(signal);
    sigaction(signal, &old, nullptr);                   // the fault recurs and ends the process
}

void handle(int signal, siginfo_t *info, void *data) {
    Block *block = running_block;
    auto &registers = static_cast<ucontext_t *>(data)->uc_mcontext.gregs;
    uintptr_t stack = uintptr_t(registers[REG_RSP]);
    if (!block || block->thread() < 0 || !(on_stack(block->fiber(), stack) || in_guard(block->fiber(), stack)))
        return pass_on(signal, info, data);
    if (signal == SIGFPE) block->fail(LAUNCH_FAILED, "divides an integer by zero");
    if (signal == SIGILL) block->fail(ILLEGAL_INSTRUCTION, "executes an illegal instruction");
    address_fault(*block, info, registers[REG_ERR] & 2);
}

}  // namespace

void watch_faults() {
    thread_local SignalStack stack;
    (void)stack;
    for (int signal : SIGNALS) {                        // other code, such as faulthandler, may have replaced our
                                                        // handler
        struct sigaction now;
        sigaction(signal, nullptr, &now);
        if (now.sa_flags & SA_SIGINFO && now.sa_sigaction == handle) continue;
        before[signal] = now;
        struct sigaction ours{};
        ours.sa_sigaction = handle;
        ours.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
        sigaction(signal, &ours, nullptr);
    }
}

struct SourceLocation { const char *file; unsigned line, column; };

// Called by -fsanitize=alignment and -fsanitize=bounds.
EXPORT void __ubsan_handle_type_mismatch_v1(const SourceLocation *at, const void *pointer) {
    uintptr_t address = reinterpret_cast<uintptr_t>(pointer);
    unsigned alignment = 1u << reinterpret_cast<const unsigned char *>(at + 1)[sizeof(void *)];
    running_block->fail(MISALIGNED_ADDRESS, format("uses a %u-byte number or vector at 0x%lx, which is not aligned to "
                        "it, at %s:%u", alignment, address, at->file, at->line));
}

EXPORT void __ubsan_handle_out_of_bounds(const SourceLocation *at, const void *index) {
    running_block->fail(ILLEGAL_ADDRESS, format("index %ld is outside of its array, at %s:%u", long(index), at->file,
                        at->line));
}
