// Correlation of two images. Positions and displacements refer to the padded images.
#include "common.cuh"

__device__ inline A at(const T *plane, long long y, long long x, long long h, long long w) {
    return y >= 0 && y < h && x >= 0 && x < w ? (A)plane[y * w + x] : (A)0;
}

// The slope of |own - other| with respect to own. If the two are equal, the first image's element counts as the larger.
__device__ inline A slope_of(A own, A other, bool second) {
    return own > other ? (A)1 : own < other ? (A)-1 : own == other ? (second ? (A)-1 : (A)1) : own - other;
}

// out (images, D * D, rows, columns): one thread for each element.
extern "C" __global__ void correlate(T *out, const T *one, const T *two, long long total, long long channels,
                                     long long h, long long w, long long rows, long long columns, long long kernel,
                                     long long border, long long stride1, long long stride2, long long radius,
                                     long long pad, long long multiplies) {
    long long side = 2 * radius + 1;
    for_each(o, total) {
        long long move = o / (rows * columns) % (side * side), image = o / (rows * columns) / (side * side);
        long long y = border + o / columns % rows * stride1 - pad, x = border + o % columns * stride1 - pad;
        long long down = (move / side - radius) * stride2, right = (move % side - radius) * stride2;
        A sum = 0;
        for (long long c = image * channels; c < (image + 1) * channels; ++c)
            for (long long k = 0; k < kernel * kernel; ++k) {
                long long row = y + k / kernel, column = x + k % kernel;
                A a = at(one + c * h * w, row, column, h, w);
                A b = at(two + c * h * w, row + down, column + right, h, w);
                sum += multiplies ? a * b : a > b ? a - b : b - a;
            }
        A count = (A)(kernel * kernel * channels);
        out[o] = convert<T>(sum / (count > (A)0 ? count : (A)1));
    }
}

// The gradient of one image: of the second image if `second` is set; `other` is the other image. One thread for each
// element gathers from all patches that contain the element.
extern "C" __global__ void correlate_grad(T *out, const T *grad, const T *own, const T *other, long long total,
                                          long long channels, long long h, long long w, long long rows,
                                          long long columns, long long kernel, long long border, long long stride1,
                                          long long stride2, long long radius, long long pad, long long multiplies,
                                          long long second) {
    long long side = 2 * radius + 1;
    for_each(e, total) {
        long long x = e % w, y = e / w % h, plane = e / w / h, image = plane / channels;
        const T *values = other + plane * h * w;
        A sum = 0, mine = (A)own[e];
        for (long long move = 0; move < side * side; ++move) {
            long long down = (move / side - radius) * stride2, right = (move % side - radius) * stride2;
            if (second) { down = -down; right = -right; }
            A found = at(values, y + down, x + right, h, w);
            A slope = multiplies ? found : slope_of(mine, found, second);
            const T *shares = grad + (image * side * side + move) * rows * columns;
            for (long long k = 0; k < kernel * kernel; ++k) {
                long long row = y + pad - border - k / kernel + (second ? down : 0);
                long long column = x + pad - border - k % kernel + (second ? right : 0);
                if (row < 0 || column < 0 || row % stride1 || column % stride1) continue;
                row /= stride1;
                column /= stride1;
                if (row < rows && column < columns) sum += (A)shares[row * columns + column] * slope;
            }
        }
        out[e] = convert<T>(sum / (A)(kernel * kernel * channels));
    }
}
