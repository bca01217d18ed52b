/* Pooling with channels as the last axis: for each window and each tap, all channels at once. */

#include "pooling.h"

/* For all taps of a window that are inside the data: `at` is the offset of the tap's channels in an image, and `number`
   is the index of the tap. */
#define FOR_TAPS(w, depth, height, width)                                                                     \
    for (Range deep = taps_inside(w, 0, depth), high = taps_inside(w, 1, height), wide = taps_inside(w, 2, width), \
         *once = &deep; once; once = NULL)                                                                    \
        for (int64_t d = deep.begin; d < deep.end; d++)                                                       \
            for (int64_t h = high.begin; h < high.end; h++)                                                   \
                for (int64_t x = wide.begin; x < wide.end; x++)

static inline int64_t at(const Windows *w, int64_t depth, int64_t height, int64_t width, int64_t d, int64_t h, int64_t x) {
    return (((depth * w->stride[0] - w->pad[0] + d) * w->size[1] + height * w->stride[1] - w->pad[1] + h) * w->size[2]
            + width * w->stride[2] - w->pad[2] + x) * w->channels;
}

static inline bits number(const Windows *w, int64_t d, int64_t h, int64_t x) {
    return (bits)((d * w->kernel[1] + h) * w->kernel[2] + x);
}

static inline real count(const Windows *w, int64_t depth, int64_t height, int64_t width) {
    return w->kind < AVERAGE ? 1 : count_of_row(w, depth, height) * (real)count_along(w, 2, width);
}

static inline int64_t image_size(const Windows *w) { return w->size[0] * w->size[1] * w->size[2] * w->channels; }
static inline int64_t window_count(const Windows *w) { return w->out[0] * w->out[1] * w->out[2]; }

/* data | out */
static int pool_last(const void *fields, void *const *io, int64_t part, int64_t parts) {
    const Windows *w = fields;
    int64_t channels = w->channels;
    Range range = range_of(w->images * window_count(w), part, parts);
    for (int64_t i = range.begin; i < range.end; i++) {
        int64_t width = i % w->out[2], height = i / w->out[2] % w->out[1], depth = i / w->out[2] / w->out[1] % w->out[0];
        const real *image = (const real *)io[0] + i / window_count(w) * image_size(w);
        real *out = (real *)io[1] + i * channels;
        int64_t inside = 0;
        fill_reals(out, channels, w->kind == MAX ? -INFINITY : 0);
        FOR_TAPS(w, depth, height, width) {
            const real *tap = image + at(w, depth, height, width, d, h, x);
            inside++;
            if (w->kind == MAX)
                for (int64_t c = 0; c < channels; c++) out[c] = out[c] > tap[c] || out[c] != out[c] ? out[c] : tap[c];
            else if (w->kind == SUM_OF_SQUARES)
                for (int64_t c = 0; c < channels; c++) out[c] += tap[c] * tap[c];
            else
                for (int64_t c = 0; c < channels; c++) out[c] += tap[c];
        }
        if (w->kind >= AVERAGE)
            for (int64_t c = 0; c < channels; c++) out[c] /= count(w, depth, height, width);
        if (w->kind == MAX && inside < w->kernel[0] * w->kernel[1] * w->kernel[2])
            for (int64_t c = 0; c < channels; c++) out[c] = out[c] < LOWEST ? LOWEST : out[c];
    }
    return DONE;
}

/* The winner of one channel in a window with NaN, as in the reference: an element of the last plane; if that plane has
   NaN, an element of its last row; if that row has NaN, the last element. The result is -1 if it is padding. */
static bits argmax_with_nan(const Windows *w, const real *image, int64_t depth, int64_t height, int64_t width, int64_t c) {
    int64_t low[3] = {0, 0, 0};
    bits winner = -1;
    for (int axis = 0, has_nan = 1; axis < 3 && has_nan; axis++) {
        real best = 0;
        low[axis] = w->kernel[axis] - 1, winner = -1, has_nan = 0;
        FOR_TAPS(w, depth, height, width) {
            if (d < low[0] || h < low[1] || x < low[2]) continue;
            real tap = image[at(w, depth, height, width, d, h, x) + c];
            has_nan |= tap != tap;
            if (winner < 0 || tap > best) best = tap, winner = number(w, d, h, x);
        }
    }
    return winner;
}

/* Finds the index of the winner's tap for each channel, or -1 if there is no data; best receives the largest elements.
   A window with NaN has a winner only if `nan_wins` is set. */
static void find_argmax(const Windows *w, const real *image, int64_t depth, int64_t height, int64_t width, bits *winner,
                        real *best, int nan_wins) {
    int first = 1;
    for (int64_t c = 0; c < w->channels; c++) winner[c] = -1, best[c] = -INFINITY;
    FOR_TAPS(w, depth, height, width) {
        const real *tap = image + at(w, depth, height, width, d, h, x);
        bits own = number(w, d, h, x);
        for (int64_t c = 0; c < w->channels; c++) {
            int wins = first || tap[c] > best[c];
            winner[c] = wins ? own : winner[c];
            best[c] = wins || tap[c] != tap[c] ? tap[c] : best[c];
        }
        first = 0;
    }
    for (int64_t c = 0; c < w->channels; c++)
        if (best[c] != best[c]) winner[c] = nan_wins ? argmax_with_nan(w, image, depth, height, width, c) : -1;
}

