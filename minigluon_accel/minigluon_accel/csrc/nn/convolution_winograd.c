/* Winograd convolution (see convolution_winograd.h), forward, and the data gradient, which is the convolution of the
   output's gradient with filters that are rotated by 180° and whose first two axes are exchanged.

   There are two loop orders. Each of them keeps all values of the smaller operand:

     by tiles       winograd_filters: values of all filters   winograd_by_tiles: a part has some strips
     by filters     winograd_data: values of all data         winograd_by_filters: a part has PAIR filters

   Layouts, with the points as one of the outer axes:

     filters   [pair of vectors of filters][point][channel][PAIR]
     data      [block of strips][point][ROWS tiles at a time][vector of channels][tile][WIDE]
     products  [pair][point][tile][PAIR]    sums over the channels, for one block and some pairs, of one thread

   Points are a few elements further apart than necessary, because if their distance were a power of two, all would map
   to the same cache set. */

#include "convolution_winograd.h"

/* data to stash: indices in io, -1 if absent. kept: the values of all filters, if they are known. other: added to the
   result. turned: whether the filters are rotated. */
FIELDS(Winograd,
    int64_t data, mask, weight, kept, bias, other, out, stash;
    int64_t bias_at;            /* offset of the bias in its array */
    int64_t batch, channels, height, width, filters, out_height, out_width, pad_y, pad_x, tile, turned, relu;
    int64_t strips, pairs;      /* strips in a block, pairs in a group; a block or group is processed as a whole */
    double cap;                 /* if above 0, min(·, cap) is applied at the end */
)

/* The number of rows of the product that stay in registers. */
#if defined(__AVX512F__)
enum { ROWS = 8 };
#else
enum { ROWS = 4 };
#endif

static Images images_of(const Winograd *s, void *const *io) {
    Images images = {
        .data = io[s->data], .mask = s->mask < 0 ? NULL : io[s->mask], .batch = s->batch, .channels = s->channels,
        .height = s->height, .width = s->width, .pad_y = s->pad_y, .pad_x = s->pad_x, .tile = s->tile, .patch = PATCH,
        .strips_each = (s->out_height + s->tile - 1) / s->tile, .tiles_each = (s->out_width + s->tile - 1) / s->tile};
    return images;
}

static int64_t round_up(int64_t n, int64_t unit) { return (n + unit - 1) / unit * unit; }
static int64_t filter_point(const Winograd *s) { return round_up(s->channels, WIDE) * PAIR + WIDE; }
/* Size of a block that has all its strips. */
static int64_t tiles_of(const Winograd *s, const Images *images) {
    return round_up(s->strips * images->tiles_each, ROWS);
}
static int64_t data_point(const Winograd *s, const Images *images) {
    return tiles_of(s, images) * vectors_of(s->channels) * WIDE + WIDE;
}
static int64_t product_point(const Winograd *s, const Images *images) { return tiles_of(s, images) * PAIR + WIDE; }

static int64_t blocks_of(const Winograd *s, const Images *images) {
    return (s->batch * images->strips_each + s->strips - 1) / s->strips;
}
static int64_t pairs_of(const Winograd *s) { return (s->filters + PAIR - 1) / PAIR; }

/* -- operands ------------------------------------------------------------------------------------------------------ */

/* Computes the values of WIDE filters starting at `filter`, for WIDE channels starting at `channel`. to: the values of
   their pair. */
static void transform_filters(const Winograd *s, const real *weight, int64_t filter, int64_t channel, real *to) {
    int64_t side = 7 - s->tile, size = side * side, point = filter_point(s);
    int64_t filters = min_int(s->filters - filter, WIDE), channels = min_int(s->channels - channel, WIDE);
    const real *end = weight + s->filters * s->channels * size;
    vec taps[WIDE * 25 + WIDE];                 /* [channel][row][column][filter] */
    if (s->turned)
        for (int64_t c = 0; c < channels; c++)
            for (int64_t i = 0; i < size; i += WIDE)
                turn_in(weight + ((channel + c) * s->filters + filter) * size + i, size, filters, end,
                        taps + c * size + i);
    else
        for (int64_t i = 0; i < channels * size; i += WIDE)
            turn_in(weight + (filter * s->channels + channel) * size + i, s->channels * size, filters, end, taps + i);
    memset(taps + channels * size, 0, (WIDE - channels) * size * sizeof(vec));
    to += channel * PAIR + filter % PAIR;
    for (int64_t c = 0; c < WIDE; c++, to += PAIR) {
        const real *first = (real *)(taps + c * size + (s->turned ? size - 1 : 0));
        int64_t step = s->turned ? -WIDE : WIDE;
        if (side == 3) evaluate_square(3, first, side * step, step, to, point, 1);
        else evaluate_square(5, first, side * step, step, to, point, 1);
    }
}

