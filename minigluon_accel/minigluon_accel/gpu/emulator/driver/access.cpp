// What a kernel may touch: its stack, its block's shared memory, allocations, its module's data. And shared memory only
// in turns: of two accesses by two threads with no barrier between them, one of which writes, at least one is wrong.
#include "access.h"
#include <cxxabi.h>
#include <cstdlib>
#include "block.h"
#include "memory.h"
#include "state.h"

// Who used one byte of shared memory last. Epochs count the barriers of the block and the meetings of a warp.
struct Cell {
    unsigned written = 0, written_in_warp = 0, read = 0, read_in_warp = 0;
    short writer = -1, reader = -1;
    bool atomic = false;                // the last write
    unsigned char others = 0;           // 1: more lanes of the reader's warp read it in this turn, 2: more warps
};

struct Shadow {
    std::vector<Cell> of_static, of_dynamic;
    struct { uintptr_t start, end; } known[8] = {};     // allocations found lately
    unsigned memory_epoch = 0, oldest = 0;
};

void delete_shadow(Shadow *shadow) { delete shadow; }

namespace {

enum Kind_of_access { reading = 0, writing = 1, atomic_access = 2 };

const char *verb(int kind) { return kind == reading ? "reads" : kind == writing ? "writes" : "updates"; }
const char *past(int kind) { return kind == reading ? "read" : kind == writing ? "wrote" : "updated"; }

std::string readable(const std::string &symbol) {
    int status = 0;
    char *name = abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status);
    std::string result = name ? name : symbol;
    free(name);
    return result;
}

[[noreturn]] void race(Block &block, int kind, size_t byte, const std::string &what, int other, int other_kind) {
    block.fail(LAUNCH_FAILED, format("race in shared memory: it %s byte %zu of %s, which %s %s, with no barrier between",
               verb(kind), byte, what.c_str(), other == block.thread() ? "another thread" : block.name(other).c_str(),
               past(other_kind)));
}

// The accesses of one byte. Fails the block where two of them race.
void take_turn(Block &block, Cell &cell, int kind, size_t byte, const std::string &what) {
    int self = block.thread();
    unsigned turn = block.epoch(), meeting = block.warp_of(self).epoch;
    auto ordered = [&](int other, unsigned met) { return other == self || (other / WARP == self / WARP && met != meeting); };
    if (cell.written == turn && !ordered(cell.writer, cell.written_in_warp) && !(cell.atomic && kind == atomic_access))
        race(block, kind, byte, what, cell.writer, cell.atomic ? atomic_access : writing);
    if (kind == reading) {
        if (cell.read != turn || (cell.others < 2 && ordered(cell.reader, cell.read_in_warp) && cell.reader != self)) {
            cell.others = 0;
        } else if (cell.reader != self) {
            unsigned char more = cell.reader / WARP == self / WARP ? 1 : 2;
            cell.others = more > cell.others ? more : cell.others;
        }
        cell.read = turn;
        cell.read_in_warp = meeting;
        cell.reader = short(self);
        return;
    }
    if (cell.read == turn) {
        bool alone = ordered(cell.reader, cell.read_in_warp);
        if (cell.others == 1) alone = cell.reader / WARP == self / WARP && cell.read_in_warp != meeting;
        if (cell.others == 2 || !alone) race(block, kind, byte, what, cell.reader, reading);
    }
    cell.written = turn;
    cell.written_in_warp = meeting;
    cell.writer = short(self);
    cell.atomic = kind == atomic_access;
}

void use_shared(Block &block, std::vector<Cell> &cells, size_t first, size_t size, int kind, size_t byte,
                const std::string &what) {
    if (cells.size() < first + size) cells.resize(first + size);
    for (size_t i = 0; i < size; ++i) take_turn(block, cells[first + i], kind, byte + i, what);
}

// Static shared memory: the variables lie in the module's thread-local memory. False: it is none of theirs.
bool in_static(Block &block, Shadow &shadow, uintptr_t address, size_t size, int kind) {
    const Function &function = *block.launch().function;
    uintptr_t base = reinterpret_cast<uintptr_t>(function.module->shared_base());
    if (!base || address < base || address >= base + function.module->thread_bytes) return false;
    size_t offset = address - base;
    for (const Variable &variable : function.shared)
        if (offset >= variable.offset && offset + size <= variable.offset + variable.size) {
            static thread_local const Variable *last = nullptr;
            static thread_local std::string name;
            if (last != &variable) name = "'" + readable((last = &variable)->name) + "'";
            use_shared(block, shadow.of_static, offset, size, kind, offset - variable.offset, name);
            return true;
        }
    const Variable *before = nullptr;
    for (const Variable &variable : function.module->shared)
        if (variable.offset <= offset && (!before || before->offset < variable.offset)) before = &variable;
    block.fail(ILLEGAL_ADDRESS, format("%s %s of shared memory outside of its arrays", verb(kind),
               plural(size, "byte").c_str()) + (before ? format(", %s past the end of '%s'",
               plural(offset + size - before->offset - before->size, "byte").c_str(), readable(before->name).c_str()) : ""));
}

bool in_dynamic(Block &block, Shadow &shadow, uintptr_t address, size_t size, int kind) {
    uintptr_t start = reinterpret_cast<uintptr_t>(block.dynamic_start()), end = start + block.launch().shared;
    if (address + size <= start || address >= end + 4096) return false;
    if (address < start || address + size > end)
        block.fail(ILLEGAL_ADDRESS, format("%s dynamic shared memory %zu bytes past the end of its %u bytes", verb(kind),
                   address - end, block.launch().shared));
    use_shared(block, shadow.of_dynamic, address - start, size, kind, address - start, "dynamic shared memory");
    return true;
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
    if (in_allocation(*block, shadow, address, size) || in_static(*block, shadow, address, size, kind) ||
        in_dynamic(*block, shadow, address, size, kind) || in_module(*block, address, kind)) return;
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
