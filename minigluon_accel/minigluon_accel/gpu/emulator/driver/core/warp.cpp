// Warp operations: each lane stores its value and waits. The last lane of the mask to arrive computes all results.
#include "core/block.h"
#include "checks/races.h"
#include "state.h"

namespace {

const char *NAMES[] = {"__syncwarp", "a shuffle", "__ballot_sync", "__any_sync", "__all_sync", "__match_any_sync",
                       "__match_all_sync", "__reduce_add_sync", "__reduce_min_sync", "__reduce_max_sync",
                       "__reduce_and_sync", "__reduce_or_sync", "__reduce_xor_sync", "a store to volatile memory"};

constexpr int SIGNED = 1;               // as `source` of reductions

unsigned reduced(int operation, bool is_signed, unsigned a, unsigned b) {
    switch (operation) {
        case emulator::reduce_add: return a + b;
        case emulator::reduce_and: return a & b;
        case emulator::reduce_or: return a | b;
        case emulator::reduce_xor: return a ^ b;
    }
    bool less = is_signed ? int(a) < int(b) : a < b;
    return (operation == emulator::reduce_min) == less ? a : b;
}

// The result of an operation that gives all lanes in the mask the same result.
unsigned common(int operation, const Thread *lanes, unsigned mask) {
    unsigned votes = 0, value = 0, same = mask;
    bool first = true;
    unsigned long long one = 0;
    for (int lane = 0; lane < WARP; ++lane) {
        if (!(mask >> lane & 1)) continue;
        const Thread &each = lanes[lane];
        votes |= unsigned(each.value != 0) << lane;
        value = first ? unsigned(each.value) : reduced(operation, each.source == SIGNED, value, unsigned(each.value));
        if (first) one = each.value;
        if (each.value != one) same = 0;
        first = false;
    }
    switch (operation) {
        case emulator::ballot: return votes;
        case emulator::vote_any: return votes != 0;
        case emulator::vote_all: return votes == mask;
        case emulator::match_all: return same;
        default: return value;
    }
}

unsigned long long answer(int operation, const Thread *lanes, unsigned mask, int lane, unsigned alike) {
    if (operation == emulator::shuffle) {
        int source = lanes[lane].source;
        return mask >> source & 1 ? lanes[source].value : ~0ull;        // no source lane: NaN
    }
    if (operation != emulator::match_any) return alike;
    unsigned equal = 0;
    for (int other = 0; other < WARP; ++other)
        if (mask >> other & 1 && lanes[other].value == lanes[lane].value) equal |= 1u << other;
    return equal;
}

}  // namespace

unsigned long long Block::warp(int operation, unsigned mask, unsigned long long value, int source, const char *file,
                               int line) {
    int self = current_, first = self / WARP * WARP, lane = self % WARP;
    Warp &warp = warps_[self / WARP];
    Thread &thread = threads_[self];
    if (operation == emulator::volatile_store) {
        if (!in_shared(value)) return 0;
        mask = warp.exists & ~warp.finished;
    }
    check_lanes(first, warp, mask, file, line);
    mask &= warp.exists;
    thread.operation = operation;
    thread.mask = mask;
    thread.value = value;
    thread.source = source;
    thread.file = file;
    thread.line = line;
    warp.waiting |= 1u << lane;
    if ((warp.waiting & mask) == mask) {
        meet(warp, first, mask);
        return thread.answer;
    }
    park(Status::in_warp, file, line);
    return thread.answer;
}

bool Block::in_shared(uintptr_t address) const {
    return address - reinterpret_cast<uintptr_t>(static_) < launch_->function->module->thread_bytes ||
           address - reinterpret_cast<uintptr_t>(dynamic_) < launch_->shared;
}

// Mistakes detected when a lane arrives: it is not in its own mask, or the mask names a lane that has ended.
void Block::check_lanes(int first, const Warp &warp, unsigned mask, const char *file, int line) {
    if (!(mask >> current_ % WARP & 1))
        fail(LAUNCH_FAILED, format("the mask %#x of a warp operation at %s:%d does not name the lane itself, %d", mask,
             file, line, current_ % WARP));
    if (unsigned gone = mask & warp.finished)
        fail(LAUNCH_FAILED, format("the mask %#x of a warp operation at %s:%d names %s, which has ended", mask, file,
             line, name(first + __builtin_ctz(gone)).c_str()));
}

// All lanes in the mask are waiting. Gives them their results and lets them continue. The last lane to arrive is
// running.
void Block::meet(Warp &warp, int first, unsigned mask) {
    Thread *lanes = &threads_[first];
    const Thread &last = threads_[current_];
    for (int lane = 0; lane < WARP; ++lane)
        if (mask >> lane & 1 && (lanes[lane].operation != last.operation || lanes[lane].mask != mask))
            fail(LAUNCH_FAILED, format("does %s with mask %#x at %s:%d while %s does %s with mask %#x at %s:%d",
                 NAMES[last.operation], mask, last.file, last.line, name(first + lane).c_str(),
                 NAMES[lanes[lane].operation], lanes[lane].mask, lanes[lane].file, lanes[lane].line));
    bool needed = last.operation != emulator::shuffle && last.operation != emulator::sync_warp;
    unsigned alike = needed ? common(last.operation, lanes, mask) : 0;
    for (int lane = 0; lane < WARP; ++lane)
        if (mask >> lane & 1) lanes[lane].answer = answer(last.operation, lanes, mask, lane, alike);
    wake(first, mask & ~(1u << current_ % WARP));
    warp.waiting &= ~mask;
    // Devices no longer run lanes in lockstep: hard mode reports code that relies on lockstep.
    if (last.operation == emulator::volatile_store && launch_->operation) return;
    bool all = mask == warp.exists;
    if (all) ++warp.epoch;
    if (races) races->meet(first, mask, all);
}

// Let these lanes of the warp that begins with thread `first` continue.
void Block::wake(int first, unsigned lanes) {
    if (launch_->order == Order::forward) {
        for (; lanes; lanes &= lanes - 1) ready_.push(first + __builtin_ctz(lanes));
        return;
    }
    std::vector<int> threads;
    for (; lanes; lanes &= lanes - 1) threads.push_back(first + __builtin_ctz(lanes));
    mix(threads);
    for (int thread : threads) ready_.push(thread);
}

unsigned Block::active_mask() const {
    const Warp &warp = warps_[current_ / WARP];
    return warp.exists & ~warp.finished;
}

EXPORT unsigned long long emulator_warp(int operation, unsigned mask, unsigned long long value, int source,
                                        const char *file, int line) {
    return running_block->warp(operation, mask, value, source, file, line);
}

EXPORT unsigned emulator_active_mask() { return running_block->active_mask(); }
