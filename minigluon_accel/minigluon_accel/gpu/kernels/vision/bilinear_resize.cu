// BilinearResize2D and AdaptiveAvgPooling2D, and their adjoints, which also have one thread for each element of the
// result.
#include "common.cuh"

__device__ inline float product(float a, float b) { return __fmul_rn(a, b); }
__device__ inline double product(double a, double b) { return __dmul_rn(a, b); }
__device__ inline float plus(float a, float b) { return __fadd_rn(a, b); }
__device__ inline double plus(double a, double b) { return __dadd_rn(a, b); }

// The sources of element i of a resized axis: two elements of the old axis, and the weight of the upper one.
struct Taps { long long low, high; A part; };

__device__ inline Taps taps_of(long long i, long long old, A scale, bool aligned) {
    A at = aligned ? product((A)i, scale) : larger(plus(product(scale, (A)i + (A)0.5), (A)-0.5), (A)0);
    long long low = (long long)at < old - 1 ? (long long)at : old - 1;
    return {low, low + 1 < old ? low + 1 : old - 1, at - (A)low};
}

// The weight of old element `from` in element i.
__device__ inline A share_of(long long from, long long i, long long old, long long fresh, A scale, bool aligned) {
    if (old == fresh) return (A)(i == from);
    Taps taps = taps_of(i, old, scale, aligned);
    return (taps.low == from ? (A)1 - taps.part : (A)0) + (taps.high == from ? taps.part : (A)0);
}

// out (planes, new_h, new_w) from data (planes, h, w).
extern "C" __global__ void resize(T *out, const T *data, long long total, long long h, long long w, long long new_h,
                                  long long new_w, double scale_y, double scale_x, long long aligned) {
    for_each(o, total) {
        long long i = o / new_w % new_h, j = o % new_w;
        const T *plane = data + o / new_w / new_h * h * w;
        Taps y = h == new_h ? Taps{i, i, 0} : taps_of(i, h, (A)scale_y, aligned);
        Taps x = w == new_w ? Taps{j, j, 0} : taps_of(j, w, (A)scale_x, aligned);
#define BETWEEN(a, b, taps, same) ((same) ? (a) : (a) * ((A)1 - (taps).part) + (b) * (taps).part)
#define COLUMN(j) BETWEEN((A)plane[y.low * w + (j)], (A)plane[y.high * w + (j)], y, h == new_h)
        out[o] = convert<T>(BETWEEN(COLUMN(x.low), COLUMN(x.high), x, w == new_w));
    }
}

// The first new element that may use old element `from`; later elements may also use `from`.
__device__ inline long long first_of(long long from, A scale) {
    if (!(scale > (A)0)) return 0;
    long long i = (long long)floor(((A)from - (A)2) / scale) - 1;
    return i > 0 ? i : 0;
}

extern "C" __global__ void resize_grad(T *out, const T *grad, long long total, long long h, long long w,
                                       long long new_h, long long new_w, double scale_y, double scale_x,
                                       long long aligned) {
    for_each(e, total) {
        long long x = e % w, y = e / w % h;
        const T *plane = grad + e / w / h * new_h * new_w;
        A sum = 0;
        for (long long i = h == new_h ? y : first_of(y, (A)scale_y); i < new_h; ++i) {
            if (h == new_h ? i > y : taps_of(i, h, (A)scale_y, aligned).low > y) break;
            A down = share_of(y, i, h, new_h, (A)scale_y, aligned);
            if (down == (A)0) continue;
            for (long long j = w == new_w ? x : first_of(x, (A)scale_x); j < new_w; ++j) {
                if (w == new_w ? j > x : taps_of(j, w, (A)scale_x, aligned).low > x) break;
                A right = share_of(x, j, w, new_w, (A)scale_x, aligned);
                if (right != (A)0) sum += down * right * (A)plane[i * new_w + j];
            }
        }
        out[e] = convert<T>(sum);
    }
}

// The range [BEGIN, END) of window i, for `fresh` windows along an axis of `old` elements.
#define BEGIN(i, old, fresh) ((i) * (old) / (fresh))
#define END(i, old, fresh) ((((i) + 1) * (old) + (fresh) - 1) / (fresh))

extern "C" __global__ void average(T *out, const T *data, long long total, long long h, long long w, long long new_h,
                                   long long new_w) {
    for_each(o, total) {
        long long i = o / new_w % new_h, j = o % new_w;
        const T *plane = data + o / new_w / new_h * h * w;
        long long top = BEGIN(i, h, new_h), bottom = END(i, h, new_h);
        long long left = BEGIN(j, w, new_w), right = END(j, w, new_w);
        A sum = 0;
        for (long long y = top; y < bottom; ++y)
            for (long long x = left; x < right; ++x) sum += (A)plane[y * w + x];
        out[o] = convert<T>(sum / (A)(bottom - top) / (A)(right - left));
    }
}

extern "C" __global__ void average_grad(T *out, const T *grad, long long total, long long h, long long w,
                                        long long new_h, long long new_w) {
    for_each(e, total) {
        long long x = e % w, y = e / w % h;
        const T *plane = grad + e / w / h * new_h * new_w;
        A sum = 0;
        for (long long i = y * new_h / h; i < new_h && BEGIN(i, h, new_h) <= y; ++i)
            for (long long j = x * new_w / w; j < new_w && BEGIN(j, w, new_w) <= x; ++j)
                sum += (A)plane[i * new_w + j] / (A)(END(i, h, new_h) - BEGIN(i, h, new_h))
                       / (A)(END(j, w, new_w) - BEGIN(j, w, new_w));
        out[e] = convert<T>(sum);
    }
}
