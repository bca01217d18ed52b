/* Guard

   A GPU runs threads in warps of 32, so blocks have 32, 64, 128 ... threads, whatever the number of elements. Some
   threads are left over:

       x            3 | -1 |  4 |  8 |            n = 4 elements
       thread       0    1    2    3    4    5    ...    31
                                       what do these do?

   C does not know how long an array is. A thread that writes out[4] here writes to memory that belongs to something
   else. On a GPU, this is often noticed much later, or never. So each thread first checks whether there is an element
   for it: this is called a guard. */

extern "C" __global__ void guard(float *out, const float *x, int n)
{
    int i = threadIdx.x;
    /* HOLE guard: out[i] = x[i] + 10, if there is an element i; x and out have n elements. */
    if (i < n)
        out[i] = x[i] + 10;
    /* END */
}
