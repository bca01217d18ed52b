/* Filters into which the BatchNorm after their convolution is folded once for many calls (see
   kernels/nn/convolution_packed.py).

     fold_filters       each filter times a factor, and a term to be added to its results: a BatchNorm in inference */

#include "../vector.h"

FIELDS(Filters,
    int64_t filters, size;                                      /* elements of a filter */
    int64_t fix_gamma;
    double eps;
    int64_t weight, bias, gamma, beta, mean, var, folded, added;    /* indices in io; -1: no bias, no normalization */
    int64_t added_at;                                           /* offset of the terms in their array */
)

static int fold_filters(const void *fields, void *const *io, int64_t part, int64_t parts) {
    const Filters *s = fields;
    const real *weight = io[s->weight], *bias = s->bias < 0 ? NULL : io[s->bias];
    real *folded = io[s->folded], *added = (real *)io[s->added] + s->added_at;
    Range range = range_of(s->filters, part, parts);
    for (int64_t f = range.begin; f < range.end; f++) {
        real factor = 1, term = bias ? bias[f] : 0;
        if (s->var >= 0) {
            factor = (real)(1 / sqrt(((const real *)io[s->var])[f] + (real)s->eps));
            if (!s->fix_gamma) factor *= ((const real *)io[s->gamma])[f];
            term = (term - ((const real *)io[s->mean])[f]) * factor + ((const real *)io[s->beta])[f];
        }
        for (int64_t i = f * s->size; i < (f + 1) * s->size; i++) folded[i] = weight[i] * factor;
        added[f] = term;
    }
    return DONE;
}

KERNELS(KERNEL(fold_filters, Filters))
