// Steps of many weights in one launch. Addresses and sizes are in a table in device memory, with ROW words for each
// weight: the new weight, weight, gradient, two states, number of elements, first piece, index of the weight. A piece
// is the unit of work of a block; pieces are numbered consecutively across all weights.
#include "optimizer/update.cuh"

#define ROW 8

struct Piece { const unsigned long long *row; long long start, end; };

// The elements of a weight in a piece. Rows are sorted by their first pieces.
__device__ inline Piece piece_of(const unsigned long long *table, long long rows, long long number, long long length) {
    long long low = 0, high = rows - 1;
    while (low < high) {                            // the last row that begins at or before this piece
        long long middle = (low + high + 1) / 2;
        if ((long long)table[middle * ROW + 6] <= number) low = middle;
        else high = middle - 1;
    }
    Piece piece;
    piece.row = table + low * ROW;
    piece.start = (number - (long long)piece.row[6]) * length;
    piece.end = smaller(piece.start + length, (long long)piece.row[5]);
    return piece;
}

#define for_each_piece(piece, table, rows, pieces, length) \
    for (long long _number = blockIdx.x; _number < (pieces); _number += gridDim.x) \
        for (Piece piece = piece_of(table, rows, _number, length), *_once = &piece; _once; _once = 0)

#define for_each_in(i, piece) for (long long i = (piece).start + threadIdx.x; i < (piece).end; i += blockDim.x)

// The parameters of one weight's step. rates: an array of type R; three offsets indicate where each type of parameter
// begins.
struct Rates {
    double rescale, lr, wd;
    __device__ Rates(const Piece &piece, const R *lrs, long long lr_at, const R *wds, long long wd_at,
                     double number, bool rescale_in_lrs)
        : rescale(rescale_in_lrs ? convert<double>(lrs[0]) : number), lr(convert<double>(lrs[lr_at + piece.row[7]])),
          wd(convert<double>(wds[wd_at + piece.row[7]])) {}
};

#define TABLE const unsigned long long *table, long long rows, long long pieces, long long length
#define RATES const R *lrs, long long lr_at, const R *wds, long long wd_at, double rescale, bool rescale_in_lrs

extern "C" __global__ void sgd_many(TABLE, RATES, double limit) {
    for_each_piece(piece, table, rows, pieces, length) {
        Rates now(piece, lrs, lr_at, wds, wd_at, rescale, rescale_in_lrs);
        W *out = (W *)piece.row[0];
        T *weight = (T *)piece.row[1];
        const G *grad = (const G *)piece.row[2];
        for_each_in(i, piece)
            put(out, weight, i, sgd(number(weight[i]), number(grad[i]), now.rescale, limit, now.lr, now.wd));
    }
}

extern "C" __global__ void sgd_mom_many(TABLE, RATES, double limit, double momentum) {
    for_each_piece(piece, table, rows, pieces, length) {
        Rates now(piece, lrs, lr_at, wds, wd_at, rescale, rescale_in_lrs);
        W *out = (W *)piece.row[0];
        T *weight = (T *)piece.row[1], *mom = (T *)piece.row[3];
        const G *grad = (const G *)piece.row[2];
        for_each_in(i, piece) {
            N m = number(mom[i]);
            put(out, weight, i, sgd_momentum(number(weight[i]), number(grad[i]), m, now.rescale, limit, momentum,
                                             now.lr, now.wd));
            mom[i] = (T)m;
        }
    }
}

extern "C" __global__ void adam_many(TABLE, RATES, double limit, double beta1, double beta2, double epsilon) {
    for_each_piece(piece, table, rows, pieces, length) {
        Rates now(piece, lrs, lr_at, wds, wd_at, rescale, rescale_in_lrs);
        W *out = (W *)piece.row[0];
        T *weight = (T *)piece.row[1], *mean = (T *)piece.row[3], *var = (T *)piece.row[4];
        const G *grad = (const G *)piece.row[2];
        for_each_in(i, piece) {
            N m = number(mean[i]), v = number(var[i]);
            put(out, weight, i, adam(number(weight[i]), number(grad[i]), m, v, now.rescale, limit, beta1, beta2,
                                     epsilon, now.lr, now.wd));
            mean[i] = (T)m, var[i] = (T)v;
        }
    }
}

// sums[piece] = the sum of squares in a piece, each square rounded to float32.
extern "C" __global__ void square_pieces(TABLE, double *sums) {
    for_each_piece(piece, table, rows, pieces, length) {
        const T *x = (const T *)piece.row[2];
        double sum = 0;
        for_each_in(i, piece) {
            float value = convert<float>(x[i]);
            sum += value * value;
        }
        sum = block_sum(sum);
        if (threadIdx.x == 0) sums[piece.row[6] + piece.start / length] = sum;
    }
}

// out[index of an array] = the sum over the array's pieces, in order. One thread computes each sum.
extern "C" __global__ void join_squares(float *out, TABLE, const double *sums) {
    for_each(k, rows) {
        const unsigned long long *row = table + k * ROW;
        long long first = row[6], count = ((long long)row[5] + length - 1) / length;
        double sum = 0;
        for (long long piece = first; piece < first + count; ++piece) sum += sums[piece];
        out[row[7]] = (float)sum;
    }
}

// Fills all arrays with zeros.
extern "C" __global__ void reset_pieces(TABLE) {
    for_each_piece(piece, table, rows, pieces, length) {
        T *x = (T *)piece.row[0];
        for_each_in(i, piece) x[i] = (T)0;
    }
}
