// The last uses of each word of memory, and the rule that decides whether a new use is ordered after them.
#include "checks/races.h"
#include <algorithm>
#include <memory>
#include "core/block.h"
#include "core/lines.h"
#include "core/memory.h"
#include "checks/happens_before.h"
#include "checks/fences.h"
#include "checks/page_accesses.h"

namespace {

// A use of memory by the running thread, or by a copy: it is compared with earlier uses, and replaces them.
struct Now {
    Block *block;                       // null: a copy
    const Operation *operation;         // null: not in hard mode; only shared memory is checked
    Use use;

    bool same_warp(const Use &other) const { return other.thread / WARP == use.thread / WARP; }

    // Whether all lanes of the warp, or a subset that includes both lanes, meet in between.
    bool met(const Use &other) const {
        if (other.meeting != use.meeting) return true;
        const auto &lanes = block->races->lanes;
        return !lanes.empty() && lanes[use.thread][other.thread % WARP] > other.step;
    }

    bool behind(const Use &other) const {
        if (other.operation != use.operation) return comes_before(other.operation, *operation);
        if (other.thread < 0 || use.thread < 0) return true;
        if (other.block == use.block && (other.epoch != use.epoch || other.thread == use.thread ||
                                         (same_warp(other) && met(other)))) return true;
        return knows_of(*block, other);
    }

    bool conflicts(const Use &other) const {
        return other.operation && other.bytes & use.bytes && (writes(other.access) || writes(use.access)) &&
               !(strong(other.access) && strong(use.access)) && !behind(other);
    }

    // The first of the word's uses with which this use races, or null.
    const Use *opponent(const Word &word) const {
        for (const Use *other : {&word.written, &word.read[0], &word.read[1]})
            if (conflicts(*other)) return other;
        return nullptr;
    }

    void enter(Word &word) const {
        if (writes(use.access)) {
            if ((use.bytes | word.read[0].bytes) == use.bytes) word.read[0] = {};
            if ((use.bytes | word.read[1].bytes) == use.bytes) word.read[1] = {};
            word.written = use;
        } else if (!word.read[0].operation || behind(word.read[0])) {
            word.read[0] = use;
        } else if (!word.read[1].operation || behind(word.read[1]) || tells_more(word.read[0], word.read[1])) {
            word.read[1] = use;
        }
    }

    // Only two reads are kept: two reads from different blocks reveal more races with writes than two reads from one
    // block. The same is true of warps.
    bool tells_more(const Use &first, const Use &second) const {
        if (use.operation == first.operation && use.operation == second.operation && first.block != second.block)
            return false;
        return use.block != first.block || (first.block == second.block && first.thread / WARP == second.thread / WARP);
    }
};

const char *verb(Access access) {
    return access == Access::read || access == Access::strong_read ? "reads"
         : access == Access::write ? "writes" : "updates";
}

const char *past(Access access) {
    return access == Access::read || access == Access::strong_read ? "read"
         : access == Access::write ? "wrote" : "updated";
}

std::string at_line(const Operation *operation, const Function *function, const Use &use) {
    const Function *of = operation ? operation->function : function;
    return use.thread < 0 || !of ? "" : at_line(of->module, use.place);
}

std::string name_of(const Extent &size, unsigned number, const char *what) {
    return format("%s (%u,%u,%u)", what, number % size.x, number / size.x % size.y, number / size.x / size.y);
}

// A description of the other side of a race: "thread (1,0,0) wrote at f.cu:3", "block (1,0,0), thread (0,0,0) of kernel
// 'g' ...".
std::string told(const Now &now, const Use &other) {
    const Operation *operation = other.operation == now.use.operation ? now.operation : find_operation(other.operation);
    std::string who;
    if (other.thread < 0) {
        who = operation ? operation->title : "a copy";
    } else {
        const Extent &size = operation ? operation->block : now.block->launch().block;
        who = name_of(size, unsigned(other.thread), "thread");
        if (operation && (other.operation != now.use.operation || other.block != now.use.block))
            who = name_of(operation->grid, other.block, "block") + ", " + who;
        if (other.operation != now.use.operation && operation) who += " of " + operation->title;
    }
    const Function *function = now.block ? now.block->launch().function : nullptr;
    return who + " " + past(other.access) + at_line(operation, function, other);
}

const char *missing(const Now &now, const Use &other) {
    if (other.operation != now.use.operation) return "with no event, stream or waiting host between";
    return other.block == now.use.block ? "with no barrier between" : "and blocks of a launch run in any order";
}

Use use_of(Block &block, Access access, uintptr_t instruction) {
    int thread = block.thread();
    const BlockRaces &races = *block.races;
    Use use;
    use.operation = block.launch().operation ? block.launch().operation->number : 1;
    use.block = block.number();
    use.epoch = block.epoch();
    use.place = uint32_t(instruction);
    use.meeting = uint16_t(block.warp_of(thread).epoch);
    use.step = races.lanes.empty() ? 0 : races.lanes[thread][thread % WARP];
    use.fences = races.threads.empty() ? 0 : uint16_t(races.threads[thread].fences);
    use.thread = int16_t(thread);
    use.access = access;
    return use;
}

uint8_t bytes_in_word(uintptr_t word, uintptr_t first, uintptr_t end) {
    unsigned bytes = 15;
    if (first > word) bytes &= 15u << (first - word);
    if (end < word + 4) bytes &= 15u >> (word + 4 - end);
    return uint8_t(bytes);
}

}  // namespace

