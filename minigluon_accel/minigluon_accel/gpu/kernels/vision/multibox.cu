// Anchors, their training targets, and boxes from predictions. T is the type of the arrays; B, the type of scratch
// memory, is A.
#include "vision/boxes.cuh"

#define MAX_SHAPES 64

struct Halves { float at[2 * MAX_SHAPES]; };       // half the width and half the height of each anchor at a position

// out (h, w, a, 4): one thread for each anchor.
extern "C" __global__ void prior(T *out, long long total, long long w, long long a, double step_y, double step_x,
                                 double offset_y, double offset_x, long long clip, Halves halves) {
    for_each(i, total) {
        long long shape = i % a, column = i / a % w, row = i / a / w;
        float x = ((float)column + (float)offset_x) * (float)step_x, y = ((float)row + (float)offset_y) * (float)step_y;
        float half_width = halves.at[2 * shape], half_height = halves.at[2 * shape + 1];
        float corners[4] = {x - half_width, y - half_height, x + half_width, y + half_height};
        for (int k = 0; k < 4; ++k) {
            float at = clip ? smaller(larger(corners[k], 0.0f), 1.0f) : corners[k];
            out[i * 4 + k] = convert<T>(at);
        }
    }
}

// The number of rows of a label (m, width) before the first row whose class is -1.
__device__ inline long long objects_of(const T *label, long long m, long long width) {
    long long count = 0;
    while (count < m && (A)label[count * width] != (A)-1) ++count;
    return count;
}

// found (images, anchors, m): the overlap of each anchor with each object.
extern "C" __global__ void label_overlaps(A *found, const T *anchor, const T *label, long long total, long long anchors,
                                          long long m, long long width) {
    for_each(i, total)
        found[i] = overlap_of(box_at(anchor + i / m % anchors * 4, false),
                              box_at(label + (i / m / anchors * m + i % m) * width + 1, false), (A)0);
}

// One block handles each image. matched (images, anchors): the index of the object, -1 for background, -2 for an anchor
// that is ignored. taken (images, m) and chance (images, anchors) are workspaces.
extern "C" __global__ void match_anchors(int *matched, int *taken, A *chance, const A *found, const T *label,
                                         const T *scores, long long images, long long anchors, long long m,
                                         long long width, long long classes, double threshold, double ratio,
                                         double negative_below) {
    for (long long image = blockIdx.x; image < images; image += gridDim.x) {
        const A *overlap = found + image * anchors * m;
        int *match = matched + image * anchors, *used = taken + image * m;
        A *background = chance + image * anchors;
        long long objects = objects_of(label + image * m * width, m, width), none = objects ? -1 : -2;
        for (long long i = threadIdx.x; i < anchors; i += blockDim.x) match[i] = (int)none;
        for (long long j = threadIdx.x; j < objects; j += blockDim.x) used[j] = 0;
        for (long long k = 0; k < objects; ++k) {               // each object is assigned its best anchor; the best
                                                                // pair comes first
            __syncthreads();
            Best best = {(A)0, -1};
            for (long long p = threadIdx.x; p < anchors * objects; p += blockDim.x) {
                long long i = p / objects, j = p % objects;
                A score = overlap[i * m + j];
                if (match[i] < 0 && !used[j] && score > (A)1e-6) best = better(best, {score, p});
            }
            best = best_of_block(best);
            if (best.place < 0) break;
            if (threadIdx.x == 0) {
                match[best.place / objects] = (int)(best.place % objects);
                used[best.place % objects] = 1;
            }
        }
        __syncthreads();
        long long positive = 0;
        for (long long i = threadIdx.x; i < anchors; i += blockDim.x) {
            Best best = {(A)0, -1};
            for (long long j = 0; j < objects; ++j) best = better(best, {overlap[i * m + j], j});
            if (objects && match[i] < 0 && threshold > 0 && best.score > (A)threshold) match[i] = (int)best.place;
            positive += match[i] >= 0;
            background[i] = (A)-1;                              // not a candidate
            if (ratio > 0 && match[i] == -1 && best.score < (A)negative_below) {
                const T *of = scores + image * classes * anchors + i;
                A most = (A)of[0], sum = 0;
                for (long long c = 1; c < classes; ++c) most = larger(most, (A)of[c * anchors]);
                for (long long c = 0; c < classes; ++c) sum += exp((A)of[c * anchors] - most);
                background[i] = exp((A)of[0] - most) / sum;
            }
        }
        positive = block_sum(positive);
        __syncthreads();
        long long wanted = (long long)((double)positive * ratio);
        for (long long i = threadIdx.x; ratio > 0 && i < anchors; i += blockDim.x) {
            if (match[i] != -1) continue;
            A mine = background[i];
            long long before = 0;
            for (long long j = 0; j < anchors; ++j) {
                A other = background[j];
                before += other >= (A)0 && (other < mine || (other == mine && j < i));
            }
            if (mine < (A)0 || before >= wanted) match[i] = -2;
        }
        __syncthreads();
    }
}

