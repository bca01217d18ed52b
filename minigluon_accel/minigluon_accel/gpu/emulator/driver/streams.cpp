// Streams and events. Work is done when it is enqueued, so a stream is only a name, and an event is only a point in
// time. In hard mode, work is deferred (see deferred_work.h).
#include <chrono>
#include <cstdio>
#include "graphs.h"
#include "checks/deferred_work.h"
#include "core/memory.h"
#include "work.h"

namespace {

// The event with this handle, for calls that query it on the host. An event that was recorded in a graph has no time.
CUresult find_event(void *handle, Event **event) {
    if (CUresult error = ready()) return error;
    *event = state().events.find(handle);
    if (!*event) return INVALID_HANDLE;
    if ((*event)->captured) return CAPTURED_EVENT;
    return SUCCESS;
}

}  // namespace

double now() {
    using namespace std::chrono;
    return duration<double, std::milli>(steady_clock::now().time_since_epoch()).count();
}

bool find_stream(void *handle, Stream **stream) {
    *stream = nullptr;
    if (reinterpret_cast<uintptr_t>(handle) <= 2) return true;      // null, the legacy default stream, and the thread's
                                                                    // default stream
    Lock hold(state().lock);
    *stream = state().streams.find(handle);
    return *stream;
}

CUresult enqueue(const Work &work, void *handle, bool waits, const char *call) {
    Context *context;
    if (CUresult error = ready(&context)) return error;
    Stream *stream;
    if (!find_stream(handle, &stream)) return explain(INVALID_HANDLE, format("%s: no such stream", call));
    if (!stream || waits)
        if (CUresult error = refuse_on_default_stream(call)) return error;
    Work done = work;
    done.context = context;
    bool between_host_and_device = done.what == What::copy && done.to_device != done.from_device;
    if (stream && stream->capturing) return record(stream->capturing, std::move(done));
    if (CUresult error = perform_in_order(std::move(done), stream, waits)) return error;
    if (waits && between_host_and_device) order_host_waits_for(stream);
    return SUCCESS;
}

CUresult perform_in_order(Work work, Stream *stream, bool waits) {
    work.operation = ordered_operation(work, stream);
    return work.operation ? skip_packed(std::move(work), stream, waits) : perform(work);
}

CUresult perform(const Work &work) {
    switch (work.what) {
        case What::launch: return perform_launch(work);
        case What::copy: return perform_copy(work);
        case What::fill: return perform_fill(work);
        case What::pool: set_given_back(work.to, work.given_back);
        default: return SUCCESS;
    }
}

EXPORT CUresult cuStreamCreateWithPriority(Stream **stream, unsigned flags, int priority) {
    Context *context;
    if (CUresult error = ready(&context)) return error;
    Lock hold(state().lock);
    *stream = state().streams.add(new Stream);
    (*stream)->context = context;
    (*stream)->flags = flags;
    (*stream)->priority = priority;
    return SUCCESS;
}

EXPORT CUresult cuStreamCreate(Stream **stream, unsigned flags) { return cuStreamCreateWithPriority(stream, flags, 0); }

EXPORT CUresult cuStreamDestroy_v2(void *handle) {
    if (CUresult error = driver_ready()) return error;
    Stream *stream;
    if (find_stream(handle, &stream) && stream && hard_mode()) catch_up(stream);
    Lock hold(state().lock);
    return state().streams.remove(handle) ? SUCCESS : INVALID_HANDLE;
}

EXPORT CUresult cuStreamSynchronize(void *handle) {
    fflush(stdout);                     // kernels' printf
    if (CUresult error = ready()) return error;
    Stream *stream;
    if (!find_stream(handle, &stream)) return INVALID_HANDLE;
    if (stream && stream->capturing) return invalidate(stream->capturing, "cuStreamSynchronize");
    if (hard_mode()) {
        if (CUresult error = catch_up(stream)) return error;
        order_host_waits_for(stream);
    }
    return stream ? SUCCESS : refuse_on_default_stream("cuStreamSynchronize");
}

EXPORT CUresult cuStreamQuery(void *handle) {
    Stream *stream;
    if (hard_mode() && find_stream(handle, &stream) && !(stream && stream->capturing) && !nearer(stream))
        return NOT_READY;
    return cuStreamSynchronize(handle);
}

