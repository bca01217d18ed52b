/* Products of integers: convolutions, and fully connected layers as convolutions of images of one line.

     sums (pixels, filters) = windows (pixels, depth) · weights (depth, filters) + bias

   Images have their channels last, so that four adjacent bytes of a window are one 32-bit lane, which is broadcast, and
   each lane of a vector is a filter. A window consists of runs of adjacent bytes: with a dilation of 1, a run is a line
   of the kernel with all its channels, else the channels of one tap. Runs are filled up to a multiple of four bytes
   with weights of zero.

   This file is compiled with one of four ways to multiply four bytes by four weights:

     SQUARES          AMX: one instruction multiplies 16 windows by 16 filters over 64 bytes, so runs are filled up to
                      a multiple of 64 bytes.
     QUADS            AVX512-VNNI: one instruction. All four products are added in 32 bits.
     PAIRS            x86-64: two instructions add pairs of products. Weights are widened to 16 bits when they are
                      packed, and data while it is copied, so that a pair is broadcast from memory.
     neither          other processors: four multiplications in 32 bits

   Except with PAIRS, the bytes of data are unsigned. int8 data is moved by 128 while it is copied, and 128 times the
   sum of a filter's weights is subtracted from the bias. An image that needs neither a border nor this is read in
   place. */

#ifndef MINIGLUON_PRODUCT_H
#define MINIGLUON_PRODUCT_H

#include "../integer_steps.h"

#if defined(SQUARES)
enum { TILE_ROWS = 32, WIDTH = 4, FILL = 64 };
#elif defined(QUADS)
enum { TILE_ROWS = 14, WIDTH = 4 };             /* WIDTH: bytes of four weights */
#define EACH_OF_TILE_ROWS(CASE) CASE(1) CASE(2) CASE(3) CASE(4) CASE(5) CASE(6) CASE(7) CASE(8) CASE(9) CASE(10) \
    CASE(11) CASE(12) CASE(13) CASE(14)
#elif defined(__x86_64__)
#if defined(__AVX512BW__)
enum { TILE_ROWS = 12, WIDTH = 8 };
#define EACH_OF_TILE_ROWS(CASE) CASE(1) CASE(2) CASE(3) CASE(4) CASE(5) CASE(6) CASE(7) CASE(8) CASE(9) CASE(10) \
    CASE(11) CASE(12)
#else
enum { TILE_ROWS = 6, WIDTH = 8 };              /* 12 sums, 2 weights and a pair are in 16 registers */
#define EACH_OF_TILE_ROWS(CASE) CASE(1) CASE(2) CASE(3) CASE(4) CASE(5) CASE(6)
#endif
#define PAIRS
#else
enum { TILE_ROWS = 4, WIDTH = 4 };
#define EACH_OF_TILE_ROWS(CASE) CASE(1) CASE(2) CASE(3) CASE(4)
#endif
#if !defined(SQUARES)
enum { FILL = 4 };              /* runs are a multiple of this number of bytes */
#endif
enum { TILE_VECTORS = 2, MARGIN = 64 };         /* MARGIN: bytes after the windows that are read, for weights of zero */
#define TILE_COLUMNS (TILE_VECTORS * LANES)

/* A number of a window, in copied data: a byte, or with PAIRS 16 bits. */
#if defined(PAIRS)
typedef int16_t Datum;
#else
typedef uint8_t Datum;
#endif
enum { STEPS_OF_QUAD = sizeof(Datum) };         /* 32 bits hold four bytes, or a pair */

/* 32 bits of a window in each lane. */
INLINED ints broadcast(const uint8_t *p) {
    int32_t x;
    memcpy(&x, p, 4);
    return x - (ints){0};
}

/* Makes the compiler compute a vector here, and keep it in a register. */
#if defined(PAIRS)
#define IN_REGISTER(x) __asm__("" : "+v"(x))
#else
#define IN_REGISTER(x) (void)(x)
#endif

