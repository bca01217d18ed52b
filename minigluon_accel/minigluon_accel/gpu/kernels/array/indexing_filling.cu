// Elements that are replaced or kept by index, with conversion or arithmetic. T is the type of lhs and of the result,
// TM is the type of the new values.
#include "common.cuh"
#include "indices.cuh"

// out (rows, columns): lhs with element rhs[row] of each row replaced with mhs[row].
extern "C" __global__ void fill_element(T *out, const T *lhs, const TM *mhs, const TI *rhs, long long total,
                                        long long columns) {
    for_each(i, total) {
        long long row = i / columns;
        out[i] = within(to_integer(rhs[row]), columns, CLIP) == i % columns ? convert<T>(mhs[row]) : lhs[i];
    }
}

// out (columns, inner): grad times 1 for the last column that selects its slice, and grad times 0 for the other
// columns. A product is used so that NaN stays NaN, as in the reference.
extern "C" __global__ void keep_last(T *out, const T *grad, const TI *indices, const int *last, long long total,
                                     long long inner, long long axes, long long columns,
                                     const __grid_constant__ Dims lengths) {
    for_each(i, total) {
        long long b = i / inner, number = 0;
        for (int axis = 0; axis < axes; ++axis) {
            long long k = to_integer(indices[axis * columns + b]), length = lengths.at[axis];
            number = number * length + within(k < 0 ? k + length : k, length, CLIP);
        }
        out[i] = convert<T>((A)grad[i] * (A)(last[number] == (int)b));
    }
}
