/* Winograd's convolution of integers with 3 x 3 filters: a patch of 4 x 4 data gives 2 x 2 results with 16
   multiplications for each channel, 2.25 times fewer than a product of windows. It is exact.

   Source: Lavin and Gray 2015, arXiv:1509.09308, section 4.1. In one dimension, with filters evaluated at twice the
   points' values so that they stay integers:

     filter    (g0, g1, g2)       -> (2 g0, g0 + g1 + g2, g0 - g1 + g2, 2 g2)
     data      (d0, d1, d2, d3)   -> (d0 - d2, d1 + d2, d2 - d1, d1 - d3)
     outputs   2 y = (m0 + m1 + m2, m1 - m2 - m3), m: the products

   In two dimensions, each is applied along both axes. Then filters are at most 9 · 128, data at most 4 · 255, and both
   fit in 16 bits, as processors multiply pairs of them. The sums are 4 times the results: they may wrap around in
   between, because only the last one must fit in 32 bits, for which `suits_patches` in kernels/quantized/matrix.py
   provides. */

#include "matrix.h"

#if defined(PAIRS)

enum { SIDE = 4, POINTS = SIDE * SIDE, OUT = 2, MOST_PATCHES = 24 };

/* 16 channels. Instruction sets with smaller vectors take several. */
typedef int16_t words __attribute__((vector_size(32), aligned(2), may_alias));
enum { WORDS = sizeof(words) / 2 };

/* -- packing ------------------------------------------------------------------------------------------------------- */

/* A filter of one channel at the points: 4 times G g Gᵀ. */
INLINED void put_points(const int8_t *g, int *out) {
    int rows[3][SIDE];
    for (int i = 0; i < 3; i++) {
        int a = g[i * 3], b = g[i * 3 + 1], c = g[i * 3 + 2];
        rows[i][0] = 2 * a, rows[i][1] = a + b + c, rows[i][2] = a - b + c, rows[i][3] = 2 * c;
    }
    for (int j = 0; j < SIDE; j++) {
        int a = rows[0][j], b = rows[1][j], c = rows[2][j];
        out[j] = 2 * a, out[SIDE + j] = a + b + c, out[2 * SIDE + j] = a - b + c, out[3 * SIDE + j] = 2 * c;
    }
}

/* packed[panel][point][quad][TILE_COLUMNS][WIDTH]. Its parts are panels. */
static int pack_integers_in_patches(const void *fields, void *const *io, int64_t part, int64_t parts) {
    const Packing *s = fields;
    int64_t size = s->channels * TILE_COLUMNS * sizeof(int16_t);
    Range range = range_of(panels_of(s->filters), part, parts);
    for (int64_t p = range.begin; p < range.end; p++) {
        uint8_t *panel = (uint8_t *)io[s->packed] + p * POINTS * size;
        int64_t first = p * TILE_COLUMNS, count = min_int(TILE_COLUMNS, s->filters - first);
        memset(panel, 0, (size_t)(POINTS * size));
        for (int64_t c = 0; c < count; c++)
            for (int64_t k = 0; k < s->channels; k++) {
                int values[POINTS];
                put_points((const int8_t *)io[s->weight] + ((first + c) * s->channels + k) * 9, values);
                for (int64_t i = 0; i < POINTS; i++)
                    put_weight(panel + i * size + k / 4 * TILE_COLUMNS * WIDTH, c, k % 4, values[i]);
            }
    }
    return DONE;
}

/* -- one block of patches ------------------------------------------------------------------------------------------ */

/* The patches of a block: some rows, each of which makes two lines of the result. */
typedef struct {
    const Product *s;
    int64_t columns, rows;                      /* patches of a row; rows at most in a block */
    int64_t *offsets;
    int32_t *starts;
    Datum *area, *values;                       /* values[point][patch][channel] */
    ints (*products)[TILE_VECTORS];             /* [point][patch] */
    ints (*lines)[TILE_VECTORS];                /* [line of a patch][pixel] */
} Patches;

INLINED void spread(const words d[SIDE], words out[SIDE]) {
    out[0] = d[0] - d[2], out[1] = d[1] + d[2], out[2] = d[2] - d[1], out[3] = d[1] - d[3];
}

