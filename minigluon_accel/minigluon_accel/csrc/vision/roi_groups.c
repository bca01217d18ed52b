/* PSROIPooling, which averages each bin of a region over that bin's own channels, and its adjoint. */

#include "../interpolation.h"

/* data (images, channels · groups², h, w), rois (regions, 5) | out (regions, channels, bins, bins). `rois` and `out`
   are operand indices. */
FIELDS(RoiGroups, int64_t images, channels, groups, h, w, regions, bins, rois, out; double scale;)

/* Rounds to the nearest integer; halves are rounded away from zero. */
static inline real nearest(real x) { return REAL_BITS == 32 ? (real)roundf((float)x) : (real)round(x); }

static inline int64_t clipped(real x, int64_t end) { return x > 0 ? x < (real)end ? (int64_t)x : end : 0; }

/* The elements of bin k along an axis of this length, for a region from `first` to `last`, inclusive. */
static inline Range bin_of(const RoiGroups *s, real first, real last, int64_t k, int64_t elements) {
    real scale = (real)s->scale, start = nearest(first) * scale, length = (nearest(last) + 1) * scale - start;
    real step = ((real)0.1 > length ? (real)0.1 : length) / (real)s->bins;
    return (Range){clipped(floor_of((real)k * step + start), elements),
                   clipped(-floor_of(-((real)(k + 1) * step + start)), elements)};
}

/* Whether a region belongs to an image, and the index of the image. */
static inline int64_t image_of(const RoiGroups *s, const real *roi) {
    return roi[0] >= 0 && roi[0] < (real)s->images ? (int64_t)roi[0] : -1;
}

/* The channel that bin (i, j) reads for the first channel of the result; each following channel of the result reads
   groups² channels later. */
static inline int64_t source_of(const RoiGroups *s, int64_t i, int64_t j) {
    return i * s->groups / s->bins * s->groups + j * s->groups / s->bins;
}

/* Each part handles some regions. */
static int roi_groups(const void *fields, void *const *io, int64_t part, int64_t parts) {
    const RoiGroups *s = fields;
    Range range = range_of(s->regions, part, parts);
    int64_t bins = s->bins * s->bins, space = s->h * s->w, group = s->groups * s->groups * space;
    for (int64_t r = range.begin; r < range.end; r++) {
        const real *roi = (const real *)io[s->rois] + 5 * r;
        real *out = (real *)io[s->out] + r * s->channels * bins;
        int64_t image = image_of(s, roi);
        memset(out, 0, s->channels * bins * sizeof(real));
        for (int64_t bin = 0; image >= 0 && bin < bins; bin++) {
            int64_t i = bin / s->bins, j = bin % s->bins;
            Range rows = bin_of(s, roi[2], roi[4], i, s->h), columns = bin_of(s, roi[1], roi[3], j, s->w);
            if (rows.begin >= rows.end || columns.begin >= columns.end) continue;
            const real *plane = (const real *)io[0] + image * s->channels * group + source_of(s, i, j) * space;
            real count = (real)((rows.end - rows.begin) * (columns.end - columns.begin));
            for (int64_t c = 0; c < s->channels; c++, plane += group) {
                real sum = 0;
                for (int64_t y = rows.begin; y < rows.end; y++) {
                    real of_row = 0;
                    for (int64_t x = columns.begin; x < columns.end; x++) of_row += plane[y * s->w + x];
                    sum += of_row;
                }
                out[c * bins + bin] = sum / count;
            }
        }
    }
    return DONE;
}

/* grad (regions, channels, bins, bins), data, rois | out like data. Each part handles some channels of the result,
   whose planes no other part uses. */
static int roi_groups_grad(const void *fields, void *const *io, int64_t part, int64_t parts) {
    const RoiGroups *s = fields;
    Range range = range_of(s->channels, part, parts);
    int64_t bins = s->bins * s->bins, space = s->h * s->w, group = s->groups * s->groups * space;
    for (int64_t n = 0; n < s->images; n++)
        memset((real *)io[s->out] + (n * s->channels + range.begin) * group, 0,
               (range.end - range.begin) * group * sizeof(real));
    for (int64_t r = 0; r < s->regions; r++) {
        const real *roi = (const real *)io[s->rois] + 5 * r, *grad = (const real *)io[0] + r * s->channels * bins;
        int64_t image = image_of(s, roi);
        for (int64_t bin = 0; image >= 0 && bin < bins; bin++) {
            int64_t i = bin / s->bins, j = bin % s->bins;
            Range rows = bin_of(s, roi[2], roi[4], i, s->h), columns = bin_of(s, roi[1], roi[3], j, s->w);
            real count = (real)((rows.end - rows.begin) * (columns.end - columns.begin));
            real *planes = (real *)io[s->out] + image * s->channels * group + source_of(s, i, j) * space;
            for (int64_t c = range.begin; c < range.end; c++) {
                real share = grad[c * bins + bin] / count;
                for (int64_t y = rows.begin; y < rows.end; y++)
                    for (int64_t x = columns.begin; x < columns.end; x++) planes[c * group + y * s->w + x] += share;
            }
        }
    }
    return DONE;
}

KERNELS(KERNEL(roi_groups, RoiGroups), KERNEL(roi_groups_grad, RoiGroups))
