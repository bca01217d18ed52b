/* The positions of a convolution's windows, and a copy of the source in which the windows need no bounds checks.

   Everything has three spatial axes, z, y and x; axes that an array does not have are of size 1. If the z axis of an
   image has length 1, its rows are treated as the z axis, so that work is always divided along z.

   A convolution and its gradient for the data are the same sum over taps: output o of an axis reads the source elements
   o * step + first + tap * apart for each tap. Elements outside the source are zero. For the gradient, whose outputs
   are every stride-th element of the data, first and apart are derived from the stride, and apart is negative. */

#ifndef MINIGLUON_WINDOWS_H
#define MINIGLUON_WINDOWS_H

#include "../vector.h"

typedef struct { int64_t in, out, step, taps, first, apart; } Axis;
typedef struct { Axis z, y, x; } Windows;

/* Some images, some of their outputs along z, and all elements that the windows of these outputs read.

   Element (c, z, y, x) of an image, counted from the first element read, is at c * channel + z * plane + y * row +
   x % phases * phase + x / phases: if windows are `step` apart along x, elements `step` apart are stored next to each
   other, so that adjacent windows read adjacent elements. Axes with one tap hold only the elements read. */
typedef struct {
    const real *memory, *end;           /* nothing may be read at `end` or after it */
    int64_t image, channel, plane, row, phase, phases;
    int64_t z_step, y_step;             /* distance, in rows, from one output to the next */
} Scene;

static inline int64_t least_tap(Axis a) { return a.first + (a.apart < 0 ? (a.taps - 1) * a.apart : 0); }
static inline int64_t span_of_taps(Axis a) { return a.taps < 1 ? 0 : (a.taps - 1) * (a.apart < 0 ? -a.apart : a.apart); }
static inline int is_thin(Axis a) { return a.taps <= 1 && a.step > 1; }
/* The number of elements along the axis that a scene holds for this many outputs. */
static inline int64_t extent(Axis a, int64_t outputs) {
    return is_thin(a) ? outputs : (outputs - 1) * a.step + span_of_taps(a) + 1;
}
static inline int is_inside(Axis a, int64_t begin, int64_t end) {
    int64_t low = begin * a.step + least_tap(a);
    return low >= 0 && (end - 1) * a.step + least_tap(a) + span_of_taps(a) < a.in;
}

static inline int64_t phases_of(Windows w) { return is_thin(w.x) ? 1 : w.x.step; }
static inline int64_t phase_of(Windows w) { return (extent(w.x, w.x.out) + phases_of(w) - 1) / phases_of(w); }

/* Whether the windows can read the source directly. */
static inline int needs_no_copy(Windows w, Range z) {
    return is_inside(w.z, z.begin, z.end) && is_inside(w.y, 0, w.y.out) && is_inside(w.x, 0, w.x.out) && w.x.step == 1;
}

/* Size of a scene in elements, including those that a vector may read past the end. */
static inline int64_t scene_size(Windows w, int64_t images, int64_t channels, Range z) {
    return needs_no_copy(w, z) ? 0 : images * channels * extent(w.z, z.end - z.begin) * extent(w.y, w.y.out)
                                     * phases_of(w) * phase_of(w) + LANES;
}

/* Copies `count` elements of a line of the source, starting at element `low` and `skip` elements apart. */
static inline void copy_line(real *to, const real *line, int64_t low, int64_t skip, int64_t count, int64_t in) {
    int64_t begin = low < 0 ? min_int((-low + skip - 1) / skip, count) : 0;
    int64_t end = low < in ? min_int((in - 1 - low) / skip + 1, count) : 0;
    end = max_int(begin, end);
    for (int64_t i = 0; i < begin; i++) to[i] = 0;
    const real *from = line + low + begin * skip;
    real *at = to + begin;
    int64_t length = end - begin;
    if (skip == 1) for (int64_t i = 0; i < length; i++) at[i] = from[i];
    else if (skip == 2) for (int64_t i = 0; i < length; i++) at[i] = from[2 * i];
    else if (skip == 4) for (int64_t i = 0; i < length; i++) at[i] = from[4 * i];
    else for (int64_t i = 0; i < length; i++) at[i] = from[i * skip];
    for (int64_t i = end; i < count; i++) to[i] = 0;
}

/* Writes `lines` lines of `row` elements, of which [begin, end) come from lines `step` apart; the other elements are 0.
   Whole vectors are stored: the excess after a line is overwritten later, by the line's zeros or by the next line. */
static __attribute__((unused)) void copy_lines(real *to, int64_t row, int64_t lines, const real *from, int64_t step,
                                               int64_t begin, int64_t end) {
    const vec zero = {0};
    for (int64_t i = 0; i < begin && lines > 0; i++) to[i] = 0;
    if (row <= LANES) {                 /* zeros after a line reach into the next line */
        for (; lines > 0; lines--, to += row, from += step) store(to + begin, load_some(from, end - begin, 0));
        return;
    }
    for (; lines > 0; lines--, to += row, from += step) {
        int64_t i = 0;
        for (; i < begin; i += LANES) store(to + i, zero);
        for (i = begin; i + LANES <= end; i += LANES) store(to + i, load(from + i - begin));
        if (i < end) store(to + i, load_some(from + i - begin, end - i, 0)), i += LANES;
        for (; i < row; i += LANES) store(to + i, zero);
    }
}

