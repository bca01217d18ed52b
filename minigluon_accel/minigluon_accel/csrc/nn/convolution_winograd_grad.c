/* The weight gradient of a Winograd convolution (see convolution_winograd.h): at every point, a matrix product of the
   values of the data with those of the output's gradient, summed over tiles.

   The strips of all images are processed in blocks. Each block has two phases, which share `stash`:

     winograd_values     of a block's tiles: data [point][vector of channels][tile][WIDE], then gradients
                         [point][pair of vectors of filters][tile][PAIR]
     winograd_outer      adds their products to the sums [point][channel][PAIR] of PAIR channels and PAIR filters;
                         after the last block these become the gradient of the filters

   If there is only one block, the sums are not needed after a part, and are stored in the thread's own memory. */

#include "convolution_winograd.h"

FIELDS(Gradient,
    int64_t grad, mask, data, out, stash, sums;     /* indices in io, -1 if absent */
    int64_t batch, channels, height, width, filters, out_height, out_width, pad_y, pad_x, tile;
    int64_t first, last;                /* number of strips in this block */
    int64_t tiles;                      /* number of strips in the largest block */
    int64_t begins, ends;               /* whether this is the first or the last block */
)

/* The number of channels whose products stay in registers. */
#if defined(__AVX512F__)
enum { ROWS = 8 };
#else
enum { ROWS = WIDE < 4 ? WIDE : 4 };
#endif

enum { SUMS_POINT = PAIR * PAIR + WIDE, SUMS = POINTS * SUMS_POINT };

static int64_t pairs_of(int64_t count) { return (count + PAIR - 1) / PAIR; }
static int64_t data_point(const Gradient *s) { return vectors_of(s->channels) * s->tiles * WIDE + WIDE; }
static int64_t grad_point(const Gradient *s) { return pairs_of(s->filters) * s->tiles * PAIR + WIDE; }

static int winograd_values(const void *fields, void *const *io, int64_t part, int64_t parts) {
    const Gradient *s = fields;
    Images data = {
        .data = io[s->data], .batch = s->batch, .channels = s->channels, .height = s->height, .width = s->width,
        .pad_y = s->pad_y, .pad_x = s->pad_x, .tile = s->tile, .patch = PATCH,
        .strips_each = (s->out_height + s->tile - 1) / s->tile, .tiles_each = (s->out_width + s->tile - 1) / s->tile};
    Images grad = data;
    grad.data = io[s->grad], grad.mask = s->mask < 0 ? NULL : io[s->mask], grad.channels = s->filters;
    grad.height = s->out_height, grad.width = s->out_width, grad.pad_y = grad.pad_x = 0, grad.patch = s->tile;
    real *memory = thread_scratch(size_for_strips(&data, s->last - s->first) * sizeof(real));
    if (!memory) return NO_MEMORY;
    int64_t vectors = vectors_of(s->channels);
    real *to = io[s->stash], *to_grad = to + POINTS * data_point(s);
    Range range = range_of(vectors + 2 * pairs_of(s->filters), part, parts);
    for (int64_t i = range.begin; i < range.end; i++) {
        int64_t j = i - vectors;
        if (j < 0)
            transform_strips(&data, s->first, s->last, i * WIDE, memory, to + i * s->tiles * WIDE,
                             (Places){s->tiles, 0, WIDE, data_point(s)});
        else
            transform_strips(&grad, s->first, s->last, j * WIDE, memory,
                             to_grad + j / 2 * s->tiles * PAIR + j % 2 * WIDE,
                             (Places){s->tiles, 0, PAIR, grad_point(s)});
    }
    return DONE;
}

/* sums [channel][PAIR] (+)= products of WIDE channels with PAIR filters over all tiles. */
static void multiply_vector(const real *a, const real *b, int64_t tiles, int add, real *sums) {
    for (int64_t c = 0; c < WIDE; c += ROWS) {
        vec sum[TILE_ROWS][TILE_VECTORS];
        multiply_tile(ROWS, 2, a + c, WIDE, b, PAIR, tiles, sum);
        for (int64_t i = 0; i < ROWS; i++)
            for (int64_t j = 0; j < 2; j++) {
                real *to = sums + (c + i) * PAIR + j * WIDE;
                if (add) sum[i][j] += load(to);
                store(to, sum[i][j]);
            }
    }
}

/* The gradient of WIDE filters at `channels` channels, from their sums. turned: memory for 25 vectors per channel. */
static vec finish(const Gradient *s, const real *sums, int64_t filter, int64_t channel, int64_t channels, vec *turned,
                  real *out) {
    int64_t side = 7 - s->tile, size = side * side;
    vec check = {0}, zero = {0}, y[PATCH][PATCH];
    for (int64_t c = 0; c < channels; c++) {
        if (side == 3) combine_square(3, sums + c * PAIR, SUMS_POINT, y, 1);
        else combine_square(5, sums + c * PAIR, SUMS_POINT, y, 1);
        for (int64_t i = 0; i < size; i++) {
            turned[c * size + i] = y[i / side][i % side];
            check += turned[c * size + i] * zero;
        }
    }
    turn_out((const real *)turned, channels * size, out + (filter * s->channels + channel) * size, s->channels * size,
             min_int(s->filters - filter, WIDE));
    return check;
}

static int winograd_outer(const void *fields, void *const *io, int64_t part, int64_t parts) {
    const Gradient *s = fields;
    int64_t pairs = pairs_of(s->filters), tiles = s->tiles;
    const real *data = io[s->stash], *grad = data + POINTS * data_point(s);
    int alone = s->begins && s->ends;
    int64_t turned_size = PAIR * 25 * WIDE;
    real *turned = thread_scratch((turned_size + (alone ? SUMS : 0)) * sizeof(real));
    if (!turned) return NO_MEMORY;
    int64_t count = (s->last - s->first) * ((s->out_width + s->tile - 1) / s->tile);
    Range range = range_of(pairs_of(s->channels) * pairs, part, parts);
    vec check = {0};
    for (int64_t i = range.begin; i < range.end; i++) {
        int64_t channel = i / pairs * PAIR, pair = i % pairs, channels = min_int(s->channels - channel, PAIR);
        real *sums = alone ? turned + turned_size : (real *)io[s->sums] + i * SUMS;
        for (int64_t p = 0; p < POINTS; p++)
            for (int64_t c = 0; c < channels; c += WIDE)
                multiply_vector(data + p * data_point(s) + (channel + c) * tiles,
                                grad + p * grad_point(s) + pair * tiles * PAIR, count, !s->begins,
                                sums + p * SUMS_POINT + c * PAIR);
        if (!s->ends) continue;
        for (int64_t filter = pair * PAIR; filter < min_int(s->filters, (pair + 1) * PAIR); filter += WIDE)
            check += finish(s, sums + filter % PAIR, filter, channel, channels, (vec *)turned, io[s->out]);
    }
    return sum_lanes(check) == 0 ? DONE : REFUSED;
}

KERNELS(KERNEL(winograd_values, Gradient), KERNEL(winograd_outer, Gradient))
