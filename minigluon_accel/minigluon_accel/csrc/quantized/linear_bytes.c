/* Elementwise operators on integers, as steps; the range of an array; images with channels first or last. */

#include "../integer_steps.h"

/* lines x length numbers. channels: 0 if the channel is the position in a line, else line l has channel l % channels.
   by_channel: whether an operator has constants of each channel. */
FIELDS(Elementwise,
    int64_t lines, length, channels, by_channel;
    int64_t type, source, low, high;            /* of the source; places of its range, -1: real numbers */
    int64_t out_type, out, out_low, out_high;
    int64_t out_first, out_line;                /* the first result in `out`, and from there to the next line's */
    int64_t operators;
    double rows[];                              /* see integer_steps.h */
)

enum { CHUNK = AT_ONCE, LONG = 16 };    /* vectors of a group, and groups of a piece of work */

/* Numbers begin to end - 1 of a line: whole vectors, or some numbers of one vector. */
INLINED void run_steps(const Elementwise *s, Waiting *waiting, void *const *io, int64_t line, int64_t begin,
                       int64_t end) {
    int64_t n = min_int(end - begin, LANES), at = line * s->length + begin, size = bytes_of((int)s->type);
    int64_t channel = s->channels ? line % s->channels : begin;
    Group group = {(end - begin + LANES - 1) / LANES, n, s->out_first + line * s->out_line + begin, LANES, channel,
                   s->channels > 0};
    const char *source = (const char *)io[s->source] + at * size;
    vec *x = waiting_group(waiting, group);
    for (int64_t j = 0; j < group.rows; j++) x[j] = load_typed(source + j * LANES * size, (int)s->type, n);
}

static int integer_steps(const void *fields, void *const *io, int64_t part, int64_t parts) {
    const Elementwise *s = fields;
    int64_t chunk = s->channels || !s->by_channel ? CHUNK * LANES : LANES, piece = s->by_channel ? chunk : LONG * chunk;
    int64_t each = (s->length + piece - 1) / piece;
    Range range = range_of(s->lines * each, part, parts);
    Steps steps = {.type = (int)s->type};
    if (s->low >= 0) set_range(&steps, *(const float *)io[s->low], *(const float *)io[s->high]);
    resolve(&steps, s->rows, s->operators, io);
    if (part == 0) put_range(&steps, io, s->out_low, s->out_high);
    Waiting waiting = {.steps = &steps, .out = io[s->out], .type = (int)s->out_type};
    int is_copy = steps.count == 0 && s->type == s->out_type && bytes_of((int)s->type) == 1;
    for (int64_t i = range.begin; i < range.end; i++) {
        int64_t begin = i % each * piece, end = min_int(begin + piece, s->length);
        if (is_copy) {
            memcpy((char *)io[s->out] + s->out_first + i / each * s->out_line + begin,
                   (const char *)io[s->source] + i / each * s->length + begin, (size_t)(end - begin));
            continue;
        }
        for (int64_t next; begin < end; begin = next) {
            next = end - begin >= LANES ? begin + min_int(chunk, (end - begin) / LANES * LANES) : end;
            run_steps(s, &waiting, io, i / each, begin, next);
        }
    }
    finish(&waiting);
    return DONE;
}

/* The range of each part, then that of all. The source is real numbers, or int32, whose range is converted to real
   numbers with unit_low and unit_high. */
FIELDS(Extremes, int64_t size, type, source, pairs, count, low, high, unit_low, unit_high;)

static int part_extremes(const void *fields, void *const *io, int64_t part, int64_t parts) {
    const Extremes *s = fields;
    Range range = range_of(s->size, part, parts);
    float *pair = (float *)io[s->pairs] + 2 * part, low = INFINITY, high = -INFINITY;
    for (int64_t i = range.begin; i < range.end; i++) {
        float x = s->type == REALS ? ((const float *)io[s->source])[i] : (float)((const int32_t *)io[s->source])[i];
        low = x < low ? x : low;                /* NaN is left out */
        high = x > high ? x : high;
    }
    pair[0] = low, pair[1] = high;
    return DONE;
}

