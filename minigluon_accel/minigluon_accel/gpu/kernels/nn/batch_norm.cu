// BatchNorm and its gradient for data [before][C][after]. T is the type of data, A that of everything else.
#include "nn/moments.cuh"

// -- forward ----------------------------------------------------------------------------------------------------------

// A channel's mean, 1 / √(variance + eps) and the moving averages: what the last step of the moments leaves. The flag
// says that the statistics are the batch's.
struct BatchStatistics : Moments<T, A> {
    A *mean, *inverse, *moving_mean, *moving_variance, *flag;
    A kept, eps;
    __device__ void write(long long c, const Value &found) const {
        A count = found.count > 0 ? found.count : (A)1;
        A centre = found.sum / count, variance = found.squares / count;
        mean[c] = centre;
        inverse[c] = (A)1 / sqrt(variance + eps);
        moving_mean[c] = kept * moving_mean[c] + ((A)1 - kept) * centre;
        moving_variance[c] = kept * moving_variance[c] + ((A)1 - kept) * variance;
        if (c == 0) *flag = (A)1;
    }
};

#define STATISTICS_PARAMETERS const void *from, void *to, Dims plan, A *mean, A *inverse, A *moving_mean, \
    A *moving_variance, A *flag, double kept, double eps
#define STATISTICS BatchStatistics{{(const T *)from}, mean, inverse, moving_mean, moving_variance, flag, (A)kept, \
    (A)eps}

extern "C" __global__ void statistics_rows(STATISTICS_PARAMETERS) { rows_in_steps(STATISTICS, from, to, plan); }

extern "C" __global__ void statistics_tiles(STATISTICS_PARAMETERS) { tiles_in_steps(STATISTICS, from, to, plan); }

// The same from the moving averages.
extern "C" __global__ void moving_statistics(const A *moving_mean, const A *moving_variance, A *mean, A *inverse,
                                             A *flag, long long channels, double eps) {
    for_each(c, channels) {
        if (c == 0) *flag = (A)0;
        mean[c] = moving_mean[c];
        inverse[c] = (A)1 / sqrt(moving_variance[c] + (A)eps);
    }
}

// (x - mean) · inverse · gamma + beta, and with `relu` no less than 0. INDEX is a type that can count the elements.
extern "C" __global__ void normalize_channels(const T *from, T *to, const A *mean, const A *inverse, const A *gamma,
                                              const A *beta, long long n, long long channels, long long after,
                                              long long fix_gamma, long long relu) {
    for_each(i, n) {
        INDEX c = (INDEX)i / (INDEX)after % (INDEX)channels;
        A scale = fix_gamma ? inverse[c] : inverse[c] * gamma[c];
        A y = (convert<A>(from[i]) - mean[c]) * scale + beta[c];
        to[i] = convert<T>(relu ? larger(y, (A)0) : y);
    }
}

// From 1 / √(variance + eps), in its place, the variance: for an operator that shows that instead.
extern "C" __global__ void variances(A *inverse, long long channels, double eps) {
    for_each(c, channels) inverse[c] = larger((A)1 / (inverse[c] * inverse[c]) - (A)eps, (A)0);
}

// -- gradient ---------------------------------------------------------------------------------------------------------

struct Sums {
    A grad, along;              // Σ grad and Σ grad · x̂, with x̂ = (x - mean) · inverse
};

struct ChannelGradient {
    typedef Sums Strand;
    typedef Sums Value;
    const T *data, *grad;
    const A *mean, *inverse, *batch;
    A *gamma_grad, *beta_grad, *means;
    long long channels, count;
    bool fix_gamma;
    __device__ Sums begin() const { return {(A)0, (A)0}; }
    __device__ void take(Sums &strand, long long i, long long row, long long line) const {
        long long c = line % channels;          // the first step has a line for each item and channel
        A g = convert<A>(grad[i]);
        strand.grad += g;
        strand.along += g * ((convert<A>(data[i]) - mean[c]) * inverse[c]);
    }
    __device__ Sums value(const Sums &strand) const { return strand; }
    __device__ Sums join(const Sums &a, const Sums &b) const { return {a.grad + b.grad, a.along + b.along}; }
    __device__ Sums shuffled(const Sums &a, int step) const {
        return {__shfl_xor_sync(0xffffffffu, a.grad, step), __shfl_xor_sync(0xffffffffu, a.along, step)};
    }
    // means: what the statistics pass on, which is nothing where they were not the batch's.
    __device__ void write(long long c, const Sums &sums) const {
        bool depends = batch[0] != (A)0;
        beta_grad[c] = sums.grad;
        gamma_grad[c] = fix_gamma ? (A)0 : sums.along;
        means[c] = depends ? sums.grad / (A)count : (A)0;
        means[channels + c] = depends ? sums.along / (A)count : (A)0;
    }
};

#define GRADIENT_PARAMETERS const void *from, void *to, Dims plan, const T *data, const T *grad, const A *mean, \
    const A *inverse, const A *batch, A *gamma_grad, A *beta_grad, A *means, long long channels, \
    long long count, long long fix_gamma
#define GRADIENT ChannelGradient{data, grad, mean, inverse, batch, gamma_grad, beta_grad, means, channels, count, \
    fix_gamma != 0}

extern "C" __global__ void gradient_rows(GRADIENT_PARAMETERS) { rows_in_steps(GRADIENT, from, to, plan); }

extern "C" __global__ void gradient_tiles(GRADIENT_PARAMETERS) { tiles_in_steps(GRADIENT, from, to, plan); }

// gamma · inverse · (grad - m(grad) - x̂ · m(grad · x̂)); `to` may be the memory of data.
extern "C" __global__ void data_gradient(const T *data, const T *grad, T *to, const A *mean, const A *inverse,
                                         const A *gamma, const A *means, long long n, long long channels,
                                         long long after, long long fix_gamma) {
    for_each(i, n) {
        INDEX c = (INDEX)i / (INDEX)after % (INDEX)channels;
        A normal = (convert<A>(data[i]) - mean[c]) * inverse[c];
        A along = means[channels + c];              // 0 where statistics do not depend on data, which may be infinite
        A flow = convert<A>(grad[i]) - ((along == (A)0 ? along : normal * along) + means[c]);
        to[i] = convert<T>(flow * (fix_gamma ? inverse[c] : inverse[c] * gamma[c]));
    }
}