/* Adds the products of 32 bits of a window by weights of LANES filters. */
#if !defined(SQUARES)
INLINED ints add_products(ints sum, ints x, ints w) {
#if defined(QUADS)
    return (ints)_mm512_dpbusd_epi32((__m512i)sum, (__m512i)x, (__m512i)w);
#elif defined(PAIRS)
    sum += pair_sums(x, w);
    IN_REGISTER(sum);               /* else compilers add the pairs of two steps first, and run out of registers */
    return sum;
#else
    for (int shift = 0; shift < 32; shift += 8) sum += (x >> shift & 255) * (w << (24 - shift) >> 24);
    return sum;
#endif
}
#endif

/* The sizes of a product. */
FIELDS(Product,
    int64_t batch, groups, height, width, channels, out_height, out_width, filters;
    int64_t taps_y, taps_x, step_y, step_x, apart_y, apart_x, pad_y, pad_x;
    int64_t type;                               /* of the data */
    int64_t cuts, shares;                       /* number of pieces of an image, and of a group's filters */
    int64_t out_type;
    int64_t data, packed, bias, out;            /* indices in io; bias -1: none */
    int64_t ranges, bias_ranges;                /* of data and weight: four arrays from there; of the bias: two */
    int64_t out_low, out_high;                  /* -1: not wanted */
    int64_t operators;                          /* number of rows in `rows` */
    double rows[];                              /* see integer_steps.h */
)

FIELDS(Packing,
    int64_t groups, filters, channels;          /* filters: of all groups; channels: of one group */
    int64_t taps_y, taps_x, apart_x, weight, packed;
)

/* Runs of a window. quads: groups of four bytes in a run. */
typedef struct { int64_t count, length, quads; } Runs;

INLINED Runs runs_of(int64_t taps_y, int64_t taps_x, int64_t apart_x, int64_t channels) {
    int64_t joined = apart_x == 1 ? taps_x : 1, length = joined * channels;
    return (Runs){taps_y * taps_x / joined, length, (length + FILL - 1) / FILL * FILL / 4};
}
INLINED int64_t panels_of(int64_t filters) { return (filters + TILE_COLUMNS - 1) / TILE_COLUMNS; }

/* -- packing ------------------------------------------------------------------------------------------------------- */

/* Weight `k` of a run, 0 beyond its end. */
INLINED int weight_at(const Packing *s, const int8_t *filter, const Runs *runs, int64_t run, int64_t k) {
    int64_t taps = s->taps_y * s->taps_x, tap = s->apart_x == 1 ? run * s->taps_x + k / s->channels : run;
    return k < runs->length ? filter[k % s->channels * taps + tap] : 0;
}

INLINED void put_weight(uint8_t *panel, int64_t column, int64_t k, int weight) {
    int64_t vector = column / LANES, lane = column % LANES;
#if defined(PAIRS)
    int16_t *words = (int16_t *)(panel + vector * LANES * WIDTH);
    words[k / 2 * 2 * LANES + lane * 2 + k % 2] = (int16_t)weight;
#else
    panel[(vector * LANES + lane) * WIDTH + k] = (uint8_t)weight;
#endif
}

/* packed[group][panel][quad][TILE_COLUMNS][WIDTH], then the sum of each filter's weights. Its parts are panels. */
OFFERED int pack_weights(const Packing *s, void *const *io, int64_t part, int64_t parts) {
    Runs runs = runs_of(s->taps_y, s->taps_x, s->apart_x, s->channels);
    int64_t each = s->filters / s->groups, panels = panels_of(each), depth = s->channels * s->taps_y * s->taps_x;
    int64_t quads = runs.count * runs.quads, size = quads * TILE_COLUMNS * WIDTH;
    Range range = range_of(s->groups * panels, part, parts);
    uint8_t *packed = io[s->packed];
    int32_t *sums = (int32_t *)(packed + s->groups * panels * size);
    for (int64_t item = range.begin; item < range.end; item++) {
        uint8_t *panel = packed + item * size;
        int64_t first = item % panels * TILE_COLUMNS, count = min_int(TILE_COLUMNS, each - first);
        memset(panel, 0, (size_t)size);
        for (int64_t c = 0; c < count; c++) {
            int64_t number = item / panels * each + first + c, quad = 0;
            const int8_t *filter = (const int8_t *)io[s->weight] + number * depth;
            int32_t sum = 0;
            for (int64_t run = 0; run < runs.count; run++)
                for (int64_t k = 0; k < runs.quads * 4; k += 4, quad++)
                    for (int64_t n = 0; n < 4; n++) {
                        int weight = weight_at(s, filter, &runs, run, k + n);
                        put_weight(panel + quad * TILE_COLUMNS * WIDTH, c, n, weight);
                        sum += weight;
                    }
            sums[number] = sum;
        }
    }
    return DONE;
}

