// The records, in the order in which a block's threads ran. Python reads them as an array: see trace.py of the puzzles.
#include "checks/records.h"
#include <mutex>

bool recording = false;

namespace {

enum Space : unsigned char { global_space, static_space, dynamic_space };

struct Record {
    uint64_t place;                     // address in the image of the instruction after the access
    uint64_t address;                   // in shared memory: offset from its beginning
    uint32_t block, thread, size;       // flat indices; for a barrier, `place` is its line and `size` the number of
                                        // threads
    unsigned char kind;                 // 0: read, 1: write, 2: atomic update, 3: a barrier opens
    Space space;
    unsigned short turn;                // number of barriers that the block has passed, modulo 65536
};

constexpr size_t AT_MOST = 4 << 20;     // so that a kernel that never ends cannot fill memory
std::mutex lock;
std::vector<Record> records;

void keep(const Record &record) {
    std::lock_guard<std::mutex> hold(lock);
    if (records.size() < AT_MOST) records.push_back(record);
}

}  // namespace

void record_access(const Block &block, const void *caller, uintptr_t address, size_t size, Access access) {
    const Module &module = *block.launch().function->module;
    size_t in_static = address - reinterpret_cast<uintptr_t>(block.static_start());
    size_t in_dynamic = address - reinterpret_cast<uintptr_t>(block.dynamic_start());
    Space space = in_static < module.thread_bytes ? static_space
                : in_dynamic < block.launch().shared + size_t(4096) ? dynamic_space : global_space;
    uint64_t where = space == static_space ? in_static : space == dynamic_space ? in_dynamic : address;
    unsigned char kind = access == Access::read ? 0 : access == Access::write ? 1 : 2;
    keep({reinterpret_cast<uintptr_t>(caller) - module.base, where, block.number(), uint32_t(block.thread()),
          uint32_t(size), kind, space, static_cast<unsigned short>(block.epoch())});
}

void record_barrier(const Block &block, unsigned threads, int line) {
    keep({uint64_t(line), 0, block.number(), 0, threads, 3, global_space, static_cast<unsigned short>(block.epoch())});
}

// Start a new record (1), or stop (0); the record is kept until the next start.
EXPORT void emulator_record(int on) {
    std::lock_guard<std::mutex> hold(lock);
    if (on) records.clear();
    recording = on;
}

EXPORT size_t emulator_records(const Record **first) {
    *first = records.data();
    return records.size();
}

// Variable i of a kernel's static shared memory. Returns false if it does not exist.
EXPORT int emulator_shared_variable(const Function *function, size_t i, const char **name, size_t *start, size_t *size) {
    if (i >= function->shared.size()) return false;
    const Variable &variable = function->shared[i];
    *name = variable.name.c_str();
    *start = variable.offset;
    *size = variable.size;
    return true;
}
