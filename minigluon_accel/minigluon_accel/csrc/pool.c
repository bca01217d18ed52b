/* A pool of threads that work on the parts of one kernel at a time.

   A kernel of some microseconds cannot wait for a thread that sleeps. So the workers look for new work in a loop for a
   while before they sleep, and the caller works, too, and takes all parts itself if nobody comes.

   The number of the job, how many parts it has, and the next one stand in one word, the ticket. To take a part a thread
   replaces the ticket it has read by its successor in one step, which fails when another thread was faster or the job is
   another one by now. So a thread that comes late finds no part, and nobody waits for it. What a ticket belongs to is
   not replaced before all its parts are done. */

#include "pool.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

#if defined(__x86_64__)
#define RELAX() __builtin_ia32_pause()
#elif defined(__aarch64__)
#define RELAX() __asm__ volatile("yield")
#else
#define RELAX() ((void)0)
#endif

enum { LOOKS = 4000, LOOKS_BEFORE_YIELD = 200 };     /* of a worker for work: some 100 microseconds */

/* A ticket: 24 bits for the job, 20 for its parts, 20 for the next one. */
static inline int64_t parts_of(uint64_t ticket) { return (int64_t)(ticket >> 20 & 0xfffff); }
static inline int64_t next_of(uint64_t ticket) { return (int64_t)(ticket & 0xfffff); }
static inline int is_work(uint64_t ticket) { return next_of(ticket) < parts_of(ticket); }

static struct {
    pthread_mutex_t owner;              /* held by the thread whose job this is */
    Kernel *run;
    const void *fields;
    void *const *io;
    _Atomic uint64_t ticket;
    _Atomic int64_t done;               /* so many parts */
    _Atomic int status;
    _Atomic int threads;                /* that may work, the caller's included */
    int started;                        /* workers */
    _Atomic int sleeping;
    pthread_mutex_t bed;
    pthread_cond_t wake;
} pool = {.owner = PTHREAD_MUTEX_INITIALIZER, .threads = 1, .bed = PTHREAD_MUTEX_INITIALIZER,
          .wake = PTHREAD_COND_INITIALIZER};

static void take_parts(void) {
    uint64_t ticket = atomic_load(&pool.ticket);
    while (is_work(ticket)) {
        if (!atomic_compare_exchange_weak(&pool.ticket, &ticket, ticket + 1)) continue;
        int status = pool.run(pool.fields, pool.io, next_of(ticket), parts_of(ticket));
        if (status != DONE) atomic_store(&pool.status, status);
        atomic_fetch_add(&pool.done, 1);
        ticket = atomic_load(&pool.ticket);
    }
}

static void *worker(void *argument) {
    int number = (int)(intptr_t)argument;
    for (;;) {
        int look = 0;
        for (; look < LOOKS; look++) {
            if (number < atomic_load(&pool.threads) && is_work(atomic_load(&pool.ticket))) break;
            if (look % LOOKS_BEFORE_YIELD == LOOKS_BEFORE_YIELD - 1) sched_yield();
            RELAX();
        }
        if (look == LOOKS) {
            pthread_mutex_lock(&pool.bed);
            atomic_fetch_add(&pool.sleeping, 1);
            while (number >= atomic_load(&pool.threads) || !is_work(atomic_load(&pool.ticket)))
                pthread_cond_wait(&pool.wake, &pool.bed);
            atomic_fetch_sub(&pool.sleeping, 1);
            pthread_mutex_unlock(&pool.bed);
        }
        take_parts();
    }
    return NULL;
}

static void wake_workers(void) {
    if (atomic_load(&pool.sleeping) == 0) return;
    pthread_mutex_lock(&pool.bed);
    pthread_cond_broadcast(&pool.wake);
    pthread_mutex_unlock(&pool.bed);
}

static int run_alone(Kernel *run, const void *fields, void *const *io, int64_t parts) {
    int found = DONE;
    for (int64_t part = 0; part < parts; part++) {
        int status = run(fields, io, part, parts);
        if (status != DONE) found = status;
    }
    return found;
}

int pool_run(Kernel *run, const void *fields, void *const *io, int64_t parts) {
    if (parts <= 1 || atomic_load(&pool.threads) == 1 || pthread_mutex_trylock(&pool.owner) != 0)
        return run_alone(run, fields, io, parts);
    pool.run = run, pool.fields = fields, pool.io = io;
    atomic_store(&pool.done, 0);
    atomic_store(&pool.status, DONE);
    uint64_t job = (atomic_load(&pool.ticket) >> 40) + 1;
    atomic_store(&pool.ticket, job << 40 | (uint64_t)parts << 20);
    wake_workers();
    take_parts();
    for (int look = 1; atomic_load(&pool.done) < parts; look++) {
        if (look % LOOKS_BEFORE_YIELD == 0) sched_yield();
        RELAX();
    }
    int status = atomic_load(&pool.status);
    pthread_mutex_unlock(&pool.owner);
    return status;
}

int pool_threads(void) { return atomic_load(&pool.threads); }

/* In a child process there are no workers, and who held a lock is not there either. */
static void begin_anew(void) {
    pthread_mutex_init(&pool.owner, NULL);
    pthread_mutex_init(&pool.bed, NULL);
    pthread_cond_init(&pool.wake, NULL);
    atomic_store(&pool.ticket, 0);
    atomic_store(&pool.sleeping, 0);
    atomic_store(&pool.threads, 1);
    pool.started = 0;
}

void pool_set_threads(int threads) {
    static int watched = 0;
    threads = threads < 1 ? 1 : threads > MAX_THREADS ? MAX_THREADS : threads;
    pthread_mutex_lock(&pool.owner);
    if (!watched) watched = 1, pthread_atfork(NULL, NULL, begin_anew);
    for (; pool.started < threads - 1; pool.started++) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, worker, (void *)(intptr_t)(pool.started + 1)) != 0) break;
        pthread_detach(thread);
    }
    atomic_store(&pool.threads, threads <= pool.started + 1 ? threads : pool.started + 1);
    pthread_mutex_unlock(&pool.owner);
}

/* -- memory of a thread -------------------------------------------------------------------------------------------- */

static pthread_key_t key;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static __thread struct { void *memory; size_t size; } scratch;

static void make_key(void) { pthread_key_create(&key, free); }

void *thread_scratch(size_t bytes) {
    if (bytes <= scratch.size) return scratch.memory;
    pthread_once(&once, make_key);
    free(scratch.memory);
    size_t size = (bytes + 4095) / 4096 * 4096;
    if (posix_memalign(&scratch.memory, 4096, size) != 0) scratch.memory = NULL, size = 0;
    scratch.size = size;
    pthread_setspecific(key, scratch.memory);
    return scratch.memory;
}
