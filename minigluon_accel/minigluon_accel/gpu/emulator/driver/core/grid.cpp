// A grid runs its blocks in sequence and, once it has run for a while, on several threads of the operating system.
#include "core/grid.h"
#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <numeric>
#include <random>
#include <sched.h>
#include <thread>
#include "checks/faults.h"
#include "checks/happens_before.h"

namespace {

using Timer = std::chrono::steady_clock;
constexpr auto ALONE = std::chrono::microseconds(100);      // time after which helper threads are worth starting

// Idle blocks, with the stacks of their threads.
class Pool {
public:
    std::unique_ptr<Block> take() {
        std::lock_guard<std::mutex> hold(lock_);
        if (free_.empty()) return std::make_unique<Block>();
        std::unique_ptr<Block> block = std::move(free_.back());
        free_.pop_back();
        return block;
    }
    void give(std::unique_ptr<Block> block) {
        std::lock_guard<std::mutex> hold(lock_);
        free_.push_back(std::move(block));
    }
private:
    std::mutex lock_;
    std::vector<std::unique_ptr<Block>> free_;
};

Pool &pool() {
    static Pool *all = new Pool;
    return *all;
}

int processors() {
    cpu_set_t set;
    return sched_getaffinity(0, sizeof set, &set) ? 1 : CPU_COUNT(&set);
}

struct Grid {
    const Launch &launch;
    uint64_t blocks;
    std::atomic<uint64_t> next{0};
    std::atomic<bool> failed{false};
    std::mutex lock;
    Failure failure;

    uint64_t step_width = 1, first = 0; // in hard mode, the i-th block that runs has index first + i * step_width

    explicit Grid(const Launch &asked)
        : launch(asked), blocks(uint64_t(asked.grid.x) * asked.grid.y * asked.grid.z) {
        if (!launch.operation) return;
        std::minstd_rand random(launch.seed + launch.operation->number);
        first = random() % blocks;
        do step_width = random() % blocks + 1;
        while (std::gcd(step_width, blocks) != 1);
    }

    uint64_t placed(uint64_t number) const { return uint64_t((first + (unsigned __int128)number * step_width) % blocks); }

    // Run the next block. Returns false if there is none left, or if a block has failed.
    bool step(Block &block) {
        uint64_t number = failed ? blocks : next++;
        if (number >= blocks) return false;
        number = placed(number);
        uint64_t row = number / launch.grid.x;
        Extent index{unsigned(number % launch.grid.x), unsigned(row % launch.grid.y), unsigned(row / launch.grid.y)};
        if (block.run(launch, index)) return true;
        std::lock_guard<std::mutex> hold(lock);
        if (!failed) failure = block.failure();
        failed = true;
        return false;
    }

    void help() {
        watch_faults();
        std::unique_ptr<Block> block = pool().take();
        while (step(*block)) {}
        pool().give(std::move(block));
    }
};

}  // namespace

Failure run_grid(const Launch &launch) {
    watch_faults();
    Grid grid(launch);
    std::unique_ptr<Block> block = pool().take();
    std::vector<std::thread> helpers;
    auto start = Timer::now();
    while (grid.step(*block)) {
        if (grid.blocks == 1 || launch.operation || !helpers.empty() || Timer::now() - start < ALONE) continue;
        static const int most = processors();
        while (int(helpers.size()) + 1 < most && grid.next + helpers.size() < grid.blocks)
            helpers.emplace_back([&grid] { grid.help(); });
        if (helpers.empty()) start = Timer::time_point::max() - ALONE;      // only one processor: do not try again
    }
    for (std::thread &helper : helpers) helper.join();
    pool().give(std::move(block));
    return grid.failure;
}
