/* Reduction

   In the last puzzle one thread added, and the others waited. Adding can be shared, too. In each round half of the
   threads add a number of the other half to their own, and the numbers that are left become half as many:

       part         3   1   4   1   5   9   2   6
                    +---------------+                     half = 4:  part[t] += part[t + 4], for t < 4
                    8  10   6   7
                    +-------+                             half = 2
                   14  17
                    +---+                                 half = 1
                   31

   So 32 numbers take 5 rounds, and 1024 take 10. Between two rounds all threads must have finished the one before: a
   barrier, to which all come, those without work as well.

   Each block adds up its own piece of 32 numbers: out[b] is the sum of the piece of block b. */

#define THREADS 32

extern "C" __global__ void reduction(float *out, const float *x, int n)
{
    int t = threadIdx.x, i = blockIdx.x * THREADS + t;
    /* HOLE reduction: fetch one number into shared memory, 0 where there is none; add in rounds; thread 0 writes the
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
