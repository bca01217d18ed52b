/* Several kernels that run in sequence on one share of the batch (an image or a few rows); each part handles one share.
   Each thread runs its share through the whole network, so intermediate results stay in its own caches and no kernel
   waits for other threads.

   Each kernel is prepared for one share. Its own parts run one after another. */

#include "pool.h"

FIELDS(Chain,
    int64_t room, count;        /* bytes of intermediate results; number of kernels */
    int64_t steps[];            /* for each kernel: run, fields, parts, number of operands; then for each operand either
                                   its array and the bytes of one share in it (0 if all shares use the same memory), or
                                   -1 and its offset in the room */
)

enum { MOST_OPERANDS = 64 };    /* checked by kernels/batch_chain.py */

static int batch_chain(const void *fields, void *const *io, int64_t part, int64_t parts) {
    const Chain *s = fields;
    const int64_t *at = s->steps;
    char *room = chain_scratch((size_t)s->room);
    (void)parts;
    if (!room) return NO_MEMORY;
    for (int64_t step = 0; step < s->count; step++) {
        Kernel *run = (Kernel *)(intptr_t)at[0];
        const void *own_fields = (const void *)(intptr_t)at[1];
        int64_t own_parts = at[2], operands = at[3];
        void *own[MOST_OPERANDS];
        at += 4;
        for (int64_t i = 0; i < operands; i++, at += 2)
            own[i] = at[0] < 0 ? room + at[1] : io[at[0]] ? (char *)io[at[0]] + part * at[1] : NULL;
        for (int64_t p = 0; p < own_parts; p++) {
            int status = run(own_fields, own, p, own_parts);
            if (status != DONE) return status;
        }
    }
    return DONE;
}

KERNELS(KERNEL(batch_chain, Chain))
