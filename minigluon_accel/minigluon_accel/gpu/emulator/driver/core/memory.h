// The table of all memory that kernels may use.
#pragma once
#include "state.h"

enum class Kind { device, managed, pinned, registered, variable };

struct Allocation {
    uintptr_t start = 0;
    size_t size = 0;
    Kind kind = Kind::device;
    Context *context = nullptr;
    uintptr_t pages = 0;                // the pages that contain it, if it does not share them
    size_t page_bytes = 0;
    bool given_back = false;            // in hard mode: returned to its pool above the driver
    uintptr_t end() const { return start + size; }
};

// Create an allocation of `size` bytes, filled with NaN, that ends where its last page ends (to within 16 bytes).
// Returns null if there is not enough memory.
void *allocate(size_t size, Kind kind, Context *context);
bool release(uintptr_t start);
void free_memory_of(Context *context);
size_t memory_in_use(CUdevice device);

// Memory allocated elsewhere that kernels may use: a module's variables or registered host memory.
bool add_region(uintptr_t start, size_t size, Kind kind, Context *context);
void remove_region(uintptr_t start);

// The allocation that contains this address or, with `or_end`, ends at it. Returns false if there is none.
bool find_allocation(uintptr_t address, Allocation *found, bool or_end = false);

// Whether the allocation is held by a pool above the driver or by an array.
void set_given_back(uintptr_t start, bool given_back);

// A description of an address: "12 bytes past the end of an allocation of 400 bytes at 0x...".
std::string whereabouts(uintptr_t address);

// A description of writes to an allocation's pages outside the allocation, or an empty string if there are none.
std::string damage(const Allocation &allocation);

// Incremented whenever memory is freed, which invalidates earlier lookups.
extern std::atomic<unsigned> memory_epoch;

constexpr size_t PAGE = 4096, ALIGNMENT = 16;
