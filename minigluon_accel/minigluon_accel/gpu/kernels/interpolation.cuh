// Bilinear interpolation in planes at given points, and its adjoint. Elements beyond the edge of a plane count as zero.
#include "common.cuh"

// Products and sums that are rounded separately, as in NumPy: results that are later rounded to integers, or compared
// with an edge, must not differ from NumPy's.
__device__ inline float product(float a, float b) { return __fmul_rn(a, b); }
__device__ inline double product(double a, double b) { return __dmul_rn(a, b); }
__device__ inline float plus(float a, float b) { return __fadd_rn(a, b); }
__device__ inline double plus(double a, double b) { return __dadd_rn(a, b); }

// A point along an axis, clamped to [0, length - 1]; if it is outside by more than `reach`, the result is far outside.
__device__ inline A moved_inside(A at, long long length, A reach) {
    if (!(at >= -reach && at <= (A)(length - 1) + reach)) return (A)-2;
    return smaller(larger(at, (A)0), (A)(length - 1));
}

// The four elements around a point in a plane (h, w), where -1 marks an element beyond the edge, with their weights and
// the derivatives of the weights with respect to y and x.
struct Point {
    long long at[4];
    A weight[4], by_y[4], by_x[4];

    __device__ Point(A y, A x, long long h, long long w) {
        y = y > (A)-1 && y < (A)h ? y : (A)-2;
        x = x > (A)-1 && x < (A)w ? x : (A)-2;
        long long top = (long long)floor(y), left = (long long)floor(x);
        A down = y - (A)top, right = x - (A)left;
        for (int k = 0; k < 4; ++k) {
            long long row = top + k / 2, column = left + k % 2;
            bool there = row >= 0 && row < h && column >= 0 && column < w;
            at[k] = there ? row * w + column : -1;
            A vertical = k / 2 ? down : (A)1 - down, horizontal = k % 2 ? right : (A)1 - right;
            weight[k] = vertical * horizontal;
            by_y[k] = k / 2 ? horizontal : -horizontal;
            by_x[k] = k % 2 ? vertical : -vertical;
        }
    }

    __device__ A sum(const T *plane, const A *weights) const {
        A total = 0;
        for (int k = 0; k < 4; ++k)
            if (at[k] >= 0) total += (A)plane[at[k]] * weights[k];
        return total;
    }
    __device__ A of(const T *plane) const { return sum(plane, weight); }

    __device__ void spread(A *plane, A value) const {
        for (int k = 0; k < 4; ++k)
            if (at[k] >= 0) plane[at[k]] += value * weight[k];
    }
};

// The image of a region, or -1 if that image does not exist.
__device__ inline long long image_of(const T *region, long long images) {
    A number = (A)region[0];
    return number >= (A)0 && number < (A)images ? (long long)number : -1;
}