void use_shared_memory(Block &block, const Variable *variable, size_t offset, size_t size, Access access,
                       uintptr_t instruction) {
    std::vector<Word> &words = variable ? block.races->of_static : block.races->of_dynamic;
    size_t end = offset + size;
    if (words.size() < end / 4 + 1) words.resize(end / 4 + 1);
    Now now{&block, block.launch().operation, use_of(block, access, instruction)};
    for (size_t word = offset / 4; word * 4 < end; ++word) {
        now.use.bytes = bytes_in_word(word * 4, offset, end);
        Word &here = words[word];
        // The words may come from earlier blocks, with which this block cannot race because its epochs are higher.
        for (Use *old : {&here.written, &here.read[0], &here.read[1]})
            if (old->epoch != now.use.epoch) *old = {};
        if (const Use *other = now.opponent(here))
            block.fail(LAUNCH_FAILED, format("race in shared memory: it %s byte %zu of %s%s, which %s, %s",
                       verb(access), offset - (variable ? variable->offset : 0), shared_title(variable).c_str(),
                       at_line(now.operation, block.launch().function, now.use).c_str(), told(now, *other).c_str(),
                       missing(now, *other)));
        now.enter(here);
    }
    if (strong(access)) exchange_knowledge(block, reinterpret_cast<uintptr_t>(&words) + offset, access);
}

void use_global_memory(Block &block, uintptr_t address, size_t size, Access access, uintptr_t instruction) {
    Now now{&block, block.launch().operation, use_of(block, access, instruction)};
    for (uintptr_t word = address / 4 * 4; word < address + size; word += 4) {
        now.use.bytes = bytes_in_word(word, address, address + size);
        Word *here = used_word(word);
        if (!here) return;
        if (const Use *other = now.opponent(*here))
            block.fail(LAUNCH_FAILED, format("race in global memory: it %s %s%s, which %s, %s", verb(access),
                       array_title(block.launch(), address).c_str(),
                       at_line(now.operation, nullptr, now.use).c_str(), told(now, *other).c_str(),
                       missing(now, *other)));
        now.enter(*here);
    }
    if (strong(access)) exchange_knowledge(block, address, access);
}

std::string use_by_copy(const Operation &operation, uintptr_t address, size_t size, Access access) {
    Now now{nullptr, &operation, {}};
    now.use.operation = operation.number;
    now.use.access = access;
    std::string trouble;
    auto enter = [&](Word &word) {
        if (const Use *other = now.opponent(word)) {
            Allocation found;
            size_t start = find_allocation(address, &found) ? found.start : address;
            trouble = format("race in global memory: %s %s an allocation of %s at 0x%lx, which %s, %s",
                             operation.title.c_str(), verb(access), plural(found.size, "byte").c_str(), start,
                             told(now, *other).c_str(), missing(now, *other));
            return false;
        }
        now.enter(word);
        return true;
    };
    for (uintptr_t word = address / 4 * 4; word < address + size;) {
        now.use.bytes = bytes_in_word(word, address, address + size);
        bool whole = false;
        Word *here = word % PAGE || word + PAGE > address + size ? used_word(word) : used_page(word, &whole);
        if (here && !enter(*here)) break;
        word += whole ? PAGE : 4;
    }
    return trouble;
}
