// What a kernel may touch: its stack, its block's shared memory, allocations, its module's data. And shared memory only
// in turns: of two accesses by two threads with no barrier between them, one of which writes, at least one is wrong.
#include "access.h"
#include <cxxabi.h>
#include <cstdlib>
#include "block.h"
#include "memory.h"
#include "state.h"

// Who used four bytes of shared memory last, and which of them. Epochs count the barriers of the block and the meetings
// of a warp. What single bytes are used for by many threads at once is seen in part only.
struct Cell {
    unsigned written = 0, written_in_warp = 0, read = 0, read_in_warp = 0;
    short writer = -1, reader = -1;
    unsigned char written_bytes = 0, read_bytes = 0;
    bool atomic = false;                // the last write
    unsigned char others = 0;           // 1: more lanes of the reader's warp read it in this turn, 2: more warps
};

struct Shadow {
    std::vector<Cell> of_static, of_dynamic;
    const Variable *last = nullptr;                     // used of static shared memory
    struct { uintptr_t start, end; } known[8] = {};     // allocations found lately
    unsigned memory_epoch = 0, oldest = 0;
};

void begin_shadow(Shadow *shadow) {
    if (shadow) shadow->last = nullptr;
}

void delete_shadow(Shadow *shadow) { delete shadow; }

namespace {

enum Access { reading = 0, writing = 1, atomic_access = 2 };

const char *verb(int kind) { return kind == reading ? "reads" : kind == writing ? "writes" : "updates"; }
const char *past(int kind) { return kind == reading ? "read" : kind == writing ? "wrote" : "updated"; }

// The name of a variable as in the source; null stands for dynamic shared memory.
std::string title(const Variable *variable) {
    if (!variable) return "dynamic shared memory";
    int status = 0;
    char *name = abi::__cxa_demangle(variable->name.c_str(), nullptr, nullptr, &status);
    std::string result = std::string("'") + (name ? name : variable->name.c_str()) + "'";
    free(name);
    return result;
}

// What an access of shared memory is: for messages, and to compare it with others.
struct Turn {
    Block &block;
    int kind, self;
    unsigned epoch, meeting;            // of the block, of the warp
    const Variable *variable;
    size_t start;                       // the byte of the variable

    Turn(Block &block, int kind, const Variable *variable, size_t start)
        : block(block), kind(kind), self(block.thread()), epoch(block.epoch()), meeting(block.warp_of(self).epoch),
          variable(variable), start(start) {}

    bool same_warp(int other) const { return unsigned(other) / WARP == unsigned(self) / WARP; }
    bool after(int other, unsigned met) const { return other == self || (same_warp(other) && met != meeting); }

    [[noreturn]] void race(int other, int other_kind) const {
        block.fail(LAUNCH_FAILED, format("race in shared memory: it %s byte %zu of %s, which %s %s, with no barrier "
                   "between", verb(kind), start, title(variable).c_str(),
                   other == self ? "another thread" : block.name(other).c_str(), past(other_kind)));
    }

    void read(Cell &cell, unsigned char bytes) const {
        bool first = cell.read != epoch || !(cell.read_bytes & bytes);
        if (first || (cell.others < 2 && cell.reader != self && after(cell.reader, cell.read_in_warp))) {
            cell.others = 0;
        } else if (cell.reader != self) {
            unsigned char more = same_warp(cell.reader) ? 1 : 2;
            if (more > cell.others) cell.others = more;
        }
        cell.read_bytes = first ? bytes : cell.read_bytes | bytes;
        cell.read = epoch;
        cell.read_in_warp = meeting;
        cell.reader = short(self);
    }

    void write(Cell &cell, unsigned char bytes) const {
        if (cell.read == epoch && cell.read_bytes & bytes) {
            bool alone = after(cell.reader, cell.read_in_warp);
            if (cell.others == 1) alone = same_warp(cell.reader) && cell.read_in_warp != meeting;
            if (cell.others == 2 || !alone) race(cell.reader, reading);
        }
        cell.written_bytes = bytes;
        cell.written = epoch;
        cell.written_in_warp = meeting;
        cell.writer = short(self);
        cell.atomic = kind == atomic_access;
    }

