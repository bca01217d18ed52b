/* box_nms and MultiBoxDetection. Each part handles some images. */

#include "boxes.h"

/* data (batch, n, width) | out (batch, n, width), index (batch, n) as int32. turn: 1 writes survivors with center and
   size, 2 with corners, 0 unchanged. centered: whether data has centers and sizes. topk 0: no limit. id_index -1: no
   class. */
FIELDS(BoxNms,
    int64_t batch, n, width, first, score, id_index, any_kind, topk, centered, turn;
    double overlap, valid, background;
)

static inline void write_turned(real *to, const real *from, int64_t turn) {
    if (turn == 2) {
        real half_w = from[2] * (real)0.5, half_h = from[3] * (real)0.5;
        real box[4] = {from[0] - half_w, from[1] - half_h, from[0] + half_w, from[1] + half_h};
        memcpy(to, box, sizeof box);
    } else {
        real w = from[2] - from[0], h = from[3] - from[1];
        real box[4] = {from[0] + w * (real)0.5, from[1] + h * (real)0.5, w, h};
        memcpy(to, box, sizeof box);
    }
}

static void nms_of(const BoxNms *s, const real *data, real *out, int32_t *index, Ranked *ranked, void *room) {
    int64_t count = 0, kept = 0;
    for (int64_t i = 0; i < s->n; i++) {
        const real *row = data + i * s->width;
        if (row[s->score] > (real)s->valid && !(s->id_index >= 0 && row[s->id_index] == (real)s->background))
            ranked[count++] = (Ranked){row[s->score], i};
    }
    qsort(ranked, count, sizeof *ranked, by_score);
    if (s->topk > 0) count = min_int(count, s->topk);
    Boxes boxes = boxes_at(room, count);
    for (int64_t i = 0; i < count; i++) {
        const real *row = data + ranked[i].row * s->width, *at = row + s->first;
        real corners[4];
        memcpy(corners, at, sizeof corners);
        if (s->centered) write_turned(corners, at, 2);
        put_box(boxes, i, corners[0], corners[1], corners[2], corners[3], s->any_kind ? 0 : row[s->id_index]);
    }
    suppress(boxes, (real)s->overlap, s->any_kind, 0);
    for (int64_t i = 0; i < count; i++) {
        if (!boxes.alive[i]) continue;
        const real *row = data + ranked[i].row * s->width;
        memcpy(out + kept * s->width, row, s->width * sizeof(real));
        if (s->turn) write_turned(out + kept * s->width + s->first, row + s->first, s->turn);
        index[kept++] = (int32_t)ranked[i].row;
    }
    for (int64_t i = kept * s->width; i < s->n * s->width; i++) out[i] = -1;
    for (int64_t i = kept; i < s->n; i++) index[i] = -1;
}

static int box_nms(const void *fields, void *const *io, int64_t part, int64_t parts) {
    const BoxNms *s = fields;
    Range range = range_of(s->batch, part, parts);
    Ranked *ranked = thread_scratch(s->n * sizeof *ranked + boxes_bytes(s->n));
    if (!ranked) return NO_MEMORY;
    for (int64_t b = range.begin; b < range.end; b++)
        nms_of(s, (const real *)io[0] + b * s->n * s->width, (real *)io[1] + b * s->n * s->width,
               (int32_t *)io[2] + b * s->n, ranked, ranked + s->n);
    return DONE;
}

/* scores (images, classes, anchors), offsets (images, anchors, 4), anchor (anchors, 4) | out (images, anchors, 6).
   suppresses 0: the rows remain in the order of the anchors. topk 0: no limit. */
FIELDS(Detect,
    int64_t images, classes, anchors, clip, any_kind, suppresses, topk;
    double threshold, overlap, variances[4];
)

static inline void decode(real *box, const real *offset, const real *anchor, const Detect *s) {
    real w = anchor[2] - anchor[0], h = anchor[3] - anchor[1];
    real x = offset[0] * (real)s->variances[0] * w + (anchor[0] + w * (real)0.5);
    real y = offset[1] * (real)s->variances[1] * h + (anchor[1] + h * (real)0.5);
    real half_w = (real)exp(offset[2] * (real)s->variances[2]) * w * (real)0.5;
    real half_h = (real)exp(offset[3] * (real)s->variances[3]) * h * (real)0.5;
    real corners[4] = {x - half_w, y - half_h, x + half_w, y + half_h};
    for (int k = 0; k < 4; k++) box[k] = s->clip ? smaller(larger(corners[k], 0), 1) : corners[k];
}

static void detections_of(const Detect *s, const real *scores, const real *offsets, const real *anchor, real *out,
                          Ranked *ranked, real *kinds, void *room) {
    int64_t count = 0, limit;
    for (int64_t i = 0; i < s->anchors; i++) {
        real best = -INFINITY;
        int64_t kind = 0;
        for (int64_t c = 1; c < s->classes; c++)            /* NaN never counts as the most probable class */
            if (scores[c * s->anchors + i] > best) { best = scores[c * s->anchors + i]; kind = c - 1; }
        kinds[i] = (real)kind;
        if (best >= (real)s->threshold) ranked[count++] = (Ranked){best, i};
    }
    if (s->suppresses) qsort(ranked, count, sizeof *ranked, by_score);
    limit = s->suppresses && s->topk > 0 ? min_int(count, s->topk) : count;
    Boxes boxes = boxes_at(room, limit);
    for (int64_t i = 0; i < count; i++) {
        int64_t from = ranked[i].row;
        real *row = out + 6 * i;
        row[0] = i < limit ? kinds[from] : -1;
        row[1] = ranked[i].score;
        decode(row + 2, offsets + 4 * from, anchor + 4 * from, s);
        if (i < limit) put_box(boxes, i, row[2], row[3], row[4], row[5], row[0]);
    }
    for (int64_t i = 6 * count; i < 6 * s->anchors; i++) out[i] = -1;
    if (!s->suppresses) return;
    suppress(boxes, (real)s->overlap, s->any_kind, 1);
    for (int64_t i = 0; i < limit; i++)
        if (!boxes.alive[i]) out[6 * i] = -1;
}

static int multibox_detection(const void *fields, void *const *io, int64_t part, int64_t parts) {
    const Detect *s = fields;
    Range range = range_of(s->images, part, parts);
    Ranked *ranked = thread_scratch(s->anchors * (sizeof *ranked + sizeof(real)) + boxes_bytes(s->anchors));
    if (!ranked) return NO_MEMORY;
    real *kinds = (real *)(ranked + s->anchors);
    for (int64_t p = range.begin; p < range.end; p++)
        detections_of(s, (const real *)io[0] + p * s->classes * s->anchors, (const real *)io[1] + p * 4 * s->anchors,
                      io[2], (real *)io[3] + p * 6 * s->anchors, ranked, kinds, kinds + s->anchors);
    return DONE;
}

KERNELS(KERNEL(box_nms, BoxNms), KERNEL(multibox_detection, Detect))
