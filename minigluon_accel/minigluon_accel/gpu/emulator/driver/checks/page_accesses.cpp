// Uses of global memory, by page: if only copies of the whole page have used a page, one word represents all its words.
#include "checks/page_accesses.h"
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cxxabi.h>
#include <memory>
#include "core/block.h"
#include "core/memory.h"

namespace {

constexpr size_t WORDS = PAGE / 4;
constexpr size_t MOST_PAGES = (size_t(1) << 30) / (WORDS * sizeof(Word));       // a gibibyte of words

struct Page {
    Word whole;
    std::unique_ptr<Word[]> words;
};

struct Uses {
    std::unordered_map<uintptr_t, Page> pages;
    uintptr_t last_number = 0;
    Page *last = nullptr;
    size_t divided = 0;                 // pages whose words are tracked separately
};

Uses &uses() {
    static Uses *all = new Uses;
    return *all;
}

Page &page_of(Uses &all, uintptr_t address) {
    uintptr_t number = address / PAGE;
    if (!all.last || all.last_number != number) {
        all.last = &all.pages[number];
        all.last_number = number;
    }
    return *all.last;
}

bool divide(Uses &all, Page &page) {
    if (all.divided == MOST_PAGES) {
        fprintf(stderr, "minigluon emulator: races are looked for in the first %zu MiB that are used, and no further\n",
                MOST_PAGES * PAGE >> 20);
        ++all.divided;
    }
    if (all.divided > MOST_PAGES) return false;
    ++all.divided;
    page.words = std::make_unique<Word[]>(WORDS);
    for (size_t i = 0; i < WORDS; ++i) page.words[i] = page.whole;
    return true;
}

// The name of the parameter that points to this allocation, or "" if no parameter or several parameters do.
std::string parameter_at(const Launch &launch, const Allocation &allocation) {
    const emulator::Kernel &kernel = *launch.function->kernel;
    std::string names = kernel.names, found;
    for (unsigned i = 0; i < kernel.count; ++i) {
        size_t comma = names.find(',');
        std::string name = names.substr(0, comma);
        names = comma == std::string::npos ? "" : names.substr(comma + 1);
        if (!kernel.parameters[i].pointer) continue;
        uintptr_t pointer;
        memcpy(&pointer, launch.arguments[i], sizeof pointer);
        if (pointer < allocation.start || pointer >= allocation.end()) continue;
        found += (found.empty() ? "'" : "' or '") + name;
    }
    return found.empty() ? "" : found + "'";
}

}  // namespace

Word *used_word(uintptr_t address) {
    Uses &all = uses();
    Page &page = page_of(all, address);
    return page.words || divide(all, page) ? &page.words[address % PAGE / 4] : nullptr;
}

Word *used_page(uintptr_t address, bool *whole) {
    Page &page = page_of(uses(), address);
    *whole = !page.words;
    return *whole ? &page.whole : &page.words[0];
}

void forget_uses(uintptr_t start, size_t size) {
    Uses &all = uses();
    if (all.pages.empty()) return;
    for (uintptr_t number = start / PAGE; number * PAGE < start + size; ++number) {
        auto found = all.pages.find(number);
        if (found == all.pages.end()) continue;
        if (found->second.words && all.divided <= MOST_PAGES) --all.divided;
        all.pages.erase(found);
    }
    all.last = nullptr;
}

std::string array_title(const Launch &launch, uintptr_t address) {
    Allocation found;
    if (!find_allocation(address, &found)) return format("0x%lx", address);
    if (found.kind == Kind::variable) return format("byte %zu of a variable of the module", address - found.start);
    std::string name = parameter_at(launch, found);
    return format("byte %zu of %s%s%s of %s", address - found.start, name.c_str(), name.empty() ? "" : ", ",
                  found.kind == Kind::pinned ? "page-locked host memory" : "an allocation",
                  plural(found.size, "byte").c_str());
}

// The name of a variable as in the source; null represents dynamic shared memory.
std::string shared_title(const Variable *variable) {
    if (!variable) return "dynamic shared memory";
    int status = 0;
    char *name = abi::__cxa_demangle(variable->name.c_str(), nullptr, nullptr, &status);
    std::string result = std::string("'") + (name ? name : variable->name.c_str()) + "'";
    free(name);
    return result;
}
