// Triangles of matrices, and the solution of systems of equations with triangular matrices.
#include "common.cuh"

// out = the lower or upper triangle of matrices (rows, columns), with its diagonal multiplied by `diagonal`, and zeros
// elsewhere.
extern "C" __global__ void triangle(T *out, const T *a, long long count, long long rows, long long columns,
                                    long long lower, double diagonal) {
    for_each(i, count) {
        long long column = i % columns, row = i / columns % rows;
        bool inside = lower ? column <= row : column >= row;
        T value = inside ? a[i] : T(0);
        out[i] = row == column && diagonal != 1.0 ? T(A(value) * A(diagonal)) : value;
    }
}

// Solves M X = alpha B for batches of triangular matrices M: M is n x n, and M[i, k] is a[i * row + k * column]. There
// are `many` right-hand sides: element i of right-hand side j is at i * x_row + j * x_column of its matrix. lower: M is
// lower triangular, so the first unknown is computed first.
//
// One thread for each right-hand side computes all unknowns, in n * n / 2 sequential steps; neighboring threads read
// the same element of M. Thousands of right-hand sides keep a GPU busy. X may be B's memory.
extern "C" __global__ void solve_triangular(T *x, const T *a, const T *b, long long batches, long long n, long long many,
                                            long long row, long long column, long long x_row, long long x_column,
                                            long long lower, double alpha) {
    for_each(i, batches * many) {
        long long batch = i / many, start = batch * n * many + i % many * x_column;
        const T *m = a + batch * n * n, *from = b + start;
        T *to = x + start;
        for (long long step = 0; step < n; ++step) {
            long long unknown = lower ? step : n - 1 - step;
            A sum = from[unknown * x_row];
            for (long long before = 0; before < step; ++before) {
                long long known = lower ? before : n - 1 - before;
                sum -= A(m[unknown * row + known * column]) * A(to[known * x_row]);
            }
            to[unknown * x_row] = sum / A(m[unknown * row + unknown * column]);
        }
        if (alpha != 1.0)
            for (long long k = 0; k < n; ++k) to[k * x_row] = A(alpha) * A(to[k * x_row]);
    }
}

// found[0] = 1 if an element of a diagonal is 0. All writers write the same value, so their order does not matter.
extern "C" __global__ void find_zero(int *found, const T *a, long long batches, long long n) {
    for_each(i, batches * n) if (a[i / n * n * n + i % n * (n + 1)] == T(0)) found[0] = 1;
}

extern "C" __global__ void clear(int *found) { found[0] = 0; }
