// Graphs: the list of the work that was enqueued on a captured stream and on streams that joined it, in call order.
#include "graphs.h"
#include <algorithm>

namespace {

struct Executable { std::vector<Work> nodes; };

struct Captures {
    Handles<Graph> graphs;
    Handles<Executable> executables;
    std::vector<Graph *> open;          // graphs that are being captured
    std::atomic<size_t> count{0};       // how many there are, to be checked without the lock
};

Captures &captures() {
    static Captures *all = new Captures;
    return *all;
}

void leave_capture(Graph *graph) {
    for (Stream *stream : graph->streams) stream->capturing = nullptr;
    auto &open = captures().open;
    open.erase(std::remove(open.begin(), open.end(), graph), open.end());
    captures().count = open.size();
}

// The difference that prevents `to` from taking the arguments of `from`, or null.
const char *difference(const std::vector<Work> &to, const std::vector<Work> &from) {
    if (to.size() != from.size()) return "the number of nodes";
    for (size_t i = 0; i < to.size(); ++i) {
        if (to[i].what != from[i].what) return "the kind of a node";
        if (to[i].function != from[i].function) return "the kernel of a node";
        bool same_way = to[i].to_device == from[i].to_device && to[i].from_device == from[i].from_device;
        if (to[i].what == What::copy && !same_way)
            return "the direction of a copy";
    }
    return nullptr;
}

struct UpdateResult { int result; void *node, *from_node; };

}  // namespace

CUresult record(Graph *graph, Work work) {
    Lock hold(state().lock);
    if (graph->invalid) return STREAM_CAPTURE_INVALIDATED;
    graph->nodes.push_back(std::move(work));
    return SUCCESS;
}

CUresult invalidate(Graph *graph, const char *call) {
    graph->invalid = true;
    return explain(STREAM_CAPTURE_UNSUPPORTED, format("%s is not permitted while a stream is captured", call));
}

CUresult join_capture(Graph *graph, Stream *stream) {
    auto &open = captures().open;
    if (std::find(open.begin(), open.end(), graph) == open.end()) return CAPTURED_EVENT;        // the event's capture
                                                                                                // has ended
    if (stream->capturing && stream->capturing != graph) return STREAM_CAPTURE_MERGE;
    if (graph->streams.insert(stream).second) graph->loose.insert(stream);
    stream->capturing = graph;
    if (stream == graph->origin) graph->loose.clear();
    return SUCCESS;
}

CUresult refuse_on_default_stream(const char *call) {
    Captures &all = captures();
    if (!all.count) return SUCCESS;
    Lock hold(state().lock);
    for (Graph *graph : all.open)
        for (Stream *stream : graph->streams)
            if (!(stream->flags & 1)) {         // 1: does not wait for the default stream
                graph->invalid = true;
                return explain(STREAM_CAPTURE_IMPLICIT, format(
                    "%s would make the default stream wait for one that is captured", call));
            }
    return SUCCESS;
}

CUresult refuse_while_capturing(const char *call) {
    Captures &all = captures();
    if (!all.count) return SUCCESS;
    Lock hold(state().lock);
    for (Graph *graph : all.open)
        if (graph->mode == Mode::global ||
            (graph->mode == Mode::thread_local_ && graph->thread == std::this_thread::get_id()))
            return invalidate(graph, call);
    return SUCCESS;
}

EXPORT CUresult cuStreamBeginCapture_v2(void *handle, int mode) {
    if (CUresult error = ready()) return error;
    Stream *stream;
    Lock hold(state().lock);
    if (!find_stream(handle, &stream)) return INVALID_HANDLE;
    if (!stream) return explain(STREAM_CAPTURE_UNSUPPORTED, "the default stream cannot be captured");
    if (stream->capturing) return ILLEGAL_STATE;
    Graph *graph = new Graph;
    graph->origin = stream;
    graph->streams = {stream};
    graph->mode = Mode(mode);
    graph->thread = std::this_thread::get_id();
    stream->capturing = graph;
    captures().open.push_back(graph);
    ++captures().count;
    return SUCCESS;
}

