// Device memory. Each allocation has its own pages, with unmapped pages around them, at addresses that are not reused
// soon, and ends at the end of its last page. So most invalid addresses are unmapped.
#include <algorithm>
#include <cstring>
#include <deque>
#include <map>
#include <sys/mman.h>
#include "core/memory.h"
#include "checks/races.h"

std::atomic<unsigned> memory_epoch{0};

namespace {

constexpr size_t ARENA = size_t(1) << 40;       // reserved addresses, not memory
constexpr size_t FILLED = size_t(64) << 20;     // only this much of an allocation is filled with NaN, because filling
                                                // uses real memory
constexpr size_t REMEMBERED = 4096;             // number of freed allocations that error messages can name

struct Table {
    std::mutex lock;
    std::map<uintptr_t, Allocation> live;
    std::deque<Allocation> freed;
    std::map<CUdevice, size_t> used;
    uintptr_t arena = 0, next = 0;
};

Table &table() {
    static Table *all = new Table;
    return *all;
}

size_t rounded(size_t size, size_t unit) { return (size + unit - 1) / unit * unit; }

// Addresses for `bytes` bytes of pages, with a free page before and after: the next addresses, wrapping around at the
// end.
uintptr_t take_addresses(Table &all, size_t bytes) {
    if (!all.arena) {
        void *arena = mmap(nullptr, ARENA, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (arena == MAP_FAILED) return 0;
        all.arena = all.next = reinterpret_cast<uintptr_t>(arena);
    }
    for (int round = 0; round < 2; ++round) {
        while (all.next + bytes + 2 * PAGE <= all.arena + ARENA) {
            uintptr_t first = all.next + PAGE, end = first + bytes;
            auto after = all.live.lower_bound(first);
            bool taken = after != all.live.end() && after->second.pages && after->second.pages < end + PAGE;
            if (after != all.live.begin()) {
                const Allocation &before = std::prev(after)->second;
                if (before.pages && before.pages + before.page_bytes >= first) {
                    all.next = before.pages + before.page_bytes;
                    continue;
                }
            }
            if (!taken) {
                all.next = end;
                return first;
            }
            all.next = after->second.pages + after->second.page_bytes;
        }
        all.next = all.arena;
    }
    return 0;
}

void forget(Table &all, std::map<uintptr_t, Allocation>::iterator it) {
    const Allocation gone = it->second;
    all.live.erase(it);
    forget_uses(gone.start, gone.size);
    ++memory_epoch;
    if (!gone.pages) return;
    // Mapping new, inaccessible pages over the old ones frees their memory.
    mmap(reinterpret_cast<void *>(gone.pages), gone.page_bytes, PROT_NONE,
         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
    if (gone.kind != Kind::pinned) all.used[gone.context->device] -= gone.size;
    all.freed.push_back(gone);
    if (all.freed.size() > REMEMBERED) all.freed.pop_front();
}

std::string relation(uintptr_t address, const Allocation &to, const char *what) {
    std::string whole = format("%s of %s at 0x%lx", what, plural(to.size, "byte").c_str(), to.start);
    if (address < to.start) return plural(to.start - address, "byte") + " before the start of " + whole;
    if (address >= to.end()) return plural(address - to.end(), "byte") + " past the end of " + whole;
    return plural(address - to.start, "byte") + " into " + whole;
}

const char *noun(Kind kind) {
    switch (kind) {
        case Kind::device: return "an allocation";
        case Kind::managed: return "a managed allocation";
        case Kind::variable: return "a module's variable";
        default: return "page-locked host memory";
    }
}

}  // namespace

void *allocate(size_t size, Kind kind, Context *context) {
    Table &all = table();
    std::lock_guard<std::mutex> hold(all.lock);
    size_t &used = all.used[context->device];
    if (kind != Kind::pinned && (size > state().memory || used > state().memory - size)) return nullptr;
    Allocation made;
    made.page_bytes = rounded(size, PAGE);
    made.pages = take_addresses(all, made.page_bytes);
    if (!made.pages || mprotect(reinterpret_cast<void *>(made.pages), made.page_bytes, PROT_READ | PROT_WRITE))
        return nullptr;
    made.start = made.pages + made.page_bytes - rounded(size, ALIGNMENT);
    made.size = size;
    made.kind = kind;
    made.context = context;
    memset(reinterpret_cast<void *>(made.pages), 0xff, std::min(made.page_bytes, FILLED));
    if (made.page_bytes > FILLED)       // the guard bytes after the end
        memset(reinterpret_cast<void *>(made.end()), 0xff, made.pages + made.page_bytes - made.end());
    if (kind != Kind::pinned) used += size;
    all.live[made.start] = made;
    return reinterpret_cast<void *>(made.start);
}

bool release(uintptr_t start) {
    Table &all = table();
    std::lock_guard<std::mutex> hold(all.lock);
    auto it = all.live.find(start);
    if (it == all.live.end() || !it->second.pages) return false;
    forget(all, it);
    return true;
}

void free_memory_of(Context *context) {
    Table &all = table();
    std::lock_guard<std::mutex> hold(all.lock);
    for (auto it = all.live.begin(); it != all.live.end();) {
        auto here = it++;
        if (here->second.context == context && here->second.kind != Kind::variable) forget(all, here);
    }
}

size_t memory_in_use(CUdevice device) {
    Table &all = table();
    std::lock_guard<std::mutex> hold(all.lock);
    return all.used[device];
}

bool add_region(uintptr_t start, size_t size, Kind kind, Context *context) {
    Table &all = table();
    std::lock_guard<std::mutex> hold(all.lock);
    Allocation region;
    region.start = start;
    region.size = size;
    region.kind = kind;
    region.context = context;
    return all.live.insert({start, region}).second;
}

void remove_region(uintptr_t start) {
    Table &all = table();
    std::lock_guard<std::mutex> hold(all.lock);
    auto it = all.live.find(start);
    if (it != all.live.end() && !it->second.pages) forget(all, it);
}

bool find_allocation(uintptr_t address, Allocation *found, bool or_end) {
    Table &all = table();
    std::lock_guard<std::mutex> hold(all.lock);
    auto it = all.live.upper_bound(address);
    if (it == all.live.begin()) return false;
    *found = std::prev(it)->second;
    return address < found->end() || (or_end && address == found->end());
}

void set_given_back(uintptr_t start, bool given_back) {
    Table &all = table();
    std::lock_guard<std::mutex> hold(all.lock);
    auto it = all.live.find(start);
    if (it == all.live.end()) return;
    it->second.given_back = given_back;
    ++memory_epoch;
}

std::string whereabouts(uintptr_t address) {
    if (address < 65536) return address ? "near null" : "null";
    Table &all = table();
    std::lock_guard<std::mutex> hold(all.lock);
    for (auto it = all.freed.rbegin(); it != all.freed.rend(); ++it)
        if (address >= it->start && address < it->end())
            return relation(address, *it, "an allocation") + ", which was freed";
    if (address < all.arena || address >= all.arena + ARENA || all.live.empty()) return "not device memory";
    auto after = all.live.upper_bound(address);
    auto nearest = after == all.live.end() ? std::prev(after) : after;
    if (after != all.live.begin() && after != all.live.end()) {
        auto before = std::prev(after);
        if (address < before->second.end() || address - before->second.end() < after->first - address) nearest = before;
    }
    bool given_back = nearest->second.given_back && address >= nearest->first && address < nearest->second.end();
    return relation(address, nearest->second, noun(nearest->second.kind)) + (given_back ? ", which was freed" : "");
}

std::string damage(const Allocation &allocation) {
    // The guard bytes are compared, word by word, with what allocate() wrote there. Guard bytes before the allocation
    // are searched from their end.
    auto *first = reinterpret_cast<const unsigned char *>(allocation.pages);
    auto *start = reinterpret_cast<const unsigned char *>(allocation.start);
    auto *end = reinterpret_cast<const unsigned char *>(allocation.end());
    auto *last = first + allocation.page_bytes;
    auto untouched = [](unsigned char byte) { return byte == 0xff; };
    if (!allocation.pages) return "";
    const unsigned char *after = std::find_if_not(end, last, untouched);
    if (after != last) return "wrote " + relation(reinterpret_cast<uintptr_t>(after), allocation, "an allocation");
    const unsigned char *clean = start;
    size_t bytes = size_t(start - first);
    if (bytes && (*first != 0xff || memcmp(first, first + 1, bytes - 1))) {
        while (untouched(clean[-1])) --clean;
        return "wrote " + relation(reinterpret_cast<uintptr_t>(clean) - 1, allocation, "an allocation");
    }
    return "";
}
