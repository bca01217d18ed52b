/* Images in blocks of channels: (batch, blocks, height, width, BLOCK). The BLOCK channels of a pixel are adjacent, so
   that vector lanes are channels. Thus no vector ends within a line of an image, however short the line is. The last
   block is padded with zeros. */

#ifndef MINIGLUON_BLOCKS_H
#define MINIGLUON_BLOCKS_H

#include "../gemm.h"

enum { BLOCK = 16 };            /* also defined in kernels/nn/convolution_blocks.py */

INLINED int64_t blocks_of(int64_t channels) { return (channels + BLOCK - 1) / BLOCK; }

/* The epilogue: operations applied to results at the end. */
typedef struct {
    const real *bias;
    int64_t filters;            /* number of biases */
    int64_t relu;
    real cap;                   /* if above 0, min(·, cap) is applied */
} Ending;

INLINED vec bias_of(const Ending *e, int64_t first) {
    int64_t count = min_int(LANES, e->filters - first);
    return count == LANES ? load(e->bias + first) : load_some(e->bias + first, max_int(count, 0), 0);
}

INLINED vec bounded(const Ending *e, vec x) {
    if (e->relu) x = at_least(x, (vec){0});
    if (e->cap > 0) x = at_most(x, all(e->cap));
    return x;
}

/* -- each channel separately --------------------------------------------------------------------------------------- */

/* The image of a block of channels, and its windows. */
typedef struct { int64_t height, width, out_height, out_width, taps_y, taps_x, step, pad_y, pad_x; } Lines;

/* Number of adjacent results that are computed together: as many as leave enough registers for the weights. */
#if defined(__AVX512F__)
#define SIDE 7
#else
#define SIDE 4
#endif

/* Windows 0 to count - 1 of a line: taps [first, last) along x in each row of the kernel. rows: addresses of tap 0 of
   window 0. */
INLINED void sum_windows(int64_t count, int64_t step, int64_t taps_y, int64_t taps_x, Range taps,
                         const real *const *rows, int64_t at, const real *weights, vec *sums) {
#pragma GCC unroll 3
    for (int64_t r = 0; r < taps_y; r++)
#pragma GCC unroll 3
        for (int64_t t = taps.begin; t < taps.end; t++) {
            vec weight = load(weights + (r * taps_x + t) * BLOCK);
#pragma GCC unroll 8
            for (int64_t i = 0; i < count; i++) sums[i] += weight * load(rows[r] + at + (i * step + t) * BLOCK);
        }
}

INLINED void put_windows(int64_t count, int64_t step, int64_t taps_y, int64_t taps_x, Range taps,
                         const real *const *rows, int64_t x, int64_t pad, const real *weights, vec start,
                         const Ending *e, real *out) {
    vec sums[SIDE];
#pragma GCC unroll 8
    for (int64_t i = 0; i < count; i++) sums[i] = start;
    sum_windows(count, step, taps_y, taps_x, taps, rows, (x * step - pad) * BLOCK, weights, sums);
#pragma GCC unroll 8
    for (int64_t i = 0; i < count; i++) store(out + (x + i) * BLOCK, bounded(e, sums[i]));
}

/* Windows x to x + count - 1 of a line, with three taps along it. left: the first window has no first tap; right: the
   last window has no last tap. */
INLINED void put_three(int64_t count, int left, int right, int64_t step, int64_t taps_y, const real *const *rows,
                       int64_t x, int64_t pad, const real *weights, vec start, const Ending *e, real *out) {
    vec sums[SIDE];
    int64_t at = (x * step - pad) * BLOCK;
#pragma GCC unroll 8
    for (int64_t i = 0; i < count; i++) sums[i] = start;
#pragma GCC unroll 3
    for (int64_t r = 0; r < taps_y; r++)
#pragma GCC unroll 3
        for (int64_t t = 0; t < 3; t++) {
            vec weight = load(weights + (r * 3 + t) * BLOCK);
#pragma GCC unroll 8
            for (int64_t i = left && t == 0; i < count - (right && t == 2); i++)
                sums[i] += weight * load(rows[r] + at + (i * step + t) * BLOCK);
        }
#pragma GCC unroll 8
    for (int64_t i = 0; i < count; i++) store(out + (x + i) * BLOCK, bounded(e, sums[i]));
}

