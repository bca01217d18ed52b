/* Columns of deformed windows, and their gradients. */

#include "../interpolation.h"

/* data (images, groups, channels, h, w), offset (images, groups, taps, 2, rows, columns), columns (images, groups,
   channels, taps, rows, columns); `grad`, `data`, `offset` and `out` are operand indices. */
FIELDS(Deformable,
    int64_t images, groups, channels, h, w, rows, columns, kernel_h, kernel_w, stride_y, stride_x, dilate_y, dilate_x,
        pad_y, pad_x, clamps, grad, data, offset, out;
)

typedef struct { Point point; int by_y, by_x; } DeformedTap;

/* The point that element `tap` of window (row, column) samples. offset: the offsets of the group. */
static inline DeformedTap deformed_at(const Deformable *s, const real *offset, int64_t tap, int64_t row, int64_t column) {
    int64_t windows = s->rows * s->columns, window = row * s->columns + column;
    real y = (real)(row * s->stride_y + tap / s->kernel_w * s->dilate_y - s->pad_y) + offset[2 * tap * windows + window];
    real x = (real)(column * s->stride_x + tap % s->kernel_w * s->dilate_x - s->pad_x)
             + offset[(2 * tap + 1) * windows + window];
    if (!s->clamps) return (DeformedTap){point_at(y, x, s->h, s->w), 1, 1};
    real last_y = (real)(s->h - 1), last_x = (real)(s->w - 1);
    int there = y >= 0 && y < (real)s->h && x >= 0 && x < (real)s->w;
    Point point = there ? point_at(y > last_y ? last_y : y, x > last_x ? last_x : x, s->h, s->w)
                        : point_at(-2, -2, s->h, s->w);
    return (DeformedTap){point, y < last_y, x < last_x};
}

#define SIZES                                                                                                     \
    int64_t taps = s->kernel_h * s->kernel_w, windows = s->rows * s->columns, space = s->h * s->w;                 \
    int64_t window_steps = taps * windows
#define GROUP(operand, each) ((real *)io[operand] + (unit) * (each))

/* Each part handles a range of the (group, tap) pairs. */
static int deformable_columns(const void *fields, void *const *io, int64_t part, int64_t parts) {
    const Deformable *s = fields;
    SIZES;
    Range range = range_of(s->images * s->groups * taps, part, parts);
    for (int64_t i = range.begin; i < range.end; i++) {
        int64_t unit = i / taps, tap = i % taps;
        const real *offset = GROUP(s->offset, 2 * window_steps), *planes = GROUP(s->data, s->channels * space);
        real *out = GROUP(s->out, s->channels * window_steps) + tap * windows;
        for (int64_t p = 0; p < windows; p++) {
            DeformedTap bent = deformed_at(s, offset, tap, p / s->columns, p % s->columns);
            for (int64_t c = 0; c < s->channels; c++)
                out[c * window_steps + p] = sum_of(&bent.point, planes + c * space, bent.point.weight);
        }
    }
    return DONE;
}

/* Each part handles some groups; no other part adds to their planes. */
static int deformable_data_grad(const void *fields, void *const *io, int64_t part, int64_t parts) {
    const Deformable *s = fields;
    SIZES;
    Range range = range_of(s->images * s->groups, part, parts);
    for (int64_t unit = range.begin; unit < range.end; unit++) {
        const real *offset = GROUP(s->offset, 2 * window_steps), *grad = GROUP(s->grad, s->channels * window_steps);
        real *planes = GROUP(s->out, s->channels * space);
        memset(planes, 0, s->channels * space * sizeof(real));
        for (int64_t k = 0; k < window_steps; k++) {
            DeformedTap bent = deformed_at(s, offset, k / windows, k % windows / s->columns, k % s->columns);
            for (int64_t c = 0; c < s->channels; c++) spread(&bent.point, planes + c * space, grad[c * window_steps + k]);
        }
    }
    return DONE;
}

static int deformable_offset_grad(const void *fields, void *const *io, int64_t part, int64_t parts) {
    const Deformable *s = fields;
    SIZES;
    Range range = range_of(s->images * s->groups * taps, part, parts);
    for (int64_t i = range.begin; i < range.end; i++) {
        int64_t unit = i / taps, tap = i % taps;
        const real *offset = GROUP(s->offset, 2 * window_steps), *planes = GROUP(s->data, s->channels * space);
        const real *grad = GROUP(s->grad, s->channels * window_steps) + tap * windows;
        real *out = GROUP(s->out, 2 * window_steps) + 2 * tap * windows;
        for (int64_t p = 0; p < windows; p++) {
            DeformedTap bent = deformed_at(s, offset, tap, p / s->columns, p % s->columns);
            real by_y = 0, by_x = 0;
            for (int64_t c = 0; c < s->channels; c++) {
                real share = grad[c * window_steps + p];
                by_y += share * sum_of(&bent.point, planes + c * space, bent.point.by_y);
                by_x += share * sum_of(&bent.point, planes + c * space, bent.point.by_x);
            }
            out[p] = bent.by_y ? by_y : 0;
            out[windows + p] = bent.by_x ? by_x : 0;
        }
    }
    return DONE;
}

/* Adds one value per row to each row of matrices (batches, rows, columns). Each part handles some rows. */
FIELDS(RowBias, int64_t batches, rows, columns, bias, out;)

static int add_row_bias(const void *fields, void *const *io, int64_t part, int64_t parts) {
    const RowBias *s = fields;
    const real *bias = io[s->bias];
    Range range = range_of(s->batches * s->rows, part, parts);
    for (int64_t row = range.begin; row < range.end; row++) {
        real *out = (real *)io[s->out] + row * s->columns, more = bias[row % s->rows];
        for (int64_t k = 0; k < s->columns; k++) out[k] += more;
    }
    return DONE;
}

KERNELS(KERNEL(deformable_columns, Deformable), KERNEL(deformable_data_grad, Deformable),
        KERNEL(deformable_offset_grad, Deformable), KERNEL(add_row_bias, RowBias))
