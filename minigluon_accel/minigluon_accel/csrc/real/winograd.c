/* Convolution by Winograd's way (see winograd.h), forward, and the data gradient, which is the convolution of the output's
   gradient with filters that are turned by half and have their two first axes exchanged.

   Two ways to go through the work, both with the values of the smaller operand kept for all:

     by tiles       winograd_filters: values of all filters   winograd_by_tiles: a part has some strips of tiles
     by filters     winograd_data: values of all data         winograd_by_filters: a part has PAIR filters

   Layouts, with the points outermost in each:

     filters   [pair of vectors of filters][point][channel][PAIR]
     data      [point][vector of channels][tile][WIDE]
     products  [point][tile][PAIR]          sums over the channels; thread's own

   Points are some numbers further apart than they need be: at powers of two they would all meet in one cache set. */

#include "../winograd.h"

/* data to stash: numbers among the arrays of the call, -1 for what is absent. turned: the filters are. */
typedef struct {
    int64_t data, mask, weight, bias, out, stash;
    int64_t batch, channels, height, width, filters, out_height, out_width, pad_y, pad_x, tile, turned, relu;
    int64_t strips;             /* that are done at a time */
} Winograd;

#define FIELDS "data mask weight bias out stash batch channels height width filters out_height out_width pad_y pad_x " \
               "tile turned relu strips"

/* Rows of the product that stay in registers. */
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
static int64_t data_point(const Winograd *s, int64_t tiles) { return vectors_of(s->channels) * tiles * WIDE + WIDE; }
static int64_t product_point(int64_t tiles) { return tiles * PAIR + WIDE; }

/* -- operands --------------------------------------------------------------------------------------------------------- */

/* The values of WIDE filters, numbers from `filter` on, at WIDE channels from `channel` on. */
static void transform_filters(const Winograd *s, const real *weight, int64_t filter, int64_t channel, real *to) {
    int64_t side = 7 - s->tile, size = side * side, point = filter_point(s);
    int64_t filters = min_int(s->filters - filter, WIDE), channels = min_int(s->channels - channel, WIDE);
    const real *end = weight + s->filters * s->channels * size;
    vec taps[WIDE * 25 + WIDE];                 /* [channel][row][column][filter] */
    if (s->turned)
        for (int64_t c = 0; c < channels; c++)
            for (int64_t i = 0; i < size; i += WIDE)
                turn_in(weight + ((channel + c) * s->filters + filter) * size + i, size, filters, end, taps + c * size + i);
    else
        for (int64_t i = 0; i < channels * size; i += WIDE)
            turn_in(weight + (filter * s->channels + channel) * size + i, s->channels * size, filters, end, taps + i);
    memset(taps + channels * size, 0, (WIDE - channels) * size * sizeof(vec));
    to += filter / PAIR * POINTS * point + channel * PAIR + filter % PAIR;
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
        transform_filters(s, io[s->weight], i / vectors * WIDE, i % vectors * WIDE, io[s->stash]);
    return DONE;
}

static int winograd_data(const void *fields, void *const *io, int64_t part, int64_t parts) {
    const Winograd *s = fields;
    Images images = images_of(s, io);
    int64_t strips = s->batch * images.strips_each, blocks = (strips + s->strips - 1) / s->strips;
    int64_t tiles = strips * images.tiles_each + ROWS, point = data_point(s, tiles);
    real *memory = thread_scratch(size_for_strips(&images, s->strips) * sizeof(real));
    if (!memory) return NO_MEMORY;
    Range range = range_of(vectors_of(s->channels) * blocks, part, parts);
    for (int64_t i = range.begin; i < range.end; i++) {
        int64_t first = i % blocks * s->strips, vector = i / blocks;
        transform_strips(&images, first, min_int(first + s->strips, strips), vector * WIDE, memory,
                         (real *)io[s->stash] + (vector * tiles + first * images.tiles_each) * WIDE, WIDE, point);
    }
    return DONE;
}

/* -- products --------------------------------------------------------------------------------------------------------- */