/* -- windows ------------------------------------------------------------------------------------------------------- */

/* A part of the work: some lines of one image, or, if the image is one line of single pixels, some of its pixels. */
typedef struct {
    int64_t image, group, share;
    Range lines, pixels;
} Item;

INLINED int is_one_line(const Product *s) {
    return s->out_height == 1 && s->taps_y == 1 && s->taps_x == 1 && s->step_x == 1 && !s->pad_x;
}

OFFERED Item item_at(const Product *s, int64_t number) {
    Item item = {.share = number / s->cuts % s->shares, .lines = {0, s->out_height}, .pixels = {0, s->out_width}};
    int64_t cut = number % s->cuts, image = number / s->cuts / s->shares;
    item.group = image % s->groups, item.image = image / s->groups;
    if (is_one_line(s)) {
        int64_t tiles = (s->out_width + TILE_ROWS - 1) / TILE_ROWS;
        Range range = range_of(tiles, cut, s->cuts);
        item.pixels = (Range){min_int(range.begin * TILE_ROWS, s->out_width),
                              min_int(range.end * TILE_ROWS, s->out_width)};
    } else item.lines = range_of(s->out_height, cut, s->cuts);
    return item;
}

/* An image whose windows can be read: the first byte of the first window of an item, and the bytes from pixel to pixel
   and from line to line. */
typedef struct { const uint8_t *first; int64_t pixel, line; } View;

INLINED int is_in_place(const Product *s) {
    return sizeof(Datum) == 1 && s->type == UNSIGNED && s->groups == 1 && s->channels % FILL == 0
        && !s->pad_y && !s->pad_x;
}

/* The pixels of the data that an item reads, with the border. */
typedef struct { int64_t y, x, height, width; } Area;

INLINED Area area_of(const Product *s, const Item *item) {
    int64_t lines = item->lines.end - item->lines.begin, pixels = item->pixels.end - item->pixels.begin;
    return (Area){item->lines.begin * s->step_y - s->pad_y, item->pixels.begin * s->step_x - s->pad_x,
                  (lines - 1) * s->step_y + (s->taps_y - 1) * s->apart_y + 1,
                  (pixels - 1) * s->step_x + (s->taps_x - 1) * s->apart_x + 1};
}

/* Copies n bytes of data. */
INLINED void copy_data(int type, const uint8_t *from, int64_t n, Datum *out) {
#if defined(PAIRS)
    if (type == SIGNED) for (int64_t b = 0; b < n; b++) out[b] = (int8_t)from[b];
    else for (int64_t b = 0; b < n; b++) out[b] = from[b];
#else
    const uint8_t move = type == SIGNED ? 128 : 0;
    for (int64_t b = 0; b < n; b++) out[b] = from[b] ^ move;
#endif
}

INLINED void fill_with_zeros(int type, Datum *out, int64_t n) {
    memset(out, sizeof(Datum) == 1 && type == SIGNED ? 128 : 0, (size_t)n * sizeof(Datum));
}

/* Copies pixels [from, to) of a line. */
INLINED void copy_line(const Product *s, const Item *item, const uint8_t *image, int64_t y, Range x, Datum *out) {
    int64_t each = s->channels / s->groups, first = item->group * each, count = x.end - x.begin;
    const uint8_t *from = image + (y * s->width + x.begin) * s->channels + first;
    if (s->groups == 1) each *= count, count = 1;
    for (int64_t i = 0; i < count; i++, from += s->channels, out += each) copy_data((int)s->type, from, each, out);
}