/* Writes the scene's lines for one channel of an image if windows are neighbors along x and lines run only along z. */
static __attribute__((unused)) void copy_image(real *to, const real *image, Windows w, int64_t row, int64_t rows,
                                               int64_t low_z, int64_t skip, int64_t low_x) {
    int64_t first = min_int(low_z < 0 ? (-low_z + skip - 1) / skip : 0, rows);
    int64_t last = low_z < w.z.in ? min_int((w.z.in - 1 - low_z) / skip + 1, rows) : 0;
    int64_t begin = min_int(max_int(-low_x, 0), row), end = max_int(begin, min_int(w.x.in - low_x, row));
    last = max_int(first, last);
    memset(to, 0, first * row * sizeof(real));
    copy_lines(to + first * row, row, last - first, image + (low_z + first * skip) * w.x.in + low_x + begin, skip * w.x.in,
               begin, end);
    memset(to + last * row, 0, (rows - last) * row * sizeof(real));
}

/* Fills the scene for the outputs z of some images. source: the images' first channel; images are `apart` elements
   apart. all_end: the end of the source's array. to: memory of scene_size(...) elements. */
static inline Scene make_scene(real *to, const real *source, const real *all_end, Windows w, int64_t images,
                               int64_t apart, int64_t channels, Range z) {
    int64_t plane = w.y.in * w.x.in, low_z = z.begin * w.z.step + least_tap(w.z);
    int64_t low_y = least_tap(w.y), low_x = least_tap(w.x);
    if (needs_no_copy(w, z)) {
        Scene seen = {source + low_z * plane + low_y * w.x.in + low_x, all_end, apart, w.z.in * plane, plane, w.x.in,
                      0, 1, w.z.step, w.y.step};
        return seen;
    }
    int64_t rows_z = extent(w.z, z.end - z.begin), rows_y = extent(w.y, w.y.out);
    int64_t skip_z = is_thin(w.z) ? w.z.step : 1, skip_y = is_thin(w.y) ? w.y.step : 1;
    int64_t phases = phases_of(w), phase = phase_of(w), row = phases * phase;
    Scene scene = {to, to + images * channels * rows_z * rows_y * row + LANES, channels * rows_z * rows_y * row,
                   rows_z * rows_y * row, rows_y * row, row, phase, phases,
                   is_thin(w.z) ? 1 : w.z.step, is_thin(w.y) ? 1 : w.y.step};
    int is_flat = w.x.step == 1 && w.y.in == 1 && rows_y == 1 && low_y == 0;
    for (int64_t n = 0; n < images && is_flat; n++)
        for (int64_t c = 0; c < channels; c++, to += rows_z * row)
            copy_image(to, source + n * apart + c * w.z.in * plane, w, row, rows_z, low_z, skip_z, low_x);
    for (int64_t n = 0; n < images && !is_flat; n++)
        for (int64_t c = 0; c < channels; c++)
            for (int64_t i = 0; i < rows_z; i++)
                for (int64_t j = 0; j < rows_y; j++, to += row) {
                    int64_t at_z = low_z + i * skip_z, at_y = low_y + j * skip_y;
                    if (at_z < 0 || at_z >= w.z.in || at_y < 0 || at_y >= w.y.in) {
                        memset(to, 0, row * sizeof(real));
                        continue;
                    }
                    const real *line = source + n * apart + (c * w.z.in + at_z) * plane + at_y * w.x.in;
                    for (int64_t p = 0; p < phases; p++)
                        copy_line(to + p * phase, line, low_x + p, w.x.step, phase, w.x.in);
                }
    /* Unused lanes are also multiplied. They may contain leftover integers, which are denormal numbers when read as
       reals: on some processors, multiplying these takes a hundred more cycles. */
    memset(to, 0, LANES * sizeof(real));
    return scene;
}

/* The offset of each tap of each channel from the start of its window. */
static inline void tap_offsets(int64_t *offsets, Windows w, const Scene *scene, int64_t channels) {
    for (int64_t c = 0; c < channels; c++)
        for (int64_t i = 0; i < w.z.taps; i++)
            for (int64_t j = 0; j < w.y.taps; j++)
                for (int64_t l = 0; l < w.x.taps; l++) {
                    int64_t z = w.z.first + i * w.z.apart - least_tap(w.z);
                    int64_t y = w.y.first + j * w.y.apart - least_tap(w.y);
                    int64_t x = w.x.first + l * w.x.apart - least_tap(w.x);
                    *offsets++ = c * scene->channel + z * scene->plane + y * scene->row
                               + x % scene->phases * scene->phase + x / scene->phases;
                }
}

#endif
