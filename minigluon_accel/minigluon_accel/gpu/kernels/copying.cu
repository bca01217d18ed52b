// Copies to another type, copies between strided arrays, and fills with a single value.
#include "common.cuh"

// to[i] = from[i], where each array has its own strides (in elements). FROM and T are the types.
extern "C" __global__ void copy_strided(T *to, const FROM *from, long long n, int rank,
                                        const __grid_constant__ Dims lengths, const __grid_constant__ Dims to_strides,
                                        const __grid_constant__ Dims from_strides) {
    for_each(i, n) to[place(i, rank, lengths, to_strides)] = convert<T>(from[place(i, rank, lengths, from_strides)]);
}

// Fills an array with a single value.
extern "C" __global__ void fill_strided(T *to, T value, long long n, int rank, const __grid_constant__ Dims lengths,
                                        const __grid_constant__ Dims strides) {
    for_each(i, n) to[place(i, rank, lengths, strides)] = value;
}

// to[where[0][i]] = values[where[1][i]]. The positions in `to` are distinct.
extern "C" __global__ void scatter_elements(T *to, const T *values, const long long *where, long long n) {
    for_each(i, n) to[where[i]] = values[where[n + i]];
}