static int winograd_filters(const void *fields, void *const *io, int64_t part, int64_t parts) {
    const Winograd *s = fields;
    int64_t vectors = vectors_of(s->channels);
    Range range = range_of(round_up(s->filters, PAIR) / WIDE * vectors, part, parts);
    for (int64_t i = range.begin; i < range.end; i++)
        transform_filters(s, io[s->weight], i / vectors * WIDE, i % vectors * WIDE,
                          (real *)io[s->stash] + i / vectors / 2 * POINTS * filter_point(s));
    return DONE;
}

/* Computes the values of one block at WIDE channels. */
static void transform_block(const Winograd *s, const Images *images, int64_t block, int64_t vector, real *memory,
                            real *to) {
    int64_t first = block * s->strips, last = min_int(first + s->strips, s->batch * images->strips_each);
    Places places = {ROWS, vectors_of(s->channels) * ROWS * WIDE, WIDE, data_point(s, images)};
    transform_strips(images, first, last, vector * WIDE, memory, to + vector * ROWS * WIDE, places);
}

static int winograd_data(const void *fields, void *const *io, int64_t part, int64_t parts) {
    const Winograd *s = fields;
    Images images = images_of(s, io);
    real *memory = thread_scratch(size_for_strips(&images, s->strips) * sizeof(real));
    if (!memory) return NO_MEMORY;
    int64_t vectors = vectors_of(s->channels);
    Range range = range_of(blocks_of(s, &images) * vectors, part, parts);
    for (int64_t i = range.begin; i < range.end; i++)
        transform_block(s, &images, i / vectors, i % vectors, memory,
                        (real *)io[s->stash] + i / vectors * POINTS * data_point(s, &images));
    return DONE;
}

/* -- products ------------------------------------------------------------------------------------------------------ */

/* Multiplies ROWS tiles at one point, a [vector of channels][tile][WIDE], by PAIR filters, b [channel][PAIR]. */
static void multiply_rows(const real *a, const real *b, int64_t vectors, real *out) {
    vec sum[ROWS][2];
#pragma GCC unroll 16
    for (int i = 0; i < ROWS; i++) sum[i][0] = sum[i][1] = (vec){0};
    for (int64_t v = 0; v < vectors; v++, a += ROWS * WIDE) {
#pragma GCC unroll 1
        for (int c = 0; c < WIDE; c++, b += PAIR) {
            vec low = load(b), high = load(b + WIDE);
#pragma GCC unroll 16
            for (int i = 0; i < ROWS; i++) {
                vec x = all(a[i * WIDE + c]);
                sum[i][0] += x * low, sum[i][1] += x * high;
            }
        }
    }
#pragma GCC unroll 16
    for (int i = 0; i < ROWS; i++) store(out + i * PAIR, sum[i][0]), store(out + i * PAIR + WIDE, sum[i][1]);
}

/* Computes the products of `tiles` tiles of a block with some pairs of filters at all points. */
static void multiply(const Winograd *s, const Images *images, const real *data, int64_t tiles, const real *filters,
                     int64_t pairs, real *products) {
    int64_t vectors = vectors_of(s->channels);
    for (int64_t p = 0; p < POINTS; p++)
        for (int64_t pair = 0; pair < pairs; pair++)
            for (int64_t t = 0; t < tiles; t += ROWS)
                multiply_rows(data + p * data_point(s, images) + t * vectors * WIDE,
                              filters + (pair * POINTS + p) * filter_point(s), vectors,
                              products + (pair * POINTS + p) * product_point(s, images) + t * PAIR);
}

/* -- results ------------------------------------------------------------------------------------------------------- */

/* Writes a tile of the output to transposed rows [y][x][WIDE], which already hold the terms to be added, if any. Adds a
   NaN to `check` if a value is not finite. */
INLINED void finish_tile(int n, const Winograd *s, const real *products, int64_t point, vec bias, real *to,
                         int64_t height, int64_t width, vec *check) {
    vec y[PATCH][PATCH], zero = {0};
    combine_square(n, products, point, y, 0);
    for (int64_t i = 0; i < min_int(n, height); i++)
        for (int64_t j = 0; j < min_int(n, width); j++) {
            real *at = to + (i * s->out_width + j) * WIDE;
            vec value = y[i][j] + bias;
            if (s->other >= 0) value += load(at);
            *check += value * zero;
            if (s->relu) value = at_least(value, zero);
            if (s->cap > 0) value = at_most(value, all((real)s->cap));
            store(at, value);
        }
}

/* Writes the strips [first, last) for WIDE filters. products: the products for their first tile. memory: size_of_output
   elements. */
