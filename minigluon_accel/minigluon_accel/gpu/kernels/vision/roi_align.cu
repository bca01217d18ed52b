// ROIAlign and RROIAlign. Adjoints have one thread for each plane of each image, which adds the contributions of all
// regions in order, so the result is bitwise the same on every run.
#include "interpolation.cuh"

// A bin's samples: their number along each axis, the first sample, the steps between samples, and the rotation of the
// region.
struct Bin {
    long long rows, columns;
    A top, left, step_y, step_x, middle_y, middle_x, sine, cosine;
};

// The division of a region into bins, the same for all launches.
struct Division {
    long long bins_y, bins_x, samples;
    double scale;
    long long aligned, turned;
};

__device__ inline long long samples_of(A length, long long bins, long long wanted) {
    return wanted > 0 ? wanted : length > (A)0 ? (long long)ceil(length / (A)bins) : 0;
}

// Bin (i, j) of a region.
__device__ inline Bin bin_of(const T *region, const Division &how, long long i, long long j) {
    A scale = (A)how.scale, height, width, top, left;
    Bin bin = {0, 0, 0, 0, 0, 0, 0, 0, 0, 1};
    if (how.turned) {
        height = larger(product((A)region[4], scale), (A)1);
        width = larger(product((A)region[3], scale), (A)1);
        top = -height / (A)2;
        left = -width / (A)2;
        bin.middle_x = product((A)region[1], scale);
        bin.middle_y = product((A)region[2], scale);
        A angle = (A)region[5] * (A)(3.141592653589793 / 180);
        bin.sine = sin(angle);
        bin.cosine = cos(angle);
    } else {
        A shift = how.aligned ? (A)-0.5 : (A)0;
        left = plus(product((A)region[1], scale), shift);
        top = plus(product((A)region[2], scale), shift);
        width = plus(plus(product((A)region[3], scale), shift), -left);
        height = plus(plus(product((A)region[4], scale), shift), -top);
        if (!how.aligned) { height = larger(height, (A)1); width = larger(width, (A)1); }
    }
    bin.rows = samples_of(height, how.bins_y, how.samples);
    bin.columns = samples_of(width, how.bins_x, how.samples);
    A high = height / (A)how.bins_y, broad = width / (A)how.bins_x;
    bin.step_y = high / (A)(bin.rows > 0 ? bin.rows : 1);
    bin.step_x = broad / (A)(bin.columns > 0 ? bin.columns : 1);
    bin.top = top + (A)i * high + bin.step_y * (A)0.5;
    bin.left = left + (A)j * broad + bin.step_x * (A)0.5;
    return bin;
}

// Sample k of a bin.
__device__ inline Point sample_of(const Bin &bin, long long k, long long h, long long w) {
    A y = bin.top + (A)(k / bin.columns) * bin.step_y, x = bin.left + (A)(k % bin.columns) * bin.step_x;
    A turned_y = y * bin.cosine - x * bin.sine + bin.middle_y, turned_x = x * bin.cosine + y * bin.sine + bin.middle_x;
    return Point(moved_inside(turned_y, h, (A)1), moved_inside(turned_x, w, (A)1), h, w);
}

// out (regions, channels, bins_y, bins_x): one thread for each element. sensitive: data has channels * bins channels.
extern "C" __global__ void align(T *out, const T *data, const T *rois, long long total, long long images,
                                 long long channels, long long h, long long w, long long columns, long long sensitive,
                                 long long bins_y, long long bins_x, long long samples, double scale,
                                 long long aligned, long long turned) {
    Division how = {bins_y, bins_x, samples, scale, aligned, turned};
    for_each(o, total) {
        long long bins = bins_y * bins_x, place = o % bins, channel = o / bins % channels;
        const T *region = rois + o / bins / channels * columns;
        long long image = image_of(region, images);
        A sum = 0;
        if (image >= 0) {
            Bin bin = bin_of(region, how, place / bins_x, place % bins_x);
            long long plane = sensitive ? (image * channels + channel) * bins + place : image * channels + channel;
            long long count = bin.rows * bin.columns;
            for (long long k = 0; k < count; ++k) sum += sample_of(bin, k, h, w).of(data + plane * h * w);
            sum /= (A)(count > 0 ? count : 1);
        }
        out[o] = convert<T>(sum);
    }
}

// planes (images, all channels, h * w) of type A, initially zero. One thread handles each plane.
extern "C" __global__ void align_grad(A *planes, const T *grad, const T *rois, long long total, long long regions,
                                      long long channels, long long h, long long w, long long columns,
                                      long long sensitive, long long bins_y, long long bins_x, long long samples,
                                      double scale, long long aligned, long long turned) {
    Division how = {bins_y, bins_x, samples, scale, aligned, turned};
    long long bins = bins_y * bins_x, all = sensitive ? channels * bins : channels;
    for_each(p, total) {
        long long image = p / all, plane = p % all, channel = sensitive ? plane / bins : plane;
        for (long long r = 0; r < regions; ++r) {
            const T *region = rois + r * columns;
            if (image_of(region, image + 1) != image) continue;
            for (long long place = 0; place < bins; ++place) {
                if (sensitive && place != plane % bins) continue;
                Bin bin = bin_of(region, how, place / bins_x, place % bins_x);
                long long count = bin.rows * bin.columns;
                A shared = (A)grad[(r * channels + channel) * bins + place] / (A)(count > 0 ? count : 1);
                for (long long k = 0; k < count; ++k) sample_of(bin, k, h, w).spread(planes + p * h * w, shared);
            }
        }
    }
}

extern "C" __global__ void rounded(T *out, const A *from, long long n) {
    for_each(i, n) out[i] = convert<T>(from[i]);
}
