// The Khatri-Rao product, one matrix at a time: each row of the product belongs to a row of every matrix.
#include "common.cuh"

// out = from · matrix, where row r of out is multiplied by row r / below % rows of the matrix; without `from`, out =
// the matrix. from may be out.
extern "C" __global__ void times_matrix(T *out, const T *from, const T *matrix, long long n, long long columns,
                                        long long rows, long long below, bool first) {
    for_each(i, n) {
        A factor = (A)matrix[i / columns / below % rows * columns + i % columns];
        out[i] = first ? convert<T>(factor) : convert<T>((A)from[i] * factor);
    }
}

// out[row][column] = the sum of the product's elements that belong to this row of the matrix. One block computes each
// sum.
extern "C" __global__ void sum_others(T *out, const T *product, long long rows, long long columns, long long above,
                                      long long below) {
    for (long long t = blockIdx.x; t < rows * columns; t += gridDim.x) {
        A sum = 0;
        for (long long k = threadIdx.x; k < above * below; k += blockDim.x) {
            long long row = (k / below * rows + t / columns) * below + k % below;
            sum += (A)product[row * columns + t % columns];
        }
        sum = block_sum(sum);
        if (threadIdx.x == 0) out[t] = convert<T>(sum);
    }
}
