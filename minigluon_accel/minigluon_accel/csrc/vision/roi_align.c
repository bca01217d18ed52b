/* ROIPooling, and ROIAlign and its adjoint, for which the samples of a region are computed once for all channels. */

#include "../interpolation.h"

/* data (images, channels, h, w), rois (regions, 5) | out (regions, channels, bins_y, bins_x); `rois`, `grad` and `out`
   are operand indices. samples 0: along each axis of a bin, as many samples as the bin has elements. */
FIELDS(RoiAlign,
    int64_t images, channels, h, w, regions, bins_y, bins_x, samples, aligned, grad, rois, out;
    double scale;
)

/* The positions of a region's samples. */
typedef struct { int64_t image, rows, columns; real top, left, bin_h, bin_w; } Region;

static Region region_of(const RoiAlign *s, const real *roi) {
    real scale = (real)s->scale, shift = s->aligned ? (real)0.5 : 0;
    Region r = {.image = roi[0] >= 0 && roi[0] < (real)s->images ? (int64_t)roi[0] : -1,
                .left = roi[1] * scale - shift, .top = roi[2] * scale - shift};
    real width = roi[3] * scale - shift - r.left, height = roi[4] * scale - shift - r.top;
    if (!s->aligned) {
        width = width < 1 ? 1 : width;
        height = height < 1 ? 1 : height;
    }
    r.bin_h = height / (real)s->bins_y;
    r.bin_w = width / (real)s->bins_x;
    r.rows = s->samples > 0 ? s->samples : height > 0 ? (int64_t)ceil((double)r.bin_h) : 0;
    r.columns = s->samples > 0 ? s->samples : width > 0 ? (int64_t)ceil((double)r.bin_w) : 0;
    return r;
}

static Point sample_of(const RoiAlign *s, const Region *r, int64_t bin, int64_t k) {
    real y = r->top + ((real)(bin / s->bins_x) + ((real)(k / r->columns) + (real)0.5) / (real)r->rows) * r->bin_h;
    real x = r->left + ((real)(bin % s->bins_x) + ((real)(k % r->columns) + (real)0.5) / (real)r->columns) * r->bin_w;
    return point_at(moved_inside(y, s->h), moved_inside(x, s->w), s->h, s->w);
}

/* Each part handles some regions. */
static int roi_align(const void *fields, void *const *io, int64_t part, int64_t parts) {
    const RoiAlign *s = fields;
    Range range = range_of(s->regions, part, parts);
    int64_t bins = s->bins_y * s->bins_x, space = s->h * s->w;
    for (int64_t i = range.begin; i < range.end; i++) {
        Region r = region_of(s, (const real *)io[s->rois] + 5 * i);
        real *out = (real *)io[s->out] + i * s->channels * bins;
        memset(out, 0, s->channels * bins * sizeof(real));
        if (r.image < 0) continue;
        const real *planes = (const real *)io[0] + r.image * s->channels * space;
        int64_t count = r.rows * r.columns;
        for (int64_t bin = 0; bin < bins; bin++) {
            for (int64_t k = 0; k < count; k++) {
                Point p = sample_of(s, &r, bin, k);
                if (!(p.there[0] | p.there[1] | p.there[2] | p.there[3])) continue;
                for (int64_t c = 0; c < s->channels; c++) out[c * bins + bin] += sum_of(&p, planes + c * space, p.weight);
            }
            for (int64_t c = 0; c < s->channels; c++) out[c * bins + bin] /= (real)max_int(count, 1);
        }
    }
    return DONE;
}

