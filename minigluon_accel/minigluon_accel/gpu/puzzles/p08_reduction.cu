/* Reduction

   In the last puzzle, one thread added, and the others waited. The additions can also be divided among threads. In each
   round, half of the threads add a value from the other half to their own, so the number of remaining values is halved:

       part         3   1   4   1   5   9   2   6
                    +---------------+                     half = 4:  part[t] += part[t + 4], for t < 4
                    8  10   6   7
                    +-------+                             half = 2
                   14  17
                    +---+                                 half = 1
                   31

   So 32 values take 5 rounds, and 1024 take 10. Before each round, all threads must have finished the previous one.
   This needs a barrier, at which all threads must arrive, even those without work.

   Each block adds its own piece of 32 elements: out[b] is the sum of block b's piece. */

#define THREADS 32

extern "C" __global__ void reduction(float *out, const float *x, int n)
{
    int t = threadIdx.x, i = blockIdx.x * THREADS + t;
    /* HOLE reduction: fetch one element into shared memory, or 0 if there is none; add in rounds; thread 0 writes the
       sum to out[blockIdx.x]. */
    __shared__ float part[THREADS];
    part[t] = i < n ? x[i] : 0;
    for (int half = THREADS / 2; half > 0; half /= 2) {
        __syncthreads();
        if (t < half)
            part[t] += part[t + half];
    }
    if (t == 0)
        out[blockIdx.x] = part[0];
    /* END */
}
