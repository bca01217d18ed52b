// Work on streams: it is done immediately, or recorded in a graph if its stream is being captured.
#pragma once
#include <memory>
#include <vector>
#include "core/modules.h"
#include "state.h"

enum class What { launch, copy, fill, pool, nothing };

struct Work {
    What what = What::nothing;
    Context *context = nullptr;
    // launch
    Function *function = nullptr;
    Extent grid{}, block{};
    unsigned shared = 0;
    std::vector<unsigned char> arguments;       // packed like the kernel's parameters, and aligned
    // copy and fill: `rows` rows of `width` bytes, `pitch` bytes from one row to the next
    uintptr_t to = 0, from = 0;
    bool to_device = false, from_device = false;
    size_t width = 0, rows = 1, to_pitch = 0, from_pitch = 0;
    unsigned pattern = 0, pattern_bytes = 1;
    bool given_back = false;                            // for a pool: the allocation `to`
    std::shared_ptr<const Operation> operation;         // in hard mode: its position in the order of operations
    std::shared_ptr<std::vector<unsigned char>> staged; // a staged copy of the source
};

// Do the work now, or record it if the stream is being captured. stream: a handle. waits: whether the call is
// synchronous.
CUresult enqueue(const Work &work, void *stream, bool waits, const char *call);

// Do it as the next work of a stream (null: the default stream): now or, in hard mode, later (see deferred_work.h).
CUresult perform_in_order(Work work, Stream *stream, bool waits);

// Do it now.
CUresult perform(const Work &work);
CUresult perform_launch(const Work &work);      // launch.cpp
CUresult perform_copy(const Work &work);        // copies.cpp
CUresult perform_fill(const Work &work);

// Whether a copy or fill stays inside allocations; with `now`, also whether no pool currently holds these allocations.
CUresult check_addresses(const Work &work, bool now = true);
