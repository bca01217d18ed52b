/* Gradients of pooling, and the indices of each window's largest element; channels come before space.

   The winner of a window is found in two steps: first the largest of the taps in each row of data, then the largest of
   these rows' results. Each row of data then gathers the gradients of the windows over it. For this, the gradient and
   the indices of the winners' taps are copied to rows with empty margins before and after. A shift of these rows then
   lines up the elements with the gradients of the windows that contain them at a given tap. */

#include "pooling.h"

typedef struct {
    real *grad;             /* gradient of an image: rows of windows, `pitch` apart; element j of a row is at lead +
                               j */
    bits *winner;           /* the index of the winner's tap, in the same layout; -1 in the margins */
    int64_t lead, pitch;
    real *best;             /* for each of an image's rows of data, `wide` apart: the largest of each window's taps in
                               the row */
    bits *which;            /* and the index of that tap */
    int64_t wide;
    real *row, *columns;
    bits *first;            /* for each column of windows: its first tap inside the data; -1: none */
} Work;

static int make_work(const Windows *w, Work *k) {
    int64_t rows = w->size[0] * w->size[1], lines = w->out[0] * w->out[1], row = row_size(w);
    k->wide = round_up(w->out[2], LANES);
    k->lead = round_up((w->kernel[2] - 1) / w->stride[2], LANES);
    k->pitch = k->lead + round_up((row + w->stride[2] - 1) / w->stride[2], LANES) + LANES;
    real *memory = thread_scratch(sizeof(real) * (2 * lines * k->pitch + 2 * rows * k->wide + 2 * k->wide + row
                                                  + 2 * LANES * w->stride[2]));
    if (memory == NULL) return NO_MEMORY;
    k->grad = memory, memory += lines * k->pitch;
    k->winner = (bits *)memory, memory += lines * k->pitch;
    k->best = memory, memory += rows * k->wide;
    k->which = (bits *)memory, memory += rows * k->wide;
    k->columns = memory, memory += k->wide;
    k->first = (bits *)memory, memory += k->wide;
    k->row = memory;
    fill_reals(k->grad, lines * k->pitch, 0);
    for (int64_t i = 0; i < lines * k->pitch; i++) k->winner[i] = -1;
    count_columns(w, k->columns);
    for (int64_t i = 0; i < k->wide; i++) {
        Range taps = i < w->out[2] ? taps_inside(w, 2, i) : (Range){0, 0};
        k->first[i] = taps.begin < taps.end ? (bits)taps.begin : -1;
    }
    return DONE;
}

static inline mask load_bits(const bits *p) { return (mask)load((const real *)p); }
static inline void store_bits(bits *p, mask v) { store((real *)p, (vec)v); }
static inline mask all_bits(bits x) { return x - (mask){0}; }

/* -- winners ------------------------------------------------------------------------------------------------------- */

/* For each window, finds the first of the largest elements in a padded row and the index of its tap, or -1 if there is
   none. If a tap is NaN, then with `last` the last tap wins, as in the reference's gradient; without `last`, any NaN
   may win. */
INLINE void win_in_row(const Windows *w, const Work *k, const real *row, real *best, bits *which, int last,
                       int64_t taps, int64_t stride) {
    for (int64_t j = 0; j < w->out[2]; j += LANES) {
        vec largest = seen(row, j, 0, stride);
        mask winner = load_bits(k->first + j);
        for (int64_t tap = 1; tap < taps; tap++) {
            vec value = seen(row, j, tap, stride);
            winner = (mask)select(value > largest, (vec)all_bits((bits)tap), (vec)winner);
            largest = max_vec(largest, value);
        }
        if (last) winner = (mask)select(largest != largest, (vec)all_bits((bits)(taps - 1)), (vec)winner);
        store(best + j, largest);
        store_bits(which + j, winner);
    }
}

static void win_in_rows(const Windows *w, const Work *k, const real *image, int last) {
    int64_t width = w->size[2];
    fill_reals(k->row, row_size(w), -INFINITY);
    for (int64_t h = 0; h < w->size[0] * w->size[1]; h++) {
        memcpy(k->row + w->pad[2], image + h * width, width * sizeof(real));
        FOR_FREQUENT(w, win_in_row, w, k, k->row, k->best + h * k->wide, k->which + h * k->wide, last);
    }
}

/* For one row of windows, chooses the row of data with the largest element. winner[j] receives the index of its tap in
   the window, or -1 if the window has no data; largest[j] receives the element. Both arrays have space for whole
   vectors. `last`: if a plane of the window has NaN, its last row wins, which may be a row of padding; if several
   planes have NaN, the last one wins. */
