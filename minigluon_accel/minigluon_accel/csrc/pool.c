/* A thread pool that works on the parts of one kernel at a time.

   A kernel that takes a few microseconds cannot wait for a sleeping thread to wake up, so the workers poll for new work
   for a while before they sleep. The caller also works, and does all parts itself if no worker joins.

   The job's id and the range of the remaining parts are stored in one word, the ticket. To take a part, a thread
   replaces the ticket that it has read with the next one by a compare-and-swap, which fails if another thread was
   faster or the job has changed in the meantime. So a thread that is late finds no part, and no thread waits for it.
   The job of a ticket is not replaced before all its parts are done.

   The caller takes the first remaining part, and workers take the last one. So the first parts of successive kernels
   run on one core, whose cache contains the output of the first parts of the previous kernel, such as the upper half of
   an image.

   Moving data from the core that writes it to the core that reads it takes about 100 nanoseconds per cache line, and a
   small kernel takes only a few times as long. So the job's description shares a cache line with the ticket, the data
   that workers write is in another line, and data that rarely changes is in a third. The caller takes its first part
   before it publishes the ticket, and counts its own parts in a local variable. */

#include "pool.h"
#include "system.h"

#include <stdatomic.h>

#if defined(__x86_64__)
#define RELAX() __builtin_ia32_pause()
#elif defined(__aarch64__)
#define RELAX() __asm__ volatile("yield")
#else
#define RELAX() ((void)0)
#endif

enum { LOOKS = 4000, LOOKS_BEFORE_YIELD = 200 };     /* number of times a worker polls for work before it sleeps, which
                                                        takes about 100 microseconds */

/* A ticket: 24 bits for the job, 20 for the end of the remaining parts, and 20 for the first of them. */
enum { END = 20 };
static inline uint64_t job_of(uint64_t ticket) { return ticket >> 2 * END; }
static inline int64_t end_of(uint64_t ticket) { return (int64_t)(ticket >> END & 0xfffff); }
static inline int64_t first_of(uint64_t ticket) { return (int64_t)(ticket & 0xfffff); }
static inline int is_work(uint64_t ticket) { return first_of(ticket) < end_of(ticket); }

enum { LINES = 128 };                   /* bytes of two cache lines, which processors fetch as a pair */

static struct {
    _Alignas(LINES) Kernel *run;        /* the job */
    const void *fields;
    void *const *io;
    int64_t parts;
    _Atomic uint64_t ticket;
    _Alignas(LINES) _Atomic int64_t done;       /* number of parts that workers have done, over all jobs */
    _Atomic int status;
    _Alignas(LINES) _Atomic int threads;        /* threads that may work, including the caller's */
    _Atomic int asleep;                 /* whether a worker sleeps and has not been woken */
    Lock bed;
    Signal wake;
    _Alignas(LINES) Lock owner;         /* held by the thread that owns this job */
    int64_t done_before;                /* `done` at the end of the previous job */
    int started;                        /* workers */
} pool = {.owner = LOCK_INIT, .threads = 1, .bed = LOCK_INIT, .wake = SIGNAL_INIT};

/* A worker's share of a job. */
static void take_last_parts(void) {
    uint64_t ticket = atomic_load(&pool.ticket);
    while (is_work(ticket)) {
        uint64_t less = ticket - ((uint64_t)1 << END);
        if (!atomic_compare_exchange_weak(&pool.ticket, &ticket, less)) continue;
        int status = pool.run(pool.fields, pool.io, end_of(less), pool.parts);
        if (status != DONE) atomic_store(&pool.status, status);
        atomic_fetch_add(&pool.done, 1);
        ticket = atomic_load(&pool.ticket);
    }
}

/* The caller's share of a job; the caller already has its first part. Returns the number of parts that the caller has
   done. */
static int64_t take_first_parts(int *status) {
    int64_t part = 0, taken = 0;
    uint64_t ticket;
    do {
        int found = pool.run(pool.fields, pool.io, part, pool.parts);
        if (found != DONE) *status = found;
        taken++;
        ticket = atomic_load(&pool.ticket);
        while (is_work(ticket) && !atomic_compare_exchange_weak(&pool.ticket, &ticket, ticket + 1)) {}
        part = first_of(ticket);
    } while (is_work(ticket));
    return taken;
}