/* The values of one patch at all points. */
INLINED void put_values(const Patches *w, const Datum *data, int64_t pitch, int64_t patch, int64_t count) {
    int64_t channels = w->s->channels;
    for (int64_t c = 0; c < channels; c += WORDS) {
        words columns[SIDE][SIDE], d[SIDE], out[SIDE];
#pragma GCC unroll 4
        for (int x = 0; x < SIDE; x++) {
#pragma GCC unroll 4
            for (int y = 0; y < SIDE; y++) d[y] = *(const words *)(data + y * pitch + x * channels + c);
            spread(d, columns[x]);
        }
#pragma GCC unroll 4
        for (int y = 0; y < SIDE; y++) {
            for (int x = 0; x < SIDE; x++) d[x] = columns[x][y];
            spread(d, out);
#pragma GCC unroll 4
            for (int x = 0; x < SIDE; x++)
                *(words *)(w->values + ((y * SIDE + x) * count + patch) * channels + c) = out[x];
        }
    }
}

/* Copies the data of a block, whose first line of results is y, and computes the values of its patches. */
OFFERED void read_block(const Patches *w, const uint8_t *image, int64_t y, int64_t rows) {
    const Product *s = w->s;
    Item item = {0};
    Area area = {y - s->pad_y, -s->pad_x, OUT * rows + 2, OUT * w->columns + 2};
    int64_t pitch = area.width * s->channels;
    copy_area(s, &item, image, &area, w->area);
    for (int64_t r = 0; r < rows; r++)
        for (int64_t x = 0; x < w->columns; x++)
            put_values(w, w->area + r * OUT * pitch + x * OUT * s->channels, pitch, r * w->columns + x,
                       rows * w->columns);
}

OFFERED void multiply_points(const Patches *w, int64_t count, const uint8_t *weights, int vectors) {
    static const int32_t zeros[TILE_COLUMNS];
    int64_t channels = w->s->channels, tiles = (count + TILE_ROWS - 1) / TILE_ROWS;
    for (int64_t point = 0; point < POINTS; point++, weights += channels * TILE_COLUMNS * sizeof(int16_t))
        for (int64_t t = 0; t < tiles; t++) {
            Range some = range_of(count, t, tiles);
            int64_t first = point * count + some.begin;
            multiply_tile(some.end - some.begin, vectors, (const uint8_t *)(w->values + first * channels),
                          channels * (int64_t)sizeof(Datum), w->offsets, channels / 4, weights, zeros,
                          w->products + first);
        }
}

/* The results of row r of the block, for a panel. */
OFFERED void put_lines(const Patches *w, int64_t count, int64_t r, const int32_t *start, int vectors) {
    for (int64_t x = 0; x < w->columns; x++)
#pragma GCC unroll 2
        for (int j = 0; j < vectors; j++) {
            ints (*m)[TILE_VECTORS] = w->products + r * w->columns + x, above[SIDE], below[SIDE];
            const ints more = load_ints(start + j * LANES);
#pragma GCC unroll 4
            for (int i = 0; i < SIDE; i++) {
                ints a = m[i * count][j], b = m[(SIDE + i) * count][j], c = m[(2 * SIDE + i) * count][j];
                above[i] = a + b + c, below[i] = b - c - m[(3 * SIDE + i) * count][j];
            }
            ints (*line)[TILE_VECTORS] = w->lines + x * OUT;
            line[0][j] = ((above[0] + above[1] + above[2]) >> 2) + more;
            line[1][j] = ((above[1] - above[2] - above[3]) >> 2) + more;
            line += w->columns * OUT;
            line[0][j] = ((below[0] + below[1] + below[2]) >> 2) + more;
            line[1][j] = ((below[1] - below[2] - below[3]) >> 2) + more;
        }
}

OFFERED void put_block(const Patches *w, int64_t image, int64_t y, int64_t rows, int64_t panel, const int32_t *start,
                       Waiting *waiting) {
    const Product *s = w->s;
    int64_t column = panel * TILE_COLUMNS, columns = min_int(TILE_COLUMNS, s->filters - column);
    for (int64_t r = 0; r < rows; r++) {
        put_lines(w, rows * w->columns, r, start, columns > LANES ? 2 : 1);
        for (int64_t i = 0; i < OUT && y + r * OUT + i < s->out_height; i++) {
            int64_t pixel = (image * s->out_height + y + r * OUT + i) * s->out_width;
            put_tile(waiting, w->lines + i * w->columns * OUT, s->out_width, pixel * s->filters + column, s->filters,
                     column, columns, start);
        }
    }
}

