/* Backward steps of recurrent layers: from the gradient of h(t) to the gradients of the gates before their activation.

   The gradient of h(t) is the gradient of the layer's output plus the gradient through the next step's gates, which is
   a product with the recurrent weights. As in the forward pass, a step handles a few units at a time, and computes the
   gradients of their gates while these sums are in registers. The gradients of weights, biases and inputs are computed
   afterwards, from the gradients of the gates at all time steps. */

#include "rnn.h"

FIELDS(Back,
    int64_t step, steps, batch, units, directions, activation;      /* step 0 is the last step of the forward pass */
    At weights;                     /* [panel][gate, units][LANES], packed */
    At gates, kept, out;            /* as written by the forward steps */
    At state, cell;                 /* states before the first forward step */
    At out_grad;                    /* gradient, like out */
    At last_grad, last_cell_grad;   /* gradients of the last states, or none */
    At grads;                       /* written: [time][batch][gate][units], of W x + b */
    At hidden_grads;                /* [time][batch][units], written by gru: gradient of the candidate's R h + d; or
                                       none */
    At carry;                       /* [batch][units]: lstm: the gradient of c; gru: the part of h's gradient that
                                       bypasses the gates */
    At state_grad, cell_grad;       /* written by the step after the last */
)

/* Some units of one direction at one time step; the pointers are to the first unit of the first row. */
typedef struct {
    const real *gates, *kept, *cell_before, *before, *out, *out_grad, *carried;
    int64_t before_step, out_step, units, count, activation;
    real *grads, *hidden_grads, *carry;
} Units;

static Units units_of(const Back *s, void *const *io, int64_t direction, int64_t unit, int64_t gates) {
    int64_t forward = s->steps - 1 - s->step, is_first = forward == 0;
    int64_t now = time_of(forward, s->steps, direction), then = time_of(forward - 1, s->steps, direction);
    int64_t size = s->batch * s->units, row = s->directions * s->units;
    real *out = address(io, s->out, direction), *kept = address(io, s->kept, direction);
    return (Units){
        .gates = address(io, s->gates, direction) + now * gates * size + unit,
        .kept = further(kept, now * size + unit),
        .cell_before = further(is_first ? address(io, s->cell, direction) : further(kept, then * size), unit),
        .before = unit + (is_first ? address(io, s->state, direction) : out + then * s->batch * row),
        .before_step = is_first ? s->units : row,
        .out = out + now * s->batch * row + unit, .out_step = row,
        .out_grad = address(io, s->out_grad, direction) + now * s->batch * row + unit,
        .carried = further(address(io, s->step ? s->carry : s->last_cell_grad, direction), unit),
        .grads = address(io, s->grads, direction) + now * gates * size + unit,
        .hidden_grads = further(address(io, s->hidden_grads, direction), now * size + unit),
        .carry = further(address(io, s->carry, direction), unit),
        .units = s->units, .count = min_int(s->units - unit, LANES), .activation = s->activation,
    };
}

static inline vec carried(const Units *u, int64_t row) {
    return read(further((real *)u->carried, row * u->units), u->count);
}

/* y' = y (1 - y), y' = 1 - y² */
static inline vec through_sigmoid(vec grad, vec y) { return grad * (y * (1 - y)); }
static inline vec through_tanh(vec grad, vec y) { return grad * (1 - y * y); }

INLINED void lstm_row(const Units *u, int64_t row, vec grad) {
    const real *gates = u->gates + row * 4 * u->units;
    real *grads = u->grads + row * 4 * u->units;
    vec input = read(gates, u->count), forget = read(gates + u->units, u->count);
    vec new = read(gates + 2 * u->units, u->count), output = read(gates + 3 * u->units, u->count);
    vec squashed = tanh_vec(read(u->kept + row * u->units, u->count));
    vec cell_grad = carried(u, row) + through_tanh(grad * output, squashed);
    vec forget_grad = cell_grad * read(u->cell_before + row * u->units, u->count);
    write(grads, through_sigmoid(cell_grad * new, input), u->count);
    write(grads + u->units, through_sigmoid(forget_grad, forget), u->count);
    write(grads + 2 * u->units, through_tanh(cell_grad * input, new), u->count);
    write(grads + 3 * u->units, through_sigmoid(grad * squashed, output), u->count);
    write(u->carry + row * u->units, cell_grad * forget, u->count);
}

