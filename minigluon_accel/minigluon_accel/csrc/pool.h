/* The thread pool; there is only one. */

#ifndef MINIGLUON_POOL_H
#define MINIGLUON_POOL_H

#include "kernel.h"

/* Run all parts; return the first code that is not DONE, or DONE if there is none. While the pool works for another
   thread, the caller does all parts itself. any_parts: whether fewer parts are allowed; see `Entry`. */
int pool_run(Kernel *run, const void *fields, void *const *io, int64_t parts, int any_parts);

int pool_threads(void);
void pool_set_threads(int threads);     /* 1 to MAX_THREADS */

enum { MAX_THREADS = 64 };

/* This thread's memory for a kernel that calls other kernels, which use `thread_scratch` themselves: see
   batch_chain_bytes.c. */
void *chain_scratch(size_t bytes);

#endif
