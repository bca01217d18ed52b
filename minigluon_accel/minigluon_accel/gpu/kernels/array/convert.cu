// Tests of whole arrays, computed by all threads together.
#include "common.cuh"

extern "C" __global__ void clear(long long *count) { *count = 0; }

// count += the number of elements above a threshold. The count is an integer, so the order in which blocks add to it
// does not matter.
extern "C" __global__ void count_above(unsigned long long *count, const T *data, double threshold, long long n) {
    long long found = 0;
    for_each(i, n) found += (A)data[i] > threshold;
    found = block_sum(found);
    if (threadIdx.x == 0) atomicAdd(count, (unsigned long long)found);
}

// Fills an array with total / count, or with total if nothing was counted.
extern "C" __global__ void share(T *to, const long long *count, double total, long long n) {
    T value = convert<T>(total / (*count > 1 ? *count : 1));
    for_each(i, n) to[i] = value;
}

// answer = 0 if an element is infinite or NaN. Several threads may write the same zero.
extern "C" __global__ void deny(float *answer, const T *data, long long n) {
    for_each(i, n) {
        A x = data[i];
        if (!(x - x == 0)) *answer = 0;
    }
}