INLINED void gru_row(const Units *u, int64_t row, vec grad) {
    const real *gates = u->gates + row * 3 * u->units;
    real *grads = u->grads + row * 3 * u->units;
    vec reset = read(gates, u->count), update = read(gates + u->units, u->count);
    vec new = read(gates + 2 * u->units, u->count), hidden = read(u->kept + row * u->units, u->count);
    vec before = read(u->before + row * u->before_step, u->count);
    vec new_grad = through_tanh(grad * (1 - update), new);
    vec reset_grad = through_sigmoid(new_grad * hidden, reset);
    vec update_grad = through_sigmoid(grad * (before - new), update);
    write(grads, reset_grad, u->count);
    write(grads + u->units, update_grad, u->count);
    write(grads + 2 * u->units, new_grad, u->count);
    write(u->hidden_grads + row * u->units, new_grad * reset, u->count);
    write(u->carry + row * u->units, grad * update, u->count);
}

INLINED void plain_row(const Units *u, int64_t row, vec grad) {
    vec h = read(u->gates + row * u->units, u->count);
    if (u->activation == TANH) grad = through_tanh(grad, h);
    else grad *= one_where(h > 0);
    write(u->grads + row * u->units, grad, u->count);
}

/* sums[row][panel] = the gradient through the next step's gates, for these rows and the units of the panels starting at
   `first` */
INLINED void sum_back(const Back *s, void *const *io, int64_t direction, int64_t first, int64_t panels, Range rows,
                      int64_t gates, vec sums[MANY_ROWS][MAX_PANELS]) {
    int64_t row = gates * s->units, panel_size = row * LANES, count = rows.end - rows.begin;
    int64_t after = time_of(s->steps - s->step, s->steps, direction) * s->batch + rows.begin;
    const real *weights = address(io, s->weights, direction) + first * panel_size;
    const real *hidden_grads = address(io, s->hidden_grads, direction);
    int64_t common = hidden_grads ? row - s->units : row;       /* gradients of the input's terms and of h's terms */
    panel_products_of_many(count, panels, address(io, s->grads, direction) + after * row, row, weights, panel_size,
                           common, 0, sums);
    if (hidden_grads)
        panel_products_of_many(count, panels, hidden_grads + after * s->units, s->units, weights + common * LANES,
                               panel_size, s->units, 1, sums);
}

/* The gradient of one row of h, without the product. */
INLINED vec whole_grad(const Back *s, const Units *u, const real *last_grad, int64_t row, vec sum, int adds_carry) {
    if (s->step == 0) sum = read(further((real *)last_grad, row * u->units), u->count);
    else if (adds_carry) sum += read(u->carry + row * u->units, u->count);
    return sum;
}

/* The step after the last: the gradients of the first states. */
INLINED void finish(const Back *s, void *const *io, int64_t direction, int64_t unit, int64_t row, vec grad) {
    int64_t count = min_int(s->units - unit, LANES), at = row * s->units + unit;
    real *cell_grad = address(io, s->cell_grad, direction), *carry = address(io, s->carry, direction);
    if (cell_grad) write(cell_grad + at, read(carry + at, count), count);
    else if (carry) grad += read(carry + at, count);
    write(address(io, s->state_grad, direction) + at, grad, count);
}

/* Computes the panels of one direction, starting at `first`. */
INLINED void back_panels(const Back *s, void *const *io, int64_t direction, int64_t first, int64_t panels,
                         int64_t gates, int adds_carry, void (*back_row)(const Units *u, int64_t row, vec grad)) {
    int64_t groups = (s->batch + MANY_ROWS - 1) / MANY_ROWS;
    int is_behind = s->step == s->steps;
    for (int64_t group = 0; group < groups; group++) {
        vec sums[MANY_ROWS][MAX_PANELS] = {{{0}}};
        Range rows = range_of(s->batch, group, groups);
        if (s->step) sum_back(s, io, direction, first, panels, rows, gates, sums);
        for (int64_t j = 0; j < panels; j++) {
            int64_t unit = (first + j) * LANES;
            if (is_behind) {
                for (int64_t row = rows.begin; row < rows.end; row++)
                    finish(s, io, direction, unit, row, sums[row - rows.begin][j]);
                continue;
            }
            Units units = units_of(s, io, direction, unit, gates);
            const real *last_grad = further(address(io, s->last_grad, direction), unit);
            for (int64_t row = rows.begin; row < rows.end; row++) {
                vec grad = whole_grad(s, &units, last_grad, row, sums[row - rows.begin][j], adds_carry);
                back_row(&units, row, grad + read(units.out_grad + row * units.out_step, units.count));
            }
        }
    }
}