OFFERED void copy_area(const Product *s, const Item *item, const uint8_t *image, const Area *area, Datum *out) {
    int64_t each = s->channels / s->groups, pitch = area->width * each;
    int type = (int)s->type;
    Range x = {max_int(area->x, 0), min_int(area->x + area->width, s->width)};
    for (int64_t i = 0; i < area->height; i++, out += pitch) {
        int64_t y = area->y + i;
        if (y < 0 || y >= s->height || x.begin >= x.end) {
            fill_with_zeros(type, out, pitch);
            continue;
        }
        fill_with_zeros(type, out, (x.begin - area->x) * each);
        copy_line(s, item, image, y, x, out + (x.begin - area->x) * each);
        fill_with_zeros(type, out + (x.end - area->x) * each, (area->x + area->width - x.end) * each);
    }
}

/* The windows of an item: in place, or copied to `room`. */
INLINED View view_of(const Product *s, void *const *io, const Item *item, uint8_t *room) {
    const uint8_t *image = (const uint8_t *)io[s->data] + item->image * s->height * s->width * s->channels;
    Area area = area_of(s, item);
    if (is_in_place(s))
        return (View){image + (area.y * s->width + area.x) * s->channels, s->channels, s->width * s->channels};
    copy_area(s, item, image, &area, (Datum *)room);
    int64_t each = s->channels / s->groups * (int64_t)sizeof(Datum);
    return (View){room, each, area.width * each};
}

/* The offset of each quad of a window from its first byte. */
INLINED void put_offsets(const Product *s, const Runs *runs, const View *view, int64_t *offsets) {
    for (int64_t run = 0; run < runs->count; run++) {
        int64_t y = s->apart_x == 1 ? run : run / s->taps_x, x = s->apart_x == 1 ? 0 : run % s->taps_x;
        for (int64_t k = 0; k < runs->quads; k++)
            *offsets++ = y * s->apart_y * view->line + x * s->apart_x * view->pixel
                         + k * 4 * (int64_t)sizeof(Datum);
    }
}

/* -- multiplying --------------------------------------------------------------------------------------------------- */

#if defined(SQUARES)
/* The shapes of the eight registers: sums 0 to 3, windows 4 and 5, weights 6 and 7. */
typedef struct { uint8_t palette, start, zeros[14]; uint16_t bytes[16]; uint8_t rows[16]; } Shapes;

/* Sets the shapes for this number of windows, unless the previous tile has the same. */
INLINED void set_shapes(int64_t rows, int64_t *last) {
    if (*last == rows) return;
    int64_t above = (rows + 1) / 2, below = rows - above;
    Shapes shapes __attribute__((aligned(64))) = {.palette = 1};
    for (int k = 0; k < 8; k++) shapes.bytes[k] = 64, shapes.rows[k] = 16;
    shapes.rows[0] = shapes.rows[1] = shapes.rows[4] = (uint8_t)above;
    shapes.rows[2] = shapes.rows[3] = shapes.rows[5] = (uint8_t)max_int(below, 1);
    __asm__ volatile("ldtilecfg %0" : : "m"(shapes));
    *last = rows;
}

