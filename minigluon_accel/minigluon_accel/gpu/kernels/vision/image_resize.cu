// Resizes images (..., H, W, C) in the same way as minigluon.imaging.resize.
//
// The table, which the host computes, describes each new row and then each new column: the positions of its taps in the
// old image, (count, taps), and the bits of their weights, (count, taps).
#include "pixel_rounding.cuh"

// Element o of the result: its row, column and channel, and the start of its image.
#define FIND(o) \
    long long channel = (o) % c, column = (o) / c % new_w, row = (o) / c / new_w % new_h; \
    const T *image = data + (o) / c / new_w / new_h * h * w * c + channel;

#define TAPS \
    const int *rows = table + row * taps, *row_weights = rows + new_h * taps; \
    const int *columns = table + 2 * new_h * taps + column * taps_across, \
              *column_weights = columns + new_w * taps_across;

extern "C" __global__ void nearest(T *out, const T *data, long long total, long long h, long long w, long long c,
                                   long long new_h, long long new_w, double step_y, double step_x) {
    for_each(o, total) {
        FIND(o)
        long long y = (long long)floor((double)row * step_y), x = (long long)floor((double)column * step_x);
        out[o] = image[((y < h ? y : h - 1) * w + (x < w ? x : w - 1)) * c];
    }
}

extern "C" __global__ void weighted(T *out, const T *data, const int *table, long long total, long long h, long long w,
                                    long long c, long long new_h, long long new_w, long long taps,
                                    long long taps_across) {
    for_each(o, total) {
        FIND(o)
        TAPS
        WIDE sum = 0;
        for (long long i = 0; i < taps; ++i) {
            const T *line = image + rows[i] * w * c;
            WIDE part = 0;
            for (long long j = 0; j < taps_across; ++j)
                part = plus(part, product((WIDE)line[columns[j] * c], (WIDE)__int_as_float(column_weights[j])));
            sum = plus(sum, product(part, (WIDE)__int_as_float(row_weights[i])));
        }
        out[o] = rounded(sum);
    }
}

// For uint8: weights are 11-bit fixed-point numbers. With two taps, bits of intermediate results are dropped, as in
// OpenCV.
extern "C" __global__ void in_integers(T *out, const T *data, const int *table, long long total, long long h,
                                       long long w, long long c, long long new_h, long long new_w, long long taps,
                                       long long taps_across) {
    for_each(o, total) {
        FIND(o)
        TAPS
        int sum = taps > 2 ? 1 << 21 : 2;
        for (long long i = 0; i < taps; ++i) {
            const T *line = image + rows[i] * w * c;
            int part = 0;
            for (long long j = 0; j < taps_across; ++j) part += (int)line[columns[j] * c] * column_weights[j];
            sum += taps > 2 ? part * row_weights[i] : ((part >> 4) * row_weights[i]) >> 16;
        }
        sum >>= taps > 2 ? 22 : 2;
        out[o] = (T)(sum < 0 ? 0 : sum > 255 ? 255 : sum);
    }
}

// For uint8 images whose width and height are halved: halves are rounded up.
extern "C" __global__ void mean_of_four(T *out, const T *data, long long total, long long h, long long w, long long c,
                                        long long new_h, long long new_w) {
    for_each(o, total) {
        FIND(o)
        const T *corner = image + (2 * row * w + 2 * column) * c;
        out[o] = (T)(((int)corner[0] + (int)corner[c] + (int)corner[w * c] + (int)corner[(w + 1) * c] + 2) >> 2);
    }
}
