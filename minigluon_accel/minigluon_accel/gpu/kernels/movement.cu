// Copies of elements of any type to other positions. W is an unsigned integer type with the elements' size.
#include "common.cuh"
#include "strided_index.cuh"

#define TILE 32         // elements on a side of a tile
#define ROWS 8          // rows of a tile that a block moves at once: the block has TILE x ROWS threads

// Copies n elements of one array to their positions in another.
extern "C" __global__ void move(W *to, const W *from, long long n, long long to_start, long long from_start,
                                Walk walk) {
    for_each(i, n) {
        Ends at = ends((INDEX)i, walk);
        to[to_start + at.to] = from[from_start + at.from];
    }
}

// The same if one axis (`across`) is contiguous in the target and another axis (`down`) in the source. Elements go
// through a tile of shared memory, so that each array is read or written along its contiguous axis. `walk` has all
// other axes.
//
//     a tile is read row by row, each along `down`, and written column by column, each along `across`
//     threads of a warp read tile[..][x] and tile[x][..]; the extra column keeps the latter in different banks
extern "C" __global__ void move_tiles(W *to, const W *from, long long tiles, long long tiles_across,
                                      long long tiles_down, long long across, long long down, long long to_across,
                                      long long from_across, long long to_down, long long from_down,
                                      long long to_start, long long from_start, Walk walk) {
    __shared__ W tile[TILE][TILE + 1];
    for (long long t = blockIdx.x; t < tiles; t += gridDim.x) {
        long long a0 = t % tiles_across * TILE, rest = t / tiles_across;
        long long d0 = rest % tiles_down * TILE;
        Ends at = ends((INDEX)(rest / tiles_down), walk);
        const W *source = from + from_start + at.from;
        W *target = to + to_start + at.to;
        for (int row = threadIdx.y; row < TILE; row += ROWS) {
            long long a = a0 + row, d = d0 + threadIdx.x;
            if (a < across && d < down) tile[row][threadIdx.x] = source[a * from_across + d * from_down];
        }
        __syncthreads();
        for (int row = threadIdx.y; row < TILE; row += ROWS) {
            long long a = a0 + threadIdx.x, d = d0 + row;
            if (a < across && d < down) target[a * to_across + d * to_down] = tile[threadIdx.x][row];
        }
        __syncthreads();            // all threads have read the tile before the next tile replaces it
    }
}

// Writes one element to n positions.
extern "C" __global__ void fill(W *to, W value, long long n, long long to_start, Walk walk) {
    for_each(i, n) to[to_start + ends((INDEX)i, walk).to] = value;
}
