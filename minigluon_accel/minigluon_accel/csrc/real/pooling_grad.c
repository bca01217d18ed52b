/* Gradients of pooling, and which element of each window is the largest; channels before space.

   Each row of data gathers what the rows of windows over it hand back. For that the gradient, and the numbers of the
   winners' taps, are copied into rows with a margin on both sides, where nothing is handed back: then all windows that
   see an element at some tap are a shift of the row. */

#include "../pooling.h"

typedef struct {
    real *grad;             /* of an image: rows of windows, `pitch` apart; number j of a row is at lead + j */
    bits *winner;           /* the same: the number of the winner's tap; -1 in the margins */
    int64_t lead, pitch;
    real *row, *phases, *columns;
    bits *first;            /* of each column of windows: its first tap inside of data; -1: it has none */
    int64_t size;           /* of a phase */
} Work;

/* With memory for so many rows of windows. */
static int make_work(const Windows *w, int64_t rows, Work *k) {
    int64_t row = row_size(w);
    k->size = phase_size(w);
    k->lead = round_up((w->kernel[2] - 1) / w->stride[2], LANES);
    k->pitch = k->lead + k->size + LANES;
    real *memory = thread_scratch(sizeof(real) * (2 * rows * k->pitch + row + k->size * (w->stride[2] + 2)
                                                  + 4 * LANES));
    if (memory == NULL) return NO_MEMORY;
    k->grad = memory, memory += rows * k->pitch;
    k->winner = (bits *)memory, memory += rows * k->pitch;
    k->row = memory, memory += row;
    k->phases = memory, memory += k->size * w->stride[2] + LANES;
    k->columns = memory, memory += k->size;
    k->first = (bits *)memory;
    fill_reals(k->grad, rows * k->pitch, 0);
    for (int64_t i = 0; i < rows * k->pitch; i++) k->winner[i] = -1;
    fill_reals(k->columns, k->size, 1);
    count_columns(w, k->columns);
    for (int64_t i = 0; i < k->size; i++) {
        Range taps = i < w->out[2] ? taps_inside(w, 2, i) : (Range){0, 0};
        k->first[i] = taps.begin < taps.end ? (bits)taps.begin : -1;
    }
    return DONE;
}

static inline mask load_bits(const bits *p) { return (mask)load((const real *)p); }
static inline mask all_bits(bits x) { return x - (mask){0}; }

/* -- winners ------------------------------------------------------------------------------------------------------- */

/* The first of the largest elements of each window in a row of windows: the number of its tap, into winner[0 ...], and
   if `out` is there also the element. Padding never wins. */
static void find_winners(const Windows *w, const Work *k, const real *image, int64_t depth, int64_t height, real *best,
                         bits *winner, real *out) {
    Range deep = taps_inside(w, 0, depth), high = taps_inside(w, 1, height);
    int64_t width = w->size[2], stride = w->stride[2], taps = w->kernel[2];
    bits first_row = (bits)((deep.begin * w->kernel[1] + high.begin) * taps);
    int some = deep.begin < deep.end && high.begin < high.end;
    for (int64_t j = 0; j < w->out[2]; j += LANES) {
        mask first = load_bits(k->first + j), known = (first >= 0) & all_bits(some ? -1 : 0);
        store((real *)(winner + j), select(known, (vec)(first + first_row), (vec)all_bits(-1)));
        store(best + j, all(-INFINITY));
    }
    for (int64_t d = deep.begin; d < deep.end; d++)
        for (int64_t h = high.begin; h < high.end; h++) {
            const real *line = image + ((depth * w->stride[0] - w->pad[0] + d) * w->size[1]
                                        + height * w->stride[1] - w->pad[1] + h) * width;
            memcpy(k->row + w->pad[2], line, width * sizeof(real));
            if (stride != 1) split(k->row, k->phases, stride, k->size);
            const real *phases = stride == 1 ? k->row : k->phases;
            bits number = (bits)((d * w->kernel[1] + h) * taps);
            for (int64_t j = 0; j < w->out[2]; j += LANES) {
                vec largest = load(best + j);
                mask which = load_bits(winner + j);
                for (int64_t tap = 0; tap < taps; tap++) {
                    vec value = load(seen(phases, w, k->size, tap, j));
                    which = (mask)select(value > largest, (vec)all_bits(number + (bits)tap), (vec)which);
                    largest = max_vec(largest, value);
                }
                store(best + j, largest);
                store((real *)(winner + j), (vec)which);
            }
        }
    for (int64_t j = w->out[2]; j % LANES; j++) winner[j] = -1;        /* there are no windows */
    if (out != NULL) memcpy(out, best, w->out[2] * sizeof(real));
}

static void clear_margins(const Windows *w, const Work *k) { fill_reals(k->row, row_size(w), -INFINITY); }

