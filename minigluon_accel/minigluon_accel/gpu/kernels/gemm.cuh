// The parameters of a matrix product, and its epilogue. See gemm.py.
//
// NUMBER is int, or long long if an array has 2^31 elements or more.
#include "packed.cuh"

struct Factor {
    NUMBER offset, row, column, outer, inner;       // distances to the next row and column, and to the next matrix
                                                    // along both batch axes

    __device__ long long start(NUMBER batch, NUMBER inners) const {
        return offset + (long long)(batch / inners) * outer + (long long)(batch % inners) * inner;
    }
};

// gemm.py writes this struct.
struct Product {
    NUMBER rows, columns, depth, batches, inners, splits, length;
    NUMBER added, relu;                             // see Added; relu: negative results become 0
    Factor a, b, out;
};

enum Added { NOTHING, BY_COLUMN, BY_ROW, MATRIX };  // one value per column or row, or beta times a matrix like out

// The value of the result's element at offset `at`.
__device__ inline T finished(const T *added, const Product &p, double alpha, double beta, NUMBER row, NUMBER column,
                             long long at, A sum) {
    A value = (A)alpha * sum;
    if (p.added == BY_COLUMN) value += (A)added[column];
    if (p.added == BY_ROW) value += (A)added[row];
    if (p.added == MATRIX) value += (A)beta * (A)added[at];
    return convert<T>(p.relu ? larger(value, (A)0) : value);
}

__device__ inline void finish(T *out, const T *added, const Product &p, double alpha, double beta, NUMBER batch,
                              NUMBER row, NUMBER column, A sum) {
    long long at = p.out.start(batch, p.inners) + (long long)row * p.out.row + (long long)column * p.out.column;
    out[at] = finished(added, p, alpha, beta, row, column, at, sum);
}

// `finish` for N adjacent sums in a row of the matrix that begins at `start`; the row may end within these elements.
template <int N>
__device__ void finish_run(T *out, const T *added, const Product &p, double alpha, double beta, long long start,
                           NUMBER row, NUMBER column, const A *sums) {
    long long at = start + (long long)row * p.out.row + (long long)column * p.out.column;
    T values[N];
#pragma unroll
    for (int i = 0; i < N; ++i)
        if (column + i < p.columns)
            values[i] = finished(added, p, alpha, beta, row, column + i, at + i * (long long)p.out.column, sums[i]);
    write_run<N>(out + at, p.out.column, p.columns - column, values);
}
