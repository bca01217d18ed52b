// Grids of points, and images sampled at them. Points are (x, y) from -1 to 1; grids are (images, 2, h, w).
#include "interpolation.cuh"

// Point i of n points from -1 to 1, rounded as in the reference.
__device__ inline A on_ruler(long long i, long long n) { return plus((A)-1, product((A)i, (A)2 / (A)(n - 1))); }

// out (images, 2, h, w) from matrices (images, 2, 3).
extern "C" __global__ void affine_grid(T *out, const T *matrices, long long total, long long h, long long w) {
    for_each(i, total) {
        const T *row = matrices + i / (h * w) * 3;
        out[i] = convert<T>((A)row[0] * on_ruler(i % w, w) + (A)row[1] * on_ruler(i / w % h, h) + (A)row[2]);
    }
}

// out (images, 2, 3): one block for each element of each matrix.
extern "C" __global__ void affine_grid_grad(T *out, const T *grad, long long total, long long h, long long w) {
    for (long long k = blockIdx.x; k < total; k += gridDim.x) {
        const T *plane = grad + k / 3 * h * w;
        A sum = 0;
        for (long long i = threadIdx.x; i < h * w; i += blockDim.x)
            sum += (A)plane[i] * (k % 3 == 0 ? on_ruler(i % w, w) : k % 3 == 1 ? on_ruler(i / w, h) : (A)1);
        sum = block_sum(sum);
        if (threadIdx.x == 0) out[k] = convert<T>(sum);
    }
}

// Distances along x and y in units of half the axis length. With `warps`, the distances are relative to each position,
// and the results are coordinates that begin at -1.
extern "C" __global__ void in_halves(T *out, const T *moved, long long total, long long h, long long w,
                                     long long warps) {
    for_each(i, total) {
        bool vertical = i / (h * w) % 2;
        A at = (A)moved[i] + (warps ? (A)(vertical ? i / w % h : i % w) : (A)0);
        at /= (A)((double)((vertical ? h : w) - 1) / 2);
        out[i] = convert<T>(warps ? at - (A)1 : at);
    }
}

// Point i of a grid (2, points).
__device__ inline Point point_of(const T *grid, long long i, long long points, long long h, long long w) {
    A x = product(plus((A)grid[i], (A)1), (A)((double)(w - 1) / 2));
    A y = product(plus((A)grid[points + i], (A)1), (A)((double)(h - 1) / 2));
    return Point(y, x, h, w);
}

// out (images, channels, points).
extern "C" __global__ void sample(T *out, const T *data, const T *grid, long long total, long long channels,
                                  long long h, long long w, long long points) {
    for_each(i, total) {
        long long plane = i / points, image = plane / channels;
        out[i] = convert<T>(point_of(grid + image * 2 * points, i % points, points, h, w).of(data + plane * h * w));
    }
}

// planes (images, channels, h * w) of type A, initially zero. One thread handles each plane, so that the order of sums
// is fixed.
extern "C" __global__ void sample_data_grad(A *planes, const T *grad, const T *grid, long long total,
                                            long long channels, long long h, long long w, long long points) {
    for_each(p, total)
        for (long long i = 0; i < points; ++i)
            point_of(grid + p / channels * 2 * points, i, points, h, w)
                .spread(planes + p * h * w, (A)grad[p * points + i]);
}

// out (images, 2, points): one thread for each point.
extern "C" __global__ void sample_grid_grad(T *out, const T *grad, const T *data, const T *grid, long long total,
                                            long long channels, long long h, long long w, long long points) {
    for_each(i, total) {
        long long image = i / points, at = i % points;
        Point point = point_of(grid + image * 2 * points, at, points, h, w);
        A by_x = 0, by_y = 0;
        for (long long c = image * channels; c < (image + 1) * channels; ++c) {
            A share = (A)grad[c * points + at];
            by_x += share * point.sum(data + c * h * w, point.by_x);
            by_y += share * point.sum(data + c * h * w, point.by_y);
        }
        out[image * 2 * points + at] = convert<T>(by_x * (A)((double)(w - 1) / 2));
        out[(image * 2 + 1) * points + at] = convert<T>(by_y * (A)((double)(h - 1) / 2));
    }
}

extern "C" __global__ void rounded(T *out, const A *from, long long n) {
    for_each(i, n) out[i] = convert<T>(from[i]);
}
