// Sums over matrices, and products of matrices and scalars. One block for each matrix, or one thread for each element.
#include "common.cuh"

// The sum of the logarithms of the diagonal.
extern "C" __global__ void sumlogdiag(T *out, const T *given, long long batch, long long rows, long long columns) {
    for (long long m = blockIdx.x; m < batch; m += gridDim.x) {
        T sum = 0;
        for (long long i = threadIdx.x; i < rows; i += blockDim.x) sum += log(given[(m * rows + i) * columns + i]);
        sum = block_sum(sum);
        if (threadIdx.x == 0) out[m] = sum;
    }
}

// The sum of A · B, element by element, over matrices of n elements.
extern "C" __global__ void inner(T *out, const T *given, const T *B, long long batch, long long n) {
    for (long long m = blockIdx.x; m < batch; m += gridDim.x) {
        T sum = 0;
        for (long long i = threadIdx.x; i < n; i += blockDim.x) sum += given[m * n + i] * B[m * n + i];
        sum = block_sum(sum);
        if (threadIdx.x == 0) out[m] = sum;
    }
}

// Multiplies each matrix of n elements by its scalar.
extern "C" __global__ void scale(T *out, const T *given, const T *s, long long count, long long n) {
    for_each(i, count) out[i] = given[i] * s[i / n];
}
