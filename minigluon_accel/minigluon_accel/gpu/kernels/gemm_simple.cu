// Matrix products without tiles, and the second half of products whose depth is split.
//
//   gemm_sum        adds the parts in order, so that the result is bitwise the same each time
//   gemm_finish     the epilogue, for a product that cuBLAS has written to out
//   gemv_along      one column, with the rows of a contiguous: a warp for each row
//   gemv_across     one column, with the columns of a contiguous: a thread for each row and part of the depth
//   gemm_plain      a thread for each element: slow but easy to read; tests compare the others with it
#include "common.cuh"
#include "gemm.cuh"

extern "C" __global__ void gemm_sum(T *out, const T *added, const A *parts, Product p, double alpha, double beta) {
    long long count = (long long)p.batches * p.rows * p.columns;
    for_each(i, count) {
        A sum = 0;
#pragma unroll 8       // the number of loads in flight
        for (NUMBER split = 0; split < p.splits; ++split) sum += parts[split * count + i];
        long long row = i / p.columns;
        finish(out, added, p, alpha, beta, row / p.rows, row % p.rows, i % p.columns, sum);
    }
}

extern "C" __global__ void gemm_finish(T *out, const T *added, Product p, double alpha, double beta) {
    for_each(i, (long long)p.batches * p.rows * p.columns) {
        long long row = i / p.columns;
        finish(out, added, p, alpha, beta, row / p.rows, row % p.rows, i % p.columns, (A)out[p.out.offset + i]);
    }
}

// -- one column ------------------------------------------------------------------------------------------------------

// The time to read `a` dominates, so neighboring lanes read neighboring elements. a.column is 1.
extern "C" __global__ void gemv_along(T *out, const T *a, const T *b, const T *added, Product p, double alpha,
                                      double beta) {
    int lane = threadIdx.x % 32;
    NUMBER warps = gridDim.x * (blockDim.x / 32);
    for (NUMBER row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32; row < p.rows; row += warps) {
        const T *numbers = a + p.a.offset + (long long)row * p.a.row;
        A sum = 0;
        for (NUMBER k = lane; k < p.depth; k += 32)
            sum += (A)numbers[k] * (A)b[p.b.offset + (long long)k * p.b.row];
        sum = warp_sum(sum);
        if (lane == 0) finish(out, added, p, alpha, beta, 0, row, 0, sum);
    }
}

#define SLICES 8

// a.row is 1: a warp reads 32 neighboring rows at each depth, and the depths are divided among eight warps. Blocks are
// (32, SLICES).
extern "C" __global__ void gemv_across(T *out, const T *a, const T *b, const T *added, Product p, double alpha,
                                       double beta) {
    __shared__ A slices[SLICES][32];
    for (NUMBER first = blockIdx.x * 32; first < p.rows; first += gridDim.x * 32) {
        NUMBER row = first + threadIdx.x;
        A sum = 0;
        if (row < p.rows)
            for (NUMBER k = threadIdx.y; k < p.depth; k += SLICES)
                sum += (A)a[p.a.offset + row + (long long)k * p.a.column] * (A)b[p.b.offset + (long long)k * p.b.row];
        slices[threadIdx.y][threadIdx.x] = sum;
        __syncthreads();
        if (threadIdx.y == 0 && row < p.rows) {
            for (int slice = 1; slice < SLICES; ++slice) sum += slices[slice][threadIdx.x];
            finish(out, added, p, alpha, beta, 0, row, 0, sum);
        }
        __syncthreads();
    }
}

// -- the twin --------------------------------------------------------------------------------------------------------

extern "C" __global__ void gemm_plain(T *out, const T *a, const T *b, const T *added, Product p, double alpha,
                                      double beta) {
    for_each(i, (long long)p.batches * p.rows * p.columns) {
        long long column = i % p.columns, row = i / p.columns % p.rows, batch = i / p.columns / p.rows;
        const T *x = a + p.a.start(batch, p.inners) + row * p.a.row;
        const T *y = b + p.b.start(batch, p.inners) + column * p.b.column;
        A sum = 0;
        for (long long k = 0; k < p.depth; ++k) sum += (A)x[k * p.a.column] * (A)y[k * p.b.row];
        finish(out, added, p, alpha, beta, batch, row, column, sum);
    }
}