#define THREE(n, left, right)                                                                                    \
    case 4 * n + 2 * left + right:                                                                              \
        put_three(n, left, right, step, taps_y, rows, x, s->pad_x, weights, start, e, out);                     \
        break;
#define THREE_CASE(n) THREE(n, 0, 0) THREE(n, 0, 1) THREE(n, 1, 0) THREE(n, 1, 1)

/* How far the last window of a line reaches beyond the line's end. */
INLINED int64_t reach_over(int64_t step, int64_t taps_x, const Lines *s) {
    return (s->out_width - 1) * step + taps_x - s->pad_x - s->width;
}

/* One line of windows with three taps along it, at most one of which is outside the image on either side. The windows
   at the edges are computed together with their neighbors, because one sum on its own would have to wait for each of
   its additions. */
INLINED void convolve_line_of_three(int64_t step, int64_t taps_y, const Lines *s, const real *const *rows,
                                    const real *weights, vec start, const Ending *e, real *out) {
    int64_t pieces = (s->out_width + SIDE - 1) / SIDE, each = s->out_width / pieces, more = s->out_width % pieces;
    int left = s->pad_x > 0, right = reach_over(step, 3, s) > 0;
    for (int64_t p = 0, x = 0; p < pieces; p++) {
        int64_t count = each + (p < more);
        switch (4 * count + 2 * (left && p == 0) + (right && p == pieces - 1)) {
            THREE_CASE(1) THREE_CASE(2) THREE_CASE(3) THREE_CASE(4)
#if SIDE > 4
            THREE_CASE(5) THREE_CASE(6) THREE_CASE(7)
#endif
            default: __builtin_unreachable();
        }
        x += count;
    }
}

#define SIDE_CASE(n)                                                                                   \
    case n: put_windows(n, step, taps_y, taps_x, all_taps, rows, x, s->pad_x, weights, start, e, out); break;

/* A window that reaches outside the image. */
INLINED void put_edge(int64_t step, int64_t taps_y, int64_t taps_x, const Lines *s, const real *const *rows, int64_t x,
                      const real *weights, vec start, const Ending *e, real *out) {
    int64_t at = x * step - s->pad_x;
    Range taps = {max_int(0, -at), min_int(taps_x, s->width - at)};
    put_windows(1, step, taps_y, taps_x, taps, rows, x, s->pad_x, weights, start, e, out);
}

/* One line of windows, for LANES channels of a block: first the windows on the left edge, then those inside the image,
   then those on the right edge. */
INLINED void convolve_line(int64_t step, int64_t taps_y, int64_t taps_x, const Lines *s, const real *const *rows,
                           const real *weights, vec start, const Ending *e, real *out) {
    int64_t first = min_int((s->pad_x + step - 1) / step, s->out_width), inside = s->width + s->pad_x - taps_x;
    int64_t last = inside < 0 ? first : max_int(first, min_int(inside / step + 1, s->out_width));
    int64_t pieces = (last - first + SIDE - 1) / SIDE;
    Range all_taps = {0, taps_x};
    for (int64_t x = 0; x < first; x++) put_edge(step, taps_y, taps_x, s, rows, x, weights, start, e, out);
    for (int64_t p = 0, x = first; p < pieces; p++) {
        int64_t count = (last - first) / pieces + (p < (last - first) % pieces);
        switch (count) {
            SIDE_CASE(1) SIDE_CASE(2) SIDE_CASE(3) SIDE_CASE(4)
#if SIDE > 4
            SIDE_CASE(5) SIDE_CASE(6) SIDE_CASE(7)
#endif
            default: __builtin_unreachable();
        }
        x += count;
    }
    for (int64_t x = last; x < s->out_width; x++) put_edge(step, taps_y, taps_x, s, rows, x, weights, start, e, out);
}

enum { MOST_ROWS = 16 };        /* taps along y */

/* Writes lines `y` of a block's windows to `out`, the address of the first line. source: the image. zeros: a line of
   zeros. weights: [tap][BLOCK]. first: the block's first channel. three: as for `convolve_line_of_three`. */
