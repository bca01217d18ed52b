// Convolutions without tiles, and the second half of convolutions with a split depth.
//
//   conv_sum          adds the parts in order, so that the result is bitwise the same each time
//   conv_direct       a thread for each element, for few filters per group, which would leave tiles almost empty
//   conv_direct_sum   the same with a block for each element: for the gradient of such a weight
//   conv_few_windows  a thread for each element, which looks for a tap for each window, not for a window for each tap
//   conv_plain        a thread for each element, slow but easy to read; tests compare the others with it
#include "common.cuh"
#include "nn/convolution.cuh"

// Element i among the rows and columns of all groups.
struct Element {
    NUMBER group, row, column;

    __device__ Element(const Scene &s, long long i, NUMBER columns) {
        column = i % columns;
        row = i / columns % s.rows;
        group = i / columns / s.rows;
    }
};

extern "C" __global__ void conv_sum(T *out, const T *left, const T *source, const T *bias, const A *parts, Scene scene) {
    NUMBER columns = scene.columns();
    long long count = (long long)scene.groups * scene.rows * columns;
    for_each(i, count) {
        A sum = 0;
#pragma unroll 8       // the number of loads in flight
        for (NUMBER split = 0; split < scene.splits; ++split) sum += parts[split * count + i];
        Element e(scene, i, columns);
        Part column = column_part(scene, e.column);
        if (GATHERS && sum != sum)      // see make_again in nn/convolution.cu
            sum = plain_sum(scene, left + e.group * scene.left_group, source + e.group * scene.source_group, e.row, column);
        finish(scene, out, bias, e.group, e.row, column, sum);
    }
}

extern "C" __global__ void conv_plain(T *out, const T *left, const T *source, const T *bias, Scene scene) {
    NUMBER columns = scene.columns();
    for_each(i, (long long)scene.groups * scene.rows * columns) {
        Element e(scene, i, columns);
        const T *own_left = left + e.group * scene.left_group, *own_source = source + e.group * scene.source_group;
        Part column = column_part(scene, e.column);
        A sum = plain_sum(scene, own_left, own_source, e.row, column);
        finish(scene, out, bias, e.group, e.row, column, sum);
    }
}

#if !SUM_OVER_WINDOWS

// Reading the source dominates the time; neighboring threads share it in the cache. The loops need no divisions.
extern "C" __global__ void conv_direct(T *out, const T *left, const T *source, const T *bias, Scene scene) {
    NUMBER columns = scene.columns();
    for_each(i, (long long)scene.groups * scene.rows * columns) {
        Element e(scene, i, columns);
        const T *own_left = left + e.group * scene.left_group, *own_source = source + e.group * scene.source_group;
        Part window = window_part(scene, e.column);
        const T *weights = own_left + e.row * scene.left_row + scene.z.tap * scene.z.weight
                           + scene.y.tap * scene.y.weight + scene.x.tap * scene.x.weight;
        A sum = 0;
        for (NUMBER channel = 0; channel < scene.channels; ++channel)
            for (NUMBER z = 0; z < scene.z.taps; ++z)
                for (NUMBER y = 0; y < scene.y.taps; ++y)
                    for (NUMBER x = 0; x < scene.x.taps; ++x) {
                        NUMBER down = z * scene.z.apart, line = y * scene.y.apart, along = x * scene.x.apart;
                        bool there = inside(window.z + down, scene.z) && inside(window.x + along, scene.x);
#if PLANES
                        there = there && inside(window.y + line, scene.y);
#endif
                        if (GATHERS && !there) continue;
                        A weight = (A)weights[channel * scene.weight_channel + z * scene.z.tap_step * scene.z.weight
                                              + y * scene.y.tap_step * scene.y.weight
                                              + x * scene.x.tap_step * scene.x.weight];
                        sum += weight * (there ? (A)own_source[window.offset + channel * scene.source_channel
                                                               + down * scene.z.source + line * scene.y.source
                                                               + along * scene.x.source] : (A)0);
                    }
        finish(scene, out, bias, e.group, e.row, window, sum);
    }
}

// The tap at which an element reads source element `at` if its first tap reads `first`, or -1 if there is none. This is
// for the gradient of the data, where the source has an element for each window and `apart` is negative.
__device__ inline NUMBER tap_to(const Axis &axis, NUMBER first, NUMBER at) {
    NUMBER far = first - at;
    return far >= 0 && far % axis.apart == 0 && far / -axis.apart < axis.taps ? far / -axis.apart : -1;
}

extern "C" __global__ void conv_few_windows(T *out, const T *left, const T *source, const T *bias, Scene scene) {
    NUMBER columns = scene.columns();
    for_each(i, (long long)scene.groups * scene.rows * columns) {
        Element e(scene, i, columns);
        Part window = window_part(scene, e.column);
        const T *seen = source + e.group * scene.source_group + window.offset;
        const T *weights = left + e.group * scene.left_group + e.row * scene.left_row;
        NUMBER first_y = 0;
#if PLANES
        first_y = window.y;
#endif
        A sum = 0;
        for (NUMBER z = 0; z < scene.z.in; ++z) {
            NUMBER tap_z = tap_to(scene.z, window.z, z);
            for (NUMBER y = 0; tap_z >= 0 && y < scene.y.in; ++y) {
                NUMBER tap_y = tap_to(scene.y, first_y, y);
                for (NUMBER x = 0; tap_y >= 0 && x < scene.x.in; ++x) {
                    NUMBER tap_x = tap_to(scene.x, window.x, x);
                    if (tap_x < 0) continue;
                    NUMBER tap = (scene.z.tap + tap_z * scene.z.tap_step) * scene.z.weight
                                 + (scene.y.tap + tap_y * scene.y.tap_step) * scene.y.weight
                                 + (scene.x.tap + tap_x * scene.x.tap_step) * scene.x.weight;
                    NUMBER at = (z - window.z) * scene.z.source + (y - first_y) * scene.y.source
                                + (x - window.x) * scene.x.source;
                    for (NUMBER channel = 0; channel < scene.channels; ++channel)
                        sum += (A)weights[tap + channel * scene.weight_channel]
                               * (A)seen[at + channel * scene.source_channel];
                }
            }
        }
        finish(scene, out, bias, e.group, e.row, window, sum);
    }
}

#else

extern "C" __global__ void conv_direct_sum(T *out, const T *left, const T *source, const T *bias, Scene scene) {
    NUMBER columns = scene.columns(), windows = scene.windows();
    long long count = (long long)scene.groups * scene.rows * columns;
    for (long long i = blockIdx.x; i < count; i += gridDim.x) {
        Element e(scene, i, columns);
        const T *own_left = left + e.group * scene.left_group, *own_source = source + e.group * scene.source_group;
        Part tap = tap_part(scene, e.column);
        A sum = 0;
        for (NUMBER number = threadIdx.x; number < windows; number += blockDim.x) {
            Part window = window_part(scene, number);
            A there = sees(scene, tap, window) ? (A)own_source[tap.offset + window.offset] : (A)0;
            sum += (A)own_left[e.row * scene.left_row + window.other] * there;
        }
        sum = block_sum(sum);
        if (threadIdx.x == 0) finish(scene, out, bias, e.group, e.row, tap, sum);
    }
}

#endif