static vec finish(const Winograd *s, const Images *images, void *const *io, int64_t first, int64_t last, int64_t filter,
                  const real *products, int64_t point, real *memory) {
    int64_t plane = s->out_height * s->out_width, rows = min_int(s->filters - filter, WIDE);
    vec bias = {0}, check = {0};
    if (s->bias >= 0) bias = load_some((const real *)io[s->bias] + s->bias_at + filter, rows, 0);
    for (int64_t stop; first < last; first = stop) {
        int64_t n = first / images->strips_each, origin = n * images->strips_each;
        int64_t top = (first - origin) * s->tile;
        stop = min_int(last, origin + images->strips_each);
        int64_t bottom = min_int((stop - origin) * s->tile, s->out_height), count = (bottom - top) * s->out_width;
        int64_t place = (n * s->filters + filter) * plane + top * s->out_width;
        if (s->other >= 0) {
            const real *other = io[s->other];
            turn_all(memory, count, other + place, plane, rows, other + s->batch * s->filters * plane);
        }
        for (int64_t y = top; y < bottom; y += s->tile)
            for (int64_t x = 0; x < s->out_width; x += s->tile, products += PAIR) {
                real *to = memory + ((y - top) * s->out_width + x) * WIDE;
                if (s->tile == 4)
                    finish_tile(4, s, products, point, bias, to, bottom - y, s->out_width - x, &check);
                else
                    finish_tile(2, s, products, point, bias, to, bottom - y, s->out_width - x, &check);
            }
        turn_out(memory, count, (real *)io[s->out] + place, plane, rows);
    }
    return check;
}

static int64_t size_of_output(const Winograd *s, const Images *images) {
    return min_int(s->strips, images->strips_each) * s->tile * s->out_width * WIDE;
}

/* Convolves one block with pairs [first, last) of filters. data: the values of the block. filters: the values of the
   first pair. */
static vec convolve(const Winograd *s, const Images *images, void *const *io, int64_t block, const real *data,
                    int64_t first, int64_t last, const real *filters, real *products, real *memory) {
    int64_t begin = block * s->strips, end = min_int(begin + s->strips, s->batch * images->strips_each);
    int64_t point = product_point(s, images);
    multiply(s, images, data, (end - begin) * images->tiles_each, filters, last - first, products);
    vec check = {0};
    for (int64_t filter = first * PAIR; filter < min_int(last * PAIR, s->filters); filter += WIDE)
        check += finish(s, images, io, begin, end, filter,
                        products + (filter / PAIR - first) * POINTS * point + filter % PAIR, point, memory);
    return check;
}

/* An infinity in a patch turns a whole tile into NaN here, so if any value is not finite, the reference computes the
   result. */
static int answer(vec check) { return sum_lanes(check) == 0 ? DONE : REFUSED; }

static int winograd_by_tiles(const void *fields, void *const *io, int64_t part, int64_t parts) {
    const Winograd *s = fields;
    Images images = images_of(s, io);
    int64_t data_size = POINTS * data_point(s, &images), products_size = s->pairs * POINTS * product_point(s, &images);
    int64_t size = max_int(size_for_strips(&images, s->strips), size_of_output(s, &images));
    real *data = thread_scratch((data_size + products_size + size) * sizeof(real));
    if (!data) return NO_MEMORY;
    real *products = data + data_size, *memory = products + products_size;
    const real *filters = io[s->kept < 0 ? s->stash : s->kept];
    vec check = {0};
    Range blocks = range_of(blocks_of(s, &images), part, parts);
    for (int64_t block = blocks.begin; block < blocks.end; block++) {
        for (int64_t v = 0; v < vectors_of(s->channels); v++) transform_block(s, &images, block, v, memory, data);
        for (int64_t first = 0; first < pairs_of(s); first += s->pairs)
            check += convolve(s, &images, io, block, data, first, min_int(first + s->pairs, pairs_of(s)),
                              filters + first * POINTS * filter_point(s), products, memory);
    }
    return answer(check);
}

static int winograd_by_filters(const void *fields, void *const *io, int64_t part, int64_t parts) {
    const Winograd *s = fields;
    Images images = images_of(s, io);
    int64_t filters_size = s->kept < 0 ? s->pairs * POINTS * filter_point(s) : 0;
    int64_t products_size = s->pairs * POINTS * product_point(s, &images);
    real *filters = thread_scratch((filters_size + products_size + size_of_output(s, &images)) * sizeof(real));
    if (!filters) return NO_MEMORY;
    real *products = filters + filters_size, *memory = products + products_size;
    const real *kept = s->kept < 0 ? NULL : io[s->kept];
    vec check = {0};
    Range groups = range_of((pairs_of(s) + s->pairs - 1) / s->pairs, part, parts);
    for (int64_t group = groups.begin; group < groups.end; group++) {
        int64_t first = group * s->pairs, last = min_int(first + s->pairs, pairs_of(s));
        for (int64_t filter = first * PAIR; filter < last * PAIR && !kept; filter += WIDE)
            for (int64_t v = 0; v < vectors_of(s->channels); v++)
                transform_filters(s, io[s->weight], filter, v * WIDE,
                                  filters + (filter / PAIR - first) * POINTS * filter_point(s));
        for (int64_t block = 0; block < blocks_of(s, &images); block++)
            check += convolve(s, &images, io, block, (real *)io[s->stash] + block * POINTS * data_point(s, &images),
                              first, last, kept ? kept + first * POINTS * filter_point(s) : filters, products, memory);
    }
    return answer(check);
}

KERNELS(KERNEL(winograd_filters, Winograd), KERNEL(winograd_data, Winograd), KERNEL(winograd_by_tiles, Winograd),
        KERNEL(winograd_by_filters, Winograd))
