/* Convolutions in groups of one channel and one filter, and their gradients: each channel is convolved separately.
A matrix product would be wasteful: each filter reads only one channel, so most of the rows would be padding. Instead,
the lanes of a vector are adjacent windows, and a result is the sum over taps of a weight times a source vector, which
may begin at any address. convolution_windows.h creates a copy in which the elements of adjacent windows are adjacent.

   A piece is a vector of windows in one line. Several pieces share each load of the weights.

   If there are as many windows as elements, small images (except the first and the last) are read in place; see
   convolution_dense_windows.h. */

#include "../gemm.h"
#include "convolution_dense_windows.h"

typedef struct { int64_t first, step, size; } Place;           /* output o is at position first + o * step of `size` */
typedef struct { int64_t first, step, size; } KernelAxis;      /* tap t is at position first + t * step of `size` */

FIELDS(Depthwise,
    Windows windows;
    Place z_at, y_at, x_at;
    KernelAxis z_kernel, y_kernel, x_kernel;
    int64_t batch, channels;
    int64_t relu, finite;                                       /* finite: refuse non-finite weights */
    int64_t source, other, bias, out;                           /* indices in io; other: weight or gradient; bias -1: no
                                                                   bias */
    int64_t bias_at;                                            /* offset of the bias in its array */
    double cap;                                                 /* if above 0, min(·, cap) is applied at the end */
)

enum { TOGETHER = 8 };          /* number of pieces, or taps, with separate sums: as many as fit in registers */

static int64_t taps_of(const Depthwise *s) { return s->windows.z.taps * s->windows.y.taps * s->windows.x.taps; }
static int64_t size_of(const Depthwise *s) { return s->windows.z.in * s->windows.y.in * s->windows.x.in; }
static int64_t kernel_of(const Depthwise *s) { return s->z_kernel.size * s->y_kernel.size * s->x_kernel.size; }

/* Whether there are as many windows as elements, and the results are also contiguous. */
static int is_flat_plain(const Depthwise *s) {
    Place places[] = {s->z_at, s->y_at, s->x_at};
    int64_t sizes[] = {s->windows.z.out, s->windows.y.out, s->windows.x.out};
    for (int i = 0; i < 3; i++)
        if (places[i].first != 0 || places[i].step != 1 || places[i].size != sizes[i]) return 0;
    return is_flat(s->windows);
}

/* -- pieces -------------------------------------------------------------------------------------------------------- */

/* from: offset in the scene. number: index of the first window. to: offset of the output. */
typedef struct { int64_t from, number, to, count; } Piece;

static int64_t count_pieces(Windows w) { return w.z.out * w.y.out * ((w.x.out + LANES - 1) / LANES); }

static void find_pieces(Piece *pieces, const Depthwise *s, const Scene *scene) {
    Windows w = s->windows;
    for (int64_t z = 0; z < w.z.out; z++)
        for (int64_t y = 0; y < w.y.out; y++) {
            int64_t line = (s->z_at.first + z * s->z_at.step) * s->y_at.size + s->y_at.first + y * s->y_at.step;
            for (int64_t x = 0; x < w.x.out; x += LANES)
                *pieces++ = (Piece){z * scene->z_step * scene->plane + y * scene->y_step * scene->row + x,
                                    (z * w.y.out + y) * w.x.out + x,
                                    line * s->x_at.size + s->x_at.first + x * s->x_at.step, min_int(w.x.out - x, LANES)};
        }
}

/* Memory for a part: tables, and space for the copy of a channel. */
typedef struct {
    Piece *pieces;
    int64_t *offsets;
    real *weights, *sums, *room;
    Flat flat;
} Memory;

static int carve(Memory *m, const Depthwise *s) {
    int64_t pieces = count_pieces(s->windows), taps = taps_of(s);
    size_t tables = (pieces * sizeof(Piece) + taps * sizeof(int64_t) + 63) / 64 * 64;
    int64_t weights = (taps + LANES - 1) / LANES * LANES, sums = (taps + TOGETHER) * LANES;
    int64_t room = taps ? scene_size(s->windows, 1, 1, (Range){0, s->windows.z.out}) : 0;
    size_t flat = is_flat_plain(s) ? flat_bytes(s->windows) : 0;
    char *memory = thread_scratch(flat + tables + (weights + sums + room) * sizeof(real));
    if (!memory) return NO_MEMORY;
    m->flat.chunks = 0;
    if (flat) m->flat = make_flat(memory, s->windows);
    memory += flat;
    m->pieces = (Piece *)memory, m->offsets = (int64_t *)(m->pieces + pieces);
    m->weights = (real *)(memory + tables), m->sums = m->weights + weights, m->room = m->sums + sums;
    return DONE;
}

