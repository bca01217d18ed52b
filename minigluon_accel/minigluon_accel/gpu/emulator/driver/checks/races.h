// Races: two uses of the same memory, at least one of which is a write, whose order is not determined.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

class Block;
struct Operation;
struct Variable;
struct Published;

// Strong accesses are atomic operations and accesses through volatile pointers: they do not race with each other.
enum class Access : unsigned char { read, write, strong_read, strong_write };

inline bool writes(Access access) { return access == Access::write || access == Access::strong_write; }
inline bool strong(Access access) { return access >= Access::strong_read; }

// A use of four bytes of memory: which thread used them, when, and where in the program.
struct Use {
    uint32_t operation = 0;             // its operation's id, 0: none
    uint32_t block = 0;                 // its index in the grid
    uint32_t epoch = 0;                 // number of barriers of its block before it
    uint32_t place = 0;                 // lower half of the instruction's address
    uint16_t meeting = 0, step = 0;     // number of times that all lanes of the warp had met, and that some lanes
                                        // including this one had met
    uint16_t fences = 0;                // number of the thread's fences before it
    int16_t thread = -1;                // -1: a copy or fill
    uint8_t bytes = 0;                  // bit i: byte i of the four
    Access access = Access::read;
};

// The last write and two reads, from different blocks if possible, otherwise from different warps.
struct Word { Use written, read[2]; };

// What a thread's fence covers: uses by its block before this epoch, and the thread's own uses with fewer fences before
// them.
struct Fenced { uint32_t epoch = 0, fences = 0; };

// What a thread knows about other threads from atomic operations and fences (see fences.cpp): the first `count` items
// of a list.
struct Acquired { const std::vector<Published> *from; size_t count; };

struct Knowledge {
    uint32_t fences = 0;
    Fenced in_block, on_device;         // covered by its last fences of the two types
    std::vector<Acquired> acquired;
};

// The state of one block: its shared memory, and what its threads know.
struct BlockRaces {
    std::vector<Word> of_static, of_dynamic;
    std::vector<Knowledge> threads;
    std::vector<Acquired> acquired;     // what all threads have acquired since a barrier
    uint32_t released = 0;              // the epoch before which all threads had executed fences when they reached its
                                        // barrier
    std::vector<std::vector<uint16_t>> lanes;       // for each thread: the known steps of the lanes of its warp

    void begin();                                           // a new block
    void pass_barrier(uint32_t epoch, size_t waiting);      // the barrier that ends this epoch opens
    void meet(int first, unsigned mask, bool all);          // lanes of a warp meet
};

// A thread of the block uses shared memory, or global memory. Fails the block if this is a race. variable: the static
// shared variable that contains byte `offset`; null: the memory is dynamic.
void use_shared_memory(Block &block, const Variable *variable, size_t offset, size_t size, Access access,
                       uintptr_t instruction);
void use_global_memory(Block &block, uintptr_t address, size_t size, Access access, uintptr_t instruction);

// A copy or fill uses memory; returns a description of the problem, or an empty string if there is none.
std::string use_by_copy(const Operation &operation, uintptr_t address, size_t size, Access access);

void fence(Block &block, bool of_device);
void forget_uses(uintptr_t start, size_t size);             // the memory was freed
