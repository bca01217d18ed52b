// A block: its threads begin in turn on the same fiber, until one of them waits. That thread keeps the fiber, and the
// next thread begins on another fiber. So a kernel without barriers needs only one fiber, and costs one call per
// thread.
#include "core/block.h"
#include <algorithm>
#include <cstring>
#include <sys/mman.h>
#include "checks/access.h"
#include "checks/happens_before.h"
#include "checks/records.h"
#include "state.h"

__thread Block *running_block = nullptr;

// The threadIdx etc. that kernels see. Kernels declare them const, because they do not change within one thread.
extern "C" {
__attribute__((visibility("default"))) __thread emulator::Index emulator_thread_index, emulator_block_index,
    emulator_block_size, emulator_grid_size;
__attribute__((visibility("default"))) __thread char *emulator_dynamic_shared;
}

namespace {

constexpr size_t DYNAMIC_PAGES = (MAX_SHARED_BYTES + 4095) / 4096 * 4096;

}  // namespace

Block::Block() : fibers_(THREADS_PER_BLOCK) {
    threads_.resize(THREADS_PER_BLOCK);
    indices_.resize(THREADS_PER_BLOCK);
    warps_.resize(THREADS_PER_BLOCK / WARP);
    void *pages = mmap(nullptr, DYNAMIC_PAGES + 2 * 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED) throw std::bad_alloc();
    dynamic_pages_ = static_cast<char *>(pages) + 4096;
    mprotect(dynamic_pages_, DYNAMIC_PAGES, PROT_READ | PROT_WRITE);
}

Block::~Block() {
    for (Fiber &fiber : fibers_) free_stack(fiber);
    munmap(dynamic_pages_ - 4096, DYNAMIC_PAGES + 2 * 4096);
    delete_shadow(*this);
}

bool Block::run(const Launch &launch, Extent index) {
    begin(launch, index);
    Block *outer = running_block;
    running_block = this;
    bool done = schedule();
    running_block = outer;
    return done;
}

void Block::begin(const Launch &launch, Extent index) {
    launch_ = &launch;
    index_ = index;
    if (launch.operation) random_ = launch.seed + 2654435761u * (launch.operation->number + 7919u * number());
    emulator_block_index = {index.x, index.y, index.z};
    emulator_block_size = {launch.block.x, launch.block.y, launch.block.z};
    emulator_grid_size = {launch.grid.x, launch.grid.y, launch.grid.z};
    if (count_ != int(launch.threads()) || arranged_ != launch.order || launch.order == Order::shuffled) {
        arranged_ = launch.order;
        count_ = int(launch.threads());
        order_.resize(count_);
        for (int i = 0; i < count_; ++i) order_[i] = i;
        mix(order_);
    }
    number_threads();
    next_ = finished_ = 0;
    for (int first = 0; first < count_; first += WARP)
        warps_[first / WARP] = {count_ - first >= WARP ? ~0u : (1u << (count_ - first)) - 1, 0, 0, 0};
    ready_.clear();
    at_barrier_.clear();
    ++epoch_;                                           // never reset: accesses of earlier blocks do not race
    free_.clear();
    fibers_taken_ = 0;
    failure_ = {};
    place_shared();
}

void Block::number_threads() {
    const Extent &size = launch_->block;
    if (indexed_.x == size.x && indexed_.y == size.y && indexed_.z == size.z) return;
    indexed_ = size;
    for (int i = 0; i < count_; ++i) indices_[i] = {i % size.x, i / size.x % size.y, i / size.x / size.y};
}

// Shared memory is initially filled with NaN. Dynamic shared memory ends where its pages end.
void Block::place_shared() {
    dynamic_ = dynamic_pages_ + DYNAMIC_PAGES - (launch_->shared + 15) / 16 * 16;
    emulator_dynamic_shared = dynamic_;
    memset(dynamic_, 0xff, dynamic_pages_ + DYNAMIC_PAGES - dynamic_);
    static_ = launch_->function->module->shared_base();
    for (const Variable &variable : launch_->function->shared) memset(static_ + variable.offset, 0xff, variable.size);
    begin_shadow(*this);
}

// Returns false if the block has failed.
bool Block::schedule() {
    while (finished_ < count_) {
        Fiber *fiber = next_fiber();
        if (!fiber) {
            failure_ = {LAUNCH_TIMEOUT, format("kernel '%s', block (%u,%u,%u): its threads wait for ever: %s",
                        launch_->function->name.c_str(), index_.x, index_.y, index_.z, waiting().c_str())};
            return false;
        }
        emulator_switch(&scheduler_, fiber->stack_pointer);
        if (failure_.code) return false;
    }
    return true;
}

// The next thread to run: first the threads that waited and may continue, then those that have not begun. Null if there
// are neither.
Fiber *Block::next_fiber() {
    if (!ready_.empty()) {
        int thread = ready_.pop();
        enter(thread);
        return threads_[thread].fiber;
    }
    return next_ < count_ ? free_fiber() : nullptr;
}

Fiber *Block::free_fiber() {
    if (free_.empty()) {
        beginning_ = &fibers_[fibers_taken_++];
    } else {
        beginning_ = free_.back();
        free_.pop_back();
    }
    prepare(*beginning_, int(beginning_ - fibers_.data()), body);
    return beginning_;
}

