/* Convolutions of images in blocks of channels (see convolution_blocks.h), for inference plans.

     to_blocks, from_blocks     from (batch, channels, height, width) and back
     pack_dense, pack_channels  filters for the next two
     convolve_blocks            each filter reads all channels of its group
     convolve_channel_blocks    each channel separately
     pool_blocks                the mean or the sum of whole images, back to (batch, channels) */

#include "convolution_blocks.h"

/* -- conversion ---------------------------------------------------------------------------------------------------- */

FIELDS(Layout, int64_t batch, channels, size;)         /* size: elements in one channel of an image */

static int to_blocks(const void *fields, void *const *io, int64_t part, int64_t parts) {
    const Layout *s = fields;
    int64_t blocks = blocks_of(s->channels);
    Range range = range_of(s->batch * blocks, part, parts);
    for (int64_t i = range.begin; i < range.end; i++) {
        int64_t first = i % blocks * BLOCK, count = min_int(BLOCK, s->channels - first);
        const real *from = (const real *)io[0] + (i / blocks * s->channels + first) * s->size;
        real *to = (real *)io[1] + i * s->size * BLOCK;
        if (count == BLOCK) pack_across(to, BLOCK, from, s->size, BLOCK, s->size);
        else
            for (int64_t x = 0; x < s->size; x++)
                for (int64_t c = 0; c < BLOCK; c++) to[x * BLOCK + c] = c < count ? from[c * s->size + x] : 0;
    }
    return DONE;
}

static int from_blocks(const void *fields, void *const *io, int64_t part, int64_t parts) {
    const Layout *s = fields;
    int64_t blocks = blocks_of(s->channels);
    Range range = range_of(s->batch * blocks, part, parts);
    for (int64_t i = range.begin; i < range.end; i++) {
        int64_t first = i % blocks * BLOCK, count = min_int(BLOCK, s->channels - first);
        const real *from = (const real *)io[0] + i * s->size * BLOCK;
        real *to = (real *)io[1] + (i / blocks * s->channels + first) * s->size;
        if (s->size >= BLOCK) pack_across(to, s->size, from, BLOCK, s->size, count);
        else                                        /* whole vectors would reach past the end of the array */
            for (int64_t c = 0; c < count; c++)
                for (int64_t x = 0; x < s->size; x++) to[c * s->size + x] = from[x * BLOCK + c];
    }
    return DONE;
}

/* -- filters ------------------------------------------------------------------------------------------------------- */

FIELDS(Filters, int64_t filters, channels, groups, taps; int64_t folded, packed;)       /* indices in io */

/* Packs panels of filters; the depth runs over taps, then the channels that the panel reads. Lanes without a filter,
   and channels of other groups, are 0. */
static int pack_dense(const void *fields, void *const *io, int64_t part, int64_t parts) {
    const Filters *s = fields;
    Shape shape = {s->filters, s->channels, s->groups};
    int64_t width = panel_width(&shape), channels = channels_of_panel(&shape), each = s->filters / s->groups;
    Range range = range_of(filter_panels(&shape), part, parts);
    for (int64_t p = range.begin; p < range.end; p++) {
        real *to = (real *)io[s->packed] + p * s->taps * channels * width;
        int64_t group = p * width / each;                       /* the first one that the panel reads */
        for (int64_t tap = 0; tap < s->taps; tap++)
            for (int64_t c = 0; c < channels; c++)
                for (int64_t i = 0; i < width; i++) {
                    int64_t f = p * width + i, own = s->groups == 1 || f / each - group == c / s->channels;
                    const real *filter = (const real *)io[s->folded] + f * s->channels * s->taps;
                    *to++ = f < s->filters && own ? filter[c % s->channels * s->taps + tap] : 0;
                }
    }
    return DONE;
}

