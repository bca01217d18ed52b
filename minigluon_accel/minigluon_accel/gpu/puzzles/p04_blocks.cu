/* Blocks

   A block has at most 1024 threads. More elements need more blocks, and in each block threadIdx.x begins at 0 again.
   blockIdx.x is the index of the block, and blockDim.x the number of threads in a block:

       blockIdx.x      0                   1                   2
       threadIdx.x     0  1  2 ... 31      0  1  2 ... 31      0  1  2 ... 31
       i               0  1  2 ... 31     32 33 34 ... 63     64 65 66 ... 95

   Nobody knows in which order blocks run: on a large GPU, all at once; on a small GPU, some after others. If they do
   not depend on each other, as here, that does not matter. Some threads of the last block may be left over. */

extern "C" __global__ void blocks(float *out, const float *x, int n)
{
    /* HOLE blocks: find the index i of this thread among all threads of all blocks, and write out[i] = x[i] + 10. */
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = x[i] + 10;
    /* END */
}