// The body of a fiber: runs threads in turn, as long as some have not begun and none can continue.
void Block::body() {
    Block &block = *running_block;
    Fiber *fiber = block.beginning_;
    do {
        int thread = block.order_[block.next_++];
        block.threads_[thread].fiber = fiber;
        block.threads_[thread].status = Status::running;
        block.enter(thread);
        block.launch_->function->kernel->call(block.launch_->arguments);
        block.finish_thread();
    } while (block.next_ < block.count_ && block.ready_.empty());
    block.free_.push_back(fiber);
    void *never;
    emulator_switch(&never, block.scheduler_);
    __builtin_unreachable();
}

void Block::park(Status status, const char *file, int line) {
    Thread &thread = threads_[current_];
    thread.status = status;
    thread.file = file;
    thread.line = line;
    Fiber *next = next_fiber();
    if (next != thread.fiber) emulator_switch(&thread.fiber->stack_pointer, next ? next->stack_pointer : scheduler_);
    thread.status = Status::running;
}

void Block::finish_thread() {
    Thread &thread = threads_[current_];
    thread.status = Status::finished;
    ++finished_;
    Warp &warp = warps_[current_ / WARP];
    unsigned bit = 1u << current_ % WARP;
    warp.finished |= bit;
    if (warp.waiting) {
        int first = current_ / WARP * WARP;
        for (int lane = 0; lane < WARP; ++lane) {
            const Thread &other = threads_[first + lane];
            if (warp.waiting >> lane & 1 && other.mask & bit)
                fail(LAUNCH_FAILED, format("it ends, but %s waits for it in a warp operation with mask %#x at %s:%d",
                     name(first + lane).c_str(), other.mask, other.file, other.line));
        }
    }
    if (!at_barrier_.empty() && int(at_barrier_.size()) + finished_ == count_) open_barrier();
}

void Block::mix(std::vector<int> &threads) {
    if (launch_->order == Order::reverse) std::reverse(threads.begin(), threads.end());
    if (launch_->order != Order::shuffled) return;
    for (size_t i = threads.size(); i > 1; --i) {
        random_ = random_ * 1664525u + 1013904223u;
        std::swap(threads[i - 1], threads[(random_ >> 8) % i]);
    }
}

int Block::barrier(int kind, bool predicate, const char *file, int line) {
    if (at_barrier_.empty()) {
        barrier_kind_ = kind;
        barrier_file_ = file;
        barrier_line_ = line;
        votes_ = 0;
    } else if (line != barrier_line_ || kind != barrier_kind_ ||
               (file != barrier_file_ && strcmp(file, barrier_file_))) {
        fail(LAUNCH_FAILED, format("waits at a barrier at %s:%d while %s waits at one at %s:%d. All threads of a block "
             "must come to the same __syncthreads()", file, line, name(at_barrier_[0]).c_str(), barrier_file_,
             barrier_line_));
    }
    votes_ += predicate;
    int self = current_;
    at_barrier_.push_back(self);
    if (int(at_barrier_.size()) + finished_ == count_) open_barrier();
    park(Status::at_barrier, file, line);
    return threads_[self].result;
}

// All threads have arrived, so all of them continue, including the last one, in the requested order.
void Block::open_barrier() {
    int alive = int(at_barrier_.size());
    if (recording) record_barrier(*this, alive, barrier_line_);
    int result = barrier_kind_ == emulator::count ? votes_
               : barrier_kind_ == emulator::all ? votes_ == alive : votes_ > 0;
    if (launch_->order != Order::forward) mix(at_barrier_);
    for (int thread : at_barrier_) {
        threads_[thread].result = result;
        ready_.push(thread);
    }
    if (races) races->pass_barrier(epoch_, at_barrier_.size());
    at_barrier_.clear();
    ++epoch_;
}

std::string Block::name(int thread) const {
    const emulator::Index &index = indices_[thread];
    return format("thread (%u,%u,%u)", index.x, index.y, index.z);
}

std::string Block::where(int thread) const {
    return format("kernel '%s', block (%u,%u,%u), %s", launch_->function->name.c_str(), index_.x, index_.y, index_.z,
                  name(thread).c_str());
}

std::string Block::waiting() const {
    std::string text;
    int told = 0;
    for (int i = 0; i < count_ && told < 4; ++i) {
        const Thread &thread = threads_[i];
        if (thread.status != Status::at_barrier && thread.status != Status::in_warp) continue;
        if (i && threads_[i - 1].status == thread.status && threads_[i - 1].line == thread.line) continue;
        if (told++) text += "; ";
        text += name(i) + (thread.status == Status::at_barrier ? " at a barrier at " : format(
            " in a warp operation with mask %#x at ", thread.mask)) + format("%s:%d", thread.file, thread.line);
    }
    return text;
}

void Block::fail(CUresult code, const std::string &text, bool with_thread) {
    failure_ = {code, with_thread ? where(current_) + ": " + text : text};
    void *never;
    emulator_switch(&never, scheduler_);
    __builtin_unreachable();
}

EXPORT int emulator_barrier(int kind, int predicate, const char *file, int line) {
    return running_block->barrier(kind, predicate, file, line);
}
EXPORT void emulator_assert(const char *text, const char *file, int line) {
    running_block->fail(ASSERT, format("assertion `%s` failed at %s:%d", text, file, line));
}
EXPORT void emulator_trap(const char *file, int line) {
    running_block->fail(LAUNCH_FAILED, format("__trap() at %s:%d", file, line));
}
