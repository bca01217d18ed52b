/* Softmax

   Softmax makes chances of a row of numbers: exp(x[i]) divided by the sum of all exp(x[k]) of the row. exp grows
   fast: exp(100) is more than float can hold, and infinity divided by infinity is not a number. So the largest number
   of the row is taken away first, which changes nothing in the result: the largest exponent is then 0.

       the row                  2    5    1    4
       minus the largest, 5    -3    0   -4   -1
       exp                   0.05    1 0.02 0.37        their sum is 1.44
       divided by the sum    0.03 0.70 0.01 0.26

   That is two reductions, the largest and the sum, and then a map. A block has one row, and goes through it with a
   stride, as in the dot product. `reduce` is the tree of the puzzle before the last, given: all threads call it. */

#define THREADS 8

/* part[0] becomes the largest of part[0] ... part[THREADS - 1], or their sum. It may be read when this returns. */
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
    /* HOLE softmax: the largest number of the row, by a loop with a stride and `reduce`; the sum of the exp, in the
       same way; then out. part is used twice: nobody may write into it while another still reads from it. */
    float top = -INFINITY, sum = 0;
    for (int i = t; i < n; i += THREADS)
        top = fmaxf(top, x[row + i]);
    part[t] = top;
    reduce(part, true);
    top = part[0];
    __syncthreads();                                            /* all have read part[0]: it may be written again */
    for (int i = t; i < n; i += THREADS)
        sum += expf(x[row + i] - top);
    part[t] = sum;
    reduce(part, false);
    for (int i = t; i < n; i += THREADS)
        out[row + i] = expf(x[row + i] - top) / part[0];
    /* END */
}
