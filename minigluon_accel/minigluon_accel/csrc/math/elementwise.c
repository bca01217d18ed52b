/* Elementwise operators: individual operators, and programs of several that read memory only once. */

#include "elementwise_fused.h"

/* Each part begins at a multiple of this number of elements, so that parts of aligned arrays are aligned. */
enum { UNIT = 64 };

static Range elements_of(int64_t size, int64_t part, int64_t parts) {
    Range range = range_of((size + UNIT - 1) / UNIT, part, parts);
    return (Range){range.begin * UNIT, min_int(range.end * UNIT, size)};
}

/* One loop over whole arrays; the inputs come first, then the output. */

FIELDS(Elementwise, int64_t size, loop, inputs; double p, q;)

static int elementwise(const void *fields, void *const *io, int64_t part, int64_t parts) {
    const Elementwise *s = fields;
    Range range = elements_of(s->size, part, parts);
    const real *in[3];          /* missing operands repeat the last one, because a loop may read operands that it does
                                   not use */
    for (int64_t i = 0; i < 3; i++) in[i] = (const real *)io[min_int(i, max_int(s->inputs - 1, 0))] + range.begin;
    real *out = (real *)io[s->inputs] + range.begin;
    loops[s->loop](out, in[0], in[1], in[2], s->p, s->q, range.end - range.begin);
    return DONE;
}

/* A program: lines that work on blocks of `block` elements. A line's operands and result are indices of buffers: first
   the inputs, then the outputs, then registers, which are blocks in the cache. If the result is KEPT,
   `elementwise_fused.h` fuses the line with the next one. `code` holds the spreads, then the lines.

   A broadcast input has a `spread`: its strides, in elements, along the `dims` axes with lengths `lengths`. The stride
   is 0 along an axis along which the input is repeated. Its block is expanded into a register before the lines run. */

enum { MAX_DIMS = 8, MAX_PLACES = 64 };

typedef struct { int64_t input, place; int64_t strides[MAX_DIMS]; } Spread;
FIELDS(Program,
    int64_t size, block, inputs, outputs, registers, lines, spreads, dims, lengths[MAX_DIMS], code[];
)

static void fill(real *out, vec value, int64_t count) {
    for (int64_t i = 0; i < count; i += LANES) store(out + i, value);
}

static void copy(real *out, const real *in, int64_t count) {
    int64_t i = 0;
    for (; i + LANES <= count; i += LANES) store(out + i, load(in + i));
    if (i < count) store(out + i, load_some(in + i, count - i, 0));
}

/* Elements begin, ..., begin + count - 1 of the broadcast input. `out` has room for one more vector. */
static void spread_block(const Program *s, const Spread *spread, const real *in, real *out, int64_t begin,
                         int64_t count) {
    int64_t position[MAX_DIMS], last = s->dims - 1, offset = 0, rest = begin;
    for (int64_t d = last; d >= 0; d--) {
        position[d] = rest % s->lengths[d], rest /= s->lengths[d];
        offset += position[d] * spread->strides[d];
    }
    for (int64_t done = 0; done < count;) {
        int64_t run = min_int(s->lengths[last] - position[last], count - done);
        if (spread->strides[last]) copy(out + done, in + offset, run);
        else fill(out + done, all(in[offset]), run);
        done += run;
        offset += run * spread->strides[last], position[last] += run;
        for (int64_t d = last; d > 0 && position[d] == s->lengths[d]; d--) {
            offset += spread->strides[d - 1] - s->lengths[d] * spread->strides[d];
            position[d] = 0, position[d - 1]++;
        }
    }
}

static const Line *alone(const Line *line, real *const *places, int64_t count) {
    loops[line->loop](places[line->out], places[line->a], places[line->b], places[line->c], line->p, line->q, count);
    return line + 1;
}

static int program(const void *fields, void *const *io, int64_t part, int64_t parts) {
    const Program *s = fields;
    Range range = elements_of(s->size, part, parts);
    const Spread *spreads = (const Spread *)s->code;
    const Line *lines = (const Line *)(spreads + s->spreads);
    real *places[MAX_PLACES];
    int64_t room = s->block + UNIT, arrays = s->inputs + s->outputs;
    real *registers = s->registers ? thread_scratch(s->registers * room * sizeof(real)) : NULL;
    if (s->registers && !registers) return NO_MEMORY;
    for (int64_t r = 0; r < s->registers; r++) places[arrays + r] = registers + r * room;
    for (int64_t i = 0; i < arrays; i++) places[i] = (real *)io[i] + range.begin;
    for (int64_t begin = range.begin; begin < range.end; begin += s->block) {
        int64_t count = min_int(s->block, range.end - begin);
        for (int64_t i = 0; i < s->spreads; i++)
            spread_block(s, &spreads[i], io[spreads[i].input], places[spreads[i].place], begin, count);
        for (const Line *line = lines; line < lines + s->lines;)
            line = line->out == KEPT ? joined(line, places, count) : alone(line, places, count);
        for (int64_t i = 0; i < arrays; i++) places[i] += s->block;
    }
    return DONE;
}

static int no_kernel(const void *fields, void *const *io, int64_t part, int64_t parts) {
    (void)fields, (void)io, (void)part, (void)parts;
    return REFUSED;
}

KERNELS(KERNEL(elementwise, Elementwise),
        KERNEL(program, Program),
        {"loops", no_kernel, LOOP_NAMES, 0, 0},
        {"short_loops", no_kernel, SHORT_LOOP_NAMES, 0, 0})