INLINED void convolve_lines(int64_t step, int64_t taps_y, int64_t taps_x, int three, const Lines *s, Range y,
                            const real *source, const real *zeros, const real *weights, const Ending *e,
                            int64_t first, real *out) {
    for (; y.begin < y.end; y.begin++, out += s->out_width * BLOCK) {
        const real *rows[MOST_ROWS];
        for (int64_t r = 0; r < taps_y; r++) {
            int64_t at = y.begin * step - s->pad_y + r;
            rows[r] = at >= 0 && at < s->height ? source + at * s->width * BLOCK : zeros;
        }
        for (int64_t lane = 0; lane < BLOCK; lane += LANES) {
            vec start = bias_of(e, first + lane);
            if (three) convolve_line_of_three(step, taps_y, s, rows, weights + lane, start, e, out + lane);
            else convolve_line(step, taps_y, taps_x, s, rows, weights + lane, start, e, out + lane);
            for (int64_t r = 0; r < taps_y; r++) rows[r] += LANES;
        }
    }
}

/* The same for any number of taps and any step; most convolutions use one of the first four combinations. */
OFFERED void convolve_channels(const Lines *lines, Range y, const real *source, const real *zeros, const real *weights,
                               const Ending *ending, int64_t first, real *out) {
    const Lines here = *lines, *s = &here;          /* copies that no store to `out` can change, so they stay in
                                                       registers */
    const Ending end = *ending, *e = &end;
    int five = s->taps_y == 5 && s->taps_x == 5;
    int thin = s->taps_y == 3 && s->taps_x == 3 && s->pad_x <= 1 && reach_over(s->step, 3, s) <= 1;
    if (thin && s->step == 1) convolve_lines(1, 3, 3, 1, s, y, source, zeros, weights, e, first, out);
    else if (thin && s->step == 2) convolve_lines(2, 3, 3, 1, s, y, source, zeros, weights, e, first, out);
    else if (five && s->step == 1) convolve_lines(1, 5, 5, 0, s, y, source, zeros, weights, e, first, out);
    else if (five && s->step == 2) convolve_lines(2, 5, 5, 0, s, y, source, zeros, weights, e, first, out);
    else convolve_lines(s->step, s->taps_y, s->taps_x, 0, s, y, source, zeros, weights, e, first, out);
}

/* -- all channels -------------------------------------------------------------------------------------------------- */

/* Where a tile's rows read their windows: element k of row i is at memory[offsets[k] + i * apart]; without offsets it
   is at memory[k * TILE_ROWS + i], in a packed panel. */
typedef struct { const real *memory; int64_t apart; const int64_t *offsets; } Source;

/* A tile of the product: sum over k of a[offsets[k] + i * apart] times row k of b. */
INLINED void multiply_windows(int rows, int vectors, const real *a, int64_t apart, const int64_t *offsets,
                              const real *b, int64_t depth, vec sum[TILE_ROWS][TILE_VECTORS]) {
    vec c[TILE_ROWS][TILE_VECTORS];
#pragma GCC unroll 16
    for (int i = 0; i < rows; i++)
#pragma GCC unroll 4
        for (int j = 0; j < vectors; j++) c[i][j] = (vec){0};
#pragma GCC unroll 1
    for (int64_t k = 0; k < depth; k++, b += TILE_COLUMNS) {
        const real *at = a + offsets[k];
        vec row[TILE_VECTORS];
#pragma GCC unroll 4
        for (int j = 0; j < vectors; j++) row[j] = load(b + j * LANES);
#pragma GCC unroll 16
        for (int i = 0; i < rows; i++) {
            vec x = all(at[i * apart]);
#pragma GCC unroll 4
            for (int j = 0; j < vectors; j++) c[i][j] += x * row[j];
        }
    }
#pragma GCC unroll 16
    for (int i = 0; i < rows; i++)
#pragma GCC unroll 4
        for (int j = 0; j < vectors; j++) sum[i][j] = c[i][j];
}

#define WINDOWS_CASE(n)                                                                                  \
    case 2 * n - 1: multiply_windows(n, 1, a, apart, offsets, b, depth, sum); break;                     \
    case 2 * n: multiply_windows(n, 2, a, apart, offsets, b, depth, sum); break;
#define PACKED_CASE(n)                                                                                   \
    case 2 * n - 1: multiply_tile(n, 1, a, TILE_ROWS, b, TILE_COLUMNS, depth, sum); break;               \
    case 2 * n: multiply_tile(n, 2, a, TILE_ROWS, b, TILE_COLUMNS, depth, sum); break;