EXPORT CUresult cuStreamEndCapture(void *handle, Graph **result) {
    *result = nullptr;
    if (CUresult error = ready()) return error;
    Stream *stream;
    Lock hold(state().lock);
    if (!find_stream(handle, &stream)) return INVALID_HANDLE;
    if (!stream || !stream->capturing) return ILLEGAL_STATE;
    Graph *graph = stream->capturing;
    if (graph->origin != stream) return STREAM_CAPTURE_UNMATCHED;
    leave_capture(graph);
    CUresult error = graph->invalid ? STREAM_CAPTURE_INVALIDATED
                   : graph->loose.empty() ? SUCCESS : STREAM_CAPTURE_UNJOINED;
    if (error) {
        delete graph;
        return error;
    }
    *result = captures().graphs.add(graph);
    return SUCCESS;
}

EXPORT CUresult cuStreamIsCapturing(void *handle, int *status) {
    if (CUresult error = ready()) return error;
    Stream *stream;
    if (!find_stream(handle, &stream)) return INVALID_HANDLE;
    *status = !stream || !stream->capturing ? 0 : stream->capturing->invalid ? 2 : 1;
    return SUCCESS;
}

EXPORT CUresult cuThreadExchangeStreamCaptureMode(int *) { return ready(); }

EXPORT CUresult cuGraphGetNodes(void *handle, void **, size_t *count) {
    Lock hold(state().lock);
    Graph *graph = captures().graphs.find(handle);
    if (!graph) return INVALID_VALUE;
    *count = graph->nodes.size();
    return SUCCESS;
}

EXPORT CUresult cuGraphInstantiateWithFlags(Executable **executable, void *handle, unsigned long long) {
    if (CUresult error = ready()) return error;
    Lock hold(state().lock);
    Graph *graph = captures().graphs.find(handle);
    if (!graph) return INVALID_VALUE;
    *executable = captures().executables.add(new Executable{graph->nodes});
    return SUCCESS;
}

EXPORT CUresult cuGraphInstantiate_v2(Executable **executable, void *graph, void **, char *, size_t) {
    return cuGraphInstantiateWithFlags(executable, graph, 0);
}

EXPORT CUresult cuGraphInstantiate(Executable **executable, void *graph, unsigned long long flags) {
    return cuGraphInstantiateWithFlags(executable, graph, flags);
}

EXPORT CUresult cuGraphUpload(void *, void *) { return ready(); }

EXPORT CUresult cuGraphLaunch(void *handle, void *stream_handle) {
    if (CUresult error = ready()) return error;
    std::vector<Work> nodes;
    Stream *stream;
    {
        Lock hold(state().lock);
        Executable *executable = captures().executables.find(handle);
        if (!executable || !find_stream(stream_handle, &stream)) return INVALID_VALUE;
        nodes = executable->nodes;
    }
    if (!stream)
        if (CUresult error = refuse_on_default_stream("cuGraphLaunch")) return error;
    Graph *recorded_in = stream ? stream->capturing : nullptr;
    for (const Work &node : nodes)
        if (CUresult error = recorded_in ? record(recorded_in, node) : perform_in_order(node, stream, false))
            return state().poisoned ? SUCCESS : error;          // the next call reports it
    return SUCCESS;
}

EXPORT CUresult cuGraphExecUpdate_v2(void *executable_handle, void *graph_handle, UpdateResult *result) {
    if (CUresult error = ready()) return error;
    Lock hold(state().lock);
    Executable *executable = captures().executables.find(executable_handle);
    Graph *graph = captures().graphs.find(graph_handle);
    if (!executable || !graph) return INVALID_VALUE;
    const char *differs = difference(executable->nodes, graph->nodes);
    if (result) *result = {differs ? 2 : 0, nullptr, nullptr};          // 2: the topology changed
    if (differs) return explain(GRAPH_EXEC_UPDATE_FAILURE, format("the graphs differ in %s", differs));
    executable->nodes = graph->nodes;
    return SUCCESS;
}

EXPORT CUresult cuGraphExecDestroy(void *handle) {
    if (CUresult error = driver_ready()) return error;
    Lock hold(state().lock);
    return captures().executables.remove(handle) ? SUCCESS : INVALID_VALUE;
}

EXPORT CUresult cuGraphDestroy(void *handle) {
    if (CUresult error = driver_ready()) return error;
    Lock hold(state().lock);
    return captures().graphs.remove(handle) ? SUCCESS : INVALID_VALUE;
}
