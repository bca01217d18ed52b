// Positions of a convolution's windows, and the elements of its matrices. See convolution.py.
//
// A convolution and its two gradients are sums of products of the same form,
//
//     left[row, other(tap or window)] . source[at a window's place, seen through a tap]
//
// with windows (image, z, y, x) as columns and taps (channel, z, y, x) as depth, or, for the weight's gradient, taps as
// columns and windows as depth. So they are computed as a matrix product whose right factor is never stored: the
// location of each of its elements is the sum of the offsets and coordinates of its column and of its depth.
// SUM_OVER_WINDOWS determines whether the depth is windows or taps.
//
// All arrays here have three spatial axes; if an array has only two, y is missing and PLANES is 0. NUMBER is int, or
// long long if an array has 2^31 elements or more.

struct Axis {
    NUMBER in;                          // elements of the source
    NUMBER out, step, first;            // number of windows, distance from one to the next, beginning of the first
    NUMBER taps, apart;                 // number of taps, distance from one to the next
    NUMBER at, by;                      // position of the first window in the result, and distance to the next
    NUMBER tap, tap_step;               // position of the first tap in the weight, and distance to the next
    NUMBER source, weight, result;      // stride in each array
};

struct Scene {
    Axis z, y, x;
    NUMBER batch, groups, rows, channels;       // rows and channels per group
    NUMBER last;                                // whether channels are the last axis; they are then the fastest axis of
                                                // the taps
    NUMBER source_image, source_channel, source_group, weight_channel, result_image;
    NUMBER left_row, left_group, out_row, out_group;
    NUMBER splits, length, biased, relu;

    __device__ NUMBER windows() const { return batch * z.out * y.out * x.out; }
    __device__ NUMBER taps() const { return channels * z.taps * y.taps * x.taps; }
    __device__ NUMBER columns() const { return SUM_OVER_WINDOWS ? taps() : windows(); }
    __device__ NUMBER depth() const { return SUM_OVER_WINDOWS ? windows() : taps(); }
};

#define OUTSIDE (-(1 << 30))

// The contribution of a window or a tap to an element's location: an offset and coordinates in the source. other: its
// offset in the other array (result or weight), or -1 if there is no such window or tap. For images, these four values
// take 16 bytes, so shared memory is read only once.
struct alignas(sizeof(NUMBER) == 4 ? 16 : 8) Part {
    NUMBER offset, z, x, other;
#if PLANES
    NUMBER y;
#endif
};

__device__ inline Part no_part() {
    Part part = {};
    part.z = OUTSIDE;
    part.other = -1;
    return part;
}

__device__ inline Part window_part(const Scene &s, NUMBER number) {
    if (number >= s.windows()) return no_part();
    NUMBER x = number % s.x.out, lines = number / s.x.out;
    NUMBER y = lines % s.y.out, planes = lines / s.y.out;
    NUMBER z = planes % s.z.out, image = planes / s.z.out;
    Part part;
    part.z = z * s.z.step + s.z.first;
    part.x = x * s.x.step + s.x.first;
    part.offset = image * s.source_image + part.z * s.z.source + part.x * s.x.source;
#if PLANES
    part.y = y * s.y.step + s.y.first;
    part.offset += part.y * s.y.source;
#endif
    part.other = image * s.result_image + (s.z.at + z * s.z.by) * s.z.result + (s.y.at + y * s.y.by) * s.y.result
                 + (s.x.at + x * s.x.by) * s.x.result;
    return part;
}

__device__ inline Part tap_part(const Scene &s, NUMBER number) {
    if (number >= s.taps()) return no_part();
    NUMBER taps = s.z.taps * s.y.taps * s.x.taps;
    NUMBER channel = s.last ? number % s.channels : number / taps, tap = s.last ? number / s.channels : number % taps;
    NUMBER x = tap % s.x.taps, lines = tap / s.x.taps, y = lines % s.y.taps, z = lines / s.y.taps;
    Part part;
    part.z = z * s.z.apart;
    part.x = x * s.x.apart;
    part.offset = channel * s.source_channel + part.z * s.z.source + part.x * s.x.source;
#if PLANES
    part.y = y * s.y.apart;
    part.offset += part.y * s.y.source;
#endif
    part.other = channel * s.weight_channel + (s.z.tap + z * s.z.tap_step) * s.z.weight
                 + (s.y.tap + y * s.y.tap_step) * s.y.weight + (s.x.tap + x * s.x.tap_step) * s.x.weight;
    return part;
}

__device__ inline Part column_part(const Scene &s, NUMBER number) {
    return SUM_OVER_WINDOWS ? tap_part(s, number) : window_part(s, number);
}

__device__ inline Part depth_part(const Scene &s, NUMBER number) {
    return SUM_OVER_WINDOWS ? window_part(s, number) : tap_part(s, number);
}

// One comparison for both ends: a negative coordinate becomes a large unsigned number.
__device__ inline bool inside(NUMBER at, const Axis &axis) { return (unsigned NUMBER)at < (unsigned NUMBER)axis.in; }

// Whether a column has an element of the source, rather than padding, at a depth.
__device__ inline bool sees(const Scene &s, const Part &column, const Part &depth) {
    bool seen = inside(column.z + depth.z, s.z) && inside(column.x + depth.x, s.x);
#if PLANES
    seen = seen && inside(column.y + depth.y, s.y);
#endif
    return seen;
}

// The sum for one element, one product at a time. Padding around the source is 0, and products with it are included:
// they are NaN if the other factor is infinite. The gradient of the data (GATHERS) has no such products.
__device__ inline A plain_sum(const Scene &s, const T *left, const T *source, NUMBER row, const Part &column) {
    A sum = 0;
    NUMBER end = s.depth();
    for (NUMBER k = 0; k < end; ++k) {
        Part depth = depth_part(s, k);
        bool there = sees(s, column, depth);
        if (GATHERS && !there) continue;
        sum += (A)left[row * s.left_row + depth.other] * (there ? (A)source[column.offset + depth.offset] : (A)0);
    }
    return sum;
}

// The location of an element in the result.
__device__ inline NUMBER place_of(const Scene &s, NUMBER group, NUMBER row, const Part &column) {
    return group * s.out_group + row * s.out_row + column.other;
}

__device__ inline T finished(const Scene &s, const T *bias, NUMBER group, NUMBER row, A sum) {
    if (s.biased) sum += (A)bias[group * s.rows + row];
    return convert<T>(s.relu ? larger(sum, (A)0) : sum);
}

__device__ inline void finish(const Scene &s, T *out, const T *bias, NUMBER group, NUMBER row, const Part &column,
                              A sum) {
    out[place_of(s, group, row, column)] = finished(s, bias, group, row, sum);
}
