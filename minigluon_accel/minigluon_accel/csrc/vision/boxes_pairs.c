/* box_iou, box_encode and box_decode: overlaps of boxes, and conversion between boxes and offsets. */

#include "boxes.h"
#include "../vmath.h"

/* lhs (n, 4), rhs (m, 4) | out (n, m). centered: whether boxes have centers and sizes. */
FIELDS(Overlaps, int64_t n, m, centered;)

static inline void corners_of(real *to, const real *from, int64_t centered) {
    for (int k = 0; k < 2; k++) {
        real half = from[2 + k] * (real)0.5;
        to[k] = centered ? from[k] - half : from[k];
        to[2 + k] = centered ? from[k] + half : from[2 + k];
    }
}

/* Each part handles some rows of the result. */
static int box_iou(const void *fields, void *const *io, int64_t part, int64_t parts) {
    const Overlaps *s = fields;
    Range range = range_of(s->n, part, parts);
    Boxes b = boxes_at(thread_scratch(boxes_bytes(s->m)), s->m);
    if (!b.left) return NO_MEMORY;
    real box[4], *out = (real *)io[2] + range.begin * s->m;
    for (int64_t j = 0; j < s->m; j++) {
        corners_of(box, (const real *)io[1] + 4 * j, s->centered);
        put_box(b, j, box[0], box[1], box[2], box[3], 0);
    }
    for (int64_t i = range.begin; i < range.end; i++, out += s->m) {
        corners_of(box, (const real *)io[0] + 4 * i, s->centered);
        real left = box[0], top = box[1], right = box[2], bottom = box[3];
        real area = larger(right - left, 0) * larger(bottom - top, 0);
        for (int64_t j = 0; j < s->m; j++) {
            real w = larger(smaller(right, b.right[j]) - larger(left, b.left[j]), 0);
            real h = larger(smaller(bottom, b.bottom[j]) - larger(top, b.top[j]), 0);
            real shared = w * h, whole = area + b.area[j] - shared, found = shared / (whole > 0 ? whole : 1);
            out[j] = whole > 0 ? found : 0;
        }
    }
    return DONE;
}

enum { MOST = VECTOR_BYTES / sizeof(real) };

/* data (batch, n, 4), anchors (1, n, 4) | out (batch, n, 4). limit: the largest logarithm of a size; 0 for no limit. */
FIELDS(Decoding, int64_t batch, n, centered; double stds[4], limit;)

/* Each part handles some boxes; the exponentials of LANES / 2 boxes are one vector. */
static int box_decode(const void *fields, void *const *io, int64_t part, int64_t parts) {
    const Decoding *s = fields;
    Range range = range_of(s->batch * s->n, part, parts);
    for (int64_t i = range.begin; i < range.end; i += MOST / 2) {
        int64_t count = min_int(range.end - i, MOST / 2);
        const real *data = (const real *)io[0] + 4 * i;
        real ways[MOST] = {0}, *out = (real *)io[2] + 4 * i;
        for (int64_t k = 0; k < 2 * count; k++) {
            real way = data[k / 2 * 4 + 2 + k % 2] * (real)s->stds[2 + k % 2];
            ways[k] = s->limit > 0 ? smaller(way, (real)s->limit) : way;
        }
        store(ways, exp_vec(load(ways)));
        for (int64_t k = 0; k < 2 * count; k++) {
            const real *anchor = (const real *)io[1] + 4 * ((i + k / 2) % s->n);
            int64_t axis = k % 2, at = k / 2 * 4 + axis;
            real size = s->centered ? anchor[2 + axis] : anchor[2 + axis] - anchor[axis];
            real middle = s->centered ? anchor[axis] : anchor[axis] + size * (real)0.5;
            middle = data[at] * (real)s->stds[axis] * size + middle;
            real half = ways[k] * size * (real)0.5;
            out[at] = middle - half;
            out[at + 2] = middle + half;
        }
    }
    return DONE;
}

/* samples, matches (batch, n), anchors (batch, n, 4), refs (batch, m, 4), means, stds (4) | targets, mask (batch, n, 4). */
FIELDS(Encoding, int64_t batch, n, m;)

/* Each part handles some anchors; the logarithms of LANES / 2 anchors are one vector. */
static int box_encode(const void *fields, void *const *io, int64_t part, int64_t parts) {
    const Encoding *s = fields;
    Range range = range_of(s->batch * s->n, part, parts);
    const real *samples = io[0], *matches = io[1], *means = io[4], *stds = io[5];
    for (int64_t i = range.begin; i < range.end; i += MOST / 2) {
        int64_t count = min_int(range.end - i, MOST / 2);
        real ways[MOST] = {0}, *targets = (real *)io[6] + 4 * i, *valid = (real *)io[7] + 4 * i;
        for (int64_t k = 0; k < 2 * count; k++) {
            int64_t at = i + k / 2, axis = k % 2;
            real match = samples[at] > (real)0.5 ? matches[at] : 0, middle, size, middle2, size2;
            int64_t chosen = match > 0 ? match < (real)s->m ? (int64_t)match : s->m - 1 : 0;
            along((const real *)io[2] + 4 * at, axis, &middle, &size);
            along((const real *)io[3] + 4 * (at / s->n * s->m + chosen), axis, &middle2, &size2);
            targets[k / 2 * 4 + axis] = (middle2 - middle) / size;
            ways[k] = size2 / size;
        }
        store(ways, log_vec(load(ways)));
        for (int64_t k = 0; k < 4 * count; k++) {
            real way = k % 4 < 2 ? targets[k] : ways[k / 4 * 2 + k % 2];
            valid[k] = samples[i + k / 4] > (real)0.5;
            targets[k] = valid[k] ? (way - means[k % 4]) / stds[k % 4] : 0;
        }
    }
    return DONE;
}

KERNELS(KERNEL(box_iou, Overlaps), KERNEL(box_decode, Decoding), KERNEL(box_encode, Encoding))