/* Packs filters as [block][tap][BLOCK]. Here `filters` is the number of channels, and `channels` is 1. */
static int pack_channels(const void *fields, void *const *io, int64_t part, int64_t parts) {
    const Filters *s = fields;
    Range range = range_of(blocks_of(s->filters), part, parts);
    for (int64_t b = range.begin; b < range.end; b++)
        for (int64_t tap = 0; tap < s->taps; tap++)
            for (int64_t i = 0; i < BLOCK; i++) {
                int64_t c = b * BLOCK + i;
                ((real *)io[s->packed])[(b * s->taps + tap) * BLOCK + i] =
                    c < s->filters ? ((const real *)io[s->folded])[c * s->taps + tap] : 0;
            }
    return DONE;
}

/* -- each channel separately --------------------------------------------------------------------------------------- */

FIELDS(Channels,
    Lines lines;
    int64_t batch, channels;
    int64_t cuts, shares;                           /* number of pieces of an image's lines, and of its blocks */
    int64_t relu;
    double cap;                                     /* if above 0, min(·, cap) is applied at the end */
    int64_t source, packed, added_at, out;          /* indices in io; offset of the bias in `packed` */
)

/* Each part handles a piece of an image's lines and a share of its blocks. The work is divided in the same way as
   below, so that each thread reads data here that it has written there. */
static int convolve_channel_blocks(const void *fields, void *const *io, int64_t part, int64_t parts) {
    const Channels *s = fields;
    const Lines *l = &s->lines;
    (void)parts;
    int64_t share = part % s->shares, cut = part / s->shares % s->cuts, n = part / s->shares / s->cuts;
    int64_t blocks = blocks_of(s->channels), taps = l->taps_y * l->taps_x;
    real *zeros = thread_scratch(l->width * BLOCK * sizeof(real));
    if (!zeros) return NO_MEMORY;
    memset(zeros, 0, l->width * BLOCK * sizeof(real));
    const real *packed = io[s->packed];
    Ending e = {packed + s->added_at, s->channels, s->relu, (real)s->cap};
    Range lines = range_of(l->out_height, cut, s->cuts), some = range_of(blocks, share, s->shares);
    for (int64_t block = some.begin; block < some.end && lines.begin < lines.end; block++) {
        int64_t image = n * blocks + block, line = image * l->out_height + lines.begin;
        convolve_channels(l, lines, (const real *)io[s->source] + image * l->height * l->width * BLOCK, zeros,
                          packed + block * taps * BLOCK, &e, block * BLOCK,
                          (real *)io[s->out] + line * l->out_width * BLOCK);
    }
    return DONE;
}

/* -- all channels -------------------------------------------------------------------------------------------------- */

FIELDS(Dense,
    int64_t batch, channels, filters, groups;       /* channels: of a group */
    int64_t height, width, out_height, out_width;
    int64_t taps_y, taps_x, step_y, step_x, apart_y, apart_x, pad_y, pad_x;
    int64_t plain;                                  /* whether the source has the layout (batch, channels, height,
                                                       width) */
    int64_t cuts, shares;                           /* number of pieces of an image's windows, and of the filters */
    int64_t relu;
    double cap;                                     /* if above 0, min(·, cap) is applied at the end */
    int64_t source, packed, added_at, other, out;   /* indices in io; other -1: nothing to add */
)

enum { NEAR = 32768 };          /* number of source elements that stay in the cache while all filters use them; twice
                                   that many if they are read once, without margins and overlaps */

static int is_pointwise(const Dense *s) {
    return s->taps_y * s->taps_x == 1 && s->step_y == 1 && s->step_x == 1 && !s->pad_y && !s->pad_x;
}

/* The lines of the source that the windows read, each including its margins. */
typedef struct { const real *memory; int64_t channel, line; } Seen;

static int64_t rows_for(const Dense *s, int64_t lines) {
    return (lines - 1) * s->step_y + (s->taps_y - 1) * s->apart_y + 1;
}

static int64_t seen_width(const Dense *s) { return (s->out_width - 1) * s->step_x + (s->taps_x - 1) * s->apart_x + 1; }

static int sees_margins(const Dense *s) {
    return s->pad_y || s->pad_x || rows_for(s, s->out_height) > s->height || seen_width(s) > s->width;
}

