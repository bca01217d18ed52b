// Capturing the work of streams, and replaying it.
#pragma once
#include <set>
#include <thread>
#include "work.h"

enum class Mode { global = 0, thread_local_ = 1, relaxed = 2 };

struct Graph {
    std::vector<Work> nodes;            // in the order of the calls, which respects all dependencies
    Stream *origin = nullptr;
    std::set<Stream *> streams;         // the origin, and streams that joined by waiting for an event
    std::set<Stream *> loose;           // joined streams whose last work nothing waits for
    Mode mode = Mode::global;
    std::thread::id thread;
    bool invalid = false;
};

CUresult record(Graph *graph, Work work);
CUresult invalidate(Graph *graph, const char *call);
CUresult join_capture(Graph *graph, Stream *stream);

// Nothing may be enqueued on the default stream, which waits for all blocking streams, while one of these streams is
// being captured.
CUresult refuse_on_default_stream(const char *call);