/* data | out, winners (uint8) */
static int pool_argmax_last(const void *fields, void *const *io, int64_t part, int64_t parts) {
    const Windows *w = fields;
    bits *winner = thread_scratch(w->channels * sizeof(bits));
    if (winner == NULL) return NO_MEMORY;
    Range range = range_of(w->images * window_count(w), part, parts);
    for (int64_t i = range.begin; i < range.end; i++) {
        find_argmax(w, (const real *)io[0] + i / window_count(w) * image_size(w), i / w->out[2] / w->out[1] % w->out[0],
                     i / w->out[2] % w->out[1], i % w->out[2], winner, (real *)io[1] + i * w->channels, 1);
        for (int64_t c = 0; c < w->channels; c++) ((uint8_t *)io[2])[i * w->channels + c] = (uint8_t)winner[c];
    }
    return DONE;
}

/* Fills an image with zeros, and then adds the gradient of each window to its winner, or to all taps if `winner` is
   NULL. */
static void hand_back(const Windows *w, const real *grad, const bits *winner, real *image) {
    fill_reals(image, image_size(w), 0);
    for (int64_t i = 0; i < window_count(w); i++) {
        int64_t width = i % w->out[2], height = i / w->out[2] % w->out[1], depth = i / w->out[2] / w->out[1];
        const real *g = grad + i * w->channels;
        const bits *who = winner + (winner ? i * w->channels : 0);
        real share = 1 / count(w, depth, height, width);
        FOR_TAPS(w, depth, height, width) {
            real *tap = image + at(w, depth, height, width, d, h, x);
            bits own = number(w, d, h, x);
            if (winner)
                for (int64_t c = 0; c < w->channels; c++) tap[c] += who[c] == own ? g[c] : 0;
            else
                for (int64_t c = 0; c < w->channels; c++) tap[c] += g[c] * share;
        }
    }
}

/* grad, data (only its shape is used) | out */
static int pool_sum_grad_last(const void *fields, void *const *io, int64_t part, int64_t parts) {
    const Windows *w = fields;
    Range range = range_of(w->images, part, parts);
    for (int64_t i = range.begin; i < range.end; i++)
        hand_back(w, (const real *)io[0] + i * window_count(w) * w->channels, NULL, (real *)io[2] + i * image_size(w));
    return DONE;
}

/* Finds the winners of an image from its data; best is memory for one window. */
static void argmax_of_image(const Windows *w, const real *image, bits *winner, real *best) {
    for (int64_t i = 0; i < window_count(w); i++)
        find_argmax(w, image, i / w->out[2] / w->out[1], i / w->out[2] % w->out[1], i % w->out[2],
                     winner + i * w->channels, best, 1);
}

/* grad, data, pooled (not read) | out, which may be data */
static int pool_max_grad_last(const void *fields, void *const *io, int64_t part, int64_t parts) {
    const Windows *w = fields;
    int64_t count = window_count(w) * w->channels;
    real *best = thread_scratch((count + w->channels) * sizeof(real));
    if (best == NULL) return NO_MEMORY;
    bits *winner = (bits *)(best + w->channels);
    Range range = range_of(w->images, part, parts);
    for (int64_t i = range.begin; i < range.end; i++) {
        argmax_of_image(w, (const real *)io[1] + i * image_size(w), winner, best);
        hand_back(w, (const real *)io[0] + i * count, winner, (real *)io[3] + i * image_size(w));
    }
    return DONE;
}

/* grad, winners (uint8), data (only its shape is used) | out */
static int pool_argmax_grad_last(const void *fields, void *const *io, int64_t part, int64_t parts) {
    const Windows *w = fields;
    int64_t count = window_count(w) * w->channels;
    bits *winner = thread_scratch(count * sizeof(bits));
    if (winner == NULL) return NO_MEMORY;
    Range range = range_of(w->images, part, parts);
    for (int64_t i = range.begin; i < range.end; i++) {
        for (int64_t k = 0; k < count; k++) winner[k] = ((const uint8_t *)io[1])[i * count + k];
        hand_back(w, (const real *)io[0] + i * count, winner, (real *)io[3] + i * image_size(w));
    }
    return DONE;
}

/* values, data, pooled (only its shape is used) | out */
static int pool_pick_largest_last(const void *fields, void *const *io, int64_t part, int64_t parts) {
    const Windows *w = fields;
    bits *winner = thread_scratch(w->channels * (sizeof(bits) + sizeof(real)));
    if (winner == NULL) return NO_MEMORY;
    Range range = range_of(w->images * window_count(w), part, parts);
    for (int64_t i = range.begin; i < range.end; i++) {
        int64_t width = i % w->out[2], height = i / w->out[2] % w->out[1], depth = i / w->out[2] / w->out[1] % w->out[0];
        int64_t image = i / window_count(w) * image_size(w);
        const real *values = (const real *)io[0] + image;
        real *out = (real *)io[3] + i * w->channels;
        find_argmax(w, (const real *)io[1] + image, depth, height, width, winner, (real *)(winner + w->channels), 0);
        fill_reals(out, w->channels, 0);
        FOR_TAPS(w, depth, height, width) {
            const real *tap = values + at(w, depth, height, width, d, h, x);
            for (int64_t c = 0; c < w->channels; c++) out[c] = winner[c] == number(w, d, h, x) ? tap[c] : out[c];
        }
    }
    return DONE;
}

KERNELS(KERNEL(pool_last, Windows), KERNEL(pool_argmax_last, Windows), KERNEL(pool_sum_grad_last, Windows),
        KERNEL(pool_max_grad_last, Windows), KERNEL(pool_argmax_grad_last, Windows),
        KERNEL(pool_pick_largest_last, Windows))
