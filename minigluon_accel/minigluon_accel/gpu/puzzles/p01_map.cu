/* Map

   A kernel is a function that many threads run at once. All threads get the same arguments. Only threadIdx.x, the index
   of the thread, differs: 0, 1, 2, ... So each thread can process its own element:

       x            3 | -1 |  4 |  8
                    |    |    |    |
       thread       0    1    2    3         each adds 10
                    |    |    |    |
       out         13 |  9 | 14 | 18

   There is no loop over the elements: the threads are the loop. Here the launch has one block, with as many threads as
   x has elements.

   The check launches the kernel more than once, each time with the threads in a different order, because on a GPU they
   run in no particular order. To see it yourself, call printf("thread %d\n", threadIdx.x) in the kernel. */

extern "C" __global__ void map(float *out, const float *x)
{
    /* HOLE map: out[i] = x[i] + 10 for a single i, the index of this thread. Two lines. */
    int i = threadIdx.x;
    out[i] = x[i] + 10;
    /* END */
}
