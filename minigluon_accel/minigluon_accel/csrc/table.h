/* The kernels of all instruction sets, by name. */

#ifndef MINIGLUON_TABLE_H
#define MINIGLUON_TABLE_H

#include "kernel.h"

/* Entry `index`, with its instruction set and type; NULL after the last entry. */
const Entry *kernel_at(int index, const char **isa, const char **real);

/* The best instruction set that this processor supports and for which the build has kernels. */
const char *best_isa(void);
/* Whether this processor supports an instruction set. */
int has_isa(const char *isa);

#endif
