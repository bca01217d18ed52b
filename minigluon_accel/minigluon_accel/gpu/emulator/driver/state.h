// What the driver keeps: devices, contexts, streams, events, and the lock over all of it.
#pragma once
#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_set>
#include <vector>
#include "cuda_api.h"
#include "checks/happens_before.h"

struct Graph;

struct Context {
    CUdevice device = 0;
    bool primary = false, alive = true;
    unsigned flags = 0, cache = 0;
    CUresult failed = SUCCESS;          // as on a device, a context in which a kernel failed stays failed
};

struct Stream {
    Context *context = nullptr;
    unsigned flags = 0;
    int priority = 0;
    Graph *capturing = nullptr;         // the graph that takes what is enqueued here, while that is recorded
    unsigned line = new_line();         // in hard mode: its number, and what has ended before its next work
    Clock clock;
    std::shared_ptr<struct Late> late;  // and what has been put off
    ~Stream() { end_line(line); }
};

struct Event {
    Context *context = nullptr;
    unsigned flags = 0;
    bool recorded = false;
    double milliseconds = 0;            // the time at which it was recorded
    Graph *captured = nullptr;          // recorded into this graph rather than run
    Clock clock;                        // in hard mode: what has ended when it happens
    std::shared_ptr<struct Point> point;        // where that is, in work that is put off
};

// The handles of one kind that programs hold. What is not among them is refused, rather than followed into nowhere.
template <class T> class Handles {
public:
    T *add(T *object) { live_.insert(object); return object; }
    T *find(void *handle) const { return live_.count(handle) ? static_cast<T *>(handle) : nullptr; }
    std::vector<T *> all() const {
        std::vector<T *> objects;
        for (void *each : live_) objects.push_back(static_cast<T *>(each));
        return objects;
    }
    bool remove(void *handle) {
        if (!live_.erase(handle)) return false;
        delete static_cast<T *>(handle);
        return true;
    }
private:
    std::unordered_set<void *> live_;
};

struct State {
    std::recursive_mutex lock;
    bool initialized = false;
    int devices = 1;
    size_t memory = size_t(4) << 30;    // bytes of each device
    std::vector<Context *> primary;     // one for each device, null while nobody retains it
    std::vector<int> retained;
    Handles<Stream> streams;
    Handles<Event> events;
    std::atomic<long> lost_at{-1};      // MINIGLUON_GPU_FAIL=lost:N: the launch from which on the device is gone
    std::atomic<bool> lost{false};
    // As on a device: a kernel's error is told by the calls after its launch, and the process never gets rid of it.
    bool late = false;                  // MINIGLUON_GPU_FAIL=late
    long illegal_at = -1;               // MINIGLUON_GPU_FAIL=illegal:N: late, and the launch after N others has one
    std::atomic<CUresult> poisoned{SUCCESS};
};

State &state();
using Lock = std::lock_guard<std::recursive_mutex>;

// The text of the environment variable, or "" where it is not set.
std::string setting(const char *name);

bool is_device(CUdevice device);

// Whether this process may use the driver: it is initialized here, and not in a parent process before a fork.
CUresult host_ready();

// Errors of the driver itself, which hold before any context is looked at: not initialized, forked, device lost.
CUresult driver_ready();

// Whether calls that need a context may go on. *context: the current one of this thread, where not null.
CUresult ready(Context **context = nullptr);
Context *current_context();

// Keep `text` as what cuGetErrorString says about `code` in this thread from now on; print it to stderr. Gives code.
CUresult explain(CUresult code, const std::string &text, bool print = false);

// Text like printf's.
std::string format(const char *pattern, ...) __attribute__((format(printf, 1, 2)));
std::string plural(size_t count, const char *noun);

// A stream's object. Null for the default streams (handles 0, 1, 2). False: no such stream.
bool find_stream(void *handle, Stream **stream);

// What may not be done while something is captured: with `stream` the stream that it is done on, or the default one.
CUresult refuse_while_capturing(const char *what);