EXPORT CUresult cuStreamGetCtx(void *handle, Context **context) {
    if (CUresult error = ready(context)) return error;
    Stream *stream;
    if (!find_stream(handle, &stream)) return INVALID_HANDLE;
    if (stream) *context = stream->context;
    return SUCCESS;
}

EXPORT CUresult cuStreamGetFlags(void *handle, unsigned *flags) {
    Stream *stream;
    if (!find_stream(handle, &stream)) return INVALID_HANDLE;
    *flags = stream ? stream->flags : 0;
    return SUCCESS;
}

EXPORT CUresult cuStreamGetPriority(void *handle, int *priority) {
    Stream *stream;
    if (!find_stream(handle, &stream)) return INVALID_HANDLE;
    *priority = stream ? stream->priority : 0;
    return SUCCESS;
}

EXPORT CUresult cuStreamAttachMemAsync(void *, CUdeviceptr, size_t, unsigned) { return ready(); }

EXPORT CUresult cuStreamWaitEvent(void *handle, void *event_handle, unsigned) {
    if (CUresult error = ready()) return error;
    Stream *stream;
    Lock hold(state().lock);
    Event *event = state().events.find(event_handle);
    if (!event || !find_stream(handle, &stream)) return INVALID_HANDLE;
    if (!event->captured) {
        order_wait(stream, *event);
        put_off_wait(stream, event->point);
        return SUCCESS;
    }
    if (!stream) return STREAM_CAPTURE_IMPLICIT;
    return join_capture(event->captured, stream);
}

EXPORT CUresult cuEventCreate(Event **event, unsigned flags) {
    Context *context;
    if (CUresult error = ready(&context)) return error;
    Lock hold(state().lock);
    *event = state().events.add(new Event);
    (*event)->context = context;
    (*event)->flags = flags;
    return SUCCESS;
}

EXPORT CUresult cuEventDestroy_v2(void *handle) {
    if (CUresult error = driver_ready()) return error;
    Lock hold(state().lock);
    return state().events.remove(handle) ? SUCCESS : INVALID_HANDLE;
}

EXPORT CUresult cuEventRecord(void *handle, void *stream_handle) {
    if (CUresult error = ready()) return error;
    Stream *stream;
    Lock hold(state().lock);
    Event *event = state().events.find(handle);
    if (!event || !find_stream(stream_handle, &stream)) return INVALID_HANDLE;
    if (!stream)
        if (CUresult error = refuse_on_default_stream("cuEventRecord")) return error;
    event->captured = stream ? stream->capturing : nullptr;
    if (event->captured) return event->captured->invalid ? STREAM_CAPTURE_INVALIDATED : SUCCESS;
    if (hard_mode()) {
        order_record(*event, stream);
        event->point = put_off_point(stream);
    }
    event->recorded = true;
    event->milliseconds = now();
    return SUCCESS;
}

EXPORT CUresult cuEventSynchronize(void *handle) {
    Event *event;
    if (CUresult error = find_event(handle, &event)) return error;
    if (CUresult error = catch_up(event->point)) return error;
    order_host_waits(event->clock);
    return SUCCESS;
}

EXPORT CUresult cuEventQuery(void *handle) {
    Event *event;
    if (CUresult error = find_event(handle, &event)) return error;
    return nearer(event->point) ? cuEventSynchronize(handle) : NOT_READY;
}

EXPORT CUresult cuEventElapsedTime_v2(float *milliseconds, void *first_handle, void *last_handle) {
    Event *first, *last;
    if (CUresult error = find_event(first_handle, &first)) return error;
    if (CUresult error = find_event(last_handle, &last)) return error;
    bool timed = !((first->flags | last->flags) & 2);           // 2: created without timing
    if (!first->recorded || !last->recorded || !timed) return INVALID_HANDLE;
    for (Event *event : {first, last}) {
        if (!event->point) continue;
        if (!event->point->reached) return NOT_READY;
        event->milliseconds = event->point->milliseconds;
    }
    *milliseconds = float(last->milliseconds - first->milliseconds);
    return SUCCESS;
}

EXPORT CUresult cuEventElapsedTime(float *milliseconds, void *first, void *last) {
    return cuEventElapsedTime_v2(milliseconds, first, last);
}
