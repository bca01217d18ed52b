/* MultiBoxTarget without mining: the object that each anchor should predict. Each part handles some images. */

#include "boxes.h"
#include "../vmath.h"

/* anchor (anchors, 4), label (images, objects, width) with the class, then the corners | offsets, mask (images,
   anchors, 4), classes (images, anchors). ignored: the class in images without any object. */
FIELDS(Targets, int64_t images, anchors, objects, width; double threshold, ignored, variances[4];)

/* The state of one image. found: overlaps (anchors, objects). matched: the object of each anchor, or -1. favorite: for
   each object, the free anchor that overlaps it most. served: whether an object has its anchor. */
typedef struct { real *found; int64_t *matched, *favorite; unsigned char *served; int64_t objects; } Matching;

static void find_favorite(const Targets *s, Matching m, int64_t object) {
    int64_t best = -1;
    for (int64_t i = 0; i < s->anchors; i++) {
        if (m.matched[i] >= 0) continue;
        if (best < 0 || m.found[i * m.objects + object] > m.found[best * m.objects + object]) best = i;
    }
    m.favorite[object] = best;
}

/* Matches the anchor and the object with the largest overlap first, then those with the largest overlap among the
   remaining anchors and objects. */
static void match_objects(const Targets *s, Matching m) {
    for (int64_t k = 0; k < m.objects; k++) m.served[k] = 0, find_favorite(s, m, k);
    for (int64_t pairs = min_int(s->anchors, m.objects); pairs > 0; pairs--) {
        int64_t best = -1;
        for (int64_t k = 0; k < m.objects; k++) {
            if (m.served[k]) continue;
            real found = m.found[m.favorite[k] * m.objects + k];
            real most = best < 0 ? -1 : m.found[m.favorite[best] * m.objects + best];
            if (found > most || (found == most && m.favorite[k] < m.favorite[best])) best = k;
        }
        int64_t anchor = m.favorite[best];
        if (!(m.found[anchor * m.objects + best] > (real)1e-6)) return;
        m.matched[anchor] = best;
        m.served[best] = 1;
        for (int64_t k = 0; k < m.objects; k++)
            if (!m.served[k] && m.favorite[k] == anchor) find_favorite(s, m, k);
    }
}

/* Assigns to each free anchor the object that overlaps it most, if the overlap exceeds the threshold. */
static void match_anchors(const Targets *s, Matching m) {
    for (int64_t i = 0; i < s->anchors; i++) {
        const real *found = m.found + i * m.objects;
        int64_t best = 0;
        for (int64_t k = 1; k < m.objects; k++)
            if (found[k] > found[best]) best = k;
        if (m.matched[i] < 0 && found[best] > (real)s->threshold) m.matched[i] = best;
    }
}

static void write_offsets(const Targets *s, const real *anchor, const real *box, real *offsets) {
    real ways[VECTOR_BYTES / sizeof(real)] = {0};
    for (int64_t axis = 0; axis < 2; axis++) {
        real middle, size, middle2, size2;
        along(anchor, axis, &middle, &size);
        along(box, axis, &middle2, &size2);
        offsets[axis] = (middle2 - middle) / size / (real)s->variances[axis];
        ways[axis] = size2 / size;
    }
    store(ways, log_vec(load(ways)));
    for (int64_t axis = 0; axis < 2; axis++) offsets[2 + axis] = ways[axis] / (real)s->variances[2 + axis];
}

static int targets_of(const Targets *s, const real *anchors, const real *label, Matching m, real *offsets, real *mask,
                      real *classes) {
    memset(offsets, 0, 4 * s->anchors * sizeof(real));
    memset(mask, 0, 4 * s->anchors * sizeof(real));
    for (m.objects = 0; m.objects < s->objects && label[m.objects * s->width] != -1;) m.objects++;
    for (int64_t i = 0; i < s->anchors; i++) {
        classes[i] = m.objects ? 0 : (real)s->ignored;
        m.matched[i] = -1;
        for (int64_t k = 0; k < m.objects; k++) {
            real found = overlap_of(anchors + 4 * i, label + k * s->width + 1);
            if (found != found) return REFUSED;     /* if there is a NaN, the reference decides what the maximum is */
            m.found[i * m.objects + k] = found;
        }
    }
    if (!m.objects) return DONE;
    match_objects(s, m);
    if (s->threshold > 0) match_anchors(s, m);
    for (int64_t i = 0; i < s->anchors; i++) {
        if (m.matched[i] < 0) continue;
        const real *object = label + m.matched[i] * s->width;
        classes[i] = object[0] + 1;
        for (int64_t k = 0; k < 4; k++) mask[4 * i + k] = 1;
        write_offsets(s, anchors + 4 * i, object + 1, offsets + 4 * i);
    }
    return DONE;
}

static int multibox_target(const void *fields, void *const *io, int64_t part, int64_t parts) {
    const Targets *s = fields;
    Range range = range_of(s->images, part, parts);
    int64_t *numbers = thread_scratch((s->anchors + s->objects) * sizeof(int64_t)
                                      + s->anchors * s->objects * sizeof(real) + s->objects);
    if (!numbers) return NO_MEMORY;
    real *found = (real *)(numbers + s->anchors + s->objects);
    Matching m = {found, numbers, numbers + s->anchors, (unsigned char *)(found + s->anchors * s->objects), 0};
    int status = DONE;
    for (int64_t n = range.begin; n < range.end && status == DONE; n++)
        status = targets_of(s, io[0], (const real *)io[1] + n * s->objects * s->width, m,
                            (real *)io[3] + 4 * n * s->anchors, (real *)io[4] + 4 * n * s->anchors,
                            (real *)io[5] + n * s->anchors);
    return status;
}

KERNELS(KERNEL(multibox_target, Targets))
