/* Dot

   The dot product is one number: x[0] * y[0] + x[1] * y[1] + ... All threads shall take part, and only one block is
   launched, however long x is. So each thread takes every 8th element, in a loop with a stride:

       i           0  1  2  3  4  5  6  7    8  9 10 11 12 13 14 15   16 17 18 ...
       thread      0  1  2  3  4  5  6  7    0  1  2  3  4  5  6  7    0  1  2 ...

   Now there are 8 sums, one of each thread. They cannot all be added to out[0]: `out[0] += sum` reads, adds and
   writes, and two threads that read the same old number lose one of the sums. So they go into shared memory, and one
   thread adds them. */

#define THREADS 8

extern "C" __global__ void dot(float *out, const float *x, const float *y, int n)
{
    int t = threadIdx.x;
    /* HOLE dot: the sum of this thread's products goes into shared memory; then only thread 0 adds the sums, and
       writes out[0]. out begins with no useful number in it. */
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
