// Order without barriers: threads publish their accesses by a fence followed by an atomic operation.
#pragma once
#include "checks/races.h"

// What a thread has published at one location: to its own block, and to all blocks.
struct Published {
    uint32_t block = 0;
    int thread = 0;
    Fenced in_block, on_device;
    std::vector<Acquired> acquired;     // what it knew about other threads at that time
};

// Whether the running thread knows from an atomic operation that this use has ended.
bool knows_of(const Block &block, const Use &use);

// An atomic or volatile access by the running thread: the thread acquires what other threads have published there, and
// publishes its own accesses.
void exchange_knowledge(Block &block, uintptr_t address, Access access);

// A new launch: everything published before it is known to all threads.
void forget_published();