/* sum = windows · weights, without the start. last: the number of windows for which shapes are set. */
OFFERED void multiply_tile(int64_t rows, const uint8_t *a, int64_t apart, const int64_t *offsets, int64_t quads,
                           const uint8_t *b, ints sum[TILE_ROWS][TILE_VECTORS], int64_t *last) {
    const int64_t above = (rows + 1) / 2, next = rows > 1 ? above * apart : 0, line = TILE_COLUMNS * WIDTH;
    __asm__ volatile("" : : : "memory");        /* the loads below do not name the memory that they read */
    set_shapes(rows, last);
    _tile_zero(0);
    _tile_zero(1);
    _tile_zero(2);
    _tile_zero(3);
    for (int64_t k = 0; k < quads; k += FILL / 4, b += FILL / 4 * line) {
        const uint8_t *at = a + offsets[k];
        _tile_loadd(6, b, line);
        _tile_loadd(4, at, apart);
        _tile_dpbusd(0, 4, 6);
        _tile_loadd(7, b + 64, line);
        _tile_dpbusd(1, 4, 7);
        _tile_loadd(5, at + next, apart);
        _tile_dpbusd(2, 5, 6);
        _tile_dpbusd(3, 5, 7);
    }
    _tile_stored(0, sum[0], line);
    _tile_stored(1, sum[0] + 1, line);
    if (rows == 1) return;
    _tile_stored(2, sum[above], line);
    _tile_stored(3, sum[above] + 1, line);
}
#else
/* sum = start + windows · weights for some windows, which are `apart` bytes apart. */
INLINED void multiply(int rows, int vectors, const uint8_t *a, int64_t apart, const int64_t *offsets, int64_t quads,
                      const uint8_t *b, const int32_t *start, ints sum[TILE_ROWS][TILE_VECTORS]) {
    ints c[TILE_ROWS][TILE_VECTORS];
#pragma GCC unroll 16
    for (int i = 0; i < rows; i++)
#pragma GCC unroll 2
        for (int j = 0; j < vectors; j++) c[i][j] = load_ints(start + j * LANES);
#pragma GCC unroll 1
    for (int64_t k = 0; k < quads; k++, b += TILE_COLUMNS * WIDTH) {
        const uint8_t *at = a + offsets[k];
#pragma GCC unroll 2
        for (int h = 0; h < STEPS_OF_QUAD; h++) {
            ints w[TILE_VECTORS];
#pragma GCC unroll 2
            for (int j = 0; j < vectors; j++) {
                w[j] = load_ints((const int32_t *)b + (j * STEPS_OF_QUAD + h) * LANES);
                IN_REGISTER(w[j]);  /* else it is loaded for each row */
            }
#pragma GCC unroll 16
            for (int i = 0; i < rows; i++) {
                ints x = broadcast(at + i * apart + h * 4);
#pragma GCC unroll 2
                for (int j = 0; j < vectors; j++) c[i][j] = add_products(c[i][j], x, w[j]);
            }
        }
    }
#pragma GCC unroll 16
    for (int i = 0; i < rows; i++)
#pragma GCC unroll 2
        for (int j = 0; j < vectors; j++) sum[i][j] = c[i][j];
}

#define TILE_CASE(n)                                                                                \
    case 2 * n - 1: multiply(n, 1, a, apart, offsets, quads, b, start, sum); break;                 \
    case 2 * n: multiply(n, 2, a, apart, offsets, quads, b, start, sum); break;

OFFERED void multiply_tile(int64_t rows, int vectors, const uint8_t *a, int64_t apart, const int64_t *offsets,
                           int64_t quads, const uint8_t *b, const int32_t *start, ints sum[TILE_ROWS][TILE_VECTORS]) {
    switch (2 * rows - (vectors == 1)) {
        EACH_OF_TILE_ROWS(TILE_CASE)
        default: __builtin_unreachable();
    }
}
#endif

/* Stores a tile of sums, or what its steps make of them. at: the index of the first one in the result; column, columns:
   that of its filter, and the number of filters from there. start: what is added first. */
OFFERED void put_tile(Waiting *waiting, ints sum[TILE_ROWS][TILE_VECTORS], int64_t rows, int64_t at, int64_t stride,
                      int64_t column, int64_t columns, const int32_t *start) {
    for (int64_t j = 0; j * LANES < columns; j++) {
        ints more = {0};
        int64_t n = min_int(LANES, columns - j * LANES);
#if defined(SQUARES)
        more = load_ints(start + j * LANES);
#else
        (void)start;
#endif
        for (int64_t i = 0; i < rows; i += AT_ONCE) {
            int64_t first = at + i * stride + j * LANES;
            Group group = {min_int(AT_ONCE, rows - i), n, first, stride, column + j * LANES, 0};
            if (waiting->type != SUMS) wait_with_sums(waiting, group, &sum[i][j], TILE_VECTORS, more);
            else for (int64_t k = 0; k < group.rows; k++) {
                ints total = sum[i + k][j] + more;
                memcpy((int32_t *)waiting->out + first + k * stride, &total, (size_t)n * 4);
            }
        }
    }
}

