// Image mirroring and color changes. `drawn` contains a random operator's numbers in double precision, drawn on the
// host.
#include "pixel_rounding.cuh"

// If drawn[0] is nonzero, mirrors (outer, n, inner) along the middle axis.
extern "C" __global__ void flip(T *out, const T *data, const double *drawn, long long total, long long n,
                                long long inner) {
    bool mirrored = drawn[0] != 0;
    for_each(o, total) {
        long long i = o / inner % n;
        out[o] = data[mirrored ? o + (n - 1 - 2 * i) * inner : o];
    }
}

// Adds one value to each of three channels.
extern "C" __global__ void lighting(T *out, const T *data, const double *drawn, long long total) {
    for_each(o, total) out[o] = rounded((WIDE)data[o] + (WIDE)(NUMBER)drawn[o % 3]);
}

// The perceived brightness of a pixel of `c` channels.
__device__ inline NUMBER grey_of(const T *pixel, long long c) {
    if (c == 1) return (NUMBER)pixel[0];
    NUMBER first = plus(product((NUMBER)pixel[0], (NUMBER)0.299), product((NUMBER)pixel[1], (NUMBER)0.587));
    return plus(first, product((NUMBER)pixel[2], (NUMBER)0.114));
}

// Scales the distance from a gray level by a factor.
__device__ inline T mixed(T x, NUMBER grey, NUMBER factor) {
    return rounded(plus(product((WIDE)x, (WIDE)factor), product((WIDE)grey, (WIDE)((NUMBER)1 - factor))));
}

// The number in [0, 6) that differs from x by a multiple of 6.
__device__ inline WIDE around_the_circle(WIDE x) {
    WIDE rest = fmod(x, (WIDE)6);
    return rest < 0 ? rest + 6 : rest;
}

// Rotates the hue, which is in [0, 6), of a pixel of three channels, via hue, lightness and saturation.
__device__ inline void turn(T *to, const T *from, WIDE by) {
    WIDE r = (WIDE)from[0] / (WIDE)WHITE, g = (WIDE)from[1] / (WIDE)WHITE, b = (WIDE)from[2] / (WIDE)WHITE;
    WIDE most = larger(larger(r, g), b), least = smaller(smaller(r, g), b);
    WIDE span = most - least, both = most + least, light = both / 2, strong = 0, hue = 0;
    if (span > 0) {
        strong = span / (light < (WIDE)0.5 ? both : 2 - most - least);
        hue = most == r ? (g - b) / span : most == g ? 2 + (b - r) / span : 4 + (r - g) / span;
    }
    hue = around_the_circle(around_the_circle(hue) + by);
    WIDE top = light <= (WIDE)0.5 ? light * (1 + strong) : plus(light + strong, -product(light, strong));
    WIDE bottom = 2 * light - top;
    for (int k = 0; k < 3; ++k) {
        // Around the circle of hues, a channel rises for one sixth, stays at its maximum for two sixths, falls for one
        // sixth, and stays at its minimum for two sixths.
        WIDE place = around_the_circle(hue + 2 - 2 * k), ramp = smaller(place, 4 - place);
        ramp = smaller(larger(ramp, (WIDE)0), (WIDE)1);
        to[k] = rounded(product(plus(bottom, product(top - bottom, ramp)), (WIDE)WHITE));
    }
}

// The mean gray level of each image of `pixels` pixels, computed by one block for each image.
extern "C" __global__ void mean_grey(double *out, const T *data, long long pixels, long long c) {
    const T *image = data + blockIdx.x * pixels * c;
    double sum = 0;
    for (long long i = threadIdx.x; i < pixels; i += blockDim.x) sum += (double)grey_of(image + i * c, c);
    sum = block_sum(sum);
    if (threadIdx.x == 0) out[blockIdx.x] = sum / (double)pixels;
}

// The operation drawn[2 * step], with the factor that follows it: brightness, contrast, saturation or hue. grey: the
// mean gray level of each image of `size` pixels. Data may be out: a thread reads a pixel before writing it.
extern "C" __global__ void adjust(T *out, const T *data, const double *drawn, const double *grey, long long pixels,
                                  long long size, long long c, long long step) {
    enum { BRIGHTNESS, CONTRAST, SATURATION, HUE };
    int what = (int)drawn[2 * step];
    double factor = drawn[2 * step + 1];
    for_each(p, pixels) {
        const T *from = data + p * c;
        T *to = out + p * c;
        if (c == 1 && what >= SATURATION) {
            to[0] = from[0];
        } else if (what == HUE) {
            turn(to, from, (WIDE)(6 * factor));
        } else {
            NUMBER middle = what == CONTRAST ? (NUMBER)grey[p / size] : what == SATURATION ? grey_of(from, c) : 0;
            for (int k = 0; k < c; ++k) to[k] = mixed(from[k], middle, (NUMBER)factor);
        }
    }
}
