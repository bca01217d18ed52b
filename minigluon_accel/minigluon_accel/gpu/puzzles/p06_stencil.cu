/* Stencil

   A stencil computes each element from its neighbors. Here, out[i] = x[i - 1] + x[i] + x[i + 1], where missing elements
   count as 0. A block of 8 threads needs 10 elements, because the elements at its two ends have neighbors in other
   blocks:

       x      ... 4 | 8   2   0   7   5   6   1   3 | 9 ...
                  |   |   |   |   |   |   |   |   |   |
       tile       4   8   2   0   7   5   6   1   3   9
       index      0   1   2   3   4   5   6   7   8   9
                halo                                halo

   The two elements at the ends are called the halo. So a thread's index and its position in the tile differ by one, and
   two threads fetch one more element than the others. */

#define THREADS 8

extern "C" __global__ void stencil(float *out, const float *x, int n)
{
    int t = threadIdx.x, i = blockIdx.x * THREADS + t;
    /* HOLE stencil: fetch the tile with its halo, wait, and add three of its elements. Do not read before x[0] or after
       x[n - 1]: the tile has zeros there. */
    __shared__ float tile[THREADS + 2];
    tile[t + 1] = i < n ? x[i] : 0;
    if (t == 0)
        tile[0] = i > 0 ? x[i - 1] : 0;
    if (t == THREADS - 1)
        tile[THREADS + 1] = i + 1 < n ? x[i + 1] : 0;
    __syncthreads();
    if (i < n)
        out[i] = tile[t] + tile[t + 1] + tile[t + 2];
    /* END */
}
