// Happens-before order: in a stream by sequence; between streams by events, by waiting, and by the host.
#pragma once
#include <memory>
#include <string>
#include <vector>
#include "cuda_api.h"

struct Event;
struct Function;
struct Stream;
struct Work;

// How much of each line's work is known to have ended. A line is a stream; index 0 is the default stream.
using Clock = std::vector<unsigned>;

// A launch, copy or fill: its id, its line, its position in that line, and the work that has ended when it begins.
struct Operation {
    unsigned number = 0, line = 0, tick = 0;
    Clock before;
    std::string title;                  // "kernel 'f'", "a copy to the device"
    const Function *function = nullptr;
    Extent grid{}, block{};
};

// MINIGLUON_GPU_CHECK=hard: what the emulator, unlike a device, does to reveal mistakes.
bool hard_mode();
unsigned hard_seed();                   // MINIGLUON_GPU_SEED, or a seed that is drawn at random and printed

// Work is enqueued on a stream (null: the default stream): returns its position in the order, or null outside hard
// mode.
std::shared_ptr<const Operation> ordered_operation(const Work &work, Stream *stream);
void order_record(Event &event, Stream *stream);
void order_wait(Stream *stream, const Event &event);
void order_host_waits(const Clock &ended);              // the host has waited for this much work
void order_host_waits_for(Stream *stream);              // null: the default stream, and therefore all blocking streams
void order_host_waits_for_all();

// The operation with this id; null if it is so old that all other operations came after it.
const Operation *find_operation(unsigned number);
bool comes_before(unsigned number, const Operation &later);

unsigned new_line();
void end_line(unsigned line);
