// Connectionist temporal classification: one block for each sequence, and one thread for each position on its path.
//
// A path is always at one of 2 L + 1 positions: the L labels, and the blanks around them. LABEL and LENGTH are the
// types of labels and of lengths, T is that of data, and A is that of the arithmetic. `log` contains the logarithms of
// softmax(data), (frames, batch, classes).
#include "common.cuh"

#define NONE (-MINIGLUON_INFINITY)

__device__ inline A sum_of_logs(A a, A b) {
    A most = larger(a, b), least = smaller(a, b);
    return most == NONE || most == least ? most + (most == least ? log((A)2) : (A)0) : most + log1p(exp(least - most));
}

// One sequence of the batch.
struct Sequence {
    const LABEL *label;
    long long item, filled, frames, places, classes, blank;
    // The class at a position.
    __device__ long long at(long long place) const {
        if (place % 2 == 0 || place / 2 >= filled) return blank;
        long long found = convert<long long>(label[place / 2]);
        return found < 0 ? 0 : found >= classes ? classes - 1 : found;
    }
    // Whether a path may skip the blank before this position.
    __device__ bool skips(long long place) const {
        return place >= 2 && at(place) != blank && at(place) != at(place - 2);
    }
    __device__ bool ends(long long place) const { return place == 2 * filled || place == 2 * filled - 1; }
};

// sizes: frames, batch, classes, labels, blank, padding, use of data_lengths, use of label_lengths
enum { FRAMES, BATCH, CLASSES, LABELS, BLANK, PADDING, USE_FRAMES, USE_LABELS };

__device__ inline Sequence sequence(long long item, const LABEL *labels, const LENGTH *frames, const COUNT *counts,
                                    const Dims &sizes) {
    Sequence s;
    long long length = sizes.at[LABELS];
    s.label = labels + item * length;
    s.item = item;
    s.filled = 0;
    if (sizes.at[USE_LABELS]) s.filled = convert<long long>(counts[item]);
    else while (s.filled < length && (double)s.label[s.filled] != (double)sizes.at[PADDING]) ++s.filled;
    s.frames = sizes.at[USE_FRAMES] ? convert<long long>(frames[item]) : sizes.at[FRAMES];
    s.places = 2 * length + 1;
    s.classes = sizes.at[CLASSES];
    s.blank = sizes.at[BLANK];
    return s;
}

#define PATHS const A *log, const LABEL *labels, const LENGTH *frames, const COUNT *counts, Dims sizes

__device__ inline A emitted(const A *log, const Sequence &s, long long t, long long place, const Dims &sizes) {
    return log[(t * sizes.at[BATCH] + s.item) * s.classes + s.at(place)];
}

// alpha (batch, frames, places): the sum over all path prefixes that are at a position at a given time. losses (batch).
extern "C" __global__ void beginnings(PATHS, A *alpha, A *losses) {
    for (long long item = blockIdx.x; item < sizes.at[BATCH]; item += gridDim.x) {
        Sequence s = sequence(item, labels, frames, counts, sizes);
        A *here = alpha + item * sizes.at[FRAMES] * s.places;
        for (long long t = 0; t < sizes.at[FRAMES]; ++t, here += s.places) {
            const A *before = here - s.places;
            for (long long p = threadIdx.x; p < s.places; p += blockDim.x) {
                A sum = NONE;
                if (t == 0) {
                    sum = p < 2 ? (A)0 : NONE;
                } else {
                    sum = before[p];
                    if (p >= 1) sum = sum_of_logs(sum, before[p - 1]);
                    if (s.skips(p)) sum = sum_of_logs(sum, before[p - 2]);
                }
                here[p] = sum + emitted(log, s, t, p, sizes);
            }
            __syncthreads();            // the next frame reads what the other threads have written
        }
        if (threadIdx.x == 0) {
            const A *last = alpha + (item * sizes.at[FRAMES] + s.frames - 1) * s.places;
            A sum = NONE;
            for (long long p = 0; p < s.places; ++p)
                if (s.ends(p)) sum = sum_of_logs(sum, last[p]);
            losses[item] = -sum;
        }
    }
}

// beta (batch, frames, places): the sum over all path suffixes that follow a position at a given time.
extern "C" __global__ void endings(PATHS, A *beta) {
    for (long long item = blockIdx.x; item < sizes.at[BATCH]; item += gridDim.x) {
        Sequence s = sequence(item, labels, frames, counts, sizes);
        for (long long t = sizes.at[FRAMES] - 1; t >= 0; --t) {
            A *here = beta + (item * sizes.at[FRAMES] + t) * s.places;
            const A *after = here + s.places;
            for (long long p = threadIdx.x; p < s.places; p += blockDim.x) {
                A sum = NONE;
                if (t < s.frames - 1) {
                    sum = after[p] + emitted(log, s, t + 1, p, sizes);
                    if (p + 1 < s.places) sum = sum_of_logs(sum, after[p + 1] + emitted(log, s, t + 1, p + 1, sizes));
                    if (p + 2 < s.places && s.skips(p + 2))
                        sum = sum_of_logs(sum, after[p + 2] + emitted(log, s, t + 1, p + 2, sizes));
                } else if (t == s.frames - 1 && s.ends(p)) {
                    sum = (A)0;
                }
                here[p] = sum;
            }
            __syncthreads();
        }
    }
}

// A sequence without any path, whose loss has been inf so far, is assigned the loss 0.
extern "C" __global__ void rounded_losses(const A *losses, T *to, long long n) {
    for_each(i, n) to[i] = convert<T>(losses[i] == MINIGLUON_INFINITY ? (A)0 : losses[i]);
}

// grad · (softmax(data) - share of the paths that emit the class at that time); one thread for each element of data
// visits the positions in order.
extern "C" __global__ void path_gradient(PATHS, const A *alpha, const A *beta, const A *losses, const T *grad, T *to,
                                         long long n) {
    for_each(i, n) {
        long long c = i % sizes.at[CLASSES], row = i / sizes.at[CLASSES];
        long long item = row % sizes.at[BATCH], t = row / sizes.at[BATCH];
        Sequence s = sequence(item, labels, frames, counts, sizes);
        A loss = losses[item], share = (A)0;
        bool fits = loss - loss == (A)0;
        long long first = (item * sizes.at[FRAMES] + t) * s.places;
        for (long long p = 0; p < s.places && fits; ++p)
            if (s.at(p) == c) share += exp(alpha[first + p] + beta[first + p] + loss);
        to[i] = fits && t < s.frames ? convert<T>((exp(log[i]) - share) * convert<A>(grad[item])) : (T)0;
    }
}
