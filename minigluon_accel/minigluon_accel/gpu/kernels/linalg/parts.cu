// Diagonals and triangles of matrices. Each thread computes one element of the result, or of the whole matrix.
#include "common.cuh"

// out[m][i] = element i of a diagonal, which begins at (row, column), of square matrices with side length `side`.
extern "C" __global__ void extractdiag(T *out, const T *given, long long count, long long length, long long side,
                                       long long row, long long column) {
    for_each(t, count) {
        long long m = t / length, i = t % length;
        out[t] = given[(m * side + row + i) * side + column + i];
    }
}

// The reverse, with zeros elsewhere.
extern "C" __global__ void makediag(T *out, const T *given, long long count, long long length, long long side,
                                    long long row, long long column) {
    for_each(t, count) {
        long long m = t / (side * side), i = t / side % side, j = t % side;
        out[t] = i - row == j - column && i >= row && i - row < length ? given[m * length + i - row] : T(0.0f);
    }
}

// The index of an element in the vector of a triangle, or -1. A lower triangle, at least `away` from the diagonal, is
// stored row by row; an upper triangle is stored column by column.
__device__ inline long long place_in_triangle(long long i, long long j, long long away, bool lower) {
    long long line = (lower ? i : j) - away, along = lower ? j : i;
    return along <= line ? line * (line + 1) / 2 + along : -1;
}

extern "C" __global__ void extracttrian(T *out, const T *given, long long count, long long length, long long side,
                                        long long away, bool lower) {
    for_each(t, count) {
        long long k = place_in_triangle(t / side % side, t % side, away, lower);
        if (k >= 0) out[t / (side * side) * length + k] = given[t];
    }
}

extern "C" __global__ void maketrian(T *out, const T *given, long long count, long long length, long long side,
                                     long long away, bool lower) {
    for_each(t, count) {
        long long k = place_in_triangle(t / side % side, t % side, away, lower);
        out[t] = k >= 0 ? given[t / (side * side) * length + k] : T(0.0f);
    }
}
