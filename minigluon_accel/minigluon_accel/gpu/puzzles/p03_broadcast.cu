/* Broadcast

   A block may have two dimensions: a thread then has two numbers, threadIdx.x and threadIdx.y. That fits a matrix.
   Let x count the columns and y the rows:

                      b[0]   b[1]   b[2]
                    +------+------+------+
              a[0]  | 0, 0 | 0, 1 | 0, 2 |        out[row][column] = a[row] + b[column]
                    +------+------+------+
              a[1]  | 1, 0 | 1, 1 | 1, 2 |
                    +------+------+------+

   Each number of a serves a whole row, each of b a whole column: this is broadcasting, without a copy of anything.

   Memory has one dimension only. The rows of out are contiguous, so element (row, column) has index row * columns +
   column. The block has 8 x 8 threads, and may be larger than the matrix in both directions. */

extern "C" __global__ void broadcast(float *out, const float *a, const float *b, int rows, int columns)
{
    /* HOLE broadcast: find the row and the column of this thread, guard both, and write one element of out. */
    int row = threadIdx.y, column = threadIdx.x;
    if (row < rows && column < columns)
        out[row * columns + column] = a[row] + b[column];
    /* END */
}
