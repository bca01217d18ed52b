/* Tiled product

   out = a b: element (row, column) is the sum of a[row][k] * b[k][column] over all k. If each thread read its row and
   its column from global memory, each element would be read as often as the result has columns or rows, and reading is
   what takes the time. The 8 x 8 threads of a block need only 8 rows of a and 8 columns of b. They fetch these
   together, in tiles, and advance along k tile by tile:

                                  b     +---+
                                        |   |
                                        +---+
                                        | B |   tile 1 of b
                                        +---+
                                        |   |
            a                           +---+
            +---+---+---+               +---+
            |   | A |   |               |   |   the tile of out: its sum grows
            +---+---+---+               +---+   with each pair of tiles A, B

   In each round, they fetch one element of a and one of b, wait until the tiles are complete, add 8 products, and wait
   until all threads have used the tiles, before the next tiles overwrite them. Where a tile extends beyond the edge, it
   contains zeros, which add nothing. */

#define TILE 8

extern "C" __global__ void tiled_product(float *out, const float *a, const float *b, int rows, int depth, int columns)
{
    int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y * TILE + ty, column = blockIdx.x * TILE + tx;
    /* HOLE tiled_product: a loop over the tiles along depth, which contains the four actions of a round. a has rows
       rows and depth columns, b has depth rows and columns columns. A thread without an element of out must still
       fetch. */
    __shared__ float left[TILE][TILE], right[TILE][TILE];
    float sum = 0;
    for (int start = 0; start < depth; start += TILE) {
        left[ty][tx] = row < rows && start + tx < depth ? a[row * depth + start + tx] : 0;
        right[ty][tx] = start + ty < depth && column < columns ? b[(start + ty) * columns + column] : 0;
        __syncthreads();                                        /* the tiles are complete */
        for (int k = 0; k < TILE; ++k)
            sum += left[ty][k] * right[k][tx];
        __syncthreads();                                        /* all threads have used the tiles */
    }
    if (row < rows && column < columns)
        out[row * columns + column] = sum;
    /* END */
}