/* The scene of a channel. For the first channel, which has no memory yet, also computes the tables, which all channels
   share. */
static void look(Scene *scene, const Depthwise *s, void *const *io, int64_t plane, const Memory *m) {
    const real *source = io[s->source];
    int64_t size = size_of(s), first = scene->memory == NULL;
    if (taps_of(s))
        *scene = make_scene(m->room, source + plane * size, source + s->batch * s->channels * size, s->windows, 1, 0, 1,
                            (Range){0, s->windows.z.out});
    if (!first) return;
    tap_offsets(m->offsets, s->windows, scene, 1);
    find_pieces(m->pieces, s, scene);
}

/* An image that can be read in place, or NULL. */
static const real *flat_image(const Depthwise *s, void *const *io, int64_t plane, const Memory *m) {
    const real *source = io[s->source], *image = source + plane * size_of(s);
    int fits = m->flat.chunks && lies_within(&m->flat, image, source, source + s->batch * s->channels * size_of(s));
    return fits ? image : NULL;
}

/* A whole vector, or only `count` elements if nothing after them may be read. */
INLINED vec load_piece(const real *from, int64_t count, const real *end) {
    return end - from >= LANES ? load(from) : load_some(from, count, 0);
}

/* -- the convolution, and the gradient of its data ----------------------------------------------------------------- */

/* Computes some pieces of the results. The number of pieces is a constant when inlined, so the sums stay in
   registers. */
INLINED void sum_taps(int pieces, const Piece *piece, const Scene *scene, const Memory *m, int64_t taps, int safe,
                      vec start, vec sums[TOGETHER]) {
    vec c[TOGETHER];
#pragma GCC unroll 8
    for (int p = 0; p < pieces; p++) c[p] = start;
    for (int64_t t = 0; t < taps; t++) {
        const real *at = scene->memory + m->offsets[t];
        vec weight = all(m->weights[t]);
#pragma GCC unroll 8
        for (int p = 0; p < pieces; p++)
            c[p] += weight * (safe ? load(at + piece[p].from) : load_piece(at + piece[p].from, piece[p].count, scene->end));
    }
#pragma GCC unroll 8
    for (int p = 0; p < pieces; p++) sums[p] = c[p];
}

#define SUM_CASE(n) case n: sum_taps(n, piece, scene, m, taps, safe, start, sums); break;
#define SUM_CASES switch (some) {                                                                                \
    SUM_CASE(1) SUM_CASE(2) SUM_CASE(3) SUM_CASE(4) SUM_CASE(5) SUM_CASE(6) SUM_CASE(7) SUM_CASE(8)              \
    default: __builtin_unreachable(); }

/* Stores a piece of the results. */
static void put(const Depthwise *s, real *plane, const Piece *piece, vec value) {
    if (s->relu) value = at_least(value, (vec){0});
    if (s->cap > 0) value = at_most(value, all((real)s->cap));
    real *to = plane + piece->to;
    if (s->x_at.step == 1) store_some(to, value, piece->count);
    else for (int64_t i = 0; i < piece->count; i++) to[i * s->x_at.step] = value[i];
}

INLINED void add_pieces(const Depthwise *s, const Scene *scene, const Memory *m, vec start, real *out, int64_t taps) {
    int64_t count = count_pieces(s->windows), reach = 0;
    for (int64_t t = 0; t < taps; t++) reach = max_int(reach, m->offsets[t]);
    for (int64_t p = 0; p < count; p += TOGETHER) {
        const Piece *piece = m->pieces + p;
        int64_t some = min_int(count - p, TOGETHER);
        vec sums[TOGETHER];
        int safe = !taps || scene->memory + piece[some - 1].from + reach + LANES <= scene->end;
        if (safe) SUM_CASES
        else SUM_CASES
        for (int64_t i = 0; i < some; i++) put(s, out, piece + i, sums[i]);
    }
}