static int all_extremes(const void *fields, void *const *io, int64_t part, int64_t parts) {
    const Extremes *s = fields;
    const float *pairs = io[s->pairs];
    float low = INFINITY, high = -INFINITY;
    (void)part, (void)parts;
    for (int64_t i = 0; i < s->count; i++) {
        low = pairs[2 * i] < low ? pairs[2 * i] : low;
        high = pairs[2 * i + 1] > high ? pairs[2 * i + 1] : high;
    }
    if (low > high) low = high = 0;
    if (s->type == SUMS) {
        high = fmaxf(-low, high) * (magnitude_at(io, s->unit_low, s->unit_high) / 2147483648.0f);
        low = -high;
    }
    *(float *)io[s->low] = low, *(float *)io[s->high] = high;
    return DONE;
}

/* The ranges of several arrays joined: the smallest low and the largest high, of `count` pairs from `first` on. */
FIELDS(Joined, int64_t first, count, low, high;)

static int join_ranges(const void *fields, void *const *io, int64_t part, int64_t parts) {
    const Joined *s = fields;
    float low = *(const float *)io[s->first], high = *(const float *)io[s->first + 1];
    (void)part, (void)parts;
    for (int64_t i = 1; i < s->count; i++) {
        const float *ends[] = {io[s->first + 2 * i], io[s->first + 2 * i + 1]};
        low = *ends[0] < low ? *ends[0] : low;
        high = *ends[1] > high ? *ends[1] : high;
    }
    *(float *)io[s->low] = low, *(float *)io[s->high] = high;
    return DONE;
}

/* The factors of a normalization. */
FIELDS(Factors, int64_t size, gamma, var, out, out_at; double eps;)

static int integer_factors(const void *fields, void *const *io, int64_t part, int64_t parts) {
    const Factors *s = fields;
    Range range = range_of(s->size, part, parts);
    const float *gamma = io[s->gamma], *var = io[s->var], eps = (float)s->eps;
    float *out = (float *)((char *)io[s->out] + s->out_at);
    for (int64_t i = range.begin; i < range.end; i++) out[i] = gamma[i] / sqrtf(var[i] + eps);
    return DONE;
}

/* out (batch, columns, rows) = source (batch, rows, columns), for elements of 1 or 4 bytes. */
FIELDS(Turn, int64_t batch, rows, columns, size, source, out;)

enum { SQUARE = 32 };

#define TURN(type)                                                                                        \
    for (int64_t i = 0; i < height; i++)                                                                  \
        for (int64_t j = 0; j < width; j++)                                                               \
            ((type *)out)[j * s->rows + i] = ((const type *)from)[i * s->columns + j];

static int turn_bytes(const void *fields, void *const *io, int64_t part, int64_t parts) {
    const Turn *s = fields;
    int64_t down = (s->rows + SQUARE - 1) / SQUARE, across = (s->columns + SQUARE - 1) / SQUARE;
    Range range = range_of(s->batch * down * across, part, parts);
    for (int64_t item = range.begin; item < range.end; item++) {
        int64_t image = item / down / across * s->rows * s->columns, x = item / down % across * SQUARE;
        int64_t y = item % down * SQUARE;
        int64_t height = min_int(SQUARE, s->rows - y), width = min_int(SQUARE, s->columns - x);
        const char *from = (const char *)io[s->source] + (image + y * s->columns + x) * s->size;
        char *out = (char *)io[s->out] + (image + x * s->rows + y) * s->size;
        if (s->size == 1) TURN(uint8_t)
        else TURN(uint32_t)
    }
    return DONE;
}

KERNELS(KERNEL(integer_steps, Elementwise), KERNEL(part_extremes, Extremes), KERNEL(all_extremes, Extremes),
        KERNEL(join_ranges, Joined), KERNEL(integer_factors, Factors), KERNEL(turn_bytes, Turn))
