// Happens-before tracking with vector clocks: each line counts its operations, and a clock holds a count for each line.
#include "checks/happens_before.h"
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <random>
#include "core/modules.h"
#include "state.h"
#include "work.h"

namespace {

constexpr size_t LAST = 1 << 16;  // number of operations that are kept; older operations are considered ended

struct Orders {
    std::mutex lock;
    std::vector<unsigned> ticks{0};     // operations of each line so far
    std::vector<unsigned> free;         // lines of destroyed streams
    std::vector<std::shared_ptr<const Operation>> last{LAST};
    unsigned count = 0;
    Clock host, standard;               // the work that the host has waited for; the clock of the default stream
};

Orders &orders() {
    static Orders *all = new Orders;
    return *all;
}

void join(Clock &clock, const Clock &other) {
    if (clock.size() < other.size()) clock.resize(other.size());
    for (size_t i = 0; i < other.size(); ++i) clock[i] = std::max(clock[i], other[i]);
}

bool blocking(const Stream *stream) { return !(stream->flags & 1); }

// The line's clock with its implicit waits: the default stream waits for blocking streams, and vice versa. The caller
// holds the state's lock.
Clock &arrived(Orders &all, Stream *stream) {
    Clock &clock = stream ? stream->clock : all.standard;
    join(clock, all.host);
    if (stream && blocking(stream)) join(clock, all.standard);
    if (!stream)
        for (Stream *each : state().streams.all())
            if (blocking(each)) join(clock, each->clock);
    return clock;
}

std::string title(const Work &work) {
    if (work.what == What::launch) return "kernel '" + work.function->name + "'";
    if (work.what == What::fill) return "a fill";
    if (work.what != What::copy) return "a pool";
    return work.from_device ? work.to_device ? "a copy on the device" : "a copy to the host" : "a copy to the device";
}

}  // namespace

bool hard_mode() { return setting("MINIGLUON_GPU_CHECK") == "hard"; }

unsigned hard_seed() {
    static const unsigned seed = [] {
        std::string given = setting("MINIGLUON_GPU_SEED");
        if (!given.empty()) return unsigned(strtoul(given.c_str(), nullptr, 10));
        unsigned drawn = std::random_device()() % 1000000;
        fprintf(stderr, "minigluon emulator: hard mode, MINIGLUON_GPU_SEED=%u\n", drawn);
        return drawn;
    }();
    return seed;
}

std::shared_ptr<const Operation> ordered_operation(const Work &work, Stream *stream) {
    if (!hard_mode()) return nullptr;
    Lock hold_state(state().lock);
    Orders &all = orders();
    std::lock_guard<std::mutex> hold(all.lock);
    auto made = std::make_shared<Operation>();
    Clock &clock = arrived(all, stream);
    made->number = ++all.count;
    made->line = stream ? stream->line : 0;
    made->before = clock;
    made->tick = ++all.ticks[made->line];
    if (clock.size() <= made->line) clock.resize(made->line + 1);
    clock[made->line] = made->tick;
    made->title = title(work);
    made->function = work.function;
    made->grid = work.grid;
    made->block = work.block;
    all.last[made->number % LAST] = made;
    return made;
}

void order_record(Event &event, Stream *stream) {
    Orders &all = orders();
    std::lock_guard<std::mutex> hold(all.lock);
    event.clock = arrived(all, stream);
}

void order_wait(Stream *stream, const Event &event) {
    Orders &all = orders();
    std::lock_guard<std::mutex> hold(all.lock);
    join(stream ? stream->clock : all.standard, event.clock);
}

void order_host_waits(const Clock &ended) {
    Orders &all = orders();
    std::lock_guard<std::mutex> hold(all.lock);
    join(all.host, ended);
}

void order_host_waits_for(Stream *stream) {
    Lock hold_state(state().lock);
    Orders &all = orders();
    std::lock_guard<std::mutex> hold(all.lock);
    Clock ended = arrived(all, stream);
    join(all.host, ended);
}

void order_host_waits_for_all() {
    Orders &all = orders();
    std::lock_guard<std::mutex> hold(all.lock);
    join(all.host, all.ticks);
}

const Operation *find_operation(unsigned number) {
    Orders &all = orders();
    std::lock_guard<std::mutex> hold(all.lock);
    const Operation *found = all.last[number % LAST].get();
    return found && found->number == number ? found : nullptr;
}

bool comes_before(unsigned number, const Operation &later) {
    static unsigned asked = 0, of = 0;      // only one operation runs at a time, and it looks up the same operations
                                            // repeatedly
    static bool answer = true;
    if (asked == number && of == later.number) return answer;
    const Operation *earlier = find_operation(number);
    asked = number;
    of = later.number;
    return answer = !earlier || (earlier->line < later.before.size() && later.before[earlier->line] >= earlier->tick);
}

unsigned new_line() {
    Orders &all = orders();
    std::lock_guard<std::mutex> hold(all.lock);
    if (all.free.empty()) {
        all.ticks.push_back(0);
        return unsigned(all.ticks.size() - 1);
    }
    unsigned line = all.free.back();
    all.free.pop_back();
    return line;
}

void end_line(unsigned line) {
    Orders &all = orders();
    std::lock_guard<std::mutex> hold(all.lock);
    all.free.push_back(line);
}
