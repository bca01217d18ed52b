/* The kernels of all instruction sets by name. */

#ifndef MINIGLUON_TABLE_H
#define MINIGLUON_TABLE_H

#include "kernel.h"

/* Entry number `index` of all, with its instruction set and type; NULL behind the last. */
const Entry *kernel_at(int index, const char **isa, const char **real);

/* The best instruction set that this processor has and the build has kernels for. */
const char *best_isa(void);
/* Has this processor it? */
int has_isa(const char *isa);

#endif