/* -- all of it ----------------------------------------------------------------------------------------------------- */

/* Divides memory for `w`; returns the bytes that it takes if room is NULL. */
OFFERED int64_t place_arrays(Patches *w, char *room, int64_t most) {
    int64_t count = w->rows * w->columns, channels = w->s->channels, at = 0;
    int64_t area = (OUT * w->rows + 2) * (OUT * w->columns + 2) * channels * (int64_t)sizeof(Datum);
    w->offsets = (int64_t *)(room + at), at += in_lines(channels / 4 * 8);
    w->starts = (int32_t *)(room + at), at += in_lines(most * 4);
    w->area = (Datum *)(room + at), at += in_lines(area + MARGIN);
    w->values = (Datum *)(room + at), at += in_lines(POINTS * count * channels * (int64_t)sizeof(Datum) + MARGIN);
    w->products = (ints (*)[TILE_VECTORS])(room + at), at += in_lines(POINTS * count * TILE_COLUMNS * 4);
    w->lines = (ints (*)[TILE_VECTORS])(room + at), at += in_lines(OUT * OUT * w->columns * TILE_COLUMNS * 4);
    return at;
}

static int multiply_integers_in_patches(const void *fields, void *const *io, int64_t part, int64_t parts) {
    const Product *s = fields;
    Range range = range_of(s->batch * s->cuts * s->shares, part, parts);
    int64_t height = (s->out_height + 1) / OUT, panels = panels_of(s->filters);
    int64_t most = (panels + s->shares - 1) / s->shares * TILE_COLUMNS;
    Patches w = {.s = s, .columns = (s->out_width + 1) / OUT};
    w.rows = min_int(max_int(MOST_PATCHES / w.columns, 1), (height + s->cuts - 1) / s->cuts);
    int64_t bytes = place_arrays(&w, NULL, most);
    char *room = thread_scratch((size_t)bytes);
    if (!room) return NO_MEMORY;
    place_arrays(&w, room, most);
    for (int64_t k = 0; k < s->channels / 4; k++) w.offsets[k] = k * 4 * (int64_t)sizeof(Datum);
    float m = product_magnitude((int)s->type, magnitude_at(io, s->ranges, s->ranges + 1),
                                magnitude_at(io, s->ranges + 2, s->ranges + 3));
    Steps steps = {.type = SUMS};
    set_range(&steps, -m, m);
    resolve(&steps, s->rows, s->operators, io);
    if (part == 0) put_range(&steps, io, s->out_low, s->out_high);
    Waiting waiting = {.steps = &steps, .out = io[s->out], .type = (int)s->out_type};
    const uint8_t *packed = io[s->packed];
    const int64_t size = POINTS * s->channels * TILE_COLUMNS * (int64_t)sizeof(int16_t);
    for (int64_t number = range.begin; number < range.end; number++) {
        int64_t image = number / s->cuts / s->shares;
        Range rows = range_of(height, number % s->cuts, s->cuts);
        Range some = range_of(panels, number / s->cuts % s->shares, s->shares);
        int64_t first = some.begin * TILE_COLUMNS, count = min_int(some.end * TILE_COLUMNS, s->filters) - first;
        if (!put_starts(s, io, NULL, first, count, w.starts)) return REFUSED;
        for (int64_t i = count; i < (some.end - some.begin) * TILE_COLUMNS; i++) w.starts[i] = 0;
        const uint8_t *data = (const uint8_t *)io[s->data] + image * s->height * s->width * s->channels;
        for (int64_t r = rows.begin, n; r < rows.end; r += n) {
            n = min_int(w.rows, rows.end - r);
            read_block(&w, data, r * OUT, n);
            for (int64_t p = some.begin; p < some.end; p++) {
                multiply_points(&w, n * w.columns, packed + p * size, s->filters - p * TILE_COLUMNS > LANES ? 2 : 1);
                put_block(&w, image, r * OUT, n, p, w.starts + (p - some.begin) * TILE_COLUMNS, &waiting);
            }
        }
    }
    finish(&waiting);
    return DONE;
}

KERNELS(KERNEL(pack_integers_in_patches, Packing), KERNEL(multiply_integers_in_patches, Product))

#endif
