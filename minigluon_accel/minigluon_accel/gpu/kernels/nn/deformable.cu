// Columns of deformed windows, and their gradients. Offsets are (images, groups, taps, 2, windows), columns are
// (images, channels, taps, windows). The adjoint has one thread for each plane, as in vision/roi_align.cu.
#include "interpolation.cuh"

// Geometry of windows: sizes of the image and of the result, the kernel's width, and strides.
struct Windows { long long at[12]; };       // h, w, rows, columns, kernel_w, stride (2), dilate (2), pad (2), clamps
#define H how.at[0]
#define W_ how.at[1]

// The point that element `tap` of a window samples, and whether its slopes along y and x count.
struct DeformedTap {
    Point point;
    bool by_y, by_x;
};

__device__ inline DeformedTap deformed_at(const T *offset, long long tap, long long window, long long windows,
                               const Windows &how) {
    long long row = window / how.at[3], column = window % how.at[3];
    A y = (A)(row * how.at[5] + tap / how.at[4] * how.at[7] - how.at[9]) + (A)offset[2 * tap * windows + window];
    A x = (A)(column * how.at[6] + tap % how.at[4] * how.at[8] - how.at[10])
          + (A)offset[(2 * tap + 1) * windows + window];
    if (!how.at[11]) return {Point(y, x, H, W_), true, true};
    bool there = y >= (A)0 && y < (A)H && x >= (A)0 && x < (A)W_;
    Point point = there ? Point(smaller(y, (A)(H - 1)), smaller(x, (A)(W_ - 1)), H, W_) : Point((A)-2, (A)-2, H, W_);
    return {point, y < (A)(H - 1), x < (A)(W_ - 1)};
}

#define OFFSETS(image, group) (offset + ((image) * groups + (group)) * taps * 2 * windows)

// One thread computes each element of the columns.
extern "C" __global__ void columns(T *out, const T *data, const T *offset, long long total, long long channels,
                                   long long groups, long long taps, long long windows, Windows how) {
    for_each(o, total) {
        long long window = o % windows, tap = o / windows % taps, plane = o / windows / taps;
        long long group = plane % channels / (channels / groups);
        DeformedTap bent = deformed_at(OFFSETS(plane / channels, group), tap, window, windows, how);
        out[o] = convert<T>(bent.point.of(data + plane * H * W_));
    }
}

extern "C" __global__ void data_grad(A *planes, const T *grad, const T *offset, long long total, long long channels,
                                     long long groups, long long taps, long long windows, Windows how) {
    for_each(p, total) {
        long long group = p % channels / (channels / groups);
        for (long long k = 0; k < taps * windows; ++k)
            deformed_at(OFFSETS(p / channels, group), k / windows, k % windows, windows, how)
                .point.spread(planes + p * H * W_, (A)grad[p * taps * windows + k]);
    }
}

// One thread for each element of each window of each group sums over the group's channels.
extern "C" __global__ void offset_grad(T *out, const T *grad, const T *data, const T *offset, long long total,
                                       long long channels, long long groups, long long taps, long long windows,
                                       Windows how) {
    for_each(i, total) {
        long long window = i % windows, tap = i / windows % taps, group = i / windows / taps;      // over all images
        const T *offsets = OFFSETS(0, group);
        DeformedTap bent = deformed_at(offsets, tap, window, windows, how);
        A by_y = 0, by_x = 0;
        long long count = channels / groups, first = group * count;
        for (long long c = first; c < first + count; ++c) {
            A share = (A)grad[(c * taps + tap) * windows + window];
            by_y += share * bent.point.sum(data + c * H * W_, bent.point.by_y);
            by_x += share * bent.point.sum(data + c * H * W_, bent.point.by_x);
        }
        T *to = out + (offsets - offset) + 2 * tap * windows + window;
        to[0] = convert<T>(bent.by_y ? by_y : (A)0);
        to[windows] = convert<T>(bent.by_x ? by_x : (A)0);
    }
}

extern "C" __global__ void rounded(T *out, const A *from, long long n) {
    for_each(i, n) out[i] = convert<T>(from[i]);
}