/* The same for an image that is read in place: a constant number of vectors, from chunk `first` on. */
INLINED void sum_flat(int chunks, const Flat *f, const real *image, const real *weights, int64_t taps, int64_t first,
                      vec start, vec sums[TOGETHER]) {
    vec c[TOGETHER];
#pragma GCC unroll 8
    for (int p = 0; p < chunks; p++) c[p] = start;
    for (int64_t t = 0; t < taps; t++) {
        const real *at = image + f->offsets[t] + first * LANES;
        const Where *lanes = f->lanes + t * f->chunks + first;
        vec weight = all(weights[t]);
#pragma GCC unroll 8
        for (int p = 0; p < chunks; p++) c[p] += weight * load_where(at + p * LANES, lanes[p]);
    }
#pragma GCC unroll 8
    for (int p = 0; p < chunks; p++) sums[p] = c[p];
}

#define FLAT_CASE(n) case n: sum_flat(n, f, image, m->weights, taps, first, start, sums); break;

INLINED void add_flat(const Depthwise *s, const real *image, const Memory *m, vec start, real *out, int64_t taps) {
    const Flat *f = &m->flat;
    for (int64_t first = 0; first < f->chunks; first += TOGETHER) {
        int64_t some = min_int(f->chunks - first, TOGETHER);
        vec sums[TOGETHER];
        switch (some) {
            FLAT_CASE(1) FLAT_CASE(2) FLAT_CASE(3) FLAT_CASE(4) FLAT_CASE(5) FLAT_CASE(6) FLAT_CASE(7) FLAT_CASE(8)
            default: __builtin_unreachable();
        }
        for (int64_t i = 0; i < some; i++) {
            int64_t at = (first + i) * LANES;
            put(s, out, &(Piece){.to = at, .count = min_int(f->size - at, LANES)}, sums[i]);
        }
    }
}

/* The taps of a channel's filter, in the order of the windows' taps. Returns DONE, or REFUSED if there is an infinity
   or NaN. In the gradient of the data, these values would be multiplied by the zeros around the gradient, which
   produces NaN; the reference has no windows there. */
static int take_weights(const Depthwise *s, const real *filter, real *weights) {
    real check = 0;
    for (int64_t i = 0; i < s->windows.z.taps; i++)
        for (int64_t j = 0; j < s->windows.y.taps; j++)
            for (int64_t l = 0; l < s->windows.x.taps; l++) {
                int64_t z = s->z_kernel.first + i * s->z_kernel.step, y = s->y_kernel.first + j * s->y_kernel.step;
                real weight = filter[(z * s->y_kernel.size + y) * s->x_kernel.size + s->x_kernel.first
                                     + l * s->x_kernel.step];
                check += weight * 0;
                *weights++ = weight;
            }
    return s->finite && check != 0 ? REFUSED : DONE;
}

/* Each part handles a range of the channels of all images. */
static int depthwise(const void *fields, void *const *io, int64_t part, int64_t parts) {
    const Depthwise *s = fields;
    int64_t taps = taps_of(s), out_size = s->z_at.size * s->y_at.size * s->x_at.size;
    Memory m;
    Scene scene = {0};
    if (carve(&m, s) != DONE) return NO_MEMORY;
    Range range = range_of(s->batch * s->channels, part, parts);
    for (int64_t plane = range.begin; plane < range.end; plane++) {
        int64_t channel = plane % s->channels;
        if (take_weights(s, (const real *)io[s->other] + channel * kernel_of(s), m.weights) != DONE) return REFUSED;
        vec start = all(s->bias < 0 ? 0 : ((const real *)io[s->bias])[s->bias_at + channel]);
        real *out = (real *)io[s->out] + plane * out_size;
        const real *image = flat_image(s, io, plane, &m);
        if (image && taps == 9) add_flat(s, image, &m, start, out, 9);
        else if (image) add_flat(s, image, &m, start, out, taps);
        if (image) continue;
        look(&scene, s, io, plane, &m);
        if (taps == 9) add_pieces(s, &scene, &m, start, out, 9);
        else add_pieces(s, &scene, &m, start, out, taps);
    }
    return DONE;
}