/* The adjoint. Each part handles some channels, to which no other part adds, in the order of the regions. */
static int roi_align_grad(const void *fields, void *const *io, int64_t part, int64_t parts) {
    const RoiAlign *s = fields;
    Range range = range_of(s->channels, part, parts);
    int64_t bins = s->bins_y * s->bins_x, space = s->h * s->w;
    for (int64_t n = 0; n < s->images; n++)
        memset((real *)io[s->out] + (n * s->channels + range.begin) * space, 0,
               (range.end - range.begin) * space * sizeof(real));
    for (int64_t i = 0; i < s->regions; i++) {
        Region r = region_of(s, (const real *)io[s->rois] + 5 * i);
        if (r.image < 0) continue;
        const real *grad = (const real *)io[s->grad] + i * s->channels * bins;
        real *planes = (real *)io[s->out] + r.image * s->channels * space;
        int64_t count = r.rows * r.columns;
        for (int64_t bin = 0; bin < bins; bin++)
            for (int64_t k = 0; k < count; k++) {
                Point p = sample_of(s, &r, bin, k);
                for (int64_t c = range.begin; c < range.end; c++)
                    spread(&p, planes + c * space, grad[c * bins + bin] / (real)count);
            }
    }
    return DONE;
}

/* data (images, channels, h, w), rois (regions, 5) | out, winner (regions, channels, bins_y, bins_x). */
FIELDS(RoiPool, int64_t images, channels, h, w, regions, bins_y, bins_x; double scale;)

/* Rounds to the nearest integer; halves are rounded away from zero. */
static inline real nearest(real x) { return REAL_BITS == 32 ? (real)roundf((float)x) : (real)round(x); }

static inline int64_t clipped(real x, int64_t end) { return x > 0 ? x < (real)end ? (int64_t)x : end : 0; }

/* The first of the largest elements in rows [top, bottom) and columns [left, right) of a plane; NaN wins. */
static inline void pool_bin(const real *plane, int64_t w, const int64_t *rows, const int64_t *columns, real *out,
                            int32_t *winner) {
    real most = 0;
    int64_t best = -1;
    for (int64_t y = rows[0]; y < rows[1]; y++)
        for (int64_t x = columns[0]; x < columns[1]; x++) {
            real found = plane[y * w + x];
            if (best >= 0 && (most != most || !(found > most || found != found))) continue;
            most = found;
            best = y * w + x;
        }
    *out = most;
    *winner = (int32_t)best;
}

/* Each part handles some regions. */
static int roi_pool(const void *fields, void *const *io, int64_t part, int64_t parts) {
    const RoiPool *s = fields;
    Range range = range_of(s->regions, part, parts);
    int64_t bins = s->bins_y * s->bins_x, space = s->h * s->w;
    for (int64_t i = range.begin; i < range.end; i++) {
        const real *roi = (const real *)io[1] + 5 * i;
        real *out = (real *)io[2] + i * s->channels * bins, scale = (real)s->scale;
        int32_t *winner = (int32_t *)io[3] + i * s->channels * bins;
        if (!(roi[0] >= 0 && roi[0] < (real)s->images)) {
            memset(out, 0, s->channels * bins * sizeof(real));
            for (int64_t k = 0; k < s->channels * bins; k++) winner[k] = -1;
            continue;
        }
        const real *planes = (const real *)io[0] + (int64_t)roi[0] * s->channels * space;
        real left = nearest(roi[1] * scale), top = nearest(roi[2] * scale);
        real width = nearest(roi[3] * scale) - left + 1, height = nearest(roi[4] * scale) - top + 1;
        real high = (height > 1 ? height : 1) / (real)s->bins_y, broad = (width > 1 ? width : 1) / (real)s->bins_x;
        for (int64_t bin = 0; bin < bins; bin++) {
            int64_t y = bin / s->bins_x, x = bin % s->bins_x;
            int64_t rows[2] = {clipped(floor_of((real)y * high) + top, s->h),
                               clipped(-floor_of(-((real)(y + 1) * high)) + top, s->h)};
            int64_t columns[2] = {clipped(floor_of((real)x * broad) + left, s->w),
                                  clipped(-floor_of(-((real)(x + 1) * broad)) + left, s->w)};
            for (int64_t c = 0; c < s->channels; c++)
                pool_bin(planes + c * space, s->w, rows, columns, out + c * bins + bin, winner + c * bins + bin);
        }
    }
    return DONE;
}

KERNELS(KERNEL(roi_align, RoiAlign), KERNEL(roi_align_grad, RoiAlign), KERNEL(roi_pool, RoiPool))
