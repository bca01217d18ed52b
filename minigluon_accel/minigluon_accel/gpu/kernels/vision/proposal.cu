// Region proposals: writes the rows that vision/box_nms.cu orders and suppresses, and then copies the survivors to the
// output.
#include "vision/boxes.cuh"

#define MAX_SHAPES 64

struct Anchors { float at[4 * MAX_SHAPES]; };      // corners of the anchors at the first position

// rows (images, h, w, a, 5) with score and corners, in type A. scores (images, 2a, h, w), offsets (images, 4a, h, w),
// info (images, 3): height, width, scale.
extern "C" __global__ void propose(A *rows, const T *scores, const T *offsets, const T *info, long long total,
                                   long long h, long long w, long long a, long long stride, long long least,
                                   long long adds, Anchors anchors) {
    for_each(i, total) {
        long long shape = i % a, x = i / a % w, y = i / a / w % h, image = i / a / w / h;
        const T *about = info + 3 * image, *move = offsets + ((image * a + shape) * 4 * h + y) * w + x;
        A d[4], corner[4];
        for (int k = 0; k < 4; ++k) {
            d[k] = (A)move[k * h * w];
            corner[k] = (A)anchors.at[4 * shape + k] + (A)((k % 2 ? y : x) * stride);
        }
        if (adds) {
            for (int k = 0; k < 4; ++k) corner[k] += d[k];
        } else {
            for (int k = 0; k < 2; ++k) {
                A size = corner[k + 2] - corner[k] + (A)1, middle = corner[k] + (size - (A)1) * (A)0.5;
                middle = d[k] * size + middle;
                A half = (exp(d[k + 2]) * size - (A)1) * (A)0.5;
                corner[k] = middle - half;
                corner[k + 2] = middle + half;
            }
        }
        for (int k = 0; k < 4; ++k)
            corner[k] = smaller(larger(corner[k], (A)0), (A)about[k % 2 ? 0 : 1] - (A)1);
        A size = (A)about[2] * (A)least, score = (A)scores[((image * 2 * a + a + shape) * h + y) * w + x];
        if (corner[2] - corner[0] + (A)1 < size || corner[3] - corner[1] + (A)1 < size) {
            for (int k = 0; k < 4; ++k) corner[k] += (k < 2 ? (A)-0.5 : (A)0.5) * size;
            score = (A)-1;
        }
        bool there = y < (long long)((A)about[0] / (A)stride) && x < (long long)((A)about[1] / (A)stride);
        rows[5 * i] = there ? score : (A)-1;
        for (int k = 0; k < 4; ++k) rows[5 * i + 1 + k] = corner[k];
    }
}

// out (images, wanted, 5), with image and corners, and scores (images, wanted): the survivors, repeated from the first
// one if there are too few. One thread handles each row.
extern "C" __global__ void write_proposals(T *out, T *scores, const A *rows, const int *order, const bool *alive,
                                           long long total, long long wanted, long long n) {
    for_each(i, total) {
        long long image = i / wanted, count = 0, place = 0;
        for (long long j = 0; j < n; ++j) count += alive[image * n + j];
        for (long long skip = count ? i % wanted % count : 0; place < n; ++place)
            if (alive[image * n + place] && skip-- == 0) break;
        const A *row = rows + 5 * (image * n + order[image * n + place]);
        out[5 * i] = convert<T>((A)image);
        for (int k = 1; k < 5; ++k) out[5 * i + k] = convert<T>(row[k]);
        scores[i] = convert<T>(row[0]);
    }
}
