/* Broadcast

   A block may have two dimensions; a thread then has two indices, threadIdx.x and threadIdx.y. This suits a matrix. Let
   x be the column and y the row:

                      b[0]   b[1]   b[2]
                    +------+------+------+
              a[0]  | 0, 0 | 0, 1 | 0, 2 |        out[row][column] = a[row] + b[column]
                    +------+------+------+
              a[1]  | 1, 0 | 1, 1 | 1, 2 |
                    +------+------+------+

   Each element of a is used for a whole row, and each element of b for a whole column: this is broadcasting, and
   nothing is copied.

   Memory has only one dimension. The rows of out are contiguous, so element (row, column) has index row * columns +
   column. The block has 8 x 8 threads, and may be larger than the matrix in both directions. */

extern "C" __global__ void broadcast(float *out, const float *a, const float *b, int rows, int columns)
{
    /* HOLE broadcast: find the row and the column of this thread, guard both, and write one element of out. */
    int row = threadIdx.y, column = threadIdx.x;
    if (row < rows && column < columns)
        out[row * columns + column] = a[row] + b[column];
    /* END */
}
