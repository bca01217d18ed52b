// A convolution or one of its gradients as a product of tiles: see nn/convolution.cuh and tile.cuh.
//
// What it takes to find elements of the right factor is computed once for each column of a tile, and once for each
// TABLE depths, by all threads together; both lie in shared memory, and an element costs two reads there, some
// additions and comparisons.
#include "common.cuh"
#include "nn/convolution.cuh"
#include "tile.cuh"

#define TABLE 64            // depths; a multiple of BK

struct Tables {
    Part columns[BN];
    Part depths[TABLE];
};

// Rows of the left factor: weights, or gradients at windows.
template <int SIZE> struct Rows {
    Slots<SIZE> slots;
    const Scene &scene;
    Tables &tables;
    const T *left;
    NUMBER first, start;

    __device__ Rows(const Scene &scene, Tables &tables, const T *left, NUMBER first, NUMBER from)
        : slots(scene.left_row != 1), scene(scene), tables(tables), left(left), first(first + slots.at),
          start(from - TABLE) {}

    // Comes before that of `Seen`, for which it fills the table of depths, too.
    __device__ void fetch(NUMBER k, S (&values)[Slots<SIZE>::COUNT]) {
        if (k == start + TABLE) {
            start = k;
            __syncthreads();
            for (int i = threadIdx.x; i < TABLE; i += THREADS) tables.depths[i] = depth_part(scene, k + i);
            __syncthreads();
        }
#pragma unroll
        for (int i = 0; i < Slots<SIZE>::COUNT; ++i) {
            NUMBER row = first + i * slots.at_step, other = tables.depths[k - start + slots.k + i * slots.k_step].other;
            values[i] = row < scene.rows && other >= 0 ? (S)left[row * scene.left_row + other] : (S)0;
        }
    }
};

// Columns of the right factor: the source as windows see it.
template <int SIZE> struct Seen {
    Slots<SIZE> slots;
    const Scene &scene;
    const Tables &tables;
    const T *source;
    NUMBER from;

    __device__ Seen(const Scene &scene, const Tables &tables, const T *source, NUMBER from)
        : slots((scene.last != 0) != SUM_OVER_WINDOWS), scene(scene), tables(tables), source(source), from(from) {}

    __device__ void fetch(NUMBER k, S (&values)[Slots<SIZE>::COUNT]) {
        int deep = (int)(k - from) % TABLE + slots.k;
#pragma unroll
        for (int i = 0; i < Slots<SIZE>::COUNT; ++i) {
            const Part &column = tables.columns[slots.at + i * slots.at_step];
            const Part &depth = tables.depths[deep + i * slots.k_step];
            values[i] = sees(scene, column, depth) ? (S)source[column.offset + depth.offset] : (S)0;
        }
    }
};

// Tiles multiply with 0 where a window sees nothing, which the gradient of the data must not do: where that has met an
// infinite factor, this thread's sums are made again. Seldom, so it may take long.
__device__ inline void make_again(const Scene &scene, const Tables &tables, const Block &block, T *out, const T *left,
                                  const T *source, const T *bias) {
    NUMBER columns = scene.columns();
#pragma unroll 1
    for (int i = 0; i < SUMS; ++i) {
        NUMBER row = block.row + row_of(i), column = block.column + column_of(i);
        if (row >= scene.rows || column >= columns) continue;
        const Part &part = tables.columns[column_of(i)];
        A value = (A)out[place_of(scene, block.batch, row, part)];
        if (value != value)
            finish(scene, out, bias, block.batch, row, part, plain_sum(scene, left, source, row, part));
    }
}

extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS)
conv_tiles(T *out, const T *left, const T *source, const T *bias, A *parts, Scene scene) {
    __shared__ Tables tables;
    NUMBER columns = scene.columns();
    Block block(scene.rows, columns, scene.splits);
    for (int i = threadIdx.x; i < BN; i += THREADS) tables.columns[i] = column_part(scene, block.column + i);
    left += block.batch * scene.left_group;
    source += block.batch * scene.source_group;
    NUMBER from = block.split * scene.length, to = min(from + scene.length, scene.depth());
    Rows<BM> rows(scene, tables, left, block.row, from);
    Seen<BN> seen(scene, tables, source, from);
    A sums[SUMS] = {};
    multiply(rows, seen, from, to, sums);
    __syncthreads();                    // without depth, nobody has waited for the table of columns
    bool lost = false;
#pragma unroll
    for (int i = 0; i < SUMS; ++i) {
        NUMBER row = block.row + row_of(i), column = block.column + column_of(i);
        if (row >= scene.rows || column >= columns) continue;
        if (scene.splits > 1)
            parts[(((long long)block.split * scene.groups + block.batch) * scene.rows + row) * columns + column] =
                sums[i];
        else
            finish(scene, out, bias, block.batch, row, tables.columns[column_of(i)], sums[i]);
        lost = lost || sums[i] != sums[i];
    }
    if (GATHERS && lost && scene.splits == 1) make_again(scene, tables, block, out, left, source, bias);
}
