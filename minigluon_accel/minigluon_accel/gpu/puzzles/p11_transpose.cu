/* Transpose without bank conflicts

   A warp is 32 threads that run the same instruction at once. Their accesses to global memory are served in pieces of
   32 bytes. If neighboring threads access neighboring elements, 32 elements come in 4 pieces: such accesses are called
   coalesced. If each thread accesses a different row, 32 pieces are fetched for 32 elements.

   out[column][row] = x[row][column] cannot be coalesced for both arrays: either the reads run along rows, or the writes
   do. The solution is to transpose in shared memory. A block of 32 x 32 threads reads a tile along rows, and also
   writes it along rows:

       x                       tile                                 out
       +---+---+---+           filled by rows, read by columns      +---+---+
       |   |   | A |   ----->       0 1 2                           |   |   |
       +---+---+---+                3 4 5   ----->                  +---+---+
       |   |   |   |                6 7 8                           |   |   |
       +---+---+---+                                                +---+---+
                                                                    | A'|   |      block (2, 0) becomes (0, 2)
                                                                    +---+---+

   Shared memory has a rule of its own. It is divided into 32 banks, with word i in bank i % 32, and a bank serves one
   word at a time. In a tile with rows of 32 words, a whole column is in one bank, so 32 threads that read the column
   wait for each other; this is called a bank conflict. With rows of 33 words, the last of which is unused, each row
   begins one bank further on. */

#define TILE 32

extern "C" __global__ void transpose(float *out, const float *x, int height, int width)
{
    int tx = threadIdx.x, ty = threadIdx.y;
    /* HOLE transpose: fetch x[row][column] into a tile; wait; write along a row of out, from a column of the tile. x
       has height rows and width columns, out has width rows and height columns. The position of a block's tile in out
       has row and column exchanged. */
    __shared__ float tile[TILE][TILE + 1];
    int row = blockIdx.y * TILE + ty, column = blockIdx.x * TILE + tx;
    if (row < height && column < width)
        tile[ty][tx] = x[row * width + column];
    __syncthreads();
    row = blockIdx.x * TILE + ty;                               /* row and column of out */
    column = blockIdx.y * TILE + tx;
    if (row < width && column < height)
        out[row * height + column] = tile[tx][ty];
    /* END */
}
