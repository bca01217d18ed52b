// Fourier transforms by their definition, summed in double precision, and the count sketch. One thread computes each
// result.
#include "common.cuh"

#define TURN 6.283185307179586

// out (rows, d, 2) from data (rows, d).
extern "C" __global__ void fft(T *out, const T *data, long long total, long long d) {
    for_each(i, total) {
        const T *row = data + i / d * d;
        long long k = i % d, step = 0;          // j * k, modulo d
        double real = 0, imaginary = 0;
        for (long long j = 0; j < d; ++j) {
            double angle = TURN * (double)step / (double)d, x = (double)row[j];
            real += x * cos(angle);
            imaginary -= x * sin(angle);
            step = (step + k) % d;
        }
        out[2 * i] = convert<T>(real);
        out[2 * i + 1] = convert<T>(imaginary);
    }
}

// out (rows, d) from data (rows, d, 2): the real part, not divided by d.
extern "C" __global__ void ifft(T *out, const T *data, long long total, long long d) {
    for_each(i, total) {
        const T *row = data + i / d * 2 * d;
        long long j = i % d, step = 0;
        double sum = 0;
        for (long long k = 0; k < d; ++k) {
            double angle = TURN * (double)step / (double)d;
            sum += (double)row[2 * k] * cos(angle) - (double)row[2 * k + 1] * sin(angle);
            step = (step + j) % d;
        }
        out[i] = convert<T>(sum);
    }
}

__device__ inline long long bucket(T h, long long buckets) {
    A at = (A)h;
    return at >= (A)(buckets - 1) ? buckets - 1 : at > (A)0 ? (long long)at : 0;       // NaN is in the first bucket
}

// out (rows, buckets): each thread gathers the elements of its bucket.
extern "C" __global__ void sketch(T *out, const T *data, const T *h, const T *s, long long total, long long d,
                                  long long buckets) {
    for_each(i, total) {
        const T *row = data + i / buckets * d;
        A sum = 0;
        for (long long j = 0; j < d; ++j)
            if (bucket(h[j], buckets) == i % buckets) sum += (A)row[j] * (A)s[j];
        out[i] = convert<T>(sum);
    }
}

extern "C" __global__ void sketch_grad(T *out, const T *grad, const T *h, const T *s, long long total, long long d,
                                       long long buckets) {
    for_each(i, total)
        out[i] = convert<T>((A)grad[i / d * buckets + bucket(h[i % d], buckets)] * (A)s[i % d]);
}
