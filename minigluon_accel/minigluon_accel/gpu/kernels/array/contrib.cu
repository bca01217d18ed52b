// Small operators: values that depend only on positions, slices selected by a mask, and scaling.
#include "common.cuh"

#ifdef T
// start, start + step, ..., each `repeat` times. The product and the sum are rounded separately, as in NumPy.
extern "C" __global__ void arange_like(T *out, long long n, double start, double step, long long repeat) {
    for_each(i, n) out[i] = convert<T>(__dadd_rn(start, __dmul_rn((double)(i / repeat), step)));
}

// Divides all elements by a single value, in the type T: data / root.
extern "C" __global__ void divide(T *out, const T *data, long long n, A root) {
    for_each(i, n) out[i] = convert<T>((A)data[i] / root);
}
#endif

// out (n, count): the indices of each element along `count` axes with these lengths and strides.
extern "C" __global__ void index_array(long long *out, long long total, long long count,
                                       const __grid_constant__ Dims strides, const __grid_constant__ Dims lengths) {
    for_each(i, total) {
        long long axis = i % count;
        out[i] = i / count / strides.at[axis] % lengths.at[axis];
    }
}

#ifdef TI
__device__ inline bool chosen(TI x) { return convert<bool>(x); }

// ranks[i] = the number of nonzero elements in mask[0 .. i]. A single block processes the mask piece by piece.
extern "C" __global__ void count_chosen(long long *ranks, const TI *mask, long long n) {
    __shared__ long long sums[32];          // each warp's sum
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;
    long long before = 0;                   // count in the previous pieces
    for (long long first = 0; first < n; first += blockDim.x) {
        long long i = first + threadIdx.x, sum = i < n && chosen(mask[i]);
        for (int step = 1; step < 32; step *= 2) {
            long long other = __shfl_up_sync(0xffffffffu, sum, step);
            if (lane >= step) sum += other;
        }
        if (lane == 31) sums[warp] = sum;
        __syncthreads();
        long long all = 0;
        for (int w = 0; w < warps; ++w) {
            if (w < warp) sum += sums[w];
            all += sums[w];
        }
        if (i < n) ranks[i] = before + sum;
        before += all;
        __syncthreads();                    // all threads have read the sums
    }
}
#endif

#ifdef W
// Copies the slices of data (outer, n, inner) whose mask is nonzero to out (outer, kept, inner).
extern "C" __global__ void keep_chosen(W *out, const W *data, const TI *mask, const long long *ranks, long long total,
                                       long long n, long long inner, long long kept) {
    for_each(i, total) {
        long long place = i / inner % n;
        if (chosen(mask[place])) out[(i / inner / n * kept + ranks[place] - 1) * inner + i % inner] = data[i];
    }
}

// The adjoint: copies grad (outer, kept, inner) to the slices of out (outer, n, inner) that were selected. The other
// slices, and selected slices for which grad has no slice, become zero.
extern "C" __global__ void spread_chosen(W *out, const W *grad, const TI *mask, const long long *ranks,
                                         long long total, long long n, long long inner, long long kept) {
    for_each(i, total) {
        long long place = i / inner % n;
        bool there = chosen(mask[place]) && ranks[place] <= kept;
        out[i] = there ? grad[(i / inner / n * kept + ranks[place] - 1) * inner + i % inner] : (W)0;
    }
}
#endif
