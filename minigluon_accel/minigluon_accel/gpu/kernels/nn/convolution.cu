// A convolution or one of its gradients as a product of tiles: see nn/convolution.cuh and tile.cuh.
//
// The offsets of the right factor's elements are computed by all threads together, once for each column of a tile, and
// once for each TABLE depths. Both tables are in shared memory, so locating an element costs two reads from shared
// memory, and a few additions and comparisons.
#include "common.cuh"
#include "nn/convolution.cuh"
#include "packed.cuh"
#include "tile.cuh"

#define TABLE 64            // number of depths in the table; a multiple of BK

struct Tables {
    Part columns[BN];
    Part depths[TABLE];
};

// Rows of the left factor: weights, or the gradients at windows.
template <int SIZE> struct Rows {
    Slots<SIZE> slots;
    const Scene &scene;
    Tables &tables;
    const T *left;
    NUMBER first, start;

    __device__ Rows(const Scene &scene, Tables &tables, const T *left, NUMBER first, NUMBER from)
        : slots(scene.left_row != 1), scene(scene), tables(tables), left(left), first(first + slots.at),
          start(from - TABLE) {}

    // The fetch runs before that of `Seen`, for which it also fills the table of depths.
    template <typename To> __device__ void fetch(NUMBER k, const To &to) {
        if (k == start + TABLE) {
            start = k;
            __syncthreads();
            for (int i = threadIdx.x; i < TABLE; i += THREADS) tables.depths[i] = depth_part(scene, k + i);
            __syncthreads();
        }
        int at_step = anew(slots.at_step), k_step = anew(slots.k_step);
#pragma unroll
        for (int i = 0; i < Slots<SIZE>::COUNT; ++i) {
            NUMBER row = first + i * at_step, other = tables.depths[k - start + slots.k + i * k_step].other;
            to(i, left + (row * scene.left_row + other), row < scene.rows && other >= 0);
        }
    }
};

// Columns of the right factor: the source's elements in the windows.
template <int SIZE> struct Seen {
    Slots<SIZE> slots;
    const Scene &scene;
    const Tables &tables;
    const T *source;
    const NUMBER &start;                // the first depth of the table

    __device__ Seen(const Scene &scene, const Tables &tables, const T *source, const NUMBER &start)
        : slots((scene.last != 0) != SUM_OVER_WINDOWS), scene(scene), tables(tables), source(source), start(start) {}

    template <typename To> __device__ void fetch(NUMBER k, const To &to) {
        int deep = (int)(k - start) + slots.k, at_step = anew(slots.at_step), k_step = anew(slots.k_step);
#pragma unroll
        for (int i = 0; i < Slots<SIZE>::COUNT; ++i) {
            const Part &column = tables.columns[slots.at + i * at_step];
            const Part &depth = tables.depths[deep + i * k_step];
            to(i, source + (column.offset + depth.offset), sees(scene, column, depth));
            if (i % 2) later();      // not all elements at once, because there are too few registers
        }
    }
};

// Tiles multiply by 0 where a window has no element; the gradient of the data must not do this. If this produced NaN
// because the other factor is infinite, this thread's sums are recomputed. This is rare, so it may be slow.
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

// `finish` for N sums in a row, of which only the first `count` exist. They are written in one access if they are also
// contiguous in the result.
template <int N>
__device__ void finish_run(const Scene &scene, T *out, const T *bias, NUMBER group, NUMBER row, NUMBER count,
                           const Part *columns, const A *sums) {
    T values[N];
    bool together = true;
#pragma unroll
    for (int i = 0; i < N; ++i) {
        values[i] = finished(scene, bias, group, row, sums[i]);
        together = together && columns[i].other == columns[0].other + i;
    }
    if (together) {
        write_run<N>(out + place_of(scene, group, row, columns[0]), 1, count, values);
        return;
    }
#pragma unroll
    for (int i = 0; i < N; ++i)
        if (i < count) out[place_of(scene, group, row, columns[i])] = values[i];
}

extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS)
conv_tiles(T *out, const T *left, const T *source, const T *bias, A *parts, Scene scene) {
    __shared__ Tables tables;
    __shared__ Block block;             // recomputed here, so that it needs no register while the tiles are multiplied
    Block own = block_of(scene.rows, scene.columns(), scene.splits);
    if (threadIdx.x == 0) block = own;
    for (int i = threadIdx.x; i < BN; i += THREADS) tables.columns[i] = column_part(scene, own.column + i);
    left += own.batch * scene.left_group;
    source += own.batch * scene.source_group;
    NUMBER from = own.split * scene.length, to = min(from + scene.length, scene.depth());
    Rows<BM> rows(scene, tables, left, own.row, from);
    Seen<BN> seen(scene, tables, source, rows.start);
    A sums[SUMS] = {};
    multiply(rows, seen, from, to, sums);
    __syncthreads();                    // if the depth is 0, no thread has waited for the table of columns yet
    NUMBER columns = scene.columns();
    A *part = parts + ((long long)block.split * scene.groups + block.batch) * scene.rows * columns;
    bool lost = false;
#pragma unroll
    for (int i = 0; i < SUMS; i += RUN) {
        NUMBER row = block.row + row_of(i), column = block.column + column_of(i);
        if (row >= scene.rows || column >= columns) continue;
        if (scene.splits > 1)
            write_run<RUN>(part + (long long)row * columns + column, 1, columns - column, &sums[i]);
        else
            finish_run<RUN>(scene, out, bias, block.batch, row, columns - column, &tables.columns[column_of(i)], &sums[i]);
        if (GATHERS)
            for (int j = 0; j < RUN; ++j) lost = lost || sums[i + j] != sums[i + j];
    }
    if (GATHERS && lost && scene.splits == 1) make_again(scene, tables, block, out, left, source, bias);
}
