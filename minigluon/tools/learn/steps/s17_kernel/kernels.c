#include <stdint.h>

/* The name of a function that is not written yet; its caller checks this. You need not change it. */
const char *not_written = 0;
#define NOT_WRITTEN(name) do { not_written = name; return; } while (0)


/* out[i] = the larger of x[i] and 0, for i from 0 to count - 1. NaN stays NaN. */
void relu(const float *x, float *out, int64_t count)
{
    /* HOLE relu: a loop over all elements. x and out may be the same memory. Every comparison with NaN is false: write
       the condition so that the result is x[i] itself if the condition is false. */
    for (int64_t i = 0; i < count; i++)
        out[i] = x[i] < 0 ? 0 : x[i];
    /* END */
}


/* out = x + row, where x is an array of shape (outer, length, inner) and row of shape (length,): one value for each
   position on the middle axis. This adds a bias to a batch (inner is 1), or a constant to an image (length is 1). */
void add_stretched(const float *x, const float *row, float *out, int64_t outer, int64_t length, int64_t inner)
{
    /* HOLE add_stretched: three loops. Element (i, j, k) of x has the index (i * length + j) * inner + k, and so does
       the same element of out. Add element j of row. x and out may be the same memory. */
    for (int64_t i = 0; i < outer; i++)
        for (int64_t j = 0; j < length; j++)
            for (int64_t k = 0; k < inner; k++) {
                int64_t at = (i * length + j) * inner + k;
                out[at] = x[at] + row[j];
            }
    /* END */
}


/* out = x times the transposed weight: x has shape (rows, depth), weight (columns, depth), out (rows, columns). */
void matrix_product(const float *x, const float *weight, float *out, int64_t rows, int64_t columns, int64_t depth)
{
    /* HOLE matrix_product: out[i][j] is the sum of x[i][k] * weight[j][k] over all k. Both are read from left to right:
       the memory of a row is contiguous. If depth is 0, the sum is 0. At first, out contains arbitrary values. */
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < columns; j++) {
            float sum = 0;
            for (int64_t k = 0; k < depth; k++)
                sum += x[i * depth + k] * weight[j * depth + k];
            out[i * columns + j] = sum;
        }
    /* END */
}