/* -- the gradient of the weight ------------------------------------------------------------------------------------ */

/* Adds the gradients at the windows, multiplied by the elements at some taps, to the sums for these taps. */
INLINED void add_taps(int64_t taps, const Depthwise *s, const Scene *scene, const Memory *m, const int64_t *offsets,
                      const real *grad, real *sums) {
    vec sum[TOGETHER] = {{0}};
#pragma GCC unroll 8
    for (int64_t t = 0; t < taps; t++) sum[t] = load(sums + t * LANES);
    int64_t count = count_pieces(s->windows);
    for (const Piece *piece = m->pieces; piece < m->pieces + count; piece++) {
        const real *at = scene->memory + piece->from;
        if (piece->count == LANES) {
            vec g = load(grad + piece->number);
#pragma GCC unroll 8
            for (int64_t t = 0; t < taps; t++) sum[t] += g * load(at + offsets[t]);
        } else {
            vec g = load_some(grad + piece->number, piece->count, 0);
#pragma GCC unroll 8
            for (int64_t t = 0; t < taps; t++) sum[t] += g * load_some(at + offsets[t], piece->count, 0);
        }
    }
#pragma GCC unroll 8
    for (int64_t t = 0; t < taps; t++) store(sums + t * LANES, sum[t]);
}

/* The same for an image that is read in place, and for all taps, at most MOST_SUMS. */
enum { MOST_SUMS = 9 };

INLINED void add_taps_flat(int64_t taps, const Flat *f, const real *image, const real *grad, real *sums) {
    vec sum[MOST_SUMS] = {{0}};
#pragma GCC unroll 9
    for (int64_t t = 0; t < taps; t++) sum[t] = load(sums + t * LANES);
    for (int64_t chunk = 0; chunk < f->chunks; chunk++) {
        int64_t at = chunk * LANES, left = f->size - at;
        vec g = left >= LANES ? load(grad + at) : load_some(grad + at, left, 0);
#pragma GCC unroll 9
        for (int64_t t = 0; t < taps; t++)
            sum[t] += g * load_where(image + at + f->offsets[t], f->lanes[t * f->chunks + chunk]);
    }
#pragma GCC unroll 9
    for (int64_t t = 0; t < taps; t++) store(sums + t * LANES, sum[t]);
}

/* Each part handles a range of the channels of all images. */
static int depthwise_weight_grad(const void *fields, void *const *io, int64_t part, int64_t parts) {
    const Depthwise *s = fields;
    Windows w = s->windows;
    int64_t taps = taps_of(s), windows = w.z.out * w.y.out * w.x.out;
    Memory m;
    Scene scene = {0};
    if (carve(&m, s) != DONE) return NO_MEMORY;
    Range range = range_of(s->channels, part, parts);
    for (int64_t channel = range.begin; channel < range.end; channel++) {
        memset(m.sums, 0, taps * LANES * sizeof(real));
        for (int64_t n = 0; n < s->batch; n++) {
            int64_t plane = n * s->channels + channel, t = 0;
            const real *grad = (const real *)io[s->other] + plane * windows;
            const real *image = taps <= MOST_SUMS ? flat_image(s, io, plane, &m) : NULL;
            if (image && taps == 9) add_taps_flat(9, &m.flat, image, grad, m.sums);
            else if (image) add_taps_flat(taps, &m.flat, image, grad, m.sums);
            if (image) continue;
            look(&scene, s, io, plane, &m);
            for (; t + TOGETHER <= taps; t += TOGETHER)
                add_taps(TOGETHER, s, &scene, &m, m.offsets + t, grad, m.sums + t * LANES);
            if (t < taps) add_taps(taps - t, s, &scene, &m, m.offsets + t, grad, m.sums + t * LANES);
        }
        for (int64_t t = 0; t < taps; t++) ((real *)io[s->out])[channel * taps + t] = sum_lanes(load(m.sums + t * LANES));
    }
    return DONE;
}

KERNELS(KERNEL(depthwise, Depthwise), KERNEL(depthwise_weight_grad, Depthwise))