/* The input of the windows in lines y; it is a copy if these windows reach into the margins. images: how many channels,
   or blocks of them, there are from `image` on. unit: elements per pixel. */
static Seen see(const Dense *s, Range y, const real *image, int64_t images, int64_t unit, real *room) {
    int64_t first = y.begin * s->step_y - s->pad_y, size = s->height * s->width * unit, line = s->width * unit;
    if (!sees_margins(s)) return (Seen){image + first * line, size, line};
    int64_t rows = rows_for(s, y.end - y.begin), wide = seen_width(s), left = min_int(s->pad_x, wide);
    int64_t copied = min_int(s->width, wide - left);
    real *to = room;
    for (int64_t c = 0; c < images; c++)
        for (int64_t r = first; r < first + rows; r++, to += wide * unit) {
            if (r < 0 || r >= s->height) {
                memset(to, 0, wide * unit * sizeof(real));
                continue;
            }
            int64_t end = left + copied;
            memset(to, 0, left * unit * sizeof(real));
            memcpy(to + left * unit, image + c * size + r * line, copied * unit * sizeof(real));
            memset(to + end * unit, 0, (wide - end) * unit * sizeof(real));
        }
    return (Seen){room, rows * wide * unit, wide * unit};
}

/* The offset of element k of a window's depth from the window's first pixel, in the order of pack_dense. */
static void find_offsets(int64_t *offsets, const Dense *s, const Seen *seen, int64_t channels, int64_t unit) {
    for (int64_t j = 0; j < s->taps_y; j++)
        for (int64_t i = 0; i < s->taps_x; i++) {
            int64_t at = j * s->apart_y * seen->line + i * s->apart_x * unit;
            for (int64_t c = 0; c < channels; c += unit, at += seen->channel)
                for (int64_t lane = 0; lane < min_int(unit, channels - c); lane++) *offsets++ = at + lane;
        }
}

/* Whether windows are copied for the product. In a plain image the elements of a window are far from each other, in
   lines of the cache that hold nothing else of a tile; a copy pays if several panels of filters read it. */
static int packs_windows(const Dense *s, int64_t depth, int64_t panels) {
    return s->plain && s->groups == 1 && s->step_x == 1 && depth >= 64 && panels >= 3;
}

