/* Softmax

   Softmax turns a row of numbers into probabilities: exp(x[i]) divided by the sum of exp(x[k]) over the row. exp grows
   fast: exp(100) is more than a float can hold, and infinity divided by infinity is NaN. So the largest number of the
   row is first subtracted from all numbers, which does not change the result: the largest exponent is then 0.

       the row                  2    5    1    4
       minus the largest, 5    -3    0   -4   -1
       exp                   0.05    1 0.02 0.37        their sum is 1.44
       divided by the sum    0.03 0.70 0.01 0.26

   This takes two reductions, the largest element and the sum, and then a map. Each block handles one row, and processes
   it with a stride, as in the dot product. `reduce` is given. It is the tree of puzzle 8, and all threads call it. */

#define THREADS 8

/* part[0] becomes the largest of part[0] ... part[THREADS - 1], or their sum. It may be read when this function
   returns. */
__device__ void reduce(float *part, bool largest)
{
    int t = threadIdx.x;
    for (int half = THREADS / 2; half > 0; half /= 2) {
        __syncthreads();
        if (t < half)
            part[t] = largest ? fmaxf(part[t], part[t + half]) : part[t] + part[t + half];
    }
    __syncthreads();
}

extern "C" __global__ void softmax(float *out, const float *x, int n)
{
    __shared__ float part[THREADS];
    int t = threadIdx.x, row = blockIdx.x * n;                  /* where this block's row begins */
    /* HOLE softmax: find the largest element of the row, with a strided loop and `reduce`; then the sum of the
       exponentials, in the same way; then write out. part is used twice: no thread may write to it while another still
       reads it. */
    float top = -INFINITY, sum = 0;
    for (int i = t; i < n; i += THREADS)
        top = fmaxf(top, x[row + i]);
    part[t] = top;
    reduce(part, true);
    top = part[0];
    __syncthreads();                                            /* all threads have read part[0], so it may be written
                                                                   again */
    for (int i = t; i < n; i += THREADS)
        sum += expf(x[row + i] - top);
    part[t] = sum;
    reduce(part, false);
    for (int i = t; i < n; i += THREADS)
        out[row + i] = expf(x[row + i] - top) / part[0];
    /* END */
}
