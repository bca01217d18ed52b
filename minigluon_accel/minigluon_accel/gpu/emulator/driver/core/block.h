// One block of a launch, run by one thread of the operating system.
#pragma once
#include <string>
#include <vector>
#include "abi.h"
#include "cuda_api.h"
#include "core/fibers.h"
#include "core/modules.h"

// A FIFO of thread indices. Each thread is in the queue at most once.
class Queue {
public:
    bool empty() const { return first_ == end_; }
    void push(int thread) { threads_[end_++ % THREADS_PER_BLOCK] = short(thread); }
    int pop() { return threads_[first_++ % THREADS_PER_BLOCK]; }
    void clear() { first_ = end_ = 0; }
private:
    short threads_[THREADS_PER_BLOCK];
    unsigned first_ = 0, end_ = 0;
};

enum class Order { forward, reverse, shuffled };

struct Launch {
    const Function *function;
    Extent grid, block;
    void **arguments;
    unsigned shared;                    // bytes of dynamic shared memory
    Order order;                        // order in which threads begin, and in which they continue after a barrier
    const struct Operation *operation = nullptr;        // in hard mode: its position in the order of operations
    unsigned seed = 0;                  // seed of the random order
    unsigned threads() const { return block.x * block.y * block.z; }
};

struct Failure {
    CUresult code = SUCCESS;
    std::string text;
};

enum class Status : unsigned char { running, at_barrier, in_warp, finished };

struct Thread {
    Fiber *fiber = nullptr;
    Status status = Status::running;
    int result = 0;                     // result of a barrier
    const char *file = nullptr;         // location at which it waits
    int line = 0;
    int operation = 0, source = 0;      // the warp operation that it waits for, and its operand
    unsigned mask = 0;
    unsigned long long value = 0, answer = 0;
};

struct Warp {
    unsigned exists = 0, waiting = 0, finished = 0;     // bit i: lane i
    unsigned epoch = 0;                                 // number of times that its lanes have met
};

extern "C" __thread emulator::Index emulator_thread_index;

class Block {
public:
    Block();
    ~Block();

    // Run the block with this index to completion. Returns false if it failed; see failure().
    bool run(const Launch &launch, Extent index);
    const Failure &failure() const { return failure_; }

    // Called by kernels, on a fiber.
    int barrier(int kind, bool predicate, const char *file, int line);
    unsigned long long warp(int operation, unsigned mask, unsigned long long value, int source, const char *file,
                            int line);
    unsigned active_mask() const;
    [[noreturn]] void fail(CUresult code, const std::string &text, bool with_thread = true);

    std::string name(int thread) const;                 // "thread (1,0,0)"
    std::string where(int thread) const;                // "kernel 'f', block (0,0,0), thread (1,0,0)"
    int thread() const { return current_; }
    const Fiber &fiber() const { return *threads_[current_].fiber; }
    const Launch &launch() const { return *launch_; }
    const char *static_start() const { return static_; }
    const char *dynamic_start() const { return dynamic_; }
    const char *dynamic_end() const { return dynamic_ + launch_->shared; }
    unsigned epoch() const { return epoch_; }
    const Warp &warp_of(int thread) const { return warps_[thread / WARP]; }
    uint32_t number() const { return index_.x + launch_->grid.x * (index_.y + launch_->grid.y * index_.z); }
    struct Shadow *shadow = nullptr;                    // in checked mode: what it has accessed (access.cpp)
    struct BlockRaces *races = nullptr;                 // and the last uses of its shared memory

private:
    static void body();
    void begin(const Launch &launch, Extent index);
    void number_threads();
    void place_shared();
    bool schedule();
    Fiber *next_fiber();
    void enter(int thread) { current_ = thread; emulator_thread_index = indices_[thread]; }
    void park(Status status, const char *file, int line);
    void finish_thread();
    void open_barrier();
    bool in_shared(uintptr_t address) const;
    void meet(Warp &warp, int first, unsigned mask);
    void wake(int first, unsigned lanes);
    void check_lanes(int first, const Warp &warp, unsigned mask, const char *file, int line);
    void mix(std::vector<int> &threads);
    Fiber *free_fiber();
    std::string waiting() const;

    const Launch *launch_ = nullptr;
    Extent index_{};
    int count_ = 0, next_ = 0, finished_ = 0, current_ = 0;
    std::vector<Thread> threads_;
    std::vector<Warp> warps_;
    std::vector<Fiber> fibers_;
    std::vector<Fiber *> free_;                         // fibers that were returned
    int fibers_taken_ = 0;                              // number of fibers_ that this block has taken
    Fiber *beginning_ = nullptr;                        // the fiber whose body is starting
    std::vector<int> order_;                            // order in which threads begin
    std::vector<emulator::Index> indices_;              // threadIdx of each thread
    Extent indexed_{};                                  // the block shape for which they were computed
    Queue ready_;                                       // threads that can continue
    std::vector<int> at_barrier_;
    int barrier_kind_ = 0, votes_ = 0;
    const char *barrier_file_ = nullptr;
    int barrier_line_ = 0;
    unsigned epoch_ = 0;
    void *scheduler_ = nullptr;                         // the scheduler's stack pointer while a fiber runs
    char *static_ = nullptr;                            // the module's thread-local memory: static shared memory
    char *dynamic_ = nullptr, *dynamic_pages_ = nullptr;
    Failure failure_;
    Order arranged_ = Order::forward;                   // the launch order for which order_ was filled
    unsigned random_ = 12345;
};

// The block that this thread of the operating system runs; null outside kernels.
extern __thread Block *running_block;
