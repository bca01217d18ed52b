// ROIPooling and PSROIPooling. As in vision/roi_align.cu, adjoints have one thread for each plane of each image.
#include "interpolation.cuh"

// Rounds to the nearest integer; halves are rounded away from zero.
__device__ inline A nearest(A x) { return round(x); }

__device__ inline long long clipped(A x, long long end) {
    return (long long)smaller(larger(x, (A)0), (A)end);
}

struct Window { long long top, bottom, left, right; };

// Bin (i, j) of a region that consists of whole elements.
__device__ inline Window window_of(const T *region, A scale, long long i, long long j, long long bins_y,
                                   long long bins_x, long long h, long long w) {
    A left = nearest(product((A)region[1], scale)), top = nearest(product((A)region[2], scale));
    A right = nearest(product((A)region[3], scale)), bottom = nearest(product((A)region[4], scale));
    A high = larger(bottom - top + (A)1, (A)1) / (A)bins_y, broad = larger(right - left + (A)1, (A)1) / (A)bins_x;
    return {clipped(floor(product((A)i, high)) + top, h), clipped(ceil(product((A)(i + 1), high)) + top, h),
            clipped(floor(product((A)j, broad)) + left, w), clipped(ceil(product((A)(j + 1), broad)) + left, w)};
}

// out and winner (regions, channels, bins_y, bins_x); winner is the position of the maximum in its plane, or -1 if
// there is none.
extern "C" __global__ void pool(T *out, int *winner, const T *data, const T *rois, long long total, long long images,
                                long long channels, long long h, long long w, long long bins_y, long long bins_x,
                                double scale) {
    for_each(o, total) {
        long long bins = bins_y * bins_x, place = o % bins;
        const T *region = rois + o / bins / channels * 5;
        long long image = image_of(region, images), best = -1;
        A most = 0;
        if (image >= 0) {
            const T *plane = data + (image * channels + o / bins % channels) * h * w;
            Window at = window_of(region, (A)scale, place / bins_x, place % bins_x, bins_y, bins_x, h, w);
            for (long long y = at.top; y < at.bottom; ++y)
                for (long long x = at.left; x < at.right; ++x) {
                    A found = (A)plane[y * w + x];
                    if (best >= 0 && (most != most || !(found > most || found != found))) continue;
                    most = found;
                    best = y * w + x;
                }
        }
        out[o] = convert<T>(most);
        winner[o] = (int)best;
    }
}

// planes (images, channels, h * w) of type A, initially zero. One thread handles each plane.
extern "C" __global__ void pool_grad(A *planes, const T *grad, const int *winner, const T *rois, long long total,
                                     long long regions, long long channels, long long bins, long long space) {
    for_each(p, total)
        for (long long r = 0; r < regions; ++r) {
            if (image_of(rois + r * 5, p / channels + 1) != p / channels) continue;
            for (long long o = (r * channels + p % channels) * bins, end = o + bins; o < end; ++o)
                if (winner[o] >= 0 && winner[o] < space) planes[p * space + winner[o]] += (A)grad[o];
        }
}

// The adjoint of this: the elements that won, or 0 if there are none.
extern "C" __global__ void pool_chosen(T *out, const T *data, const int *winner, const T *rois, long long total,
                                       long long images, long long channels, long long bins, long long space) {
    for_each(o, total) {
        long long image = image_of(rois + o / bins / channels * 5, images);
        bool there = image >= 0 && winner[o] >= 0 && winner[o] < space;
        out[o] = there ? data[(image * channels + o / bins % channels) * space + winner[o]] : (T)0;
    }
}

// Bin (i, j) of a region of PSROIPooling.
__device__ inline Window score_window(const T *region, A scale, long long i, long long j, long long bins, long long h,
                                      long long w) {
    A left = product(nearest((A)region[1]), scale), top = product(nearest((A)region[2]), scale);
    A right = product(nearest((A)region[3]) + (A)1, scale), bottom = product(nearest((A)region[4]) + (A)1, scale);
    A high = larger(plus(bottom, -top), (A)0.1) / (A)bins, broad = larger(plus(right, -left), (A)0.1) / (A)bins;
    return {clipped(floor(plus(product((A)i, high), top)), h), clipped(ceil(plus(product((A)(i + 1), high), top)), h),
            clipped(floor(plus(product((A)j, broad), left)), w),
            clipped(ceil(plus(product((A)(j + 1), broad), left)), w)};
}

// out (regions, channels, bins, bins); data has channels * groups * groups channels.
extern "C" __global__ void score_pool(T *out, const T *data, const T *rois, long long total, long long images,
                                      long long channels, long long h, long long w, long long bins, long long groups,
                                      double scale) {
    for_each(o, total) {
        long long j = o % bins, i = o / bins % bins, channel = o / bins / bins % channels;
        const T *region = rois + o / bins / bins / channels * 5;
        long long image = image_of(region, images);
        A sum = 0;
        if (image >= 0) {
            long long source = (channel * groups + i * groups / bins) * groups + j * groups / bins;
            const T *plane = data + (image * channels * groups * groups + source) * h * w;
            Window at = score_window(region, (A)scale, i, j, bins, h, w);
            for (long long y = at.top; y < at.bottom; ++y)
                for (long long x = at.left; x < at.right; ++x) sum += (A)plane[y * w + x];
            long long count = (at.bottom - at.top) * (at.right - at.left);
            if (at.bottom > at.top && at.right > at.left) sum /= (A)count;
        }
        out[o] = convert<T>(sum);
    }
}

extern "C" __global__ void score_pool_grad(A *planes, const T *grad, const T *rois, long long total, long long regions,
                                           long long channels, long long h, long long w, long long bins,
                                           long long groups, double scale) {
    long long all = channels * groups * groups;
    for_each(p, total) {
        long long image = p / all, source = p % all, channel = source / groups / groups;
        for (long long r = 0; r < regions; ++r) {
            const T *region = rois + r * 5;
            if (image_of(region, image + 1) != image) continue;
            for (long long place = 0; place < bins * bins; ++place) {
                long long i = place / bins, j = place % bins;
                if (source % (groups * groups) != i * groups / bins * groups + j * groups / bins) continue;
                Window at = score_window(region, (A)scale, i, j, bins, h, w);
                long long count = (at.bottom - at.top) * (at.right - at.left);
                A shared = (A)grad[(r * channels + channel) * bins * bins + place] / (A)(count > 0 ? count : 1);
                for (long long y = at.top; y < at.bottom; ++y)
                    for (long long x = at.left; x < at.right; ++x) planes[p * h * w + y * w + x] += shared;
            }
        }
    }
}

extern "C" __global__ void rounded(T *out, const A *from, long long n) {
    for_each(i, n) out[i] = convert<T>(from[i]);
}
