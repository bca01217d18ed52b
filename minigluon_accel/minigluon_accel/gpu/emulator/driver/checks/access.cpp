// Checks that a kernel accesses only memory that it may access: its stack, its block's shared memory, allocations, and
// its module's data. Valid accesses are then compared with those of other threads, in races.cpp.
#include "checks/access.h"
#include "core/block.h"
#include "core/lines.h"
#include "core/memory.h"
#include "checks/races.h"
#include "checks/records.h"
#include "checks/page_accesses.h"

struct Shadow {
    const Variable *last = nullptr;                     // the static shared variable that was used last
    struct { uintptr_t start, end; } known[8] = {};     // recently found allocations
    unsigned memory_epoch = 0, oldest = 0;
};

void begin_shadow(Block &block) {
    if (block.shadow) block.shadow->last = nullptr;
    if (block.races) block.races->begin();
}

void delete_shadow(Block &block) {
    delete block.shadow;
    delete block.races;
}

namespace {

// An access, and the address of the instruction after the call that reports the access.
struct Touch { uintptr_t address; size_t size; Access access; uintptr_t instruction; };

const char *verb(const Touch &touch) {
    return touch.access == Access::read || touch.access == Access::strong_read ? "reads"
         : touch.access == Access::write ? "writes" : "updates";
}

std::string at_line(const Block &block, const Touch &touch) {
    std::string line = at_line(block.launch().function->module, uint32_t(touch.instruction));
    return line.empty() ? "" : "," + line;
}

bool has(const Variable &variable, size_t offset, size_t size) {
    return offset >= variable.offset && offset + size <= variable.offset + variable.size;
}

// Static shared memory: the kernel's variables are in its module's thread-local memory.
void use_static(Block &block, Shadow &shadow, size_t offset, const Touch &touch) {
    const Function &function = *block.launch().function;
    if (!shadow.last || !has(*shadow.last, offset, touch.size)) {
        shadow.last = nullptr;
        for (const Variable &variable : function.shared)
            if (has(variable, offset, touch.size)) shadow.last = &variable;
    }
    if (shadow.last)
        return use_shared_memory(block, shadow.last, offset, touch.size, touch.access, touch.instruction);
    const Variable *before = nullptr;
    for (const Variable &variable : function.module->shared)
        if (variable.offset <= offset && (!before || before->offset < variable.offset)) before = &variable;
    block.fail(ILLEGAL_ADDRESS, format("%s %s of shared memory outside of its arrays", verb(touch),
               plural(touch.size, "byte").c_str()) + (before ? format(", %s past the end of ",
               plural(offset + touch.size - before->offset - before->size, "byte").c_str()) + shared_title(before)
               : "") + at_line(block, touch));
}

void use_dynamic(Block &block, const Touch &touch) {
    uintptr_t start = reinterpret_cast<uintptr_t>(block.dynamic_start()), end = start + block.launch().shared;
    if (touch.address < start || touch.address + touch.size > end)
        block.fail(ILLEGAL_ADDRESS, format("%s dynamic shared memory %zu bytes past the end of its %u bytes",
                   verb(touch), touch.address - end, block.launch().shared) + at_line(block, touch));
    use_shared_memory(block, nullptr, touch.address - start, touch.size, touch.access, touch.instruction);
}

bool in_allocation(Block &block, Shadow &shadow, uintptr_t address, size_t size) {
    if (shadow.memory_epoch != memory_epoch) {
        for (auto &range : shadow.known) range = {};
        shadow.memory_epoch = memory_epoch;
    }
    for (auto &range : shadow.known)
        if (address >= range.start && address + size <= range.end) return true;
    Allocation found;
    if (!find_allocation(address, &found) || address + size > found.end() || found.given_back) return false;
    if (found.kind == Kind::device && found.context->device != block.launch().function->module->context->device)
        return false;
    shadow.known[shadow.oldest++ % 8] = {found.start, found.end()};
    return true;
}

bool in_module(const Block &block, const Touch &touch) {
    if (touch.access != Access::read) return false;
    for (auto &section : block.launch().function->module->sections)
        if (touch.address >= section.first && touch.address < section.second) return true;
    return false;
}

void check(Block &block, const Touch &touch) {
    if (!block.shadow) block.shadow = new Shadow;
    if (!block.races) block.races = new BlockRaces;
    Shadow &shadow = *block.shadow;
    size_t in_static = touch.address - reinterpret_cast<uintptr_t>(block.static_start());
    if (in_static < block.launch().function->module->thread_bytes)
        return use_static(block, shadow, in_static, touch);
    uintptr_t dynamic = reinterpret_cast<uintptr_t>(block.dynamic_start());
    if (touch.address >= dynamic && touch.address < dynamic + block.launch().shared + 4096)
        return use_dynamic(block, touch);
    if (in_allocation(block, shadow, touch.address, touch.size)) {
        if (block.launch().operation)
            use_global_memory(block, touch.address, touch.size, touch.access, touch.instruction);
    } else if (!in_module(block, touch)) {
        block.fail(ILLEGAL_ADDRESS, format("%s %s at 0x%lx, ", verb(touch), plural(touch.size, "byte").c_str(),
                   touch.address) + whereabouts(touch.address) + at_line(block, touch));
    }
}

}  // namespace

void look_at(const void *pointer, size_t size, Access access, const void *instruction) {
    Block *block = running_block;
    uintptr_t address = reinterpret_cast<uintptr_t>(pointer);
    if (!block || block->thread() < 0 || on_stack(block->fiber(), address)) return;     // for example, while it is
                                                                                        // loaded
    if (recording) record_access(*block, instruction, address, size, access);
    check(*block, {address, size, access, reinterpret_cast<uintptr_t>(instruction)});
}
