/* Depthwise convolutions with 3 x 3 filters and strides of 1 or 2, in inference plans.

   Each image of a channel is copied to lines padded with zeros; for stride 2, even and odd columns are separated. Three
   vectors of a line, at `taps`, are then the inputs for one row of the filter in adjacent windows. Windows in
   successive lines share these loads. */

#include "../gemm.h"

FIELDS(Depthwise,
    int64_t batch, channels, height, width, out_height, out_width, step, pad_y, pad_x;
    int64_t relu;
    double cap;                                                 /* if above 0, min(·, cap) is applied at the end */
    int64_t source, packed, added_at, out;                      /* indices in io; offset of the bias in `packed` */
)

enum { TOGETHER = 7 };          /* lines of windows; the height of images in networks is often a multiple of 7 */

/* Memory for a part. lines: the lines of the image that the taps of successive lines of windows read, `step` per line
   of windows. */
typedef struct {
    const real **lines;
    real *image;
    int64_t line, taps[3];      /* elements of a line */
} Memory;

static int64_t seen_lines(const Depthwise *s) { return (s->out_height - 1) * s->step + 3; }

/* The length of a line with space for all its windows, in whole vectors, and for the full width of the image. */
static int64_t half_line(const Depthwise *s) {
    int64_t windows = (s->out_width + LANES - 1) / LANES * LANES;
    return max_int(windows, s->width / s->step + 2) + LANES;
}

/* Fills the memory with zeros: the margins remain zero, and the last line is used for all lines above and below the
   image. */
static int prepare(Memory *m, const Depthwise *s) {
    int64_t half = half_line(s), seen = seen_lines(s);
    m->line = s->step * half;
    size_t table = (seen * sizeof(real *) + 63) / 64 * 64, numbers = (s->height + 1) * m->line * sizeof(real);
    char *memory = thread_scratch(table + numbers);
    if (!memory) return NO_MEMORY;
    m->lines = (const real **)memory, m->image = (real *)(memory + table);
    memset(m->image, 0, numbers);
    for (int64_t i = 0; i < seen; i++) {
        int64_t y = i - s->pad_y;
        m->lines[i] = m->image + (y >= 0 && y < s->height ? y : s->height) * m->line;
    }
    for (int t = 0; t < 3; t++) m->taps[t] = s->step == 1 ? t : t % 2 * half + t / 2;
    return DONE;
}

/* Column x of a line, including its margin, is at x for stride 1, otherwise at x / 2 of the even or the odd half. */
static void copy_image(const Depthwise *s, const real *from, const Memory *m) {
    const mask lane = LANE_NUMBERS;
    int64_t half = half_line(s);
    for (int64_t y = 0; y < s->height; y++, from += s->width) {
        real *to = m->image + y * m->line;
        if (s->step == 1) {
            for (int64_t x = 0; x < s->width; x += LANES) {
                int64_t count = min_int(s->width - x, LANES);
                store_some(to + s->pad_x + x, load_some(from + x, count, 0), count);
            }
            continue;
        }
        real *even = s->pad_x ? to + half : to, *odd = s->pad_x ? to + 1 : to + half;
        for (int64_t x = 0; x < s->width; x += 2 * LANES, even += LANES, odd += LANES) {
            int64_t count = min_int(s->width - x, 2 * LANES), more = max_int(count - LANES, 0);
            vec a = load_some(from + x, min_int(count, LANES), 0), b = {0};
            if (more) b = load_some(from + x + LANES, more, 0);
            store_some(even, mix_lanes(a, b, lane * 2), (count + 1) / 2);
            store_some(odd, mix_lanes(a, b, lane * 2 + 1), count / 2);
        }
    }
}

/* Computes windows x, x + 1, ... of several consecutive lines. */
INLINED void sum_taps(int64_t rows, int64_t step, const real *const *lines, const int64_t *taps, int64_t x,
                      const vec *weights, vec start, vec *sums) {
#pragma GCC unroll 8
    for (int64_t q = 0; q < rows; q++) sums[q] = start;
#pragma GCC unroll 16
    for (int64_t r = 0; r < (rows - 1) * step + 3; r++) {
        vec a = load(lines[r] + x + taps[0]), b = load(lines[r] + x + taps[1]), c = load(lines[r] + x + taps[2]);
#pragma GCC unroll 8
        for (int64_t q = 0; q < rows; q++) {
            int64_t i = r - q * step;
            if (i >= 0 && i < 3) sums[q] += weights[3 * i] * a + weights[3 * i + 1] * b + weights[3 * i + 2] * c;
        }
    }
}

INLINED void convolve_lines(int64_t rows, int64_t step, const Depthwise *s, const Memory *m, int64_t y,
                            const vec *weights, vec start, real *out) {
    for (int64_t x = 0; x < s->out_width; x += LANES) {
        vec sums[TOGETHER];
        int64_t count = min_int(s->out_width - x, LANES);
        sum_taps(rows, step, m->lines + y * step, m->taps, x, weights, start, sums);
#pragma GCC unroll 8
        for (int64_t q = 0; q < rows; q++) {
            vec value = sums[q];
            if (s->relu) value = at_least(value, (vec){0});
            if (s->cap > 0) value = at_most(value, all((real)s->cap));
            store_some(out + (y + q) * s->out_width + x, value, count);
        }
    }
}

INLINED void convolve_image(int64_t step, const Depthwise *s, const Memory *m, const vec *weights, vec start,
                            real *out) {
    int64_t y = 0;
    for (; y + TOGETHER <= s->out_height; y += TOGETHER) convolve_lines(TOGETHER, step, s, m, y, weights, start, out);
    for (; y + 3 <= s->out_height; y += 3) convolve_lines(3, step, s, m, y, weights, start, out);
    for (; y < s->out_height; y++) convolve_lines(1, step, s, m, y, weights, start, out);
}

/* Each part handles a range of the channels of all images. */
static int depthwise_3x3(const void *fields, void *const *io, int64_t part, int64_t parts) {
    const Depthwise *s = fields;
    Memory m;
    if (prepare(&m, s) != DONE) return NO_MEMORY;
    Range range = range_of(s->batch * s->channels, part, parts);
    for (int64_t plane = range.begin; plane < range.end; plane++) {
        int64_t channel = plane % s->channels;
        const real *packed = io[s->packed];
        vec weights[9];
        for (int64_t t = 0; t < 9; t++) weights[t] = all(packed[channel * 9 + t]);
        copy_image(s, (const real *)io[s->source] + plane * s->height * s->width, &m);
        real *out = (real *)io[s->out] + plane * s->out_height * s->out_width;
        vec start = all(packed[s->added_at + channel]);
        if (s->step == 1) convolve_image(1, s, &m, weights, start, out);
        else convolve_image(2, s, &m, weights, start, out);
    }
    return DONE;
}

KERNELS(KERNEL(depthwise_3x3, Depthwise))
