// What a matrix product is told, and what is done with each of its sums. See gemm.py.
//
// NUMBER is int, or long long where an array has 2^31 elements or more.

struct Factor {
    NUMBER offset, row, column, outer, inner;       // elements to the next row, column, and matrix of both batch axes

    __device__ long long start(NUMBER batch, NUMBER inners) const {
        return offset + (long long)(batch / inners) * outer + (long long)(batch % inners) * inner;
    }
};

// As gemm.py lays it out.
struct Product {
    NUMBER rows, columns, depth, batches, inners, splits, length;
    NUMBER added, relu;                             // see Added; relu: negative results become 0
    Factor a, b, out;
};

enum Added { NOTHING, BY_COLUMN, BY_ROW, MATRIX };  // a number for each column or row, or beta times a matrix like out

__device__ inline void finish(T *out, const T *added, const Product &p, double alpha, double beta, NUMBER batch,
                              NUMBER row, NUMBER column, A sum) {
    long long at = p.out.start(batch, p.inners) + (long long)row * p.out.row + (long long)column * p.out.column;
    A value = (A)alpha * sum;
    if (p.added == BY_COLUMN) value += (A)added[column];
    if (p.added == BY_ROW) value += (A)added[row];
    if (p.added == MATRIX) value += (A)beta * (A)added[at];
    out[at] = convert<T>(p.relu ? larger(value, (A)0) : value);
}
