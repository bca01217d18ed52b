// A log of a kernel's accesses, for programs that explain kernels. It is written while emulator_record is on, in
// checked mode.
#pragma once
#include "core/block.h"
#include "checks/races.h"

extern bool recording;

// An access to shared or global memory by the running thread. caller: the address in the kernel's code.
void record_access(const Block &block, const void *caller, uintptr_t address, size_t size, Access access);

// Records a barrier that opens for this many threads.
void record_barrier(const Block &block, unsigned threads, int line);
