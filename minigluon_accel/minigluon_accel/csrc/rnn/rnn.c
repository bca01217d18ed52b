/* Steps of recurrent layers: h(t - 1) times the recurrent weights, and the gates, in one pass.

   The contribution of the layer's input, W x + b, is one matrix product for all time steps, computed before the first
   step. A step adds the contribution of h(t - 1), for a few units at a time: the gates of a unit are computed together,
   so that its new h is computed while the sums are in registers. */

#include "rnn.h"

/* -- packing the recurrent weights --------------------------------------------------------------------------------- */

/* Packs, for each direction, `matrices` matrices of (depth, columns), `far` apart, with element (k, j) at k * along + j
   * across. */
FIELDS(Pack, At weights, packed; int64_t directions, matrices, far, depth, columns, along, across;)

static int recurrent_pack(const void *fields, void *const *io, int64_t part, int64_t parts) {
    const Pack *s = fields;
    int64_t panels = panels_of(s->columns);
    Range range = range_of(s->directions * s->matrices * panels, part, parts);
    while (range.begin < range.end) {
        int64_t direction = range.begin / panels / s->matrices, matrix = range.begin / panels % s->matrices;
        int64_t first = range.begin % panels, count = min_int(panels - first, range.end - range.begin);
        pack_panels(address(io, s->packed, direction) + matrix * panels * s->depth * LANES,
                    address(io, s->weights, direction) + matrix * s->far, s->along, s->across, s->depth, s->columns,
                    (Range){first, first + count});
        range.begin += count;
    }
    return DONE;
}

/* -- a step -------------------------------------------------------------------------------------------------------- */

FIELDS(Step,
    int64_t step, steps, batch, units, directions, activation;
    At weights;             /* [gate][panel][units][LANES], packed */
    At bias;                /* [gate][units]: the bias that belongs to the recurrent weights */
    At gates;               /* [time][batch][gate][units]: W x + b, and afterwards the gates */
    At kept;                /* [time][batch][units]: lstm: the cells; gru: the contribution of h to the candidate */
    At out;                 /* [time][batch][direction][units] */
    At state, cell;         /* [batch][units]: h and c before the first step */
    At last, last_cell;     /* h and c after the last step, or none */
)

/* `count` units of one direction at one time step; the pointers are to the first unit of the first row. */
typedef struct {
    const real *before, *cell_before, *bias;
    int64_t before_step, out_step, units, count, activation;
    real *gates, *kept, *out, *last, *last_cell;
} Units;

static Units units_of(const Step *s, void *const *io, int64_t direction, int64_t unit, int64_t gates) {
    int64_t now = time_of(s->step, s->steps, direction), then = time_of(s->step - 1, s->steps, direction);
    int64_t size = s->batch * s->units, row = s->directions * s->units;
    int is_first = s->step == 0, is_last = s->step == s->steps - 1;
    real *out = address(io, s->out, direction), *kept = address(io, s->kept, direction);
    return (Units){
        .before = unit + (is_first ? address(io, s->state, direction) : out + then * s->batch * row),
        .before_step = is_first ? s->units : row,
        .cell_before = further(is_first ? address(io, s->cell, direction) : further(kept, then * size), unit),
        .bias = address(io, s->bias, direction) + unit,
        .gates = address(io, s->gates, direction) + now * gates * size + unit,
        .kept = further(kept, now * size + unit),
        .out = out + now * s->batch * row + unit, .out_step = row,
        .last = is_last ? further(address(io, s->last, direction), unit) : NULL,
        .last_cell = is_last ? further(address(io, s->last_cell, direction), unit) : NULL,
        .units = s->units, .count = min_int(s->units - unit, LANES), .activation = s->activation,
    };
}

/* A gate before its activation: the sum of the terms of x, of h(t - 1) and of the bias. */
static inline vec summed(const Units *u, const real *gates, int64_t gate, vec from_h) {
    return read(gates + gate * u->units, u->count) + (from_h + read(u->bias + gate * u->units, u->count));
}