static void win_in_windows(const Windows *w, const Work *k, int64_t depth, int64_t height, bits *winner, real *largest,
                           int last) {
    Range deep = taps_inside(w, 0, depth), high = taps_inside(w, 1, height);
    int64_t top = (depth * w->stride[0] - w->pad[0]) * w->size[1] + height * w->stride[1] - w->pad[1];
    int64_t rows = w->kernel[1], taps = w->kernel[2];
    for (int64_t j = 0; j < w->out[2]; j += LANES) {
        vec found = all(-INFINITY), plane = all(-INFINITY);
        mask number = all_bits(-1), of_plane = all_bits(-1);
        for (int64_t d = deep.begin; d < deep.end; d++) {
            plane = all(-INFINITY), of_plane = all_bits(-1);
            mask own = all_bits(-1);
            for (int64_t h = high.begin; h < high.end; h++) {
                int64_t row = (top + d * w->size[1] + h) * k->wide + j;
                vec value = load(k->best + row);
                own = load_bits(k->which + row) + all_bits((bits)((d * rows + h) * taps));
                of_plane = (mask)select((value > plane) | (of_plane < 0), (vec)own, (vec)of_plane);
                plane = max_vec(plane, value);
            }
            if (high.end < rows) own = all_bits((bits)((d * rows + rows - 1) * taps));
            if (last) of_plane = (mask)select(plane != plane, (vec)own, (vec)of_plane);
            number = (mask)select((plane > found) | (number < 0), (vec)of_plane, (vec)number);
            found = max_vec(found, plane);
        }
        if (deep.end < w->kernel[0]) of_plane = all_bits((bits)((w->kernel[0] - 1) * rows * taps));
        if (last) number = (mask)select(found != found, (vec)of_plane, (vec)number);
        store(largest + j, found);
        store_bits(winner + j, (mask)select(load_bits(k->first + j) < 0, (vec)all_bits(-1), (vec)number));
    }
}

/* Max pooling that also writes indices: data | out, winners (uint8). */
static int pool_argmax(const void *fields, void *const *io, int64_t part, int64_t parts) {
    const Windows *w = fields;
    const real *data = io[0];
    real *out = io[1];
    uint8_t *winners = io[2];
    Work k;
    if (make_work(w, &k) != DONE) return NO_MEMORY;
    int64_t image_size = w->size[0] * w->size[1] * w->size[2], lines = w->out[0] * w->out[1];
    Range range = range_of(w->images, part, parts);
    for (int64_t i = range.begin; i < range.end; i++) {
        win_in_rows(w, &k, data + i * image_size, 1);
        for (int64_t line = 0; line < lines; line++) {
            int64_t first = (i * lines + line) * w->out[2];
            win_in_windows(w, &k, line / w->out[1], line % w->out[1], k.winner, k.grad, 1);
            memcpy(out + first, k.grad, w->out[2] * sizeof(real));
            for (int64_t j = 0; j < w->out[2]; j++) winners[first + j] = (uint8_t)k.winner[j];
        }
    }
    return DONE;
}

/* -- distributing the gradient ------------------------------------------------------------------------------------- */

/* The gradient of elements j * stride + p of a padded row from one row of windows, for LANES values of j. grad and
   winner begin at window j; `number` is the index of the first tap in this row of data. */
INLINE vec handed(const real *grad, const bits *winner, bits number, int64_t p, int max, int64_t taps, int64_t stride) {
    vec sum = all(0);
    for (int64_t tap = p, shift = 0; tap < taps; tap += stride, shift++) {
        mask g = (mask)load(grad - shift);
        if (max) g &= load_bits(winner - shift) == all_bits(number + (bits)tap);
        sum += (vec)g;
    }
    return sum;
}

/* Padded row h, d of data gathers the gradients of the windows over it. */
INLINE void gather_row(const Windows *w, const Work *k, int64_t d, int64_t h, int max, int64_t taps, int64_t stride) {
    Range deep = windows_over(w, 0, d), high = windows_over(w, 1, h);
    int64_t reach = w->size[2] + w->pad[2], high_count = max_int(high.end - high.begin, 0);
    int64_t lines = max_int(deep.end - deep.begin, 0) * high_count;
    for (int64_t p = 0; p < stride; p += 2)         /* two phases of the stride at a time */
        for (int64_t j = 0; j * stride < reach; j += LANES) {
            vec even = all(0), odd = all(0);
            for (int64_t line = 0; line < lines; line++) {
                int64_t a = deep.begin + line / high_count, b = high.begin + line % high_count;
                int64_t at = (a * w->out[1] + b) * k->pitch + k->lead + j;
                int64_t row = (d + w->pad[0] - a * w->stride[0]) * w->kernel[1] + h + w->pad[1] - b * w->stride[1];
                even += handed(k->grad + at, k->winner + at, (bits)(row * taps), p, max, taps, stride);
                if (p + 1 < stride)
                    odd += handed(k->grad + at, k->winner + at, (bits)(row * taps), p + 1, max, taps, stride);
            }
            if (stride == 1) {
                store(k->row + j, even);
            } else if (stride == 2) {
                store(k->row + 2 * j, first_in_turn(even, odd));
                store(k->row + 2 * j + LANES, last_in_turn(even, odd));
            } else {
                for (int64_t i = 0; i < LANES; i++) k->row[(j + i) * stride + p] = even[i];
                for (int64_t i = 0; i < LANES && p + 1 < stride; i++) k->row[(j + i) * stride + p + 1] = odd[i];
            }
        }
}

