// Order without barriers: what threads tell others by a fence and an atomic operation behind it.
#pragma once
#include "checks/races.h"

// What a thread has told at one place: to its own block, and to all.
struct Published {
    uint32_t block = 0;
    int thread = 0;
    Fenced in_block, on_device;
    std::vector<Acquired> acquired;     // what it knew of others by then
};

// Does the running thread know that this use has ended, by an atomic operation?
bool knows_of(const Block &block, const Use &use);

// An atomic or volatile access by the running thread: it learns what others have published there, and publishes.
void exchange_knowledge(Block &block, uintptr_t address, Access access);

// A new launch: what was published before it is known to all.
void forget_published();