    void take(Cell &cell, unsigned char bytes) const {
        if (cell.written == epoch && cell.written_bytes & bytes && !after(cell.writer, cell.written_in_warp) &&
            !(cell.atomic && kind == atomic_access)) race(cell.writer, cell.atomic ? atomic_access : writing);
        if (kind == reading) read(cell, bytes);
        else write(cell, bytes);
    }
};

void use_shared(const Turn &turn, std::vector<Cell> &cells, size_t first, size_t size) {
    size_t end = first + size;
    if (cells.size() < end / 4 + 1) cells.resize(end / 4 + 1);
    for (size_t cell = first / 4; cell * 4 < end; ++cell) {
        unsigned char bytes = 15;
        if (first > cell * 4) bytes &= 15 << (first - cell * 4);
        if (end < cell * 4 + 4) bytes &= 15 >> (cell * 4 + 4 - end);
        turn.take(cells[cell], bytes);
    }
}

bool has(const Variable &variable, size_t offset, size_t size) {
    return offset >= variable.offset && offset + size <= variable.offset + variable.size;
}

// Static shared memory: the kernel's variables lie in its module's thread-local memory.
void use_static(Block &block, Shadow &shadow, size_t offset, size_t size, int kind) {
    const Function &function = *block.launch().function;
    if (!shadow.last || !has(*shadow.last, offset, size)) {
        shadow.last = nullptr;
        for (const Variable &variable : function.shared)
            if (has(variable, offset, size)) shadow.last = &variable;
    }
    if (shadow.last)
        return use_shared({block, kind, shadow.last, offset - shadow.last->offset}, shadow.of_static, offset, size);
    const Variable *before = nullptr;
    for (const Variable &variable : function.module->shared)
        if (variable.offset <= offset && (!before || before->offset < variable.offset)) before = &variable;
    block.fail(ILLEGAL_ADDRESS, format("%s %s of shared memory outside of its arrays", verb(kind),
               plural(size, "byte").c_str()) + (before ? format(", %s past the end of ",
               plural(offset + size - before->offset - before->size, "byte").c_str()) + title(before) : ""));
}

void use_dynamic(Block &block, Shadow &shadow, uintptr_t address, size_t size, int kind) {
    uintptr_t start = reinterpret_cast<uintptr_t>(block.dynamic_start()), end = start + block.launch().shared;
    if (address < start || address + size > end)
        block.fail(ILLEGAL_ADDRESS, format("%s dynamic shared memory %zu bytes past the end of its %u bytes",
                   verb(kind), address - end, block.launch().shared));
    use_shared({block, kind, nullptr, address - start}, shadow.of_dynamic, address - start, size);
}

bool in_allocation(Block &block, Shadow &shadow, uintptr_t address, size_t size) {
    if (shadow.memory_epoch != memory_epoch) {
        for (auto &range : shadow.known) range = {};
        shadow.memory_epoch = memory_epoch;
    }
    for (auto &range : shadow.known)
        if (address >= range.start && address + size <= range.end) return true;
    Allocation found;
    if (!find_allocation(address, &found) || address + size > found.end()) return false;
    if (found.kind == Kind::device && found.context->device != block.launch().function->module->context->device)
        return false;
    shadow.known[shadow.oldest++ % 8] = {found.start, found.end()};
    return true;
}

bool in_module(const Block &block, uintptr_t address, int kind) {
    if (kind != reading) return false;
    for (auto &section : block.launch().function->module->sections)
        if (address >= section.first && address < section.second) return true;
    return false;
}

void check(const void *pointer, size_t size, int kind) {
    Block *block = running_block;
    uintptr_t address = reinterpret_cast<uintptr_t>(pointer);
    if (!block || block->thread() < 0 || on_stack(block->fiber(), address)) return;     // e.g. while it is loaded
    if (!block->shadow) block->shadow = new Shadow;
    Shadow &shadow = *block->shadow;
    size_t in_static = address - reinterpret_cast<uintptr_t>(block->static_start());
    if (in_static < block->launch().function->module->thread_bytes)
        return use_static(*block, shadow, in_static, size, kind);
    uintptr_t dynamic = reinterpret_cast<uintptr_t>(block->dynamic_start());
    if (address >= dynamic && address < dynamic + block->launch().shared + 4096)
        return use_dynamic(*block, shadow, address, size, kind);
    if (in_allocation(*block, shadow, address, size) || in_module(*block, address, kind)) return;
    block->fail(ILLEGAL_ADDRESS, format("%s %s at 0x%lx, ", verb(kind), plural(size, "byte").c_str(), address) +
                whereabouts(address));
}

}  // namespace