static inline void finish(const Units *u, int64_t row, vec h) {
    write(u->out + row * u->out_step, h, u->count);
    if (u->last) write(u->last + row * u->units, h, u->count);
}

INLINED void lstm_row(const Units *u, int64_t row, const vec *from_h) {
    real *gates = u->gates + row * 4 * u->units;
    vec input = sigmoid_vec(summed(u, gates, 0, from_h[0])), forget = sigmoid_vec(summed(u, gates, 1, from_h[1]));
    vec new = tanh_vec(summed(u, gates, 2, from_h[2])), output = sigmoid_vec(summed(u, gates, 3, from_h[3]));
    vec cell = forget * read(u->cell_before + row * u->units, u->count) + input * new;
    write(gates, input, u->count);
    write(gates + u->units, forget, u->count);
    write(gates + 2 * u->units, new, u->count);
    write(gates + 3 * u->units, output, u->count);
    write(u->kept + row * u->units, cell, u->count);
    if (u->last_cell) write(u->last_cell + row * u->units, cell, u->count);
    finish(u, row, output * tanh_vec(cell));
}

INLINED void gru_row(const Units *u, int64_t row, const vec *from_h) {
    real *gates = u->gates + row * 3 * u->units;
    vec reset = sigmoid_vec(summed(u, gates, 0, from_h[0])), update = sigmoid_vec(summed(u, gates, 1, from_h[1]));
    vec hidden = from_h[2] + read(u->bias + 2 * u->units, u->count);
    vec new = tanh_vec(read(gates + 2 * u->units, u->count) + reset * hidden);
    write(gates, reset, u->count);
    write(gates + u->units, update, u->count);
    write(gates + 2 * u->units, new, u->count);
    write(u->kept + row * u->units, hidden, u->count);
    finish(u, row, new + update * (read(u->before + row * u->before_step, u->count) - new));
}

INLINED void plain_row(const Units *u, int64_t row, const vec *from_h) {
    real *gates = u->gates + row * u->units;
    vec x = summed(u, gates, 0, from_h[0]), h = u->activation == TANH ? tanh_vec(x) : max_vec(x, (vec){0});
    write(gates, h, u->count);
    finish(u, row, h);
}

INLINED int step(const Step *s, void *const *io, int64_t part, int64_t parts, int64_t gates,
                 void (*finish_row)(const Units *u, int64_t row, const vec *from_h)) {
    int64_t panels = panels_of(s->units), panel_size = s->units * LANES;
    int64_t groups = (s->batch + MANY_ROWS - 1) / MANY_ROWS;
    Range range = range_of(s->directions * panels, part, parts);
    for (int64_t item = range.begin; item < range.end; item++) {
        int64_t direction = item / panels, panel = item % panels;
        Units units = units_of(s, io, direction, panel * LANES, gates);
        const real *h = units.before - panel * LANES, *weights = address(io, s->weights, direction) + panel * panel_size;
        for (int64_t group = 0; group < groups; group++) {
            vec sum[MANY_ROWS][MAX_PANELS];
            Range rows = range_of(s->batch, group, groups);
            panel_products_of_many(rows.end - rows.begin, gates, h + rows.begin * units.before_step, units.before_step,
                                   weights, panels * panel_size, s->units, 0, sum);
            for (int64_t row = rows.begin; row < rows.end; row++) finish_row(&units, row, sum[row - rows.begin]);
        }
    }
    return DONE;
}

#define STEP(name, gates)                                                                                  \
    static int name##_step(const void *fields, void *const *io, int64_t part, int64_t parts) {             \
        return step(fields, io, part, parts, gates, name##_row);                                           \
    }

STEP(lstm, 4)
STEP(gru, 3)
STEP(plain, 1)

KERNELS(KERNEL(recurrent_pack, Pack), KERNEL(lstm_step, Step), KERNEL(gru_step, Step), KERNEL(plain_step, Step))