struct Variances { double at[4]; };

// offsets, mask (images, anchors, 4) and classes (images, anchors): one thread for each anchor.
extern "C" __global__ void write_targets(T *offsets, T *mask, T *classes, const int *matched, const T *anchor,
                                         const T *label, long long total, long long anchors, long long m,
                                         long long width, double ignored, Variances variances) {
    for_each(i, total) {
        int match = matched[i];
        A target[4] = {0, 0, 0, 0}, kind = match == -1 ? (A)0 : (A)ignored;
        if (match >= 0) {
            const T *object = label + (i / anchors * m + match) * width;
            Box from = box_at(anchor + i % anchors * 4, false), to = box_at(object + 1, false);
            A w = from.right - from.left, h = from.bottom - from.top;
            A wide = to.right - to.left, high = to.bottom - to.top;
            target[0] = (to.left + wide * (A)0.5 - (from.left + w * (A)0.5)) / w;
            target[1] = (to.top + high * (A)0.5 - (from.top + h * (A)0.5)) / h;
            target[2] = log(wide / w);
            target[3] = log(high / h);
            kind = (A)object[0] + (A)1;
        }
        classes[i] = convert<T>(kind);
        for (int k = 0; k < 4; ++k) {
            offsets[i * 4 + k] = convert<T>(match >= 0 ? target[k] / (A)variances.at[k] : (A)0);
            mask[i * 4 + k] = convert<T>((A)(match >= 0));
        }
    }
}

// rows (images, anchors, 6), with class (-1: background), score, corners.
extern "C" __global__ void detections(A *rows, const T *probabilities, const T *offsets, const T *anchor,
                                      long long total, long long anchors, long long classes, double threshold,
                                      long long clip, Variances variances) {
    for_each(i, total) {
        long long image = i / anchors, place = i % anchors, kind = -1;
        A score = 0;
        for (long long c = 1; c < classes; ++c) {           // NaN never counts as the most probable class
            A found = (A)probabilities[(image * classes + c) * anchors + place];
            if (found == found && (kind < 0 || found > score)) { score = found; kind = c - 1; }
        }
        if (!(score >= (A)threshold)) kind = -1;
        Box from = box_at(anchor + place * 4, false);
        A w = from.right - from.left, h = from.bottom - from.top;
        const T *offset = offsets + i * 4;
        A half_width = exp((A)offset[2] * (A)variances.at[2]) * w * (A)0.5;
        A half_height = exp((A)offset[3] * (A)variances.at[3]) * h * (A)0.5;
        A x = (A)offset[0] * (A)variances.at[0] * w + (from.left + w * (A)0.5);
        A y = (A)offset[1] * (A)variances.at[1] * h + (from.top + h * (A)0.5);
        A corners[4] = {x - half_width, y - half_height, x + half_width, y + half_height};
        rows[i * 6] = (A)kind;
        rows[i * 6 + 1] = score;
        for (int k = 0; k < 4; ++k) rows[i * 6 + 2 + k] = clip ? smaller(larger(corners[k], (A)0), (A)1) : corners[k];
    }
}

// Rows in their order. The class of a row that did not survive becomes -1; missing rows are all -1.
extern "C" __global__ void write_detections(T *out, const A *rows, const int *order, const bool *alive, long long total,
                                            long long anchors) {
    for_each(i, total) {
        long long row = i / 6;
        bool lost = order[row] < 0 || (i % 6 == 0 && !alive[row]);
        out[i] = lost ? (T)-1 : convert<T>(rows[(row / anchors * anchors + order[row]) * 6 + i % 6]);
    }
}