INLINED void sum_tile(int rows, int vectors, const real *a, int64_t apart, const int64_t *offsets, const real *b,
                      int64_t depth, vec sum[TILE_ROWS][TILE_VECTORS]) {
    switch (2 * rows - (vectors == 1)) {
        EACH_OF_TILE_ROWS(WINDOWS_CASE)
        default: __builtin_unreachable();
    }
}

INLINED void sum_packed_tile(int rows, int vectors, const real *a, const real *b, int64_t depth,
                             vec sum[TILE_ROWS][TILE_VECTORS]) {
    switch (2 * rows - (vectors == 1)) {
        EACH_OF_TILE_ROWS(PACKED_CASE)
        default: __builtin_unreachable();
    }
}

/* Vector j of each row of a tile. `e` is a copy in which the caller has set constants. */
INLINED void put_column(vec sum[TILE_ROWS][TILE_VECTORS], int j, int rows, vec bias, Ending e, real *out,
                        const real *other) {
    for (int i = 0; i < rows; i++) {
        vec x = sum[i][j] + bias;
        if (other) x += load(other + i * BLOCK);
        store(out + i * BLOCK, bounded(&e, x));
    }
}

/* Filters [first, first + vectors * LANES) for some windows: `out` is the first window's first block, and blocks are
   `plane` apart. `other`, if not NULL, points to the same position in another array, which is added. */
OFFERED void convolve_tile(int rows, int vectors, const Source *a, const real *b, int64_t depth,
                           int64_t first, const Ending *e, real *out, const real *other, int64_t plane) {
    vec sum[TILE_ROWS][TILE_VECTORS];
    if (!a->offsets) sum_packed_tile(rows, vectors, a->memory, b, depth, sum);
    else if (a->apart == BLOCK) sum_tile(rows, vectors, a->memory, BLOCK, a->offsets, b, depth, sum);
    else sum_tile(rows, vectors, a->memory, a->apart, a->offsets, b, depth, sum);
    Ending relu = {.relu = 1}, nothing = {.relu = 0};
    int is_usual = !other && !(e->cap > 0);
    for (int j = 0; j < vectors; j++) {
        int64_t f = first + j * LANES, at = f / BLOCK * plane + f % BLOCK;
        vec bias = bias_of(e, f);
        if (is_usual && e->relu) put_column(sum, j, rows, bias, relu, out + at, NULL);
        else if (is_usual) put_column(sum, j, rows, bias, nothing, out + at, NULL);
        else put_column(sum, j, rows, bias, *e, out + at, other ? other + at : NULL);
    }
}

/* Panels of filters. Groups of few filters have panels of one vector, so that a panel belongs to one group if it can;
   otherwise it belongs to several whole groups, and the filters have zeros for the channels of other groups. */
typedef struct { int64_t filters, channels, groups; } Shape;         /* channels: of a group */

INLINED int is_thin(const Shape *s) { return s->groups > 1 && s->filters / s->groups % TILE_COLUMNS != 0; }
INLINED int64_t panel_width(const Shape *s) { return is_thin(s) ? LANES : TILE_COLUMNS; }
INLINED int64_t filter_panels(const Shape *s) {
    int64_t width = panel_width(s);
    return (blocks_of(s->filters) * BLOCK + width - 1) / width;
}

/* The channels that a panel reads begin with this one, and there are as many as the second function says. */
INLINED int64_t first_channel(const Shape *s, int64_t panel) {
    return s->groups > 1 ? panel * panel_width(s) / (s->filters / s->groups) * s->channels : 0;
}
INLINED int64_t channels_of_panel(const Shape *s) {
    return s->groups > 1 ? max_int(panel_width(s) / (s->filters / s->groups), 1) * s->channels : s->channels;
}

/* Tiles of one vector have more rows, since a sum waits for the one before it. */
#if TILE_ROWS == 6
#define THIN_ROWS 12
#define EACH_OF_THIN_ROWS(CASE) EACH_OF_TILE_ROWS(CASE) CASE(7) CASE(8) CASE(9) CASE(10) CASE(11) CASE(12)
#else
#define THIN_ROWS TILE_ROWS
#define EACH_OF_THIN_ROWS(CASE) EACH_OF_TILE_ROWS(CASE)
#endif

