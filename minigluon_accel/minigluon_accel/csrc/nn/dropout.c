/* Dropout, and uniform random numbers. The numbers are drawn from the reference's generator, so the results are the
   same. */

#include <stdatomic.h>

#include "../philox.h"
#include "../vector.h"

enum { BATCH = 1024 };      /* how many random numbers are drawn at a time */

/* -- taking numbers from the generator ----------------------------------------------------------------------------- */

FIELDS(Take, int64_t state, count, place;)      /* address of the generator; number of draws; index in io of the
                                                   Draws */

/* A phase with only one part, which runs before the phases that draw. */
static int take_numbers(const void *fields, void *const *io, int64_t part, int64_t parts) {
    static atomic_flag busy = ATOMIC_FLAG_INIT;
    const Take *s = fields;
    (void)part, (void)parts;
    while (atomic_flag_test_and_set(&busy)) {}
    Draws draws = take_draws((Philox *)(intptr_t)s->state, s->count);
    atomic_flag_clear(&busy);
    memcpy(io[s->place], &draws, sizeof draws);
    return DONE;
}

/* -- what is drawn ------------------------------------------------------------------------------------------------- */

FIELDS(Dropout,
    int64_t data, out, mask, draws;         /* indices in io; out may be data */
    int64_t data_first, mask_first, size;   /* offsets of data and mask in their arrays */
    int64_t least;          /* elements whose 24-bit random number is smaller are dropped */
    double factor;          /* multiplies the elements that are not dropped */
)

static int dropout(const void *fields, void *const *io, int64_t part, int64_t parts) {
    const Dropout *s = fields;
    const real *data = (const real *)io[s->data] + s->data_first;
    real *out = io[s->out], *mask_out = (real *)io[s->mask] + s->mask_first, factor = (real)s->factor;
    uint32_t numbers[BATCH], least = (uint32_t)s->least;
    Range range = range_of(s->size, part, parts);
    for (int64_t start = range.begin; start < range.end; start += BATCH) {
        int64_t count = min_int(BATCH, range.end - start);
        draw(io[s->draws], start, count, numbers);
        for (int64_t i = 0; i < count; i++) mask_out[start + i] = numbers[i] >> 8 >= least ? factor : 0;
        for (int64_t i = 0; i < count; i++) out[start + i] = data[start + i] * mask_out[start + i];
    }
    return DONE;
}

/* If nothing is dropped: data | out, which may be data; mask, `ones` elements of 1 */
FIELDS(Pass, int64_t size, ones;)

static int dropout_pass(const void *fields, void *const *io, int64_t part, int64_t parts) {
    const Pass *s = fields;
    real *out = io[1], *mask_out = io[2];
    Range range = range_of(s->size, part, parts), ones = range_of(s->ones, part, parts);
    if (io[0] != io[1])
        memcpy(out + range.begin, (const real *)io[0] + range.begin, (range.end - range.begin) * sizeof(real));
    for (int64_t i = ones.begin; i < ones.end; i++) mask_out[i] = 1;
    return DONE;
}

/* | out = low + (high - low) · number / 2²⁴, then scratch: the Draws. For float32. */
FIELDS(Uniform, int64_t size; double low, width;)

static int random_uniform(const void *fields, void *const *io, int64_t part, int64_t parts) {
    const Uniform *s = fields;
    real *out = io[0], low = (real)s->low, width = (real)s->width;
    uint32_t numbers[BATCH];
    Range range = range_of(s->size, part, parts);
    for (int64_t start = range.begin; start < range.end; start += BATCH) {
        int64_t count = min_int(BATCH, range.end - start);
        draw(io[1], start, count, numbers);
        for (int64_t i = 0; i < count; i++)
            out[start + i] = (real)(int32_t)(numbers[i] >> 8) * (real)(1.0 / 16777216) * width;
        for (int64_t i = 0; i < count; i++) out[start + i] += low;
    }
    return DONE;
}

KERNELS(KERNEL(take_numbers, Take), KERNEL(dropout, Dropout), KERNEL(dropout_pass, Pass),
        KERNEL(random_uniform, Uniform))
