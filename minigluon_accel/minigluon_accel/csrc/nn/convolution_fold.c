/* The data gradient of a convolution with few windows or few channels: a matrix product whose result is folded back.

     columns (window, channel and tap) = gradientᵀ (window, filter) · weight (filter, channel and tap)

   Each row of `columns` holds a window's contributions to the elements that the window has read, and is added to them.
   The sum in convolution.c instead tests for each element and each tap whether there is a window; with a kernel as
   large as the image, there is almost never one.

   Only one strip of the columns is stored at a time. It is added to a scene, which consists of the images of a part and
   the margins that their windows reach; at the end, the images are copied from the scene. */

#include "../gemm.h"
#include "convolution_windows.h"

FIELDS(Fold,
    Windows windows;                                    /* the windows of the convolution whose gradient this is */
    int64_t batch, groups, filters, channels;           /* of one group */
    int64_t images, share;                              /* images and channels in a part */
    int64_t grad, weight, bias, out;                    /* indices in io; bias -1: no bias */
)

enum { TOGETHER = 4 };          /* panels of columns in a strip */
#define STRIP (TOGETHER * TILE_COLUMNS)

static int64_t taps_of(const Fold *s) { return s->windows.z.taps * s->windows.y.taps * s->windows.x.taps; }
static int64_t windows_of(const Fold *s) { return s->windows.z.out * s->windows.y.out * s->windows.x.out; }

/* The elements that the windows of a part read: per row, per plane, per channel, per image. */
typedef struct { int64_t row, plane, channel, image; } Sizes;

/* The extent of the elements that the windows along an axis read. */
static int64_t reach(Axis a) { return (a.out - 1) * a.step + (a.taps - 1) * a.apart + 1; }

static Sizes sizes_of(const Fold *s, int64_t channels) {
    Windows w = s->windows;
    int64_t row = reach(w.x), plane = reach(w.y) * row, channel = reach(w.z) * plane;
    return (Sizes){row, plane, channel, channels * channel};
}

/* The taps in a row of the kernel are adjacent in a strip of the columns, and `apart` elements apart in the scene. */
typedef struct { int64_t lane, length, to; } Run;

static int64_t find_runs(Run *runs, const Fold *s, Sizes scene, int64_t column, int64_t columns) {
    Windows w = s->windows;
    int64_t count = 0, x = column % w.x.taps, lines = column / w.x.taps, y = lines % w.y.taps;
    int64_t z = lines / w.y.taps % w.z.taps, channel = lines / w.y.taps / w.z.taps;
    for (int64_t lane = 0; lane < columns;) {
        int64_t length = min_int(w.x.taps - x, columns - lane);
        runs[count++] = (Run){lane, length, channel * scene.channel + z * w.z.apart * scene.plane
                                            + y * w.y.apart * scene.row + x * w.x.apart};
        lane += length, x = 0;
        if (++y == w.y.taps) y = 0, z++;
        if (z == w.z.taps) z = 0, channel++;
    }
    return count;
}

/* Packs panels of rows, one row for each window of the images; element k of a row is the gradient at filter k. */
static void pack_grad(const Fold *s, real *packed, const real *grad, int64_t images) {
    int64_t windows = windows_of(s), rows = images * windows, apart = s->groups * s->filters * windows;
    for (int64_t p = 0; p < row_panels(rows); p++, packed += TILE_ROWS * s->filters) {
        Range range = row_panel(rows, p);
        for (int64_t row = range.begin; row < range.end; row++) {
            const real *from = grad + row / windows * apart + row % windows;
            for (int64_t k = 0; k < s->filters; k++) packed[k * TILE_ROWS + row - range.begin] = from[k * windows];
        }
    }
}

/* Computes a strip of the columns for all rows. The packed piece of the weight is multiplied by all panels of rows. */
static void multiply(const Fold *s, const real *a, const real *weight, real *packed, int64_t rows, int64_t columns,
                     real *strip) {
    Target target = {.out = strip, .stride = STRIP};
    for (int64_t k = 0; k < s->filters; k += DEPTH) {
        int64_t depth = min_int(s->filters - k, DEPTH), stride = s->channels * taps_of(s);
        pack_columns(packed, weight + k * stride, stride, 1, depth, columns);
        target.accumulate = k > 0;
        for (int64_t p = 0; p < row_panels(rows); p++) {
            Range range = row_panel(rows, p);
            for (int64_t column = 0; column < columns; column += TILE_COLUMNS)
                tile(a + (p * s->filters + k) * TILE_ROWS, TILE_ROWS, packed + column * depth, TILE_COLUMNS, depth,
                     range.begin, column, range.end - range.begin, min_int(columns - column, TILE_COLUMNS), &target);
        }
    }
}