// The calls that the compiler puts in front of accesses. Volatile ones are how threads talk without barriers.
#define ACCESSES(size)                                                                          \
    EXPORT void __tsan_read##size(void *p) { check(p, size, reading); }                         \
    EXPORT void __tsan_write##size(void *p) { check(p, size, writing); }                        \
    EXPORT void __tsan_unaligned_read##size(void *p) { check(p, size, reading); }               \
    EXPORT void __tsan_unaligned_write##size(void *p) { check(p, size, writing); }              \
    EXPORT void __tsan_volatile_read##size(void *p) { check(p, size, atomic_access); }          \
    EXPORT void __tsan_volatile_write##size(void *p) { check(p, size, atomic_access); }         \
    EXPORT void __tsan_unaligned_volatile_read##size(void *p) { check(p, size, atomic_access); }\
    EXPORT void __tsan_unaligned_volatile_write##size(void *p) { check(p, size, atomic_access); }
ACCESSES(1)
ACCESSES(2)
ACCESSES(4)
ACCESSES(8)
ACCESSES(16)
EXPORT void __tsan_read_range(void *p, size_t size) { check(p, size, reading); }
EXPORT void __tsan_write_range(void *p, size_t size) { check(p, size, writing); }

EXPORT void __tsan_init() {}
EXPORT void __tsan_func_entry(void *) {}
EXPORT void __tsan_func_exit() {}
EXPORT void __tsan_vptr_update(void **, void *) {}
EXPORT void __tsan_vptr_read(void **) {}
EXPORT void __tsan_atomic_thread_fence(int) { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
EXPORT void __tsan_atomic_signal_fence(int) {}

// Atomic operations are calls themselves there: they are looked at, and then done.
#define ATOMICS(bits, type)                                                                                     \
    EXPORT type __tsan_atomic##bits##_load(type *p, int) {                                                      \
        check(p, sizeof *p, atomic_access);                                                                     \
        return __atomic_load_n(p, __ATOMIC_SEQ_CST);                                                            \
    }                                                                                                           \
    EXPORT void __tsan_atomic##bits##_store(type *p, type v, int) {                                             \
        check(p, sizeof *p, atomic_access);                                                                     \
        __atomic_store_n(p, v, __ATOMIC_SEQ_CST);                                                               \
    }                                                                                                           \
    EXPORT type __tsan_atomic##bits##_exchange(type *p, type v, int) {                                          \
        check(p, sizeof *p, atomic_access);                                                                     \
        return __atomic_exchange_n(p, v, __ATOMIC_SEQ_CST);                                                     \
    }                                                                                                           \
    EXPORT int __tsan_atomic##bits##_compare_exchange_strong(type *p, type *expected, type v, int, int) {       \
        check(p, sizeof *p, atomic_access);                                                                     \
        return __atomic_compare_exchange_n(p, expected, v, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);          \
    }                                                                                                           \
    EXPORT int __tsan_atomic##bits##_compare_exchange_weak(type *p, type *expected, type v, int, int) {         \
        return __tsan_atomic##bits##_compare_exchange_strong(p, expected, v, 0, 0);                             \
    }                                                                                                           \
    EXPORT type __tsan_atomic##bits##_compare_exchange_val(type *p, type expected, type v, int, int) {          \
        __tsan_atomic##bits##_compare_exchange_strong(p, &expected, v, 0, 0);                                   \
        return expected;                                                                                        \
    }
#define FETCH(bits, type, name)                                                                                 \
    EXPORT type __tsan_atomic##bits##_fetch_##name(type *p, type v, int) {                                      \
        check(p, sizeof *p, atomic_access);                                                                     \
        return __atomic_fetch_##name(p, v, __ATOMIC_SEQ_CST);                                                   \
    }
#define ALL_ATOMICS(bits, type)                                                                                 \
    ATOMICS(bits, type) FETCH(bits, type, add) FETCH(bits, type, sub) FETCH(bits, type, and)                    \
    FETCH(bits, type, or) FETCH(bits, type, xor) FETCH(bits, type, nand)
ALL_ATOMICS(8, unsigned char)
ALL_ATOMICS(16, unsigned short)
ALL_ATOMICS(32, unsigned)
ALL_ATOMICS(64, unsigned long)
