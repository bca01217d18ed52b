/* Services of the operating system, for POSIX and Windows: threads, locks, thread-local memory and aligned memory. */

#ifndef MINIGLUON_SYSTEM_H
#define MINIGLUON_SYSTEM_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#if defined(_WIN32)

#define WIN32_LEAN_AND_MEAN
#include <malloc.h>
#include <windows.h>

typedef SRWLOCK Lock;
typedef CONDITION_VARIABLE Signal;
#define LOCK_INIT SRWLOCK_INIT
#define SIGNAL_INIT CONDITION_VARIABLE_INIT

static inline void lock_init(Lock *lock) { InitializeSRWLock(lock); }
static inline void lock_take(Lock *lock) { AcquireSRWLockExclusive(lock); }
static inline int lock_try(Lock *lock) { return TryAcquireSRWLockExclusive(lock); }
static inline void lock_leave(Lock *lock) { ReleaseSRWLockExclusive(lock); }
static inline void signal_init(Signal *signal) { InitializeConditionVariable(signal); }
static inline void signal_wait(Signal *signal, Lock *lock) { SleepConditionVariableSRW(signal, lock, INFINITE, 0); }
static inline void signal_all(Signal *signal) { WakeAllConditionVariable(signal); }
static inline void let_others_run(void) { SwitchToThread(); }
static inline void after_fork(void run(void)) { (void)run; }        /* Windows has no fork */

/* THREAD(name, argument) { ... return 0; } is the body of a thread, which is never joined. */
#define THREAD(name, argument) static DWORD WINAPI name(void *argument)
static inline int thread_start(LPTHREAD_START_ROUTINE run, void *argument) {      /* 0 if the system cannot start a
                                                                                     thread */
    HANDLE thread = CreateThread(NULL, 0, run, argument, 0, NULL);
    return thread && CloseHandle(thread);
}

/* A value for each thread; FORGET(name) { ... } is called with this value when the thread ends. */
typedef DWORD Key;
typedef void WINAPI Forget(void *value);
#define FORGET(name) static void WINAPI name(void *value)
static inline void key_new(Key *key, Forget *forget) { *key = FlsAlloc(forget); }
static inline void key_set(Key key, void *value) { FlsSetValue(key, value); }

/* Resizing a block preserves its alignment. */
enum { HUGE_PAGE = 0 };                 /* size in bytes of a huge page that can be requested; 0 if there are none */
static inline void *aligned_new(size_t alignment, size_t size) { return _aligned_malloc(size, alignment); }
static inline void *aligned_resize(void *memory, size_t alignment, size_t size) {
    return _aligned_realloc(memory, size, alignment);
}
static inline void aligned_free(void *memory) { _aligned_free(memory); }
static inline void ask_for_huge_pages(void *memory, size_t size) { (void)memory, (void)size; }
static inline size_t page_size(void) { return 4096; }
/* Makes whole pages read as zeros and take no memory until they are written to; returns 0 if the system has no such
   call. */
static inline int drop_pages(void *first, size_t size) { return (void)first, (void)size, 0; }

#else

#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <unistd.h>

typedef pthread_mutex_t Lock;
typedef pthread_cond_t Signal;
#define LOCK_INIT PTHREAD_MUTEX_INITIALIZER
#define SIGNAL_INIT PTHREAD_COND_INITIALIZER

static inline void lock_init(Lock *lock) { pthread_mutex_init(lock, NULL); }
static inline void lock_take(Lock *lock) { pthread_mutex_lock(lock); }
static inline int lock_try(Lock *lock) { return pthread_mutex_trylock(lock) == 0; }
static inline void lock_leave(Lock *lock) { pthread_mutex_unlock(lock); }
static inline void signal_init(Signal *signal) { pthread_cond_init(signal, NULL); }
static inline void signal_wait(Signal *signal, Lock *lock) { pthread_cond_wait(signal, lock); }
static inline void signal_all(Signal *signal) { pthread_cond_broadcast(signal); }
static inline void let_others_run(void) { sched_yield(); }
/* Called in a child process, before anything else. */
static inline void after_fork(void run(void)) { pthread_atfork(NULL, NULL, run); }

#define THREAD(name, argument) static void *name(void *argument)
static inline int thread_start(void *run(void *), void *argument) {
    pthread_t thread;
    return pthread_create(&thread, NULL, run, argument) == 0 && pthread_detach(thread) == 0;
}

typedef pthread_key_t Key;
typedef void Forget(void *value);
#define FORGET(name) static void name(void *value)
static inline void key_new(Key *key, Forget *forget) { pthread_key_create(key, forget); }
static inline void key_set(Key key, void *value) { pthread_setspecific(key, value); }

enum { HUGE_PAGE = 1 << 21 };
static inline void *aligned_new(size_t alignment, size_t size) {
    void *memory;
    return posix_memalign(&memory, alignment, size) == 0 ? memory : NULL;
}
/* POSIX has no such call: a block that moves may lose its alignment, as in NumPy itself. */
static inline void *aligned_resize(void *memory, size_t alignment, size_t size) {
    (void)alignment;
    return realloc(memory, size);
}
static inline void aligned_free(void *memory) { free(memory); }
static inline void ask_for_huge_pages(void *memory, size_t size) {
#ifdef MADV_HUGEPAGE
    madvise(memory, size, MADV_HUGEPAGE);
#else
    (void)memory, (void)size;
#endif
}
static inline size_t page_size(void) { return (size_t)sysconf(_SC_PAGESIZE); }
static inline int drop_pages(void *first, size_t size) {
#ifdef __linux__
    return madvise(first, size, MADV_DONTNEED) == 0;
#else
    return (void)first, (void)size, 0;      /* elsewhere, the same flag does not guarantee zeros */
#endif
}

#endif

#endif
