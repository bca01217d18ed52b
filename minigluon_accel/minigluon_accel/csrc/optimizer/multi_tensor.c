/* Optimizer steps on many weights at once. The work is divided as if the weights were contiguous, so that all threads
   receive the same amount of work, whatever the sizes are.

   io: a group (weight, grad, states) for each weight; then the learning rates and weight decays, with `rate_bytes`
   bytes per element; then the new weights, unless the step overwrites the old ones. */

#include "update_step.h"

FIELDS(Many,
    int64_t weights, group, in_place, rate_bytes;
    double clip_gradient, momentum, beta1, beta2, epsilon, rescale_grad;
    int64_t sizes[];
)

static double rate(const Many *s, const void *rates, int64_t i) {
    return s->rate_bytes == 8 ? ((const double *)rates)[i] : ((const float *)rates)[i];
}

/* The factor of the gradients, and pointers to the learning rates and decays. */
typedef struct { double rescale_grad; const void *lrs, *wds; int64_t first_lr, first_wd; } Rates;

/* `preloaded_multi_...` has two arrays of rates, and the factor is an attribute. `_..._steps` has one array that
   contains all of these. */
static Rates rates_of(const Many *s, void *const *io) {
    const void *rates = io[s->weights * s->group];
    if (!s->in_place) return (Rates){s->rescale_grad, rates, io[s->weights * s->group + 1], 0, 0};
    return (Rates){rate(s, rates, 0), rates, rates, 1, 1 + s->weights};
}

/* The elements of one weight that belong to this part. */
typedef struct { real *arrays[4], *out; int64_t n; double lr, wd; } Piece;

static int piece_of(Piece *piece, const Many *s, void *const *io, Rates r, int64_t i, Range range, int64_t start) {
    int64_t from = max_int(range.begin - start, 0);
    piece->n = min_int(range.end - start, s->sizes[i]) - from;
    if (piece->n <= 0) return 0;
    for (int64_t k = 0; k < s->group; k++) piece->arrays[k] = (real *)io[i * s->group + k] + from;
    piece->out = s->in_place ? piece->arrays[0] : (real *)io[s->weights * s->group + 2 + i] + from;
    piece->lr = rate(s, r.lrs, r.first_lr + i), piece->wd = rate(s, r.wds, r.first_wd + i);
    return 1;
}

#define EACH_PIECE(step)                                                                         \
    const Many *s = fields;                                                                      \
    Rates r = rates_of(s, io);                                                                   \
    Clip c = clip_of(r.rescale_grad, s->clip_gradient);                                          \
    Piece p;                                                                                     \
    int64_t total = 0, start = 0;                                                                \
    for (int64_t i = 0; i < s->weights; i++) total += s->sizes[i];                               \
    Range range = range_of(total, part, parts);                                                  \
    for (int64_t i = 0; i < s->weights; start += s->sizes[i++])                                  \
        if (piece_of(&p, s, io, r, i, range, start)) step;                                       \
    return DONE

static int sgd_many(const void *fields, void *const *io, int64_t part, int64_t parts) {
    EACH_PIECE(sgd(p.out, p.arrays[0], p.arrays[1], p.n, c, p.lr, p.wd));
}

static int sgd_mom_many(const void *fields, void *const *io, int64_t part, int64_t parts) {
    EACH_PIECE(sgd_mom(p.out, p.arrays[0], p.arrays[1], p.arrays[2], p.n, c, p.lr, p.wd, s->momentum));
}

static int adam_many(const void *fields, void *const *io, int64_t part, int64_t parts) {
    EACH_PIECE(adam(p.out, p.arrays[0], p.arrays[1], p.arrays[2], p.arrays[3], p.n, c, p.lr, p.wd,
                    ((Moments){decay_of(s->beta1), decay_of(s->beta2), (real)s->epsilon})));
}

KERNELS(KERNEL(sgd_many, Many), KERNEL(sgd_mom_many, Many), KERNEL(adam_many, Many))