/* Max pooling that remembers: data | out, winners (uint8). */
static int pool_winners(const void *fields, void *const *io, int64_t part, int64_t parts) {
    const Windows *w = fields;
    const real *data = io[0];
    real *out = io[1];
    uint8_t *winners = io[2];
    Work k;
    if (make_work(w, 1, &k) != DONE) return NO_MEMORY;
    clear_margins(w, &k);
    int64_t image_size = w->size[0] * w->size[1] * w->size[2], wide = w->out[2];
    Range range = range_of(w->images * w->out[0] * w->out[1], part, parts);
    for (int64_t line = range.begin; line < range.end; line++) {
        const real *image = data + line / (w->out[1] * w->out[0]) * image_size;
        find_winners(w, &k, image, line / w->out[1] % w->out[0], line % w->out[1], k.grad, k.winner, out + line * wide);
        for (int64_t j = 0; j < wide; j++) winners[line * wide + j] = (uint8_t)k.winner[j];
    }
    return DONE;
}

/* -- handing back -------------------------------------------------------------------------------------------------- */

/* What phase `p` of a row of data gets, from place j on, from the row of windows number `line` at tap row `number`. */
static inline vec handed(const Work *k, int64_t taps, int64_t stride, int64_t p, int64_t j, int64_t line, bits number,
                         int max) {
    const real *grad = k->grad + line * k->pitch + k->lead + j;
    const bits *winner = k->winner + line * k->pitch + k->lead + j;
    vec sum = all(0);
    for (int64_t tap = p, shift = 0; tap < taps; tap += stride, shift++) {
        vec g = load(grad - shift);
        sum += max ? (vec)((load_bits(winner - shift) == all_bits(number + (bits)tap)) & (mask)g) : g;
    }
    return sum;
}

static inline __attribute__((always_inline)) void gather(const Windows *w, const Work *k, real *image, int max) {
    int64_t width = w->size[2], stride = w->stride[2], taps = w->kernel[2];
    int64_t places = (width + w->pad[2] + stride - 1) / stride;
    real *target = stride == 1 ? k->row : k->phases;
    for (int64_t d = 0; d < w->size[0]; d++)
        for (int64_t h = 0; h < w->size[1]; h++) {
            Range deep = windows_over(w, 0, d), high = windows_over(w, 1, h);
            for (int64_t p = 0; p < stride; p++)
                for (int64_t j = 0; j < places; j += LANES) {
                    vec sum = all(0);
                    for (int64_t a = deep.begin; a < deep.end; a++)
                        for (int64_t b = high.begin; b < high.end; b++) {
                            int64_t row = (d + w->pad[0] - a * w->stride[0]) * w->kernel[1]
                                          + h + w->pad[1] - b * w->stride[1];
                            sum += handed(k, taps, stride, p, j, a * w->out[1] + b, (bits)(row * taps), max);
                        }
                    store(target + p * k->size + j, sum);
                }
            if (stride != 1) join(k->phases, k->row, stride, k->size);
            memcpy(image + (d * w->size[1] + h) * width, k->row + w->pad[2], width * sizeof(real));
        }
}

/* The gradient's rows into those with margins, divided by the counts for averages. */
static void take_grad(const Windows *w, const Work *k, const real *grad) {
    for (int64_t line = 0; line < w->out[0] * w->out[1]; line++) {
        real *target = k->grad + line * k->pitch + k->lead;
        const real *row = grad + line * w->out[2];
        if (w->kind >= AVERAGE) {
            real rows = count_of_row(w, line / w->out[1], line % w->out[1]);
            for (int64_t j = 0; j < w->out[2]; j++) target[j] = row[j] / (rows * k->columns[j]);
        } else {
            memcpy(target, row, w->out[2] * sizeof(real));
        }
    }
}

/* grad, data for its shape | out */
static int pool_sum_grad(const void *fields, void *const *io, int64_t part, int64_t parts) {
    const Windows *w = fields;
    const real *grad = io[0];
    real *out = io[2];
    Work k;
    if (make_work(w, w->out[0] * w->out[1], &k) != DONE) return NO_MEMORY;
    int64_t image_size = w->size[0] * w->size[1] * w->size[2], windows = w->out[0] * w->out[1] * w->out[2];
    Range range = range_of(w->images, part, parts);
    for (int64_t i = range.begin; i < range.end; i++) {
        take_grad(w, &k, grad + i * windows);
        gather(w, &k, out + i * image_size, 0);
    }
    return DONE;
}

