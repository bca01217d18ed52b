/* Sampling of images at a grid of points, and its gradients. The four elements around a point are found once for all
   channels. */

#include "../interpolation.h"

/* grid (images, 2, points): x and y from -1 to 1. data, grid and out are operand indices. */
FIELDS(Sampler, int64_t images, channels, h, w, points, grad, data, grid, out;)

static inline Point grid_point(const Sampler *s, const real *grid, int64_t k) {
    real y = (grid[s->points + k] + 1) * ((real)(s->h - 1) / 2), x = (grid[k] + 1) * ((real)(s->w - 1) / 2);
    return point_at(y, x, s->h, s->w);
}

/* data (images, channels, h, w) | out (images, channels, points). Each part handles some points of all images. */
static int sample(const void *fields, void *const *io, int64_t part, int64_t parts) {
    const Sampler *s = fields;
    Range range = range_of(s->images * s->points, part, parts);
    int64_t space = s->h * s->w;
    for (int64_t i = range.begin; i < range.end; i++) {
        int64_t image = i / s->points, k = i % s->points;
        Point p = grid_point(s, (const real *)io[s->grid] + 2 * image * s->points, k);
        const real *plane = (const real *)io[s->data] + image * s->channels * space;
        real *out = (real *)io[s->out] + image * s->channels * s->points + k;
        for (int64_t c = 0; c < s->channels; c++) out[c * s->points] = sum_of(&p, plane + c * space, p.weight);
    }
    return DONE;
}

/* grad (images, channels, points) | out (images, channels, h, w). Each part handles some planes, to which no other part
   adds. */
static int sample_data_grad(const void *fields, void *const *io, int64_t part, int64_t parts) {
    const Sampler *s = fields;
    Range range = range_of(s->images * s->channels, part, parts);
    int64_t space = s->h * s->w;
    memset((real *)io[s->out] + range.begin * space, 0, (range.end - range.begin) * space * sizeof(real));
    for (int64_t begin = range.begin, end; begin < range.end; begin = end) {    /* the planes of one image */
        int64_t image = begin / s->channels;
        end = min_int((image + 1) * s->channels, range.end);
        for (int64_t k = 0; k < s->points; k++) {
            Point p = grid_point(s, (const real *)io[s->grid] + 2 * image * s->points, k);
            const real *grad = (const real *)io[s->grad] + k;
            for (int64_t c = begin; c < end; c++) spread(&p, (real *)io[s->out] + c * space, grad[c * s->points]);
        }
    }
    return DONE;
}

/* grad (images, channels, points), data | out like grid: the slopes times half the length of the axis. Each part
   handles some points of all images. */
static int sample_grid_grad(const void *fields, void *const *io, int64_t part, int64_t parts) {
    const Sampler *s = fields;
    Range range = range_of(s->images * s->points, part, parts);
    int64_t space = s->h * s->w;
    for (int64_t i = range.begin; i < range.end; i++) {
        int64_t image = i / s->points, k = i % s->points;
        Point p = grid_point(s, (const real *)io[s->grid] + 2 * image * s->points, k);
        const real *plane = (const real *)io[s->data] + image * s->channels * space;
        const real *grad = (const real *)io[s->grad] + image * s->channels * s->points + k;
        real by_x = 0, by_y = 0;
        for (int64_t c = 0; c < s->channels; c++, plane += space, grad += s->points) {
            by_x += *grad * sum_of(&p, plane, p.by_x);
            by_y += *grad * sum_of(&p, plane, p.by_y);
        }
        real *out = (real *)io[s->out] + 2 * image * s->points + k;
        out[0] = by_x * ((real)(s->w - 1) / 2);
        out[s->points] = by_y * ((real)(s->h - 1) / 2);
    }
    return DONE;
}

/* loc (images, 2, 3) | out (images, 2, h, w): the points of a regular grid, multiplied by the matrices in loc. loc and
   out are operand indices. */
FIELDS(AffineGrid, int64_t images, h, w, loc, out;)

/* Point i of n points from -1 to 1; NaN if n is 1. */
static inline real on_ruler(int64_t i, int64_t n) { return -1 + (real)i * (2 / (real)(n - 1)); }

/* Each part handles some rows of all images. */
static int affine_grid(const void *fields, void *const *io, int64_t part, int64_t parts) {
    const AffineGrid *s = fields;
    Range range = range_of(s->images * 2 * s->h, part, parts);
    for (int64_t i = range.begin; i < range.end; i++) {
        const real *loc = (const real *)io[s->loc] + 3 * (i / s->h);
        real *out = (real *)io[s->out] + i * s->w, y = on_ruler(i % s->h, s->h);
        for (int64_t column = 0; column < s->w; column++)
            out[column] = loc[0] * on_ruler(column, s->w) + loc[1] * y + loc[2];
    }
    return DONE;
}

/* The adjoint: grad (images, 2, h, w) | out (images, 2, 3). */
static int affine_grid_grad(const void *fields, void *const *io, int64_t part, int64_t parts) {
    const AffineGrid *s = fields;
    Range range = range_of(s->images * 2, part, parts);
    for (int64_t i = range.begin; i < range.end; i++) {
        const real *grad = (const real *)io[s->loc] + i * s->h * s->w;
        double by_x = 0, by_y = 0, sum = 0;
        for (int64_t row = 0; row < s->h; row++) {
            double of_row = 0;
            for (int64_t column = 0; column < s->w; column++) {
                by_x += (double)(*grad * on_ruler(column, s->w));
                of_row += (double)*grad++;
            }
            by_y += of_row * (double)on_ruler(row, s->h);
            sum += of_row;
        }
        real *out = (real *)io[s->out] + 3 * i;
        out[0] = (real)by_x;
        out[1] = (real)by_y;
        out[2] = (real)sum;
    }
    return DONE;
}

KERNELS(KERNEL(sample, Sampler), KERNEL(sample_data_grad, Sampler), KERNEL(sample_grid_grad, Sampler),
        KERNEL(affine_grid, AffineGrid), KERNEL(affine_grid_grad, AffineGrid))
