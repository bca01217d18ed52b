/* Memory for large arrays: aligned for vectors, and kept for the next array of the same size. */

#ifndef MINIGLUON_MEMORY_H
#define MINIGLUON_MEMORY_H

#include <stddef.h>

/* The allocator that NumPy calls: the functions of a PyDataMem_Handler. */
void *memory_new(void *context, size_t size);
void *memory_new_zeroed(void *context, size_t count, size_t size);
void *memory_resize(void *context, void *memory, size_t size);
void memory_free(void *context, void *memory, size_t size);

/* Return the kept blocks to the system; the result is their total size in bytes. */
size_t memory_trim(void);

#endif
