// The windows of a convolution as columns of a matrix, and the adjoint, for any number of spatial axes.
//
// planes: images times channels. size: elements of a plane. kernel, counts: taps and windows along each axis. Columns
// are (planes, taps, windows).
#include "common.cuh"

struct Windows { Dims size, kernel, counts, stride, dilate, pad; };

extern "C" __global__ void windows_to_columns(T *columns, const T *data, long long n, int axes, long long taps,
                                              long long windows, long long plane, Windows w) {
    for_each(i, n) {
        long long window = i % windows, tap = i / windows % taps, at = 0, step = 1;
        bool inside = true;
        for (int d = axes - 1; d >= 0; --d) {
            long long where = window % w.counts.at[d] * w.stride.at[d] + tap % w.kernel.at[d] * w.dilate.at[d]
                              - w.pad.at[d];
            inside = inside && where >= 0 && where < w.size.at[d];
            at += where * step;
            step *= w.size.at[d];
            window /= w.counts.at[d];
            tap /= w.kernel.at[d];
        }
        columns[i] = inside ? data[i / windows / taps * plane + at] : (T)0;
    }
}

// For each tap in order, each element looks up the window that has the element at this tap, so no two threads add to
// the same element.
extern "C" __global__ void columns_to_windows(T *data, const T *columns, long long n, int axes, long long taps,
                                              long long windows, long long plane, Windows w) {
    for_each(i, n) {
        A sum = 0;
        for (long long tap = 0; tap < taps; ++tap) {
            long long rest = i % plane, rest_tap = tap, window = 0, step = 1;
            bool seen = true;
            for (int d = axes - 1; d >= 0; --d) {
                long long from = rest % w.size.at[d] + w.pad.at[d] - rest_tap % w.kernel.at[d] * w.dilate.at[d];
                long long number = from / w.stride.at[d];
                seen = seen && from >= 0 && number * w.stride.at[d] == from && number < w.counts.at[d];
                window += number * step;
                step *= w.counts.at[d];
                rest /= w.size.at[d];
                rest_tap /= w.kernel.at[d];
            }
            if (seen) sum += (A)columns[(i / plane * taps + tap) * windows + window];
        }
        data[i] = convert<T>(sum);
    }
}
