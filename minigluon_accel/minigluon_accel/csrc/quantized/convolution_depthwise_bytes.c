/* Convolutions of integers in which each channel has its own filter. Channels are last: lanes are channels. */

#include "../integer_steps.h"

FIELDS(Packing, int64_t channels, taps, weight, packed;)

/* packed[tap][channel]: weights of 16 bits, each with 16 zero bits above it. */
static int pack_channels_of_integers(const void *fields, void *const *io, int64_t part, int64_t parts) {
    const Packing *s = fields;
    Range range = range_of(s->channels, part, parts);
    for (int64_t c = range.begin; c < range.end; c++)
        for (int64_t t = 0; t < s->taps; t++)
            ((int32_t *)io[s->packed])[t * s->channels + c] = ((const int8_t *)io[s->weight])[c * s->taps + t] & 0xffff;
    return DONE;
}

FIELDS(Channels,
    int64_t batch, height, width, channels, out_height, out_width;
    int64_t taps_y, taps_x, step_y, step_x, apart_y, apart_x, pad_y, pad_x;
    int64_t type, cuts, out_type;
    int64_t data, packed, bias, out, ranges, bias_ranges, out_low, out_high;
    int64_t operators;
    double rows[];
)

/* Products of numbers of 16 bits; the weight's upper half is 0. */
INLINED ints product_of(ints x, ints w) {
#if defined(__x86_64__)
    return pair_sums(x, w);
#else
    return x * (w << 16 >> 16);
#endif
}

enum { SIDE = 8 };              /* adjacent windows that are computed together */

/* The bytes of a vector's channels, of which an image may have fewer than LANES at its end. */
INLINED ints channels_at(const uint8_t *p, int type, int64_t n) {
    uint8_t bytes[VECTOR_BYTES / 4] = {0};
    if (n == LANES) return widened(p, type);
    memcpy(bytes, p, (size_t)n);
    return widened(bytes, type);
}

INLINED ints weights_at(const int32_t *p, int64_t n) {
    int32_t words[VECTOR_BYTES / 4] = {0};
    if (n == LANES) return load_ints(p);
    memcpy(words, p, (size_t)n * 4);
    return load_ints(words);
}

/* `count` windows from window x of line y, for n channels from `channel`; taps [first, last) along x are inside. */
INLINED void sum_channels(const Channels *s, int type, int64_t count, const uint8_t *image, const int32_t *packed,
                          int64_t y, int64_t x, Range taps, int64_t channel, int64_t n, ints *sums) {
    int64_t apart = s->step_x * s->channels;
    for (int64_t r = 0; r < s->taps_y; r++) {
        int64_t line = y * s->step_y - s->pad_y + r * s->apart_y;
        if (line < 0 || line >= s->height) continue;
        for (int64_t t = taps.begin; t < taps.end; t++) {
            ints w = weights_at(packed + (r * s->taps_x + t) * s->channels + channel, n);
            int64_t pixel = line * s->width + x * s->step_x - s->pad_x + t * s->apart_x;
            const uint8_t *at = image + pixel * s->channels + channel;
#pragma GCC unroll 8
            for (int64_t i = 0; i < count; i++) sums[i] += product_of(channels_at(at + i * apart, type, n), w);
        }
    }
}

/* The same with sums in registers; type and count are constants. */
INLINED void sum_in_registers(const Channels *s, int type, int count, const uint8_t *image, const int32_t *packed,
                              int64_t y, int64_t x, Range taps, int64_t channel, ints *sums) {
    ints c[SIDE];
#pragma GCC unroll 8
    for (int i = 0; i < count; i++) c[i] = sums[i];
    sum_channels(s, type, count, image, packed, y, x, taps, channel, LANES, c);
#pragma GCC unroll 8
    for (int i = 0; i < count; i++) sums[i] = c[i];
}

#define SIDE_CASE(n)                                                                                    \
    case 2 * n: sum_in_registers(s, SIGNED, n, image, packed, y, x, taps, channel, sums); break;        \
    case 2 * n + 1: sum_in_registers(s, UNSIGNED, n, image, packed, y, x, taps, channel, sums); break;

OFFERED void sum_side(const Channels *s, int64_t count, const uint8_t *image, const int32_t *packed, int64_t y,
                      int64_t x, Range taps, int64_t channel, int64_t n, ints *sums) {
    if (n < LANES) sum_channels(s, (int)s->type, count, image, packed, y, x, taps, channel, n, sums);
    else switch (2 * count + (s->type == UNSIGNED)) {
        SIDE_CASE(1) SIDE_CASE(2) SIDE_CASE(3) SIDE_CASE(4) SIDE_CASE(5) SIDE_CASE(6) SIDE_CASE(7) SIDE_CASE(8)
        default: __builtin_unreachable();
    }
}