INLINED int back(const Back *s, void *const *io, int64_t part, int64_t parts, int64_t gates, int adds_carry,
                 void (*back_row)(const Units *u, int64_t row, vec grad)) {
    int64_t panels = panels_of(s->units), groups = (panels + MAX_PANELS - 1) / MAX_PANELS;
    Range range = range_of(s->directions * groups, part, parts);
    for (int64_t item = range.begin; item < range.end; item++) {
        Range some = range_of(panels, item % groups, groups);
        back_panels(s, io, item / groups, some.begin, some.end - some.begin, gates, adds_carry, back_row);
    }
    return DONE;
}

#define BACK(name, gates, adds_carry)                                                                       \
    static int name##_back(const void *fields, void *const *io, int64_t part, int64_t parts) {              \
        return back(fields, io, part, parts, gates, adds_carry, name##_row);                                \
    }

BACK(lstm, 4, 0)
BACK(gru, 3, 1)
BACK(plain, 1, 0)

/* -- gradients of weights and biases ------------------------------------------------------------------------------- */

/* The states before each step, [time][batch][units], contiguous. */
FIELDS(Before, int64_t steps, batch, units, directions; At out, state, before;)

static int recurrent_before(const void *fields, void *const *io, int64_t part, int64_t parts) {
    const Before *s = fields;
    int64_t row = s->directions * s->units;
    Range range = range_of(s->directions * s->steps * s->batch, part, parts);
    for (int64_t item = range.begin; item < range.end; item++) {
        int64_t direction = item / (s->steps * s->batch), step = item / s->batch % s->steps, number = item % s->batch;
        int64_t now = time_of(step, s->steps, direction), then = time_of(step - 1, s->steps, direction);
        const real *from = step == 0 ? address(io, s->state, direction) + number * s->units
                                     : address(io, s->out, direction) + (then * s->batch + number) * row;
        memcpy(address(io, s->before, direction) + (now * s->batch + number) * s->units, from, s->units * sizeof(real));
    }
    return DONE;
}

/* Writes the sums of grads over rows to sums[columns], and a copy to `again` if it exists. */
FIELDS(Sums, int64_t rows, columns, directions; At grads, sums, again;)

static int recurrent_sums(const void *fields, void *const *io, int64_t part, int64_t parts) {
    const Sums *s = fields;
    int64_t panels = panels_of(s->columns);
    Range range = range_of(s->directions * panels, part, parts);
    for (int64_t item = range.begin; item < range.end; item++) {
        int64_t direction = item / panels, column = item % panels * LANES, count = min_int(s->columns - column, LANES);
        const real *grads = address(io, s->grads, direction) + column;
        real *again = address(io, s->again, direction);
        vec sum = {0};
        for (int64_t row = 0; row < s->rows; row++) sum += read(grads + row * s->columns, count);
        write(address(io, s->sums, direction) + column, sum, count);
        if (again) write(again + column, sum, count);
    }
    return DONE;
}

/* -- between layers ------------------------------------------------------------------------------------------------ */

FIELDS(Mask, At source, mask, target; int64_t count;)       /* target may be source */

static int recurrent_mask(const void *fields, void *const *io, int64_t part, int64_t parts) {
    const Mask *s = fields;
    Range range = range_of(s->count, part, parts);
    const real *source = address(io, s->source, 0), *mask = address(io, s->mask, 0);
    real *target = address(io, s->target, 0);
    for (int64_t i = range.begin; i < range.end; i++) target[i] = source[i] * mask[i];
    return DONE;
}

FIELDS(Fill, At array; int64_t count; double value;)

static int recurrent_fill(const void *fields, void *const *io, int64_t part, int64_t parts) {
    const Fill *s = fields;
    Range range = range_of(s->count, part, parts);
    real *array = address(io, s->array, 0);
    for (int64_t i = range.begin; i < range.end; i++) array[i] = (real)s->value;
    return DONE;
}

KERNELS(KERNEL(lstm_back, Back), KERNEL(gru_back, Back), KERNEL(plain_back, Back), KERNEL(recurrent_before, Before),
        KERNEL(recurrent_sums, Sums), KERNEL(recurrent_mask, Mask), KERNEL(recurrent_fill, Fill))
