// Factorizations and inverses of matrices in row-major order: one block for each matrix, working in place. The block's
// threads divide the elements among themselves, and wait if a step needs another thread's output.
#include "common.cuh"

#define for_each_matrix(m, batch) for (long long m = blockIdx.x; m < (batch); m += gridDim.x)
#define for_thread(i, first, n) for (long long i = (first) + threadIdx.x; i < (n); i += blockDim.x)

// The row, among those from `first` on, with the largest magnitude in a column; the first such row in a tie. All
// threads of the block receive it.
__device__ inline long long pivot_row(const T *matrix, long long n, long long column) {
    __shared__ T most[256];
    __shared__ long long rows[256];
    T best = -1;
    long long row = column;
    for_thread(i, column, n) {
        T size = fabs(matrix[i * n + column]);
        if (size > best) best = size, row = i;
    }
    __syncthreads();
    most[threadIdx.x] = best, rows[threadIdx.x] = row;
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x >= half) continue;
        int other = threadIdx.x + half;
        if (most[other] > most[threadIdx.x] || (most[other] == most[threadIdx.x] && rows[other] < rows[threadIdx.x]))
            most[threadIdx.x] = most[other], rows[threadIdx.x] = rows[other];
    }
    __syncthreads();
    return rows[0];
}

__device__ inline void swap_rows(T *matrix, long long n, long long a, long long b) {
    if (a == b) return;
    for_thread(k, 0, n) {
        T kept = matrix[a * n + k];
        matrix[a * n + k] = matrix[b * n + k];
        matrix[b * n + k] = kept;
    }
}

// Cholesky's L, column by column; after each column, all columns to its right are updated. failed[m]: a pivot was not
// positive.
extern "C" __global__ void potrf(T *out, const T *given, int *failed, long long batch, long long n) {
    for_each_matrix(m, batch) {
        T *L = out + m * n * n;
        bool good = true;
        for_thread(i, 0, n * n) L[i] = i % n <= i / n ? given[m * n * n + i] : 0;
        __syncthreads();
        for (long long j = 0; j < n && good; ++j) {
            T pivot = L[j * n + j], side = sqrt(pivot);
            good = !(pivot <= 0);        // NaN passes through, as in LAPACK
            __syncthreads();
            for_thread(i, j, n) L[i * n + j] = i == j ? side : L[i * n + j] / side;
            __syncthreads();
            long long rest = n - j - 1;
            for_thread(t, 0, rest * rest) {
                long long row = j + 1 + t / rest, column = j + 1 + t % rest;
                if (column <= row) L[row * n + column] -= L[row * n + j] * L[column * n + j];
            }
            __syncthreads();
        }
        if (threadIdx.x == 0) failed[m] = !good;
    }
}

// inverse = A⁻¹ by Gauss-Jordan elimination with partial pivoting. work: memory for a copy of A. failed[m]: a pivot was
// 0.
extern "C" __global__ void inverse(T *out, const T *given, T *work, int *failed, long long batch, long long n) {
    for_each_matrix(m, batch) {
        T *left = work + m * n * n, *right = out + m * n * n;
        bool good = true;
        for_thread(i, 0, n * n) {
            left[i] = given[m * n * n + i];
            right[i] = i / n == i % n;
        }
        __syncthreads();
        for (long long j = 0; j < n && good; ++j) {
            long long row = pivot_row(left, n, j);
            swap_rows(left, n, j, row);
            swap_rows(right, n, j, row);
            __syncthreads();
            T pivot = left[j * n + j];
            good = pivot != 0;
            for_thread(k, 0, n) {
                if (k > j) left[j * n + k] /= pivot;
                right[j * n + k] /= pivot;
            }
            __syncthreads();
            for_thread(t, 0, n * n) {
                long long i = t / n, k = t % n;
                if (i == j) continue;
                T factor = left[i * n + j];
                if (k > j) left[t] -= factor * left[j * n + k];
                right[t] -= factor * right[j * n + k];
            }
            __syncthreads();
        }
        if (threadIdx.x == 0) failed[m] = !good;
    }
}

// The sign of the determinant and the logarithm of its absolute value, by Gaussian elimination; or, with `whole`, the
// determinant itself and no logarithm. work: memory for a copy of A.
extern "C" __global__ void determinant(T *out, T *logs, const T *given, T *work, long long batch, long long n,
                                       bool whole) {
    for_each_matrix(m, batch) {
        T *LU = work + m * n * n;
        double log_size = 0;
        int sign = 1;
        for_thread(i, 0, n * n) LU[i] = given[m * n * n + i];
        __syncthreads();
        for (long long j = 0; j < n && sign; ++j) {
            long long row = pivot_row(LU, n, j);
            swap_rows(LU, n, j, row);
            __syncthreads();
            T pivot = LU[j * n + j];
            sign = pivot == 0 ? 0 : (row != j) == (pivot < 0) ? sign : -sign;
            log_size += log(fabs((double)pivot));
            long long rest = n - j - 1;
            for_thread(t, 0, rest * rest) {
                long long i = j + 1 + t / rest, k = j + 1 + t % rest;
                LU[i * n + k] -= LU[i * n + j] / pivot * LU[j * n + k];
            }
            __syncthreads();
        }
        if (threadIdx.x != 0) continue;
        if (whole) {
            out[m] = (T)(sign * exp(log_size));
        } else {
            out[m] = (T)sign;
            logs[m] = (T)log_size;
        }
    }
}

// (A · Aᵀ)⁻¹ = A⁻ᵀ · A⁻¹ for a lower triangular A, with A⁻¹ computed in work, each column by one thread.
// failed[m]: a diagonal element is 0.
extern "C" __global__ void potri(T *out, const T *given, T *work, int *failed, long long batch, long long n) {
    for_each_matrix(m, batch) {
        const T *L = given + m * n * n;
        T *X = work + m * n * n, *product = out + m * n * n;
        for_thread(c, 0, n) {
            for (long long i = 0; i < n; ++i) {
                T sum = i == c;
                for (long long k = c; k < i; ++k) sum -= L[i * n + k] * X[k * n + c];
                X[i * n + c] = i < c ? 0 : sum / L[i * n + i];
            }
        }
        __syncthreads();
        for_thread(t, 0, n * n) {
            long long i = t / n, j = t % n;
            T sum = 0;
            for (long long k = larger(i, j); k < n; ++k) sum += X[k * n + i] * X[k * n + j];
            product[t] = sum;
        }
        if (threadIdx.x == 0) {
            failed[m] = 0;
            for (long long i = 0; i < n; ++i)
                if (L[i * n + i] == 0) failed[m] = 1;
        }
        __syncthreads();
    }
}
