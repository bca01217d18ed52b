/* Map

   A kernel is a function that many threads run at once. All get the same arguments. What differs is threadIdx.x, the
   number of the thread: 0, 1, 2, ... So each can take an element of its own:

       x            3 | -1 |  4 |  8
                    |    |    |    |
       thread       0    1    2    3         each adds 10
                    |    |    |    |
       out         13 |  9 | 14 | 18

   There is no loop over the elements: the threads are the loop. Here the launch has one block of as many threads as x
   has elements.

   The check launches the kernel more than once, with the threads in another order each time: on a card they run in no
   order either. If you want to look yourself, a kernel may printf("thread %d\n", threadIdx.x); */

extern "C" __global__ void map(float *out, const float *x)
{
    /* HOLE map: out[i] = x[i] + 10 for one i, which is this thread's. Two lines. */
    int i = threadIdx.x;
    out[i] = x[i] + 10;
    /* END */
}