/* Each part handles a piece of an image's windows and a share of the filters. */
static int convolve_blocks(const void *fields, void *const *io, int64_t part, int64_t parts) {
    const Dense *s = fields;
    (void)parts;
    int64_t share = part % s->shares, cut = part / s->shares % s->cuts, n = part / s->shares / s->cuts;
    Shape shape = {s->filters, s->channels, s->groups};
    int64_t unit = s->plain ? 1 : BLOCK, channels = channels_of_panel(&shape), width = panel_width(&shape);
    int64_t depth = channels * s->taps_y * s->taps_x, all = s->channels * s->groups, size = s->height * s->width * unit;
    int64_t plane = s->out_height * s->out_width, pointwise = is_pointwise(s);
    Range lines = range_of(pointwise ? plane : s->out_height, cut, s->cuts);
    Range panels = range_of(filter_panels(&shape), share, s->shares);
    if (lines.begin == lines.end || panels.begin == panels.end) return DONE;
    /* the channels, or blocks of them, that these panels read */
    Range seen_at = {first_channel(&shape, panels.begin) / unit,
                     (first_channel(&shape, panels.end - 1) + channels + unit - 1) / unit};
    int64_t images = seen_at.end - seen_at.begin, some = lines.end - lines.begin;
    if (pointwise) some = min_int(some, max_int(2 * NEAR / depth / TILE_ROWS, 2) * TILE_ROWS);
    else some = min_int(some, max_int(NEAR / max_int(images * unit * seen_width(s) * s->step_y, 1), 1));
    int packs = packs_windows(s, depth, panels.end - panels.begin);
    int64_t tiles = pointwise ? row_panels(some) : some * row_panels(s->out_width);
    size_t table = (depth * sizeof(int64_t) + 63) / 64 * 64;
    size_t copies = packs ? (tiles * TILE_ROWS * depth + LANES) * sizeof(real) : 0;
    size_t room = pointwise || !sees_margins(s) ? 0 : images * unit * rows_for(s, some) * seen_width(s) * sizeof(real);
    char *memory = thread_scratch(table + (copies + 63) / 64 * 64 + room);
    if (!memory) return NO_MEMORY;
    int64_t *offsets = (int64_t *)memory;
    real *tile = (real *)(memory + table), *margins = (real *)(memory + table + (copies + 63) / 64 * 64);
    const real *packed = io[s->packed], *image = (const real *)io[s->source];
    image += (n * (s->plain ? all : blocks_of(all)) + seen_at.begin) * size;
    Ending e = {packed + s->added_at, s->filters, s->relu, (real)s->cap};
    int64_t result = n * blocks_of(s->filters) * plane * BLOCK;
    real *out = (real *)io[s->out] + result;
    const real *other = s->other < 0 ? NULL : (const real *)io[s->other] + result;
    for (Range y = {lines.begin, 0}; y.begin < lines.end; y.begin = y.end) {
        y.end = min_int(lines.end, y.begin + some);
        Seen seen = {image + y.begin * unit, size, s->width * unit};
        if (!pointwise) seen = see(s, y, image, images, unit, margins);
        const real *end = seen.memory == margins ? margins + room / sizeof(real) : image + images * size;
        find_offsets(offsets, s, &seen, channels, unit);
        int64_t wide = pointwise ? y.end - y.begin : s->out_width, count = pointwise ? 1 : y.end - y.begin;
        int64_t line_of_tiles = row_panels(wide) * TILE_ROWS * depth;
        for (int64_t i = 0; i < count && packs; i++)
            pack_tiles(tile + i * line_of_tiles, (Source){seen.memory + i * s->step_y * seen.line, 1, offsets}, wide,
                       depth, end);
        for (int64_t p = panels.begin; p < panels.end; p++) {
            int64_t channel = first_channel(&shape, p);
            const real *from = seen.memory + (channel / unit - seen_at.begin) * seen.channel + channel % unit;
            for (int64_t i = 0; i < count; i++) {
                int64_t at = (pointwise ? y.begin : (y.begin + i) * wide) * BLOCK;
                Source a = {from + i * s->step_y * seen.line, s->step_x * unit, offsets};
                if (packs) a = (Source){tile + i * line_of_tiles, 1, NULL};
                convolve_windows(a, wide, depth, packed + p * width * depth, p, &shape, &e, out + at,
                                 other ? other + at : NULL, plane * BLOCK);
            }
        }
    }
    return DONE;
}

/* -- pooling ------------------------------------------------------------------------------------------------------- */

FIELDS(Whole, int64_t batch, channels, size, mean;)

static int pool_blocks(const void *fields, void *const *io, int64_t part, int64_t parts) {
    const Whole *s = fields;
    int64_t blocks = blocks_of(s->channels);
    Range range = range_of(s->batch * blocks, part, parts);
    for (int64_t i = range.begin; i < range.end; i++) {
        const real *from = (const real *)io[0] + i * s->size * BLOCK;
        int64_t first = i % blocks * BLOCK;
        for (int64_t lane = 0; lane < BLOCK; lane += LANES) {
            vec sums[4] = {{0}, {0}, {0}, {0}};
            for (int64_t x = 0; x < s->size; x++) sums[x % 4] += load(from + x * BLOCK + lane);
            vec sum = (sums[0] + sums[1]) + (sums[2] + sums[3]);
            if (s->mean) sum /= all((real)s->size);
            int64_t count = min_int(LANES, s->channels - first - lane);
            if (count > 0) store_some((real *)io[1] + i / blocks * s->channels + first + lane, sum, count);
        }
    }
    return DONE;
}

KERNELS(KERNEL(to_blocks, Layout), KERNEL(from_blocks, Layout), KERNEL(pack_dense, Filters),
        KERNEL(pack_channels, Filters), KERNEL(convolve_channel_blocks, Channels), KERNEL(convolve_blocks, Dense),
        KERNEL(pool_blocks, Whole))