/* What the sums of `count` filters begin with: their biases, minus what the move of int8 data adds. Returns 0 if a bias
   is too large for the kernel. */
OFFERED int put_starts(const Product *s, void *const *io, const int32_t *sums, int64_t first, int64_t count,
                       int32_t *starts) {
    memset(starts, 0, (size_t)count * 4);
    if (s->bias >= 0) {
        float data = magnitude_at(io, s->ranges, s->ranges + 1);
        float weight = magnitude_at(io, s->ranges + 2, s->ranges + 3);
        float own = magnitude_at(io, s->bias_ranges, s->bias_ranges + 1);
        const int8_t *bias = (const int8_t *)io[s->bias] + first;
        if (!put_biases(bias, count, bias_factor((int)s->type, data, weight, own), starts)) return 0;
    }
    if (sizeof(Datum) == 1 && s->type == SIGNED) for (int64_t i = 0; i < count; i++) starts[i] -= 128 * sums[first + i];
    return 1;
}

/* What all items of a part share. */
typedef struct {
    const Product *s;
    void *const *io;
    Steps steps;
    Runs runs;
    int64_t each, panels, most, room;   /* filters of a group, their panels; the largest share's; bytes of an area */
    int64_t *offsets;
    int32_t *starts;
    uint8_t *area;
    int64_t shapes;             /* see set_shapes */
} Work;

/* Number of tiles that are multiplied before the steps run on their sums. All panels of filters go through them before
   the next tiles, so that the results of a pixel, which are adjacent, are still in the first-level cache when the next
   panel stores its own. AMX is slow for some hundred cycles after a pause. */
#if defined(SQUARES)
enum { BLOCK = 8 };
#else
enum { BLOCK = 4 };
#endif

/* Where tile t of an item begins. */
typedef struct { int64_t y, x, rows; } TilePlace;

INLINED TilePlace place_of(int64_t t, int64_t tiles, int64_t length) {
    Range x = range_of(length, t % tiles, tiles);
    return (TilePlace){t / tiles, x.begin, x.end - x.begin};
}

/* Tiles `block` times panel p. */
INLINED void multiply_block(Work *w, const Item *item, const View *view, Range block, int64_t p, const int32_t *start,
                            Waiting *waiting) {
    const Product *s = w->s;
    const int64_t quads = w->runs.count * w->runs.quads, size = quads * TILE_COLUMNS * WIDTH;
    const uint8_t *weights = (const uint8_t *)w->io[s->packed] + (item->group * w->panels + p) * size;
    const int64_t columns = min_int(TILE_COLUMNS, w->each - p * TILE_COLUMNS), apart = s->step_x * view->pixel;
    const int64_t column = item->group * w->each + p * TILE_COLUMNS;
    const int64_t length = item->pixels.end - item->pixels.begin, tiles = (length + TILE_ROWS - 1) / TILE_ROWS;
    ints sums[BLOCK][TILE_ROWS][TILE_VECTORS];
    for (int64_t t = block.begin; t < block.end; t++) {
        TilePlace at = place_of(t, tiles, length);
        const uint8_t *windows = view->first + at.y * s->step_y * view->line + at.x * apart;
#if defined(SQUARES)
        multiply_tile(at.rows, windows, apart, w->offsets, quads, weights, sums[t - block.begin], &w->shapes);
#else
        multiply_tile(at.rows, columns > LANES ? 2 : 1, windows, apart, w->offsets, quads, weights, start,
                      sums[t - block.begin]);
#endif
    }
    for (int64_t t = block.begin; t < block.end; t++) {
        TilePlace at = place_of(t, tiles, length);
        int64_t line = item->image * s->out_height + item->lines.begin + at.y;
        int64_t pixel = line * s->out_width + item->pixels.begin + at.x;
        put_tile(waiting, sums[t - block.begin], at.rows, pixel * s->filters + column, s->filters, column, columns,
                 start);
    }
}

