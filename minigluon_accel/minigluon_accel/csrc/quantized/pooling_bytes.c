/* Pooling of integers with channels last, and with channels first as images of one channel. */

#include "../integer_steps.h"

FIELDS(Windows,
    int64_t batch, height, width, channels, out_height, out_width;
    int64_t taps_y, taps_x, step_y, step_x, pad_y, pad_x;
    int64_t type, mean, count_padding, source, out, low, high, out_low, out_high;
)

/* One axis of a window: its taps inside the image, and how many elements of the window count. */
typedef struct { int64_t begin, end, count; } Reach;

INLINED Reach reach_of(int64_t at, int64_t taps, int64_t step, int64_t pad, int64_t size, int64_t count_padding) {
    int64_t start = at * step - pad, stop = start + taps;
    Reach reach = {max_int(start, 0), min_int(stop, size), 0};
    reach.count = max_int(count_padding ? min_int(stop, size + pad) - start : reach.end - reach.begin, 1);
    return reach;
}

#define LARGEST(type)                                                                              \
    for (int64_t c = 0; c < n; c++) ((type *)out)[c] = ((const type *)from)[c] > ((type *)out)[c]  \
                                                       ? ((const type *)from)[c] : ((type *)out)[c];

INLINED void pool_largest(const Windows *s, const uint8_t *image, Reach y, Reach x, uint8_t *out) {
    const int64_t n = s->channels;
    memset(out, s->type == SIGNED ? 128 : 0, (size_t)n);
    for (int64_t i = y.begin; i < y.end; i++)
        for (int64_t j = x.begin; j < x.end; j++) {
            const uint8_t *from = image + (i * s->width + j) * n;
            if (s->type == SIGNED) LARGEST(int8_t)
            else LARGEST(uint8_t)
        }
}

INLINED void pool_mean(const Windows *s, const uint8_t *image, Reach y, Reach x, int32_t *sums, uint8_t *out) {
    const int64_t n = s->channels;
    const float share = 1.0f / (float)(y.count * x.count), round = 12582912.0f;
    memset(sums, 0, (size_t)n * 4);
    for (int64_t i = y.begin; i < y.end; i++)
        for (int64_t j = x.begin; j < x.end; j++) {
            const uint8_t *from = image + (i * s->width + j) * n;
            if (s->type == SIGNED) for (int64_t c = 0; c < n; c++) sums[c] += ((const int8_t *)from)[c];
            else for (int64_t c = 0; c < n; c++) sums[c] += from[c];
        }
    for (int64_t c = 0; c < n; c++) out[c] = (uint8_t)(int32_t)((float)sums[c] * share + round - round);
}

static int pool_integers(const void *fields, void *const *io, int64_t part, int64_t parts) {
    const Windows *s = fields;
    Range range = range_of(s->batch * s->out_height, part, parts);
    int32_t *sums = thread_scratch((size_t)s->channels * 4);
    if (!sums) return NO_MEMORY;
    if (part == 0) {
        *(float *)io[s->out_low] = *(const float *)io[s->low];
        *(float *)io[s->out_high] = *(const float *)io[s->high];
    }
    for (int64_t line = range.begin; line < range.end; line++) {
        const uint8_t *image = (const uint8_t *)io[s->source]
                               + line / s->out_height * s->height * s->width * s->channels;
        uint8_t *out = (uint8_t *)io[s->out] + line * s->out_width * s->channels;
        Reach y = reach_of(line % s->out_height, s->taps_y, s->step_y, s->pad_y, s->height, s->count_padding);
        for (int64_t i = 0; i < s->out_width; i++, out += s->channels) {
            Reach x = reach_of(i, s->taps_x, s->step_x, s->pad_x, s->width, s->count_padding);
            if (s->mean) pool_mean(s, image, y, x, sums, out);
            else pool_largest(s, image, y, x, out);
        }
    }
    return DONE;
}

KERNELS(KERNEL(pool_integers, Windows))
