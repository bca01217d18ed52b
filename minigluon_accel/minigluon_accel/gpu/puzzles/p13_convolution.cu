/* Convolution

   A filter of 3 x 3 weights moves over an image. Each element of out is the sum of nine products: the weights times the
   elements below them. There is no result where the filter would extend beyond the image, so out is smaller by 2 in
   both directions:

       out[row][column] = the sum of w[i][j] * x[row + i][column + j] over i and j from 0 to 2

   A block of 8 x 8 threads computes 8 x 8 elements, and needs 10 x 10 of x: a tile with a halo, in two dimensions.
   That is 100 elements for 64 threads, so each thread fetches one or two elements. This is the strided loop again, over
   the indices of the tile.

       number      0   1   2 ...  9        element i of the tile is in row i / SIDE
                  10  11  12 ... 19        and in column i % SIDE
                  ...
                  90  91  92 ... 99 */

#define TILE 8
#define SIDE (TILE + 2)

extern "C" __global__ void convolution(float *out, const float *x, const float *w, int height, int width)
{
    int tx = threadIdx.x, ty = threadIdx.y, top = blockIdx.y * TILE, left = blockIdx.x * TILE;
    /* HOLE convolution: fetch the SIDE * SIDE elements of x from row `top` and column `left` on, with 0 beyond the edge
       of x; wait; add nine products. x has height rows and width columns, out has height - 2 rows and width - 2
       columns. */
    __shared__ float tile[SIDE][SIDE];
    for (int i = ty * TILE + tx; i < SIDE * SIDE; i += TILE * TILE) {
        int row = top + i / SIDE, column = left + i % SIDE;
        tile[i / SIDE][i % SIDE] = row < height && column < width ? x[row * width + column] : 0;
    }
    __syncthreads();
    int row = top + ty, column = left + tx;
    float sum = 0;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            sum += w[i * 3 + j] * tile[ty + i][tx + j];
    if (row < height - 2 && column < width - 2)
        out[row * (width - 2) + column] = sum;
    /* END */
}
