// Padding and its gradient, and sums over the copies of each element.
#include "common.cuh"
#include "strided_index.cuh"

#define CONSTANT 0
#define EDGE 1
#define REFLECT 2

#ifdef W
// out[i] = data at the position that padding copies from; or `value` if that position is outside and the mode is
// CONSTANT. walk: lengths of out, and strides in data. before: the padding before each axis. lengths: the lengths of
// data.
extern "C" __global__ void pad(W *out, const W *data, long long n, long long mode, W value,
                               const __grid_constant__ Dims before, const __grid_constant__ Dims lengths,
                               const __grid_constant__ Walk walk) {
    for_each(i, n) {
        INDEX rest = (INDEX)i;
        long long at = 0;
        bool inside = true;
        for (int d = (int)walk.rank - 1; d >= 0; --d) {
            INDEX next = d > 0 ? quotient(rest, walk, d) : 0;
            long long place = (long long)(rest - next * (INDEX)walk.length[d]) - before.at[d], last = lengths.at[d] - 1;
            rest = next;
            if (place < 0 || place > last) {
                if (mode == CONSTANT) inside = false;
                else if (mode == EDGE) place = place < 0 ? 0 : last;
                else place = place < 0 ? -place : 2 * last - place;
            }
            at += place * walk.from[d];
        }
        out[i] = inside ? data[at] : value;
    }
}
#endif

#ifdef T
// The gradient along one axis: grad (outer, before + length + after, inner) to out (outer, length, inner). Each element
// of out is the sum of its own gradient and the gradients of its copies, in order.
extern "C" __global__ void pad_grad(T *out, const T *grad, long long n, long long length, long long inner,
                                    long long before, long long after, long long mode) {
    long long padded = before + length + after;
    for_each(i, n) {
        long long k = i % inner, place = i / inner % length;
        const T *line = grad + i / inner / length * padded * inner + k;
        A sum = (A)line[(before + place) * inner];
        if (mode == EDGE) {
            if (place == 0) for (long long p = 0; p < before; ++p) sum += (A)line[p * inner];
            if (place == length - 1) for (long long p = before + length; p < padded; ++p) sum += (A)line[p * inner];
        }
        if (mode == REFLECT) {
            long long left = before - place, right = before + 2 * (length - 1) - place;
            if (place > 0 && left >= 0) sum += (A)line[left * inner];
            if (place < length - 1 && right < padded) sum += (A)line[right * inner];
        }
        out[i] = convert<T>(sum);
    }
}

// out[i] = the sum of `count` elements of data, in order; their offsets are those of `inside`, relative to the offset
// of `outside`. One thread computes each sum.
extern "C" __global__ void sum_copies(T *out, const T *data, long long n, long long count, long long start,
                                      Walk outside, Walk inside) {
    for_each(i, n) {
        const T *first = data + start + ends((INDEX)i, outside).from;
        A sum = 0;
        for (long long k = 0; k < count; ++k) sum += (A)first[ends((INDEX)k, inside).from];
        out[i] = convert<T>(sum);
    }
}

// The same with one block for each sum, for a few long sums.
extern "C" __global__ void sum_many_copies(T *out, const T *data, long long n, long long count, long long start,
                                           Walk outside, Walk inside) {
    for (long long i = blockIdx.x; i < n; i += gridDim.x) {
        const T *first = data + start + ends((INDEX)i, outside).from;
        A sum = 0;
        for (long long k = threadIdx.x; k < count; k += blockDim.x) sum += (A)first[ends((INDEX)k, inside).from];
        sum = block_sum(sum);
        if (threadIdx.x == 0) out[i] = convert<T>(sum);
    }
}

// out += data, which has its own strides.
extern "C" __global__ void add_copies(T *out, const T *data, long long n, Walk walk) {
    for_each(i, n) {
        Ends at = ends((INDEX)i, walk);
        out[at.to] = convert<T>((A)out[at.to] + (A)data[at.from]);
    }
}
#endif
