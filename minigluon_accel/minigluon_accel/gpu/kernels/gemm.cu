// Matrix products by tiles: out = alpha . a . b + an addend, for a batch of matrices with any strides.
//
// A block computes a tile of the result. If the depth is split, the block computes the contribution of one part of the
// depth to the tile; these sums go to `parts`, and gemm_sum of gemm_simple.cu adds them.
#include "common.cuh"
#include "gemm.cuh"
#include "tile.cuh"
#if MMA == 16
#include "pairs.cuh"
#define SOURCE Paired
#else
#define SOURCE Strided
#endif

// SIZE of the `count` rows of a matrix, starting at `first`; rows are `step` elements apart. Along the depth, from
// `from` to `to` - 1, elements are `depth_step` apart. They are read in steps of BK.
template <int SIZE> struct Strided {
    Slots<SIZE> slots;
    const T *next;                      // this thread's first element
    long long apart, ahead;             // distance from one of its elements to the next, and to the first element of
                                        // the next step
    int rows;                           // an element exists if its position is below this value
    NUMBER deep;                        // and its depth is below this value

    __device__ Strided(const T *matrix, NUMBER first, NUMBER count, NUMBER from, NUMBER to, NUMBER step,
                       NUMBER depth_step)
        : slots(step != 1),
          next(matrix + (long long)(first + slots.at) * step + (long long)(from + slots.k) * depth_step),
          apart((long long)slots.at_step * step + (long long)slots.k_step * depth_step),
          ahead((long long)depth_step * BK), rows((int)min(count - first, (NUMBER)SIZE) - slots.at),
          deep(to - from - slots.k) {}

    template <typename To> __device__ void fetch(NUMBER k, const To &to) {
#pragma unroll
        for (int i = 0; i < Slots<SIZE>::COUNT; ++i)
            to(i, next + i * apart, i * slots.at_step < rows && i * slots.k_step < deep);
        next += ahead;
        deep -= BK;
    }
};

extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS)
gemm_tiles(T *out, const T *a, const T *b, const T *added, A *parts, Product p, double alpha, double beta) {
    __shared__ Block block;             // recomputed here, so that it needs no register while the tiles are multiplied
    Block own = block_of(p.rows, p.columns, p.splits);
    if (threadIdx.x == 0) block = own;
    NUMBER from = own.split * p.length, to = min(from + p.length, p.depth);
    SOURCE<BM> left(a + p.a.start(own.batch, p.inners), own.row, p.rows, from, to, p.a.row, p.a.column);
    SOURCE<BN> right(b + p.b.start(own.batch, p.inners), own.column, p.columns, from, to, p.b.column, p.b.row);
    A sums[SUMS] = {};
    multiply(left, right, from, to, sums);
    __syncthreads();                    // if the depth is 0, no thread has waited for the block yet
    A *part = parts + ((long long)block.split * p.batches + block.batch) * p.rows * p.columns;
    long long start = p.out.start(block.batch, p.inners);
#pragma unroll
    for (int i = 0; i < SUMS; i += RUN) {
        NUMBER row = block.row + row_of(i), column = block.column + column_of(i);
        if (row >= p.rows || column >= p.columns) continue;
        if (p.splits > 1)
            write_run<RUN>(part + (long long)row * p.columns + column, 1, p.columns - column, &sums[i]);
        else
            finish_run<RUN>(out, added, p, alpha, beta, start, row, column, &sums[i]);
    }
}
