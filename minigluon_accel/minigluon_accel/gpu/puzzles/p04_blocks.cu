/* Blocks

   A block has at most 1024 threads. For more elements there are more blocks, and in each of them threadIdx.x begins
   at 0 again. The number of the block is blockIdx.x, the number of threads in a block blockDim.x:

       blockIdx.x      0                   1                   2
       threadIdx.x     0  1  2 ... 31      0  1  2 ... 31      0  1  2 ... 31
       i               0  1  2 ... 31     32 33 34 ... 63     64 65 66 ... 95

   In which order blocks run nobody knows: on a large card all at once, on a small one some after others. Where they
   do not depend on each other, as here, that is of no matter. The last block may have threads left over. */

extern "C" __global__ void blocks(float *out, const float *x, int n)
{
    /* HOLE blocks: find the number i of this thread among all threads of all blocks, and write out[i] = x[i] + 10. */
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = x[i] + 10;
    /* END */
}
