// Compares two arrays: the result, a single value, tells whether all their elements are close. The arithmetic is in
// double precision, as when NumPy compares Python floats.
#include "common.cuh"

extern "C" __global__ void allclose(unsigned char *out, const T *a, const T *b, long long n, double rtol, double atol,
                                    long long equal_nan) {
    int far = 0;
    for (long long i = threadIdx.x; i < n; i += blockDim.x) {
        double x = (double)a[i], y = (double)b[i], limit = atol + rtol * (y < 0 ? -y : y);
        bool finite = y - y == 0;
        bool close = x == y || (finite && (x < y ? y - x : x - y) <= limit);
        far += !(close || (equal_nan && x != x && y != y));
    }
    far = block_sum(far);
    if (threadIdx.x == 0) *out = far == 0;
}
