/* Shared memory

   The threads of a block can work together: they share a small piece of fast memory. `__shared__` before an array puts
   the array there. Each block has its own array, so the indices begin at 0 in each block:

       x           | 3  -1   4   8   2   0   7   5 | 6   1 ...                in global memory, for all blocks
                     |   |   |   |   |   |   |   |
       piece       | 3  -1   4   8   2   0   7   5 |                          in shared memory, of block 0

   Here, each thread needs all elements of its block's piece: out[i] is x[i] minus the largest of them. If each thread
   read them from x, each element would be read 8 times from slow memory. So each thread fetches one element, and then
   all threads read all the elements.

   But threads do not run in lockstep. When one thread begins to read, another may not have written yet. __syncthreads()
   is a barrier: a thread waits there until all threads of the block have arrived. All of them must arrive: none may
   have returned, and the barrier must not be in an if that some threads do not enter. */

#define THREADS 8

extern "C" __global__ void shared_memory(float *out, const float *x, int n)
{
    int i = blockIdx.x * THREADS + threadIdx.x;
    /* HOLE shared_memory: fetch x[i] into shared memory, wait, find the largest of the piece in a loop, write out[i].
       The last piece may be short: a thread without an element writes -INFINITY, which is never the largest. */
    __shared__ float piece[THREADS];
    piece[threadIdx.x] = i < n ? x[i] : -INFINITY;
    __syncthreads();
    float largest = piece[0];
    for (int k = 1; k < THREADS; ++k)
        largest = fmaxf(largest, piece[k]);
    if (i < n)
        out[i] = piece[threadIdx.x] - largest;
    /* END */
}
