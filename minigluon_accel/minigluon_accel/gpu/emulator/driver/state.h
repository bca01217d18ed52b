// The driver's state: devices, contexts, streams, events, and the lock that protects it.
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
    CUresult failed = SUCCESS;          // as on a device, a context in which a kernel has failed remains unusable
};

struct Stream {
    Context *context = nullptr;
    unsigned flags = 0;
    int priority = 0;
    Graph *capturing = nullptr;         // the graph that records work enqueued here, during capture
    unsigned line = new_line();         // in hard mode: its index, and the work that has ended before its next work
    Clock clock;
    std::shared_ptr<struct Late> late;  // and its deferred work
    ~Stream() { end_line(line); }
};

struct Event {
    Context *context = nullptr;
    unsigned flags = 0;
    bool recorded = false;
    double milliseconds = 0;            // time at which it was recorded
    Graph *captured = nullptr;          // recorded in this graph instead of being run
    Clock clock;                        // in hard mode: the work that has ended when it occurs
    std::shared_ptr<struct Point> point;        // its position in deferred work
};

// The valid handles of one type. Any other handle is refused without being dereferenced.
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
    std::vector<Context *> primary;     // one for each device; null while nobody retains it
    std::vector<int> retained;
    Handles<Stream> streams;
    Handles<Event> events;
    std::atomic<long> lost_at{-1};      // MINIGLUON_GPU_FAIL=lost:N: the launch at which the device is lost
    std::atomic<bool> lost{false};
    // As on a device, a kernel's error is reported by the calls after its launch, and all later calls also fail.
    bool late = false;                  // MINIGLUON_GPU_FAIL=late
    long illegal_at = -1;               // MINIGLUON_GPU_FAIL=illegal:N: the launch after N others fails, and calls
                                        // report this late
    std::atomic<CUresult> poisoned{SUCCESS};
};

State &state();
using Lock = std::lock_guard<std::recursive_mutex>;

// The text of the environment variable, or "" if it is not set.
std::string setting(const char *name);

bool is_device(CUdevice device);

// Whether this process may use the driver: it was initialized here, not in a parent process before a fork.
CUresult host_ready();

// The driver's own errors, which are checked before those of contexts: not initialized, forked, device lost.
CUresult driver_ready();

// Whether calls that need a context may proceed. *context: set to the current context of this thread, if `context` is
// not null.
CUresult ready(Context **context = nullptr);
Context *current_context();

// Make cuGetErrorString return `text` for `code` in this thread from now on, and print it to stderr. Returns code.
CUresult explain(CUresult code, const std::string &text, bool print = false);

// Formats text like printf.
std::string format(const char *pattern, ...) __attribute__((format(printf, 1, 2)));
std::string plural(size_t count, const char *noun);

// A stream's object. Null for the default streams (handles 0, 1, 2). Returns false if there is no such stream.
bool find_stream(void *handle, Stream **stream);

// Refuses calls that are not allowed during a capture; `stream` is the stream that they use, or the default stream.
CUresult refuse_while_capturing(const char *what);