OFFERED void multiply_item(Work *w, const Item *item, Range panels) {
    const Product *s = w->s;
    View view = view_of(s, w->io, item, w->area);
    int64_t tiles = (item->pixels.end - item->pixels.begin + TILE_ROWS - 1) / TILE_ROWS;
    int64_t count = tiles * (item->lines.end - item->lines.begin);
    Waiting waiting = {.steps = &w->steps, .out = w->io[s->out], .type = (int)s->out_type};
    put_offsets(s, &w->runs, &view, w->offsets);
    for (int64_t t = 0; t < count; t += BLOCK)
        for (int64_t p = panels.begin; p < panels.end; p++)
            multiply_block(w, item, &view, (Range){t, min_int(t + BLOCK, count)}, p,
                           w->starts + (p - panels.begin) * TILE_COLUMNS, &waiting);
    finish(&waiting);
}

/* Bytes of the largest area of an item. */
INLINED int64_t room_for(const Product *s) {
    if (is_in_place(s)) return 0;
    Item item = {.lines = {0, (s->out_height + s->cuts - 1) / s->cuts}, .pixels = {0, s->out_width}};
    if (is_one_line(s)) {
        int64_t tiles = (s->out_width + TILE_ROWS - 1) / TILE_ROWS, most = (tiles + s->cuts - 1) / s->cuts;
        item.lines.end = 1, item.pixels.end = min_int(s->out_width, most * TILE_ROWS);
    }
    Area area = area_of(s, &item);
    return area.height * area.width * (s->channels / s->groups) * (int64_t)sizeof(Datum);
}

INLINED int64_t in_lines(int64_t bytes) { return (bytes + 63) / 64 * 64; }

OFFERED int multiply_part(const Product *s, void *const *io, int64_t part, int64_t parts) {
    Range range = range_of(s->batch * s->groups * s->cuts * s->shares, part, parts);
    Work w = {.s = s, .io = io, .runs = runs_of(s->taps_y, s->taps_x, s->apart_x, s->channels / s->groups)};
    int64_t quads = w.runs.count * w.runs.quads;
    w.each = s->filters / s->groups, w.panels = panels_of(w.each);
    w.most = (w.panels + s->shares - 1) / s->shares * TILE_COLUMNS;
    w.room = in_lines(room_for(s) + MARGIN);
    char *room = thread_scratch((size_t)(in_lines(quads * 8) + in_lines(w.most * 4) + w.room));
    if (!room) return NO_MEMORY;
    w.offsets = (int64_t *)room, w.starts = (int32_t *)(room + in_lines(quads * 8));
    w.area = (uint8_t *)room + in_lines(quads * 8) + in_lines(w.most * 4);
    float m = product_magnitude((int)s->type, magnitude_at(io, s->ranges, s->ranges + 1),
                                magnitude_at(io, s->ranges + 2, s->ranges + 3));
    w.steps.type = SUMS;
    set_range(&w.steps, -m, m);
    resolve(&w.steps, s->rows, s->operators, io);
    if (part == 0) put_range(&w.steps, io, s->out_low, s->out_high);
    const int32_t *sums = (const int32_t *)((const uint8_t *)io[s->packed]
                                            + s->groups * w.panels * quads * TILE_COLUMNS * WIDTH);
    int status = DONE;
    for (int64_t number = range.begin; number < range.end; number++) {
        Item item = item_at(s, number);
        Range panels = range_of(w.panels, item.share, s->shares);
        int64_t first = panels.begin * TILE_COLUMNS, count = min_int(panels.end * TILE_COLUMNS, w.each) - first;
        if (item.lines.begin == item.lines.end || item.pixels.begin == item.pixels.end) continue;
        if (!put_starts(s, io, sums, item.group * w.each + first, count, w.starts)) {
            status = REFUSED;
            break;
        }
        for (int64_t i = count; i < (panels.end - panels.begin) * TILE_COLUMNS; i++) w.starts[i] = 0;
        multiply_item(&w, &item, panels);
    }
#if defined(SQUARES)
    _tile_release();
#endif
    return status;
}

#endif
