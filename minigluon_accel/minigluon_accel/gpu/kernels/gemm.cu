// Matrix products by tiles: out = alpha . a . b + what is added, for each of a batch, of matrices with any strides.
//
// A block computes a tile of the result; or the part of it that comes from some of the depth, and then its sums go to
// `parts`, which gemm_sum of gemm_simple.cu adds up.
#include "common.cuh"
#include "gemm.cuh"
#include "tile.cuh"

// SIZE rows of a matrix from `first` on, `step` elements apart; along the depth elements are `depth_step` apart.
template <int SIZE> struct Strided {
    Slots<SIZE> slots;
    const T *matrix;
    NUMBER first, count, to, step, depth_step;

    __device__ Strided(const T *matrix, NUMBER first, NUMBER count, NUMBER to, NUMBER step, NUMBER depth_step)
        : slots(step != 1), matrix(matrix), first(first + slots.at), count(count), to(to), step(step),
          depth_step(depth_step) {}

    __device__ void fetch(NUMBER k, S (&values)[Slots<SIZE>::COUNT]) {
        k += slots.k;
        const T *from = matrix + (long long)first * step + (long long)k * depth_step;
        long long jump = (long long)slots.at_step * step + (long long)slots.k_step * depth_step;
#pragma unroll
        for (int i = 0; i < Slots<SIZE>::COUNT; ++i) {
            bool inside = first + i * slots.at_step < count && k + i * slots.k_step < to;
            values[i] = inside ? (S)from[i * jump] : (S)0;
        }
    }
};

extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS)
gemm_tiles(T *out, const T *a, const T *b, const T *added, A *parts, Product p, double alpha, double beta) {
    Block block(p.rows, p.columns, p.splits);
    NUMBER from = block.split * p.length, to = min(from + p.length, p.depth);
    Strided<BM> left(a + p.a.start(block.batch, p.inners), block.row, p.rows, to, p.a.row, p.a.column);
    Strided<BN> right(b + p.b.start(block.batch, p.inners), block.column, p.columns, to, p.b.column, p.b.row);
    A sums[SUMS] = {};
    multiply(left, right, from, to, sums);
#pragma unroll
    for (int i = 0; i < SUMS; ++i) {
        NUMBER row = block.row + row_of(i), column = block.column + column_of(i);
        if (row >= p.rows || column >= p.columns) continue;
        if (p.splits > 1)
            parts[(((long long)block.split * p.batches + block.batch) * p.rows + row) * p.columns + column] = sums[i];
        else
            finish(out, added, p, alpha, beta, block.batch, row, column, sums[i]);
    }
}