INLINED void multiply_thin(int rows, const real *a, int64_t apart, const int64_t *offsets, const real *b, int64_t depth,
                           vec *sum) {
    vec c[THIN_ROWS];
#pragma GCC unroll 16
    for (int i = 0; i < rows; i++) c[i] = (vec){0};
#pragma GCC unroll 1
    for (int64_t k = 0; k < depth; k++) {
        const real *at = a + offsets[k];
        vec row = load(b + k * LANES);
#pragma GCC unroll 16
        for (int i = 0; i < rows; i++) c[i] += all(at[i * apart]) * row;
    }
#pragma GCC unroll 16
    for (int i = 0; i < rows; i++) sum[i] = c[i];
}

#define THIN_CASE(n) case n: multiply_thin(n, a, apart, offsets, b, depth, sum); break;

INLINED void sum_thin(int rows, const real *a, int64_t apart, const int64_t *offsets, const real *b, int64_t depth,
                      vec *sum) {
    switch (rows) {
        EACH_OF_THIN_ROWS(THIN_CASE)
        default: __builtin_unreachable();
    }
}

OFFERED void convolve_thin(Source a, int64_t windows, int64_t depth, const real *weights, int64_t first,
                           const Ending *e, real *out, const real *other, int64_t plane) {
    int64_t at = first / BLOCK * plane + first % BLOCK, tiles = (windows + THIN_ROWS - 1) / THIN_ROWS;
    vec bias = bias_of(e, first);
    for (int64_t t = 0; t < tiles; t++) {
        Range range = range_of(windows, t, tiles);
        int rows = (int)(range.end - range.begin);
        const real *from = a.memory + range.begin * a.apart;
        vec sum[THIN_ROWS];
        if (a.apart == BLOCK) sum_thin(rows, from, BLOCK, a.offsets, weights, depth, sum);
        else sum_thin(rows, from, a.apart, a.offsets, weights, depth, sum);
        for (int i = 0; i < rows; i++) {
            int64_t place = at + (range.begin + i) * BLOCK;
            vec x = sum[i] + bias;
            if (other) x += load(other + place);
            store(out + place, bounded(e, x));
        }
    }
}

/* One panel of filters times adjacent windows. weights: the panel's. */
OFFERED void convolve_windows(Source a, int64_t windows, int64_t depth, const real *weights, int64_t panel,
                              const Shape *s, const Ending *e, real *out, const real *other, int64_t plane) {
    int64_t first = panel * panel_width(s);
    if (is_thin(s)) {
        convolve_thin(a, windows, depth, weights, first, e, out, other, plane);
        return;
    }
    int vectors = (int)min_int(TILE_VECTORS, (blocks_of(s->filters) * BLOCK - first) / LANES);
    for (int64_t t = 0; t < row_panels(windows); t++) {
        Range range = row_panel(windows, t);
        Source tile = a;
        tile.memory += a.offsets ? range.begin * a.apart : t * TILE_ROWS * depth;
        convolve_tile((int)(range.end - range.begin), vectors, &tile, weights, depth, first, e,
                      out + range.begin * BLOCK, other ? other + range.begin * BLOCK : NULL, plane);
    }
}

/* Packs adjacent windows, one element apart, for tiles: panels of rows [k][TILE_ROWS]. Whole vectors are stored; the
   next row, or panel, then overwrites the excess, so LANES elements must follow the last panel. end: of the memory that
   may be read. */
OFFERED void pack_tiles(real *packed, Source a, int64_t windows, int64_t depth, const real *end) {
    for (int64_t t = 0; t < row_panels(windows); t++) {
        Range range = row_panel(windows, t);
        int64_t rows = range.end - range.begin;
        for (int64_t k = 0; k < depth; k++, packed += TILE_ROWS) {
            const real *from = a.memory + range.begin + a.offsets[k];
            if (end - from < (TILE_ROWS + LANES - 1) / LANES * LANES) memcpy(packed, from, rows * sizeof(real));
            else
                for (int64_t i = 0; i < TILE_ROWS; i += LANES) store(packed + i, load(from + i));
        }
    }
}

#endif