INLINE void gather(const Windows *w, const Work *k, real *image, int max) {
    for (int64_t d = 0; d < w->size[0]; d++)
        for (int64_t h = 0; h < w->size[1]; h++) {
            FOR_FREQUENT(w, gather_row, w, k, d, h, max);
            memcpy(image + (d * w->size[1] + h) * w->size[2], k->row + w->pad[2], w->size[2] * sizeof(real));
        }
}

/* Copies the gradient's rows into rows with margins; for averages, divides them by the counts. */
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

/* grad, data (only its shape is used) | out */
static int pool_sum_grad(const void *fields, void *const *io, int64_t part, int64_t parts) {
    const Windows *w = fields;
    const real *grad = io[0];
    real *out = io[2];
    Work k;
    if (make_work(w, &k) != DONE) return NO_MEMORY;
    int64_t image_size = w->size[0] * w->size[1] * w->size[2], windows = w->out[0] * w->out[1] * w->out[2];
    Range range = range_of(w->images, part, parts);
    for (int64_t i = range.begin; i < range.end; i++) {
        take_grad(w, &k, grad + i * windows);
        gather(w, &k, out + i * image_size, 0);
    }
    return DONE;
}

/* grad, data, pooled (not read) | out, which may be data */
static int pool_max_grad(const void *fields, void *const *io, int64_t part, int64_t parts) {
    const Windows *w = fields;
    const real *grad = io[0], *data = io[1];
    real *out = io[3];
    Work k;
    if (make_work(w, &k) != DONE) return NO_MEMORY;
    int64_t image_size = w->size[0] * w->size[1] * w->size[2], lines = w->out[0] * w->out[1];
    Range range = range_of(w->images, part, parts);
    for (int64_t i = range.begin; i < range.end; i++) {
        win_in_rows(w, &k, data + i * image_size, 1);
        for (int64_t line = 0; line < lines; line++)
            win_in_windows(w, &k, line / w->out[1], line % w->out[1], k.winner + line * k.pitch + k.lead,
                           k.grad + line * k.pitch + k.lead, 1);
        take_grad(w, &k, grad + i * lines * w->out[2]);
        gather(w, &k, out + i * image_size, 1);
    }
    return DONE;
}

/* grad, winners (uint8), data (only its shape is used) | out */
static int pool_argmax_grad(const void *fields, void *const *io, int64_t part, int64_t parts) {
    const Windows *w = fields;
    const real *grad = io[0];
    const uint8_t *winners = io[1];
    real *out = io[3];
    Work k;
    if (make_work(w, &k) != DONE) return NO_MEMORY;
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

/* The adjoint of max pooling's gradient: values, data, pooled (only its shape is used) | out: the element of `values`
   where data is largest, or 0 for a window without data. */
static int pool_pick_largest(const void *fields, void *const *io, int64_t part, int64_t parts) {
    const Windows *w = fields;
    const real *values = io[0], *data = io[1];
    real *out = io[3];
    Work k;
    if (make_work(w, &k) != DONE) return NO_MEMORY;
    int64_t image_size = w->size[0] * w->size[1] * w->size[2], taps = w->kernel[2], lines = w->out[0] * w->out[1];
    Range range = range_of(w->images, part, parts);
    for (int64_t i = range.begin; i < range.end; i++) {
        win_in_rows(w, &k, data + i * image_size, 0);
        for (int64_t line = 0; line < lines; line++) {
            int64_t depth = line / w->out[1], height = line % w->out[1];
            win_in_windows(w, &k, depth, height, k.winner, k.grad, 0);
            for (int64_t j = 0; j < w->out[2]; j++) {
                int64_t tap = k.winner[j], row = tap / taps;
                int64_t d = depth * w->stride[0] - w->pad[0] + row / w->kernel[1];
                int64_t h = height * w->stride[1] - w->pad[1] + row % w->kernel[1];
                int64_t place = (d * w->size[1] + h) * w->size[2] + j * w->stride[2] - w->pad[2] + tap % taps;
                out[(i * lines + line) * w->out[2] + j] = tap < 0 || k.grad[j] != k.grad[j] ? 0 : values[i * image_size + place];
            }
        }
    }
    return DONE;
}

/* The gradient of the average or sum if one window covers the whole image. grad, data (only its shape is used) | out */
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

/* If one window covers the whole image, its gradient goes to the first of the largest elements. grad, data, pooled |
   out */
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

KERNELS(KERNEL(pool_argmax, Windows), KERNEL(pool_sum_grad, Windows), KERNEL(pool_max_grad, Windows),
        KERNEL(pool_argmax_grad, Windows), KERNEL(pool_pick_largest, Windows), KERNEL(pool_whole_sum_grad, Windows),
        KERNEL(pool_whole_max_grad, Windows))