static void add_run(real *to, const real *from, int64_t length, int64_t apart) {
    int64_t i = 0;
    if (apart == 1)
        for (; i + LANES <= length; i += LANES) store(to + i, load(to + i) + load(from + i));
    for (; i < length; i++) to[i * apart] += from[i];
}

/* Adds each row of a strip at the position of its window. */
static void fold(const Fold *s, const real *strip, const Run *runs, int64_t count, Sizes sizes, int64_t images,
                 real *scene) {
    Windows w = s->windows;
    for (int64_t n = 0; n < images; n++)
        for (int64_t z = 0; z < w.z.out; z++)
            for (int64_t y = 0; y < w.y.out; y++)
                for (int64_t x = 0; x < w.x.out; x++, strip += STRIP) {
                    real *to = scene + n * sizes.image + z * w.z.step * sizes.plane + y * w.y.step * sizes.row
                             + x * w.x.step;
                    for (const Run *run = runs; run < runs + count; run++)
                        add_run(to + run->to, strip + run->lane, run->length, w.x.apart);
                }
}

/* Copies a plane of the scene (z, y, x) to a channel of the data; elements that no window reaches receive only the
   bias. */
static void place(const Fold *s, const real *scene, Sizes sizes, real *out, real bias) {
    Windows w = s->windows;
    int64_t deep = sizes.channel / sizes.plane, high = sizes.plane / sizes.row;
    int64_t begin = min_int(max_int(w.x.first, 0), w.x.in);
    int64_t end = max_int(begin, min_int(w.x.first + sizes.row, w.x.in));
    for (int64_t z = 0; z < w.z.in; z++)
        for (int64_t y = 0; y < w.y.in; y++, out += w.x.in) {
            int64_t at_z = z - w.z.first, at_y = y - w.y.first;
            int reached = at_z >= 0 && at_z < deep && at_y >= 0 && at_y < high;
            const real *from = scene + at_z * sizes.plane + at_y * sizes.row - w.x.first;
            for (int64_t x = 0; x < w.x.in; x++) out[x] = bias;
            if (reached) for (int64_t x = begin; x < end; x++) out[x] += from[x];
        }
}

/* Each part handles one group, a share of its channels, and some images. */
static int fold_windows(const void *fields, void *const *io, int64_t part, int64_t parts) {
    const Fold *s = fields;
    int64_t blocks = (s->batch + s->images - 1) / s->images, shares = (s->channels + s->share - 1) / s->share;
    int64_t block = part % blocks, share = part / blocks % shares, group = part / blocks / shares;
    (void)parts;
    int64_t n = block * s->images, images = min_int(s->batch - n, s->images), rows = images * windows_of(s);
    int64_t channel = share * s->share, channels = min_int(s->channels - channel, s->share), taps = taps_of(s);
    Sizes sizes = sizes_of(s, channels);
    int64_t of_grad = packed_rows(rows, s->filters), of_weight = packed_columns(DEPTH, STRIP), of_strip = rows * STRIP;
    int64_t numbers = of_grad + of_weight + of_strip + images * sizes.image;
    real *a = thread_scratch((numbers + LANES) / LANES * LANES * sizeof(real) + STRIP * sizeof(Run));
    if (!a) return NO_MEMORY;
    real *packed = a + of_grad, *strip = packed + of_weight, *scene = strip + of_strip;
    Run *runs = (Run *)(a + (numbers + LANES) / LANES * LANES);

    pack_grad(s, a, (const real *)io[s->grad] + (n * s->groups + group) * s->filters * windows_of(s), images);
    memset(scene, 0, images * sizes.image * sizeof(real));
    const real *weight = (const real *)io[s->weight] + (group * s->filters * s->channels + channel) * taps;
    for (int64_t column = 0; column < channels * taps; column += STRIP) {
        int64_t columns = min_int(channels * taps - column, STRIP);
        multiply(s, a, weight + column, packed, rows, columns, strip);
        fold(s, strip, runs, find_runs(runs, s, sizes, column, columns), sizes, images, scene);
    }
    int64_t size = s->windows.z.in * s->windows.y.in * s->windows.x.in, all = s->groups * s->channels;
    for (int64_t i = 0; i < images * channels; i++) {
        int64_t number = group * s->channels + channel + i % channels;
        real *out = (real *)io[s->out] + ((n + i / channels) * all + number) * size;
        place(s, scene + i * sizes.channel, sizes, out, s->bias < 0 ? 0 : ((const real *)io[s->bias])[number]);
    }
    return DONE;
}

KERNELS(KERNEL(fold_windows, Fold))
