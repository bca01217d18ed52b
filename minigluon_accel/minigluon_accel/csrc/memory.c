/* Memory for large arrays.

   The system provides memory page by page, and fills each page with zeros when it is first written to; for an array of
   several megabytes, this takes as long as an arithmetic operation on it. A training program allocates the same sizes
   again and again, so up to MAX_KEPT bytes of freed blocks are kept for the next arrays of these sizes; the oldest
   blocks are released first. Blocks are aligned to a cache line; the largest are aligned to a huge page. */

#include "memory.h"
#include "system.h"

#include <string.h>

enum { LINE = 64, MAX_BLOCKS = 64 };
static const size_t MAX_KEPT = (size_t)256 << 20, MIN_KEPT = (size_t)64 << 10, MIN_LAZY = (size_t)256 << 10;

typedef struct { void *memory; size_t size; } Block;
static Block kept[MAX_BLOCKS];             /* ordered from the oldest to the newest */
static int kept_count;
static size_t kept_bytes;
static Lock lock = LOCK_INIT;

/* In a child process, the thread that held the lock no longer exists. So start with the lock free, and abandon the
   list, which that thread may have been changing. */
static void begin_anew(void) {
    lock_init(&lock);
    kept_count = 0, kept_bytes = 0;
}

__attribute__((constructor)) static void watch_forks(void) { after_fork(begin_anew); }

/* Rounds sizes up in steps of a sixteenth, so that blocks of nearly equal sizes are interchangeable. */
static size_t rounded(size_t size) {
    if (size < MIN_KEPT) return size ? size : 1;
    size_t step = MIN_KEPT / 16;
    while (step * 32 <= size) step *= 2;
    return (size + step - 1) / step * step;
}

static Block take_out(int index) {
    Block block = kept[index];
    memmove(kept + index, kept + index + 1, (--kept_count - index) * sizeof *kept);
    kept_bytes -= block.size;
    return block;
}

static void *from_system(size_t size) {
    int is_huge = HUGE_PAGE && size >= 2 * HUGE_PAGE;
    void *memory = aligned_new(is_huge ? HUGE_PAGE : LINE, size);
    if (memory && is_huge) ask_for_huge_pages(memory, size);
    return memory;
}

/* Returns a kept block of the rounded size, or NULL if there is none. */
static void *from_kept(size_t size) {
    void *memory = NULL;
    if (size < MIN_KEPT) return NULL;
    lock_take(&lock);
    for (int i = kept_count - 1; i >= 0 && !memory; i--)
        if (kept[i].size == size) memory = take_out(i).memory;
    lock_leave(&lock);
    return memory;
}

static void *fresh(size_t size) {
    void *memory = from_system(size);
    if (!memory && memory_trim() > 0) memory = from_system(size);
    return memory;
}

/* A block of zeros. On Linux, whole pages of a large block are returned to the system, which fills each one with zeros
   when it is first touched; until then they take no memory. Gradients that are never written take no memory at all. */
static void *cleared(char *memory, size_t size) {
    size_t page = page_size();
    char *first = (char *)(((uintptr_t)memory + page - 1) / page * page);
    char *last = (char *)(((uintptr_t)memory + size) / page * page);
    if (size >= MIN_LAZY && drop_pages(first, last - first)) {
        memset(memory, 0, first - memory);
        memset(last, 0, memory + size - last);
        return memory;
    }
    return memset(memory, 0, size);
}

void *memory_new(void *context, size_t size) {
    (void)context;
    size = rounded(size);
    void *memory = from_kept(size);
    return memory ? memory : fresh(size);
}

void *memory_new_zeroed(void *context, size_t count, size_t size) {
    (void)context;
    if (size && count > SIZE_MAX / size) return NULL;
    size *= count;
    void *memory = from_kept(rounded(size));
    if (memory) return memset(memory, 0, size);         /* its pages are already mapped, so this is faster */
    memory = fresh(rounded(size));
    return memory ? cleared(memory, size) : NULL;
}

void *memory_resize(void *context, void *memory, size_t size) {
    (void)context;
    return aligned_resize(memory, LINE, rounded(size));
}

void memory_free(void *context, void *memory, size_t size) {
    (void)context;
    size = rounded(size);
    Block old[MAX_BLOCKS + 1];
    int count = 0;
    if (memory && size >= MIN_KEPT && size <= MAX_KEPT) {
        lock_take(&lock);
        while (kept_count && (kept_count == MAX_BLOCKS || kept_bytes + size > MAX_KEPT)) old[count++] = take_out(0);
        kept[kept_count++] = (Block){memory, size};
        kept_bytes += size;
        lock_leave(&lock);
        memory = NULL;
    }
    aligned_free(memory);
    while (count) aligned_free(old[--count].memory);
}

size_t memory_trim(void) {
    size_t bytes = 0;
    lock_take(&lock);
    while (kept_count) {
        Block block = take_out(kept_count - 1);
        bytes += block.size;
        aligned_free(block.memory);
    }
    lock_leave(&lock);
    return bytes;
}
