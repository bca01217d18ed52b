// Samplers whose number of draws depends on the numbers drawn: each element has its own Stream. With ARRAYS, the
// parameters are arrays of type P, each element of which is used for `each` numbers; otherwise, they are scalars.
#include "philox.cuh"

#define TWO_PI 6.283185307179586

#ifdef ARRAYS
#define PARAMETER(name) const P *name
#define OF(name) convert<double>(name[i / each])
#else
#define PARAMETER(name) double name
#define OF(name) name
#endif

// The type in which normal numbers of type A are computed.
template <typename V> struct Real { typedef double Type; };
template <> struct Real<float> { typedef float Type; };

// A number in (0, 1], with as many random bits as the type has digits, so that the smallest numbers are as precise as
// the others.
__device__ inline void to_unit(Word bits, float &x) { x = ((float)(unsigned)(bits >> 32) + 0.5f) * (1.0f / 4294967296.0f); }
__device__ inline void to_unit(Word bits, double &x) { x = ((bits >> 11) + 0.5) * (1.0 / 9007199254740992.0); }

// N(0, 1), by Box and Muller (1958).
__device__ inline double normal(Stream &stream) {
    double radius = sqrt(-2 * log(stream.uniform()));
    return radius * cos(TWO_PI * stream.uniform());
}

// Γ(shape, 1), by Marsaglia and Tsang (2000), 'A simple method for generating gamma variables'.
__device__ inline double gamma_number(Stream &stream, double shape) {
    if (shape == 0) return 0;
    if (shape != shape || isinf(shape)) return shape;
    double boost = shape < 1 ? pow(stream.uniform(), 1 / shape) : 1;
    double d = (shape < 1 ? shape + 1 : shape) - 1.0 / 3, c = 1 / sqrt(9 * d);
    for (;;) {
        double x = normal(stream), v = 1 + c * x;
        if (v <= 0) continue;
        v = v * v * v;
        double u = stream.uniform();
        if (log(u) < 0.5 * x * x + d - d * v + d * log(v)) return boost * d * v;
    }
}

// Poisson's distribution: means below 10 by products of uniform numbers (Knuth), larger means by Hörmann (1993), 'The
// transformed rejection method for generating Poisson random variables', PTRS.
__device__ inline double poisson_number(Stream &stream, double mean) {
    if (mean != mean) return 0;
    if (mean < 10) {
        double limit = exp(-mean), product = stream.uniform();
        long long k = 0;
        for (; product > limit; ++k) product *= stream.uniform();
        return k;
    }
    double b = 0.931 + 2.53 * sqrt(mean), a = -0.059 + 0.02483 * b, inverse = 1.1239 + 1.1328 / (b - 3.4);
    double least = 0.9277 - 3.6224 / (b - 2);
    for (;;) {
        double u = stream.uniform() - 0.5, v = stream.uniform(), s = 0.5 - fabs(u);
        double k = floor((2 * a / s + b) * u + mean + 0.43);
        if (s >= 0.07 && v <= least) return k;
        if (k < 0 || (s < 0.013 && v > s)) continue;
        if (log(v) + log(inverse) - log(a / (s * s) + b) <= k * log(mean) - mean - lgamma(k + 1)) return k;
    }
}

extern "C" __global__ void normals(T *out, const Draws *draws, long long n, long long each, PARAMETER(mean),
                                   PARAMETER(deviation)) {
    // A block of the generator has four words, enough for four elements: each pair of elements shares a radius and an
    // angle.
    typedef Real<A>::Type R;
    for_each(four, (n + 3) / 4) {
        Stream stream(draws, four);
        for (int pair = 0; pair < 2; ++pair) {
            R u, v;
            to_unit(stream.next(), u);
            to_unit(stream.next(), v);
            R radius = sqrt((R)-2 * log(u)), angle = (R)TWO_PI * v;
            long long i = 4 * four + 2 * pair;
            if (i < n) out[i] = convert<T>((R)OF(mean) + (R)OF(deviation) * (radius * cos(angle)));
            if (++i < n) out[i] = convert<T>((R)OF(mean) + (R)OF(deviation) * (radius * sin(angle)));
        }
    }
}

extern "C" __global__ void gammas(T *out, const Draws *draws, long long n, long long each, PARAMETER(alpha),
                                  PARAMETER(beta)) {
    for_each(i, n) {
        Stream stream(draws, i);
        out[i] = convert<T>(OF(beta) * gamma_number(stream, OF(alpha)));
    }
}

extern "C" __global__ void exponentials(T *out, const Draws *draws, long long n, long long each, PARAMETER(rate)) {
    for_each(i, n) {
        Stream stream(draws, i);
        out[i] = convert<T>(-log(stream.uniform()) / OF(rate));
    }
}

extern "C" __global__ void poissons(T *out, const Draws *draws, long long n, long long each, PARAMETER(mean)) {
    for_each(i, n) {
        Stream stream(draws, i);
        out[i] = convert<T>(poisson_number(stream, OF(mean)));
    }
}

// The number of failures before the k-th success: a Poisson number whose mean is a gamma number.
extern "C" __global__ void negative_binomials(T *out, const Draws *draws, long long n, long long each, PARAMETER(k),
                                              PARAMETER(p)) {
    for_each(i, n) {
        Stream stream(draws, i);
        double mean = gamma_number(stream, OF(k)) * ((1 - OF(p)) / OF(p));
        out[i] = convert<T>(poisson_number(stream, mean));
    }
}

// The same, given mean and dispersion; dispersion 0 is Poisson's distribution.
extern "C" __global__ void generalized_negative_binomials(T *out, const Draws *draws, long long n, long long each,
                                                          PARAMETER(mu), PARAMETER(alpha)) {
    for_each(i, n) {
        Stream stream(draws, i);
        double mean = OF(mu), spread = OF(alpha);
        if (spread != 0) mean = gamma_number(stream, 1 / spread) * (spread * mean);
        out[i] = convert<T>(poisson_number(stream, mean));
    }
}
