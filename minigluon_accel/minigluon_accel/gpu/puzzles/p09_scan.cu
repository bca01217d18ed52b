/* Scan

   A scan gives all sums from the beginning: out[i] = x[0] + x[1] + ... + x[i]. Each needs the one before it, so it
   looks like a loop that cannot be shared. But it can be done in rounds. In round `by` = 1, 2, 4, ... each number
   gets the one that stands `by` places to the left added:

       x            1   2   3   4   5   6   7   8
       by = 1       1   3   5   7   9  11  13  15          each is the sum of up to 2 numbers
       by = 2       1   3   6  10  14  18  22  26          of up to 4
       by = 4       1   3   6  10  15  21  28  36          of up to 8

   The old numbers are needed by others while the new ones are written. So a round has two halves: all read, then all
   write, with a barrier after each.

   Each block has a row of n numbers, at most 32: block b scans row b of x into row b of out. */

#define THREADS 32

extern "C" __global__ void scan(float *out, const float *x, int n)
{
    int t = threadIdx.x, i = blockIdx.x * n + t;
    /* HOLE scan: fetch x[i] into shared memory, if t < n, else 0; go through the rounds; write out[i]. */
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
