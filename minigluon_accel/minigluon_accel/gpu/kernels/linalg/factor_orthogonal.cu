// Factorizations with an orthogonal matrix: LQ by Householder reflections, eigenvectors by Jacobi rotations. One block
// for each matrix.
#include "common.cuh"

#define for_each_matrix(m, batch) for (long long m = blockIdx.x; m < (batch); m += gridDim.x)
#define for_thread(i, first, n) for (long long i = (first) + threadIdx.x; i < (n); i += blockDim.x)
// Elements first .. n-1 of a row, divided among the threads of a warp so that each thread always has the same elements.
#define for_lane(k, first, n) \
    for (long long k = (first) / 32 * 32 + threadIdx.x % 32; k < (n); k += 32) \
        if (k >= (first))

// A single warp computes this. Computed by one warp.
__device__ inline void reflect(T *row, const T *reflector, T tau, long long first, long long n) {
    T sum = 0;
    for_lane(k, first, n) sum += row[k] * (k == first ? (T)1 : reflector[k]);
    sum = warp_sum(sum) * tau;
    for_lane(k, first, n) row[k] -= sum * (k == first ? (T)1 : reflector[k]);
}

// A = L · Q for A (rows, n), rows <= n. work: a copy of A, in which row j becomes row j of L, followed, after the
// diagonal, by the reflector that set these elements to zero; taus (batch, rows). The diagonal of L has the same signs
// as in LAPACK.
extern "C" __global__ void gelqf(T *Q, T *L, const T *given, T *work, T *taus, long long batch, long long rows,
                                 long long n) {
    long long warp = threadIdx.x / 32, warps = blockDim.x / 32;
    for_each_matrix(m, batch) {
        T *R = work + m * rows * n, *tau = taus + m * rows, *q = Q + m * rows * n;
        for_thread(i, 0, rows * n) R[i] = given[m * rows * n + i];
        __syncthreads();
        for (long long j = 0; j < rows; ++j) {
            T *row = R + j * n, alpha = row[j], sum = 0;
            for_thread(k, j + 1, n) sum += row[k] * row[k];
            sum = block_sum(sum);
            T beta = sum == 0 ? alpha : -copysign(sqrt(alpha * alpha + sum), alpha);
            T factor = sum == 0 ? 0 : (beta - alpha) / beta;
            __syncthreads();
            if (sum != 0) for_thread(k, j + 1, n) row[k] /= alpha - beta;
            if (threadIdx.x == 0) row[j] = beta, tau[j] = factor;
            __syncthreads();
            for (long long i = j + 1 + warp; i < rows; i += warps) reflect(R + i * n, row, factor, j, n);
            __syncthreads();
        }
        for_thread(t, 0, rows * rows) L[m * rows * rows + t] = t % rows <= t / rows ? R[t / rows * n + t % rows] : 0;
        for (long long i = warp; i < rows; i += warps) {
            for_lane(k, 0, n) q[i * n + k] = k == i;
            for (long long j = i; j >= 0; --j) reflect(q + i * n, R + j * n, tau[j], j, n);
        }
        __syncthreads();
    }
}

// Pair k of a round of a tournament in which each of `players` players, an even number, meets every other player once.
// If the number of rows is odd, the last player does not exist, and the row paired with it is left unchanged.
__device__ inline void pair_of(long long number, long long round, long long players, long long &p, long long &q) {
    long long others = players - 1;
    p = number == 0 ? others : (round + number) % others;
    q = (round + others - number) % others;
    if (p > q) {
        long long kept = p;
        p = q, q = kept;
    }
}

// One sweep of rotations, each of which sets S[p][q] to zero. The pairs in a round are disjoint, so all pairs are
// rotated at the same time: first their rows, and then their columns. turns: cosine and sine of each pair. Returns
// whether anything was rotated.
__device__ inline bool sweep(double *S, double *U, double *turns, long long n, double tiny) {
    long long players = n + n % 2, pairs = players / 2, p, q;
    double rotated = 0;
    for (long long round = 0; round < players - 1; ++round) {
        for_thread(k, 0, pairs) {
            pair_of(k, round, players, p, q);
            double c = 1, s = 0;
            if (q < n && fabs(S[p * n + q]) > tiny) {
                double ratio = (S[q * n + q] - S[p * n + p]) / (2 * S[p * n + q]);
                double t = copysign(1 / (fabs(ratio) + sqrt(ratio * ratio + 1)), ratio);
                c = 1 / sqrt(t * t + 1), s = t * c;
                rotated = 1;
            }
            turns[2 * k] = c, turns[2 * k + 1] = s;
        }
        __syncthreads();
        for_thread(t, 0, pairs * n) {
            pair_of(t / n, round, players, p, q);
            double c = turns[t / n * 2], s = turns[t / n * 2 + 1];
            if (q >= n || s == 0) continue;
            long long i = p * n + t % n, j = q * n + t % n;
            double a = S[i], b = S[j], u = U[i], v = U[j];
            S[i] = c * a - s * b, S[j] = s * a + c * b;
            U[i] = c * u - s * v, U[j] = s * u + c * v;
        }
        __syncthreads();
        for_thread(t, 0, pairs * n) {
            pair_of(t % pairs, round, players, p, q);
            double c = turns[t % pairs * 2], s = turns[t % pairs * 2 + 1];
            if (q >= n || s == 0) continue;
            long long row = t / pairs, i = row * n + p, j = row * n + q;
            double a = S[i], b = S[j];
            S[i] = row == q ? 0 : c * a - s * b;
            S[j] = row == p ? 0 : s * a + c * b;
        }
        __syncthreads();
    }
    return block_max(rotated) > 0;
}

#define MAX_SWEEPS 60

// U with eigenvectors as rows and the eigenvalues, in ascending order; A's lower triangle is read. work: for each
// matrix, S and the eigenvectors, of n² elements each, and 2n elements for `turns`. failed[m]: no convergence within
// MAX_SWEEPS. NaN or infinity in a matrix produces NaN everywhere.
extern "C" __global__ void syevd(T *U, T *values, const T *given, double *work, int *failed, long long batch,
                                 long long n) {
    for_each_matrix(m, batch) {
        double *S = work + m * (2 * n * n + 2 * n), *vectors = S + n * n, *turns = vectors + n * n, sum = 0;
        for_thread(t, 0, n * n) {
            long long i = t / n, j = t % n;
            S[t] = given[m * n * n + larger(i, j) * n + smaller(i, j)];
            vectors[t] = i == j;
            sum += S[t] * S[t];
        }
        double norm = sqrt(block_sum(sum));
        bool finite = norm - norm == 0, turning = finite;
        if (threadIdx.x == 0) failed[m] = 0;
        __syncthreads();
        for (int k = 0; k < MAX_SWEEPS && turning; ++k) turning = sweep(S, vectors, turns, n, norm / n * 1e-16);
        if (turning && threadIdx.x == 0) failed[m] = 1;
        for_thread(i, 0, n) {
            double value = finite ? S[i * n + i] : MINIGLUON_NAN, most = 0;
            long long rank = 0;
            for (long long j = 0; j < n; ++j) {
                double other = S[j * n + j], entry = vectors[i * n + j];
                rank += finite ? other < value || (other == value && j < i) : j < i;
                if (fabs((T)entry) > fabs((T)most)) most = entry;
            }
            double sign = most < 0 ? -1 : finite ? 1 : MINIGLUON_NAN;
            for (long long j = 0; j < n; ++j) U[(m * n + rank) * n + j] = (T)(sign * vectors[i * n + j]);
            values[m * n + rank] = (T)value;
        }
        __syncthreads();
    }
}
