/* Dot

   The dot product is a single number: x[0] * y[0] + x[1] * y[1] + ... All threads should take part, but only one block
   is launched, however long x is. So each thread processes every 8th element, in a loop with a stride:

       i           0  1  2  3  4  5  6  7    8  9 10 11 12 13 14 15   16 17 18 ...
       thread      0  1  2  3  4  5  6  7    0  1  2  3  4  5  6  7    0  1  2 ...

   Now there are 8 sums, one for each thread. They cannot all be added to out[0]: `out[0] += sum` reads, adds and
   writes, and if two threads read the same old value, one of the sums is lost. So they go into shared memory, and one
   thread adds them up. */

#define THREADS 8

extern "C" __global__ void dot(float *out, const float *x, const float *y, int n)
{
    int t = threadIdx.x;
    /* HOLE dot: store the sum of this thread's products in shared memory; then let only thread 0 add the sums and write
       out[0]. At first, out contains no useful value. */
    __shared__ float part[THREADS];
    float sum = 0;
    for (int i = t; i < n; i += THREADS)
        sum += x[i] * y[i];
    part[t] = sum;
    __syncthreads();
    if (t == 0) {
        float total = 0;
        for (int k = 0; k < THREADS; ++k)
            total += part[k];
        out[0] = total;
    }
    /* END */
}
