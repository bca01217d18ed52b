// Hard mode: work on a stream is done as late as its order permits, when something waits for it.
#pragma once
#include <deque>
#include <memory>
#include "work.h"

struct Late;

// A point in a stream's work: an event that is recorded there.
struct Point {
    Late *late = nullptr;               // what it is in
    bool reached = false;
    double milliseconds = 0;            // when
};

// One thing to do: a work, or to reach a point, or to wait until another stream has reached one.
struct LateStep {
    std::unique_ptr<Work> work;
    std::shared_ptr<Point> reaches, waits;
};

struct Late { std::deque<LateStep> steps; };

// Put the work off; do it now, and all before it, where the call waits for it.
CUresult skip_packed(Work work, Stream *stream, bool waits);
std::shared_ptr<Point> put_off_point(Stream *stream);
void put_off_wait(Stream *stream, std::shared_ptr<Point> point);

// Do what has been put off: of a stream (null: the default one), up to a point, all. The first error.
CUresult catch_up(Stream *stream);
CUresult catch_up(const std::shared_ptr<Point> &point);
CUresult catch_up_with_all();

// A question whether a stream has ended, or a point is reached: after some of them it has. True: it is so now.
bool nearer(Stream *stream);
bool nearer(const std::shared_ptr<Point> &point);

double now();                           // milliseconds