/* grad, data, pooled, which is not needed | out, which may be data */
static int pool_max_grad(const void *fields, void *const *io, int64_t part, int64_t parts) {
    const Windows *w = fields;
    const real *grad = io[0], *data = io[1];
    real *out = io[3];
    Work k;
    if (make_work(w, w->out[0] * w->out[1], &k) != DONE) return NO_MEMORY;
    int64_t image_size = w->size[0] * w->size[1] * w->size[2], windows = w->out[0] * w->out[1] * w->out[2];
    Range range = range_of(w->images, part, parts);
    for (int64_t i = range.begin; i < range.end; i++) {
        clear_margins(w, &k);
        for (int64_t line = 0; line < w->out[0] * w->out[1]; line++)
            find_winners(w, &k, data + i * image_size, line / w->out[1], line % w->out[1],
                         k.grad + line * k.pitch + k.lead, k.winner + line * k.pitch + k.lead, NULL);
        take_grad(w, &k, grad + i * windows);
        gather(w, &k, out + i * image_size, 1);
    }
    return DONE;
}

/* grad, winners (uint8), data for its shape | out */
static int pool_winners_grad(const void *fields, void *const *io, int64_t part, int64_t parts) {
    const Windows *w = fields;
    const real *grad = io[0];
    const uint8_t *winners = io[1];
    real *out = io[3];
    Work k;
    if (make_work(w, w->out[0] * w->out[1], &k) != DONE) return NO_MEMORY;
    int64_t image_size = w->size[0] * w->size[1] * w->size[2], wide = w->out[2], lines = w->out[0] * w->out[1];
    Range range = range_of(w->images, part, parts);
    for (int64_t i = range.begin; i < range.end; i++) {
        for (int64_t line = 0; line < lines; line++)
            for (int64_t j = 0; j < wide; j++)
                k.winner[line * k.pitch + k.lead + j] = winners[(i * lines + line) * wide + j];
        take_grad(w, &k, grad + i * lines * wide);
        gather(w, &k, out + i * image_size, 1);
    }
    return DONE;
}

/* The adjoint of max pooling's gradient: values, data, pooled for its shape | out: of `values` what stands where data
   is largest, 0 for a window that sees no data. */
static int pool_pick_largest(const void *fields, void *const *io, int64_t part, int64_t parts) {
    const Windows *w = fields;
    const real *values = io[0], *data = io[1];
    real *out = io[3];
    Work k;
    if (make_work(w, 1, &k) != DONE) return NO_MEMORY;
    clear_margins(w, &k);
    int64_t image_size = w->size[0] * w->size[1] * w->size[2], taps = w->kernel[2];
    Range range = range_of(w->images * w->out[0] * w->out[1], part, parts);
    for (int64_t line = range.begin; line < range.end; line++) {
        int64_t image = line / (w->out[1] * w->out[0]) * image_size;
        int64_t depth = line / w->out[1] % w->out[0], height = line % w->out[1];
        find_winners(w, &k, data + image, depth, height, k.grad, k.winner, NULL);
        for (int64_t j = 0; j < w->out[2]; j++) {
            int64_t tap = k.winner[j], row = tap / taps;
            int64_t d = depth * w->stride[0] - w->pad[0] + row / w->kernel[1];
            int64_t h = height * w->stride[1] - w->pad[1] + row % w->kernel[1];
            int64_t x = j * w->stride[2] - w->pad[2] + tap % taps;
            out[line * w->out[2] + j] = tap < 0 ? 0 : values[image + (d * w->size[1] + h) * w->size[2] + x];
        }
    }
    return DONE;
}

/* One window over all of space: its average or sum handed back. grad, data for its shape | out */
static int pool_whole_sum_grad(const void *fields, void *const *io, int64_t part, int64_t parts) {
    const Windows *w = fields;
    const real *grad = io[0];
    real *out = io[2];
    int64_t count = w->size[0] * w->size[1] * w->size[2];
    Range range = range_of(w->images, part, parts);
    for (int64_t i = range.begin; i < range.end; i++)
        fill_reals(out + i * count, count, w->kind >= AVERAGE ? grad[i] / (real)count : grad[i]);
    return DONE;
}

/* One window over all of space: its gradient to the first of the largest. grad, data, pooled | out */
static int pool_whole_max_grad(const void *fields, void *const *io, int64_t part, int64_t parts) {
    const Windows *w = fields;
    const real *grad = io[0], *data = io[1];
    real *out = io[3];
    int64_t count = w->size[0] * w->size[1] * w->size[2];
    Range range = range_of(w->images, part, parts);
    for (int64_t i = range.begin; i < range.end; i++) {
        const real *image = data + i * count;
        int64_t best = 0;
        for (int64_t x = 1; x < count; x++) best = image[x] > image[best] ? x : best;
        fill_reals(out + i * count, count, 0);
        out[i * count + best] = grad[i];
    }
    return DONE;
}

KERNELS(KERNEL(pool_winners, WINDOWS), KERNEL(pool_sum_grad, WINDOWS), KERNEL(pool_max_grad, WINDOWS),
        KERNEL(pool_winners_grad, WINDOWS), KERNEL(pool_pick_largest, WINDOWS), KERNEL(pool_whole_sum_grad, WINDOWS),
        KERNEL(pool_whole_max_grad, WINDOWS))