/* ROWS tiles of one point times PAIR filters. a: data [vector of channels][tile][WIDE], `step` from vector to vector. */
static void multiply_rows(const real *a, int64_t step, const real *b, int64_t vectors, real *out) {
    vec sum[ROWS][2];
#pragma GCC unroll 16
    for (int i = 0; i < ROWS; i++) sum[i][0] = sum[i][1] = (vec){0};
    for (int64_t v = 0; v < vectors; v++, a += step) {
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

/* The products of some tiles with PAIR filters at all points. */
static void multiply(const Winograd *s, const real *data, int64_t all_tiles, int64_t tiles, const real *filters,
                     real *products) {
    for (int64_t p = 0; p < POINTS; p++)
        for (int64_t t = 0; t < tiles; t += ROWS)
            multiply_rows(data + p * data_point(s, all_tiles) + t * WIDE, all_tiles * WIDE,
                          filters + p * filter_point(s), vectors_of(s->channels),
                          products + p * product_point(tiles) + t * PAIR);
}

/* -- results ---------------------------------------------------------------------------------------------------------- */

/* A tile of the output at (y, x) into turned rows [y][x][WIDE]. Adds to `check` what is NaN if a number is not finite. */
INLINED void finish_tile(int n, const Winograd *s, const real *products, int64_t point, vec bias, real *to,
                         int64_t height, int64_t width, vec *check) {
    vec y[PATCH][PATCH], zero = {0};
    combine_square(n, products, point, y, 0);
    for (int64_t i = 0; i < min_int(n, height); i++)
        for (int64_t j = 0; j < min_int(n, width); j++) {
            vec value = y[i][j] + bias;
            *check += value * zero;
            if (s->relu) value = select(value < zero, zero, value);
            store(to + (i * s->out_width + j) * WIDE, value);
        }
}

/* WIDE filters of the strips [first, last). products: of their first tile. memory: size_of_output numbers. */
static vec finish(const Winograd *s, const Images *images, void *const *io, int64_t first, int64_t last, int64_t filter,
                  const real *products, int64_t point, real *memory) {
    int64_t plane = s->out_height * s->out_width, rows = min_int(s->filters - filter, WIDE);
    vec bias = {0}, check = {0};
    if (s->bias >= 0) bias = load_some((const real *)io[s->bias] + filter, rows, 0);
    for (int64_t stop; first < last; first = stop) {
        int64_t n = first / images->strips_each, origin = n * images->strips_each;
        int64_t top = (first - origin) * s->tile;
        stop = min_int(last, origin + images->strips_each);
        int64_t bottom = min_int((stop - origin) * s->tile, s->out_height);
        for (int64_t y = top; y < bottom; y += s->tile)
            for (int64_t x = 0; x < s->out_width; x += s->tile, products += PAIR) {
                real *to = memory + ((y - top) * s->out_width + x) * WIDE;
                if (s->tile == 4)
                    finish_tile(4, s, products, point, bias, to, bottom - y, s->out_width - x, &check);
                else
                    finish_tile(2, s, products, point, bias, to, bottom - y, s->out_width - x, &check);
            }
        turn_out(memory, (bottom - top) * s->out_width,
                 (real *)io[s->out] + (n * s->filters + filter) * plane + top * s->out_width, plane, rows);
    }
    return check;
}

static int64_t size_of_output(const Winograd *s, const Images *images) {
    return min_int(s->strips, images->strips_each) * s->tile * s->out_width * WIDE;
}

/* All strips of one block with PAIR filters, from `filter` on. */
static vec convolve(const Winograd *s, const Images *images, void *const *io, int64_t first, int64_t last, int64_t filter,
                    const real *data, int64_t all_tiles, const real *filters, real *products, real *memory) {
    int64_t tiles = round_up((last - first) * images->tiles_each, ROWS), point = product_point(tiles);
    multiply(s, data, all_tiles, tiles, filters, products);
    vec check = finish(s, images, io, first, last, filter, products, point, memory);
    if (filter + WIDE < s->filters)
        check += finish(s, images, io, first, last, filter + WIDE, products + WIDE, point, memory);
    return check;
}

/* An infinity within a patch makes NaN of a whole tile here, so the reference answers where a result is not finite. */
static int answer(vec check) { return sum_lanes(check) == 0 ? DONE : REFUSED; }

static int winograd_by_tiles(const void *fields, void *const *io, int64_t part, int64_t parts) {
    const Winograd *s = fields;
    Images images = images_of(s, io);
    Range blocks = range_of((s->batch * images.strips_each + s->strips - 1) / s->strips, part, parts);
    int64_t most = round_up(s->strips * images.tiles_each, ROWS);
    int64_t size = max_int(size_for_strips(&images, s->strips), size_of_output(s, &images));
    real *data = thread_scratch((POINTS * (data_point(s, most) + product_point(most)) + size) * sizeof(real));
    if (!data) return NO_MEMORY;
    real *products = data + POINTS * data_point(s, most), *memory = products + POINTS * product_point(most);
    vec check = {0};
    for (int64_t block = blocks.begin; block < blocks.end; block++) {
        int64_t first = block * s->strips, last = min_int(first + s->strips, s->batch * images.strips_each);
        for (int64_t v = 0; v < vectors_of(s->channels); v++)
            transform_strips(&images, first, last, v * WIDE, memory, data + v * most * WIDE, WIDE, data_point(s, most));
        for (int64_t filter = 0; filter < s->filters; filter += PAIR)
            check += convolve(s, &images, io, first, last, filter, data, most,
                              (real *)io[s->stash] + filter / PAIR * POINTS * filter_point(s), products, memory);
    }
    return answer(check);
}

static int winograd_by_filters(const void *fields, void *const *io, int64_t part, int64_t parts) {
    const Winograd *s = fields;
    Images images = images_of(s, io);
    Range pairs = range_of((s->filters + PAIR - 1) / PAIR, part, parts);
    int64_t strips = s->batch * images.strips_each, most = round_up(s->strips * images.tiles_each, ROWS);
    int64_t all_tiles = strips * images.tiles_each + ROWS;      /* the last ROWS tiles may be anything */
    real *filters = thread_scratch((POINTS * (filter_point(s) + product_point(most)) + size_of_output(s, &images))
                                   * sizeof(real));
    if (!filters) return NO_MEMORY;
    real *products = filters + POINTS * filter_point(s), *memory = products + POINTS * product_point(most);
    vec check = {0};
    for (int64_t filter = pairs.begin * PAIR; filter < pairs.end * PAIR; filter += PAIR) {
        real *to = filters - filter / PAIR * POINTS * filter_point(s);
        for (int64_t half = 0; half < PAIR; half += WIDE)
            for (int64_t v = 0; v < vectors_of(s->channels); v++)
                transform_filters(s, io[s->weight], filter + half, v * WIDE, to);
        for (int64_t first = 0; first < strips; first += s->strips)
            check += convolve(s, &images, io, first, min_int(first + s->strips, strips), filter,
                              (real *)io[s->stash] + first * images.tiles_each * WIDE, all_tiles, filters, products,
                              memory);
    }
    return answer(check);
}

KERNELS(KERNEL(winograd_filters, FIELDS), KERNEL(winograd_data, FIELDS), KERNEL(winograd_by_tiles, FIELDS),
        KERNEL(winograd_by_filters, FIELDS))
