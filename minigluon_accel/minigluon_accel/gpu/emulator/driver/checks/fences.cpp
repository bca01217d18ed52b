// The "last block" pattern: each thread writes, executes a fence, and increments a counter atomically; the last thread
// may read everything.
//
// A fence publishes everything that its thread did before the fence, and everything that the thread had learned about
// others from barriers; publication happens at the thread's next atomic (or volatile) write. An atomic or volatile read
// of the same location acquires this knowledge without a fence, because on devices the address of the next read depends
// on the value. A barrier passes on what threads have acquired.
#include "checks/fences.h"
#include <algorithm>
#include "core/block.h"

namespace {

struct Places {
    std::unordered_map<uintptr_t, std::vector<Published>> at;
    bool fenced = false;                // since the launch began
};

Places &places() {
    static Places *all = new Places;
    return *all;
}

// Whether the published information tells a thread of block `reader` that the use has ended.
bool covers(const Published &told, const Use &use, uint32_t reader) {
    const Fenced &fenced = told.block == reader ? told.in_block : told.on_device;
    return told.block == use.block && (use.epoch < fenced.epoch ||
                                       (told.thread == use.thread && use.fences < fenced.fences));
}

// Merges `more`; returns how many items of its list were already known.
size_t learn(std::vector<Acquired> &acquired, const Acquired &more) {
    for (Acquired &each : acquired)
        if (each.from == more.from) {
            size_t before = each.count;
            each.count = std::max(each.count, more.count);
            return before;
        }
    acquired.push_back(more);
    return 0;
}

// Acquiring is transitive.
bool knows(const std::vector<Acquired> &acquired, const Use &use, uint32_t reader) {
    std::vector<Acquired> waiting = acquired, seen;
    while (!waiting.empty()) {
        Acquired next = waiting.back();
        waiting.pop_back();
        size_t before = learn(seen, next);
        for (size_t i = before; i < next.count; ++i) {
            const Published &told = (*next.from)[i];
            if (covers(told, use, reader)) return true;
            for (const Acquired &more : told.acquired)
                if (more.from != next.from) waiting.push_back(more);
        }
    }
    return false;
}

}  // namespace

bool knows_of(const Block &block, const Use &use) {
    const BlockRaces &races = *block.races;
    if (!places().fenced || races.threads.empty()) return false;
    return knows(races.acquired, use, block.number()) ||
           knows(races.threads[block.thread()].acquired, use, block.number());
}

void exchange_knowledge(Block &block, uintptr_t address, Access access) {
    Places &all = places();
    if (!block.launch().operation || !all.fenced) return;
    BlockRaces &races = *block.races;
    if (races.threads.empty()) races.threads.resize(THREADS_PER_BLOCK);
    Knowledge &mine = races.threads[block.thread()];
    std::vector<Published> &told = all.at[address];
    if (!told.empty()) learn(mine.acquired, {&told, told.size()});
    if (!writes(access) || (!mine.fences && !races.released)) return;
    Published now{block.number(), block.thread(), mine.in_block, mine.on_device, races.acquired};
    now.in_block.epoch = std::max(now.in_block.epoch, races.released);
    now.on_device.epoch = std::max(now.on_device.epoch, races.released);
    for (const Acquired &each : mine.acquired) learn(now.acquired, each);
    told.push_back(std::move(now));
}

void fence(Block &block, bool of_device) {
    if (!block.launch().operation || !block.races) return;
    places().fenced = true;
    BlockRaces &races = *block.races;
    if (races.threads.empty()) races.threads.resize(THREADS_PER_BLOCK);
    Knowledge &mine = races.threads[block.thread()];
    mine.in_block = {block.epoch(), ++mine.fences};
    if (of_device) mine.on_device = mine.in_block;
}

void forget_published() {
    if (!places().fenced) return;
    places().at.clear();
    places().fenced = false;
}

void BlockRaces::begin() {
    acquired.clear();
    released = 0;
    for (Knowledge &each : threads) each = {};
}

void BlockRaces::pass_barrier(uint32_t epoch, size_t waiting) {
    size_t fenced = 0;
    for (Knowledge &each : threads) {
        fenced += each.on_device.fences && each.on_device.epoch == epoch;
        for (const Acquired &more : each.acquired) learn(acquired, more);
        each.acquired.clear();
    }
    if (fenced >= waiting) released = epoch + 1;
}

// Lanes that meet know each other's steps so far; their later accesses belong to the next step. If all lanes meet, the
// warp itself counts the meeting.
void BlockRaces::meet(int first, unsigned mask, bool all) {
    std::vector<Acquired> told;
    std::vector<uint16_t> known(WARP);
    if (lanes.empty()) lanes.assign(THREADS_PER_BLOCK, known);
    for (int lane = 0; lane < WARP; ++lane) {
        if (!(mask >> lane & 1)) continue;
        for (int other = 0; other < WARP && !all; ++other)
            known[other] = std::max(known[other], lanes[first + lane][other]);
        if (!threads.empty())
            for (const Acquired &more : threads[first + lane].acquired) learn(told, more);
    }
    for (int lane = 0; lane < WARP; ++lane)
        if (mask >> lane & 1) ++known[lane];
    for (int lane = 0; lane < WARP; ++lane) {
        if (!(mask >> lane & 1)) continue;
        if (!all) lanes[first + lane] = known;
        if (!threads.empty()) threads[first + lane].acquired = told;
    }
}