/* The taps of window x that are inside the image, along one axis. */
INLINED Range taps_inside(int64_t x, int64_t step, int64_t pad, int64_t apart, int64_t taps, int64_t size) {
    int64_t start = x * step - pad, begin = min_int(start < 0 ? (-start + apart - 1) / apart : 0, taps);
    int64_t end = start < size ? (size - start + apart - 1) / apart : 0;
    return (Range){begin, max_int(begin, min_int(taps, end))};
}

/* Adjacent windows with the same taps inside the image. */
typedef struct { int64_t x, count; Range taps; } Side;

/* Divides a line of windows into sides; returns their number. */
OFFERED int64_t put_sides(const Channels *s, Side *sides) {
    int64_t number = 0;
    for (int64_t x = 0; x < s->out_width; x++) {
        Range taps = taps_inside(x, s->step_x, s->pad_x, s->apart_x, s->taps_x, s->width);
        Side *last = sides + number - 1;
        if (number && last->count < SIDE && last->taps.begin == taps.begin && last->taps.end == taps.end) last->count++;
        else sides[number++] = (Side){x, 1, taps};
    }
    return number;
}

/* Windows of one line for LANES channels. */
OFFERED void convolve_line(const Channels *s, void *const *io, Waiting *waiting, const int32_t *starts,
                           const Side *sides, int64_t number, int64_t image, int64_t y, int64_t channel) {
    int64_t n = min_int(LANES, s->channels - channel);
    const uint8_t *data = (const uint8_t *)io[s->data] + image * s->height * s->width * s->channels;
    for (const Side *side = sides; side < sides + number; side++) {
        const Range taps = side->taps;
        const int64_t x = side->x, count = side->count;
        ints sums[SIDE];
        for (int64_t i = 0; i < SIDE; i++) sums[i] = load_ints(starts + channel);
        sum_side(s, count, data, io[s->packed], y, x, taps, channel, n, sums);
        int64_t at = ((image * s->out_height + y) * s->out_width + x) * s->channels + channel;
        if (s->out_type == SUMS) {
            for (int64_t i = 0; i < count; i++)
                memcpy((int32_t *)io[s->out] + at + i * s->channels, &sums[i], (size_t)n * 4);
            continue;
        }
        for (int64_t i = 0; i < count; i += AT_ONCE) {
            Group group = {min_int(AT_ONCE, count - i), n, at + i * s->channels, s->channels, channel, 0};
            wait_with_sums(waiting, group, sums + i, 1, (ints){0});
        }
    }
}

static int convolve_channels_of_integers(const void *fields, void *const *io, int64_t part, int64_t parts) {
    const Channels *s = fields;
    Range lines = range_of(s->batch * s->out_height, part, parts);
    Side *sides = thread_scratch((size_t)s->out_width * sizeof(Side) + (size_t)(s->channels + LANES) * 4);
    Steps steps = {.type = SUMS};
    if (!sides) return NO_MEMORY;
    int32_t *starts = (int32_t *)(sides + s->out_width);
    int64_t number = put_sides(s, sides);
    float data = magnitude_at(io, s->ranges, s->ranges + 1), weight = magnitude_at(io, s->ranges + 2, s->ranges + 3);
    float m = product_magnitude((int)s->type, data, weight);
    set_range(&steps, -m, m);
    resolve(&steps, s->rows, s->operators, io);
    if (part == 0) put_range(&steps, io, s->out_low, s->out_high);
    memset(starts, 0, (size_t)(s->channels + LANES) * 4);
    if (s->bias >= 0) {
        float own = magnitude_at(io, s->bias_ranges, s->bias_ranges + 1);
        if (!put_biases(io[s->bias], s->channels, bias_factor((int)s->type, data, weight, own), starts)) return REFUSED;
    }
    Waiting waiting = {.steps = &steps, .out = io[s->out], .type = (int)s->out_type};
    for (int64_t line = lines.begin; line < lines.end; line++)
        for (int64_t channel = 0; channel < s->channels; channel += LANES)
            convolve_line(s, io, &waiting, starts, sides, number, line / s->out_height, line % s->out_height, channel);
    finish(&waiting);
    return DONE;
}

KERNELS(KERNEL(pack_channels_of_integers, Packing), KERNEL(convolve_channels_of_integers, Channels))
