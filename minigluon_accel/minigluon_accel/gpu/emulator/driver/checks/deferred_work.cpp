// Deferred work. A program with a missing wait sees the old contents, or uses memory that belongs to another array in
// the meantime; on a device, this may go unnoticed for a long time. A copy to pageable memory is also deferred,
// although a GPU's driver waits for it to finish.
#include "checks/deferred_work.h"
#include <cstring>
#include <memory>
#include "core/memory.h"
#include "state.h"

namespace {

constexpr size_t MOST = 512;            // maximum pending work on one stream; beyond this, the device catches up

Late &late_of(Stream *stream) {
    static Late *standard = new Late;
    if (!stream) return *standard;
    if (!stream->late) stream->late = std::make_shared<Late>();
    return *stream->late;
}

CUresult run(Late &late, const Point *until);

CUresult take(Late &late) {
    LateStep step = std::move(late.steps.front());
    late.steps.pop_front();
    CUresult error = SUCCESS;
    if (step.waits && !step.waits->reached) error = run(*step.waits->late, step.waits.get());
    if (step.reaches) {
        step.reaches->reached = true;
        step.reaches->milliseconds = now();
    }
    if (step.work && !step.work->context->failed) error = perform(*step.work);
    return error;
}

CUresult run(Late &late, const Point *until) {
    CUresult first = SUCCESS;
    while (!late.steps.empty() && !(until && until->reached)) {
        CUresult error = take(late);
        if (!first) first = error;
    }
    return first;
}

bool host_memory(uintptr_t address) {
    Allocation found;
    return !find_allocation(address, &found);
}

// A device's driver copies from pageable memory before the call returns.
void stage(Work &work) {
    auto bytes = std::make_shared<std::vector<unsigned char>>(work.width * work.rows);
    for (size_t row = 0; row < work.rows; ++row)
        memcpy(bytes->data() + row * work.width, reinterpret_cast<const void *>(work.from + row * work.from_pitch),
               work.width);
    work.from = reinterpret_cast<uintptr_t>(bytes->data());
    work.from_pitch = work.width;
    work.staged = std::move(bytes);
}

std::shared_ptr<Point> point_in(Late &late) {
    auto point = std::make_shared<Point>();
    point->late = &late;
    late.steps.push_back({nullptr, point, nullptr});
    return point;
}

void wait_for(Late &late, Late &other) {
    if (!other.steps.empty()) late.steps.push_back({nullptr, nullptr, point_in(other)});
}

// The default stream waits for all blocking streams, and vice versa.
void wait_by_itself(Stream *stream) {
    Late &late = late_of(stream);
    if (stream && !(stream->flags & 1)) wait_for(late, late_of(nullptr));
    if (stream) return;
    for (Stream *each : state().streams.all())
        if (!(each->flags & 1)) wait_for(late, late_of(each));
}

}  // namespace

CUresult skip_packed(Work work, Stream *stream, bool waits) {
    if (CUresult error = check_addresses(work, false)) return error;
    Lock hold(state().lock);
    Late &late = late_of(stream);
    wait_by_itself(stream);
    if (work.what == What::copy && !waits && !work.from_device && host_memory(work.from)) stage(work);
    late.steps.push_back({std::make_unique<Work>(std::move(work)), nullptr, nullptr});
    CUresult error = SUCCESS;
    while (late.steps.size() > (waits ? 0 : MOST)) {
        CUresult each = take(late);
        if (!error) error = each;
    }
    return error;
}

std::shared_ptr<Point> put_off_point(Stream *stream) {
    Lock hold(state().lock);
    wait_by_itself(stream);
    return point_in(late_of(stream));
}

void put_off_wait(Stream *stream, std::shared_ptr<Point> point) {
    Lock hold(state().lock);
    if (point && !point->reached) late_of(stream).steps.push_back({nullptr, nullptr, std::move(point)});
}

CUresult catch_up(Stream *stream) {
    Lock hold(state().lock);
    wait_by_itself(stream);
    return run(late_of(stream), nullptr);
}

CUresult catch_up(const std::shared_ptr<Point> &point) {
    Lock hold(state().lock);
    return point && !point->reached ? run(*point->late, point.get()) : SUCCESS;
}

CUresult catch_up_with_all() {
    Lock hold(state().lock);
    std::vector<Stream *> streams{nullptr};
    for (Stream *each : state().streams.all()) streams.push_back(each);
    CUresult first = SUCCESS;
    for (Stream *stream : streams) {
        CUresult error = run(late_of(stream), nullptr);
        if (!first) first = error;
    }
    return first;
}

bool nearer(Stream *stream) {
    Lock hold(state().lock);
    Late &late = late_of(stream);
    if (late.steps.empty()) return true;
    take(late);
    return false;
}

bool nearer(const std::shared_ptr<Point> &point) {
    Lock hold(state().lock);
    if (!point || point->reached) return true;
    take(*point->late);
    return false;
}
