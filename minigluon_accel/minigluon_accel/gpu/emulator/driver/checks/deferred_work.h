// Hard mode: work on a stream is done as late as its order permits, when something waits for it.
#pragma once
#include <deque>
#include <memory>
#include "work.h"

struct Late;

// A point in a stream's work, at which an event was recorded.
struct Point {
    Late *late = nullptr;               // the queue that contains it
    bool reached = false;
    double milliseconds = 0;            // when
};

// One step: a piece of work, a point that is reached, or a wait until another stream has reached a point.
struct LateStep {
    std::unique_ptr<Work> work;
    std::shared_ptr<Point> reaches, waits;
};

struct Late { std::deque<LateStep> steps; };

// Defer the work; if the call waits for it, do it now, after all earlier work.
CUresult skip_packed(Work work, Stream *stream, bool waits);
std::shared_ptr<Point> put_off_point(Stream *stream);
void put_off_wait(Stream *stream, std::shared_ptr<Point> point);

// Do deferred work: the work of a stream (null: the default stream), the work up to a point, or all work. Returns the
// first error.
CUresult catch_up(Stream *stream);
CUresult catch_up(const std::shared_ptr<Point> &point);
CUresult catch_up_with_all();

// Query whether a stream has finished or a point has been reached; the answer becomes true only after several queries.
bool nearer(Stream *stream);
bool nearer(const std::shared_ptr<Point> &point);

double now();                           // milliseconds
