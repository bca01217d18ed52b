// Overlaps of boxes, matching of rows and columns, and offsets between boxes. T is the type of all arrays.
#include "vision/boxes.cuh"

// out (n, m) from lhs (n, 4) and rhs (m, 4).
extern "C" __global__ void overlaps(T *out, const T *lhs, const T *rhs, long long total, long long m,
                                    long long centered) {
    for_each(i, total)
        out[i] = convert<T>(overlap_of(box_at(lhs + i / m * 4, centered), box_at(rhs + i % m * 4, centered), (A)0));
}

// One block for each matrix of scores (n, m) repeatedly selects the best remaining pair.
extern "C" __global__ void match(T *rows, T *columns, const T *scores, long long batch, long long n, long long m,
                                 long long pairs, double threshold, long long ascend) {
    for (long long b = blockIdx.x; b < batch; b += gridDim.x) {
        T *row = rows + b * n, *column = columns + b * m;
        const T *score = scores + b * n * m;
        for (long long i = threadIdx.x; i < n; i += blockDim.x) row[i] = (T)-1;
        for (long long j = threadIdx.x; j < m; j += blockDim.x) column[j] = (T)-1;
        for (long long k = 0; k < pairs; ++k) {
            __syncthreads();
            Best best = {(A)0, -1};
            for (long long p = threadIdx.x; p < n * m; p += blockDim.x) {
                A found = (A)score[p];
                bool good = ascend ? found < (A)threshold : found > (A)threshold;
                if (good && (A)row[p / m] == (A)-1 && (A)column[p % m] == (A)-1)
                    best = better(best, {ascend ? -found : found, p});
            }
            best = best_of_block(best);
            if (best.place < 0) break;
            if (threadIdx.x == 0) {
                row[best.place / m] = convert<T>(best.place % m);
                column[best.place % m] = convert<T>(best.place / m);
            }
        }
        __syncthreads();
    }
}

// Component `axis`, one of 4, of the offset from an anchor to a box: the distance of the centers in units of the
// anchor's size, or the log of the ratio of the sizes.
__device__ inline A offset_of(Box anchor, Box box, int axis) {
    A from = axis % 2 ? anchor.top : anchor.left, to = axis % 2 ? box.top : box.left;
    A size = (axis % 2 ? anchor.bottom : anchor.right) - from, length = (axis % 2 ? box.bottom : box.right) - to;
    if (axis >= 2) return log(length / size);
    return (to + length * (A)0.5 - (from + size * (A)0.5)) / size;
}

// targets and mask (batch, n, 4); samples and matches (batch, n), anchors (batch, n, 4), refs (batch, m, 4).
extern "C" __global__ void encode(T *targets, T *mask, const T *samples, const T *matches, const T *anchors,
                                  const T *refs, const T *means, const T *stds, long long total, long long n,
                                  long long m) {
    for_each(i, total) {
        long long place = i / 4, axis = i % 4;
        bool valid = m > 0 && (A)samples[place] > (A)0.5;
        long long chosen = valid ? convert<long long>(matches[place]) : 0;
        chosen = chosen < 0 ? 0 : chosen >= m ? m - 1 : chosen;
        A found = 0;
        if (valid) {
            found = offset_of(box_at(anchors + place * 4, false), box_at(refs + (place / n * m + chosen) * 4, false),
                              axis);
            found = (found - (A)means[axis]) / (A)stds[axis];
        }
        targets[i] = convert<T>(found);
        mask[i] = convert<T>((A)valid);
    }
}

// out (batch, n, 4) from offsets (batch, n, 4) and anchors (n, 4): one thread for each box.
extern "C" __global__ void decode(T *out, const T *data, const T *anchors, long long total, long long n, double std0,
                                  double std1, double std2, double std3, double clip, long long centered) {
    for_each(i, total) {
        const T *at = data + i * 4, *anchor = anchors + i % n * 4;
        A x = (A)anchor[0], y = (A)anchor[1], w = (A)anchor[2], h = (A)anchor[3];
        if (!centered) { w -= x; h -= y; x += w * (A)0.5; y += h * (A)0.5; }
        A wide = (A)at[2] * (A)std2, high = (A)at[3] * (A)std3;
        if (clip > 0) { wide = smaller(wide, (A)clip); high = smaller(high, (A)clip); }
        w *= (A)0.5 * exp(wide);
        h *= (A)0.5 * exp(high);
        A middle_x = (A)at[0] * (A)std0 * (centered ? (A)anchor[2] : (A)anchor[2] - (A)anchor[0]) + x;
        A middle_y = (A)at[1] * (A)std1 * (centered ? (A)anchor[3] : (A)anchor[3] - (A)anchor[1]) + y;
        out[i * 4] = convert<T>(middle_x - w);
        out[i * 4 + 1] = convert<T>(middle_y - h);
        out[i * 4 + 2] = convert<T>(middle_x + w);
        out[i * 4 + 3] = convert<T>(middle_y + h);
    }
}
