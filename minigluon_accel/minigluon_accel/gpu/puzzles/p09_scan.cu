/* Scan

   A scan computes all running sums: out[i] = x[0] + x[1] + ... + x[i]. Each sum needs the previous one, so this looks
   like a loop that cannot be divided among threads. But it can be done in rounds. In round `by` = 1, 2, 4, ..., each
   value is increased by the value that is `by` positions to its left:

       x            1   2   3   4   5   6   7   8
       by = 1       1   3   5   7   9  11  13  15          each is the sum of up to 2 elements
       by = 2       1   3   6  10  14  18  22  26          of up to 4
       by = 4       1   3   6  10  15  21  28  36          of up to 8

   Other threads still need the old values while the new values are written. So a round has two halves: all threads
   read, then all threads write, with a barrier after each half.

   Each block has a row of n elements, at most 32: block b scans row b of x and writes row b of out. */

#define THREADS 32

extern "C" __global__ void scan(float *out, const float *x, int n)
{
    int t = threadIdx.x, i = blockIdx.x * n + t;
    /* HOLE scan: fetch x[i] into shared memory if t < n, otherwise 0; do the rounds; write out[i]. */
    __shared__ float sum[THREADS];
    sum[t] = t < n ? x[i] : 0;
    for (int by = 1; by < THREADS; by *= 2) {
        __syncthreads();
        float left = t >= by ? sum[t - by] : 0;
        __syncthreads();
        sum[t] += left;
    }
    if (t < n)
        out[i] = sum[t];
    /* END */
}