THREAD(worker, argument) {
    int number = (int)(intptr_t)argument;
    for (;;) {
        int look = 0;
        uint64_t last = job_of(atomic_load(&pool.ticket));
        for (; look < LOOKS; look++) {
            if (number < atomic_load(&pool.threads) && is_work(atomic_load(&pool.ticket))) break;
            if (look % LOOKS_BEFORE_YIELD == LOOKS_BEFORE_YIELD - 1) let_others_run();
            RELAX();
        }
        if (look == LOOKS) {
            /* Sleep until there has been another job, even if it is already done; a thread that wakes up late then
               looks for the next job. */
            lock_take(&pool.bed);
            for (;;) {
                atomic_store(&pool.asleep, 1);
                if (number < atomic_load(&pool.threads) && job_of(atomic_load(&pool.ticket)) != last) break;
                signal_wait(&pool.wake, &pool.bed);
            }
            lock_leave(&pool.bed);
        }
        take_last_parts();
    }
    return 0;
}

static void wake_workers(void) {
    if (!atomic_load(&pool.asleep) || !atomic_exchange(&pool.asleep, 0)) return;
    lock_take(&pool.bed);
    signal_all(&pool.wake);
    lock_leave(&pool.bed);
}

static int run_alone(Kernel *run, const void *fields, void *const *io, int64_t parts) {
    int found = DONE;
    for (int64_t part = 0; part < parts; part++) {
        int status = run(fields, io, part, parts);
        if (status != DONE) found = status;
    }
    return found;
}

/* Two parts per thread for long jobs: if a thread is delayed, another thread takes its second part. */
static int64_t few_parts(int64_t parts, int64_t threads) {
    enum { LONG = 16 };
    return min_int(parts, threads == 1 || parts < LONG * threads ? threads : 2 * threads);
}

int pool_run(Kernel *run, const void *fields, void *const *io, int64_t parts, int any_parts) {
    int threads = atomic_load(&pool.threads);
    if (any_parts) parts = few_parts(parts, threads);
    if (parts <= 1 || threads == 1 || !lock_try(&pool.owner))
        return run_alone(run, fields, io, parts);
    pool.run = run, pool.fields = fields, pool.io = io, pool.parts = parts;
    uint64_t job = job_of(atomic_load(&pool.ticket)) + 1;
    atomic_store(&pool.ticket, job << 2 * END | (uint64_t)parts << END | 1);
    wake_workers();
    int status = DONE;
    pool.done_before += parts - take_first_parts(&status);
    for (int look = 1; atomic_load(&pool.done) < pool.done_before; look++) {
        if (look % LOOKS_BEFORE_YIELD == 0) let_others_run();
        RELAX();
    }
    if (atomic_load(&pool.status) != DONE) status = atomic_exchange(&pool.status, DONE);
    lock_leave(&pool.owner);
    return status;
}

int pool_threads(void) { return atomic_load(&pool.threads); }

/* A child process has neither the workers nor the threads that held a lock. */
static void begin_anew(void) {
    lock_init(&pool.owner);
    lock_init(&pool.bed);
    signal_init(&pool.wake);
    atomic_store(&pool.ticket, 0);
    atomic_store(&pool.done, 0);
    atomic_store(&pool.status, DONE);
    pool.done_before = 0;
    atomic_store(&pool.asleep, 0);
    atomic_store(&pool.threads, 1);
    pool.started = 0;
}

void pool_set_threads(int threads) {
    static int watched = 0;
    threads = threads < 1 ? 1 : threads > MAX_THREADS ? MAX_THREADS : threads;
    lock_take(&pool.owner);
    if (!watched) watched = 1, after_fork(begin_anew);
    while (pool.started < threads - 1 && thread_start(worker, (void *)(intptr_t)(pool.started + 1))) pool.started++;
    atomic_store(&pool.threads, threads <= pool.started + 1 ? threads : pool.started + 1);
    lock_leave(&pool.owner);
}

/* -- memory of a thread -------------------------------------------------------------------------------------------- */

typedef struct { void *memory; size_t size; } Scratch;

static Key keys[2];
static __thread Scratch of_kernel, of_chain;

FORGET(forget_scratch) { aligned_free(value); }
__attribute__((constructor)) static void make_keys(void) {
    key_new(&keys[0], forget_scratch);
    key_new(&keys[1], forget_scratch);
}

static void *grown(Scratch *scratch, Key key, size_t bytes) {
    if (bytes <= scratch->size) return scratch->memory;
    aligned_free(scratch->memory);
    size_t size = (bytes + 4095) / 4096 * 4096;
    scratch->memory = aligned_new(4096, size);
    scratch->size = scratch->memory ? size : 0;
    key_set(key, scratch->memory);
    return scratch->memory;
}

void *thread_scratch(size_t bytes) { return grown(&of_kernel, keys[0], bytes); }
void *chain_scratch(size_t bytes) { return grown(&of_chain, keys[1], bytes); }
