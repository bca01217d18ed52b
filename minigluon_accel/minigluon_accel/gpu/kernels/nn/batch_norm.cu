// BatchNorm and its gradient for data [before][C][after]. T is the type of data, and A is the type of all other arrays.
#include "moments.cuh"
#include "packed.cuh"

#define WIDTH (16 / (int)sizeof(T))         // elements of a piece, which a thread reads and writes at once

// A divisor that is used many times: the division becomes a multiplication by its inverse and a shift; see
// strided_index.cuh. INDEX is then `unsigned`. It is `long long` for arrays of 2^31 elements or more, which use plain
// division.
struct Divisor {
    long long by;
    unsigned factor, shift;

    __device__ unsigned quotient(unsigned i) const {
        return ((unsigned)(((unsigned long long)i * factor) >> 32) + i) >> shift;
    }
    __device__ long long quotient(long long i) const { return i / by; }
};

// A struct defines how the elements of a channel are transformed. It has
//   const T *data, *grad           its inputs; grad may be null
//   T *to
//   void turn_to(c)                loads the parameters of channel c
//   T of(x, g) const               the result for one element of data and of grad
// A thread handles a whole piece at once if the piece is in one channel, or if channels are the last axis.
template <typename How>
__device__ void by_channels(How how, long long n, long long pieces, const Divisor &after, const Divisor &channels) {
    if (!(aligned<WIDTH>(how.data) && aligned<WIDTH>(how.to) && aligned<WIDTH>(how.grad))) pieces = 0;
    for_each(piece, pieces) {
        INDEX i = (INDEX)piece * WIDTH, line = after.quotient(i), c = line - channels.quotient(line) * (INDEX)channels.by;
        Packed<T, WIDTH> x = packed<WIDTH>(how.data + i), g = how.grad ? packed<WIDTH>(how.grad + i) : x;
#pragma unroll
        for (int k = 0; k < WIDTH; ++k) {
            if (k == 0 || after.by == 1) how.turn_to(c + k);
            x.at[k] = how.of(x.at[k], g.at[k]);
        }
        store(how.to + i, x);
    }
    for_each(rest, n - pieces * WIDTH) {
        INDEX i = (INDEX)(pieces * WIDTH + rest), line = after.quotient(i);
        how.turn_to(line - channels.quotient(line) * (INDEX)channels.by);
        how.to[i] = how.of(how.data[i], how.grad ? how.grad[i] : how.data[i]);
    }
}

// -- forward ---------------------------------------------------------------------------------------------------------

// A channel's mean, 1 / √(variance + eps) and the moving averages: the results of the last step of the moments. The
// flag indicates that the statistics are those of the batch.
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

// The same, from the moving averages.
extern "C" __global__ void moving_statistics(const A *moving_mean, const A *moving_variance, A *mean, A *inverse,
                                             A *flag, long long channels, double eps) {
    for_each(c, channels) {
        if (c == 0) *flag = (A)0;
        mean[c] = moving_mean[c];
        inverse[c] = (A)1 / sqrt(moving_variance[c] + (A)eps);
    }
}

// (x - mean) · inverse · gamma + beta; with `relu`, at least 0.
struct Normalizing {
    const T *data, *grad;
    T *to;
    const A *mean, *inverse, *gamma, *beta;
    bool fix_gamma, relu;
    A centre, scale, shift;
    __device__ void turn_to(INDEX c) {
        centre = mean[c];
        scale = fix_gamma ? inverse[c] : inverse[c] * gamma[c];
        shift = beta[c];
    }
    __device__ T of(T x, T) const {
        A y = (convert<A>(x) - centre) * scale + shift;
        return convert<T>(relu ? larger(y, (A)0) : y);
    }
};

extern "C" __global__ void normalize_channels(const T *from, T *to, const A *mean, const A *inverse, const A *gamma,
                                              const A *beta, long long n, long long pieces, Divisor after,
                                              Divisor channels, long long fix_gamma, long long relu) {
    by_channels(Normalizing{from, nullptr, to, mean, inverse, gamma, beta, fix_gamma != 0, relu != 0}, n, pieces, after,
                channels);
}

// Replaces 1 / √(variance + eps) with the variance, in place, for an operator that returns the variance instead.
extern "C" __global__ void variances(A *inverse, long long channels, double eps) {
    for_each(c, channels) inverse[c] = larger((A)1 / (inverse[c] * inverse[c]) - (A)eps, (A)0);
}

// -- gradient --------------------------------------------------------------------------------------------------------

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
        long long c = line % channels;          // in the first step, there is a line for each item and channel
        A g = convert<A>(grad[i]);
        strand.grad += g;
        strand.along += g * ((convert<A>(data[i]) - mean[c]) * inverse[c]);
    }
    __device__ Sums value(const Sums &strand) const { return strand; }
    __device__ Sums join(const Sums &a, const Sums &b) const { return {a.grad + b.grad, a.along + b.along}; }
    __device__ Sums shuffled(const Sums &a, int step) const {
        return {__shfl_xor_sync(0xffffffffu, a.grad, step), __shfl_xor_sync(0xffffffffu, a.along, step)};
    }
    // means: the contribution of the statistics, which is zero unless they are those of the batch.
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
struct DataGradient {
    const T *data, *grad;
    T *to;
    const A *mean, *inverse, *gamma, *means;
    long long channels;
    bool fix_gamma;
    A centre, scale, level, along, factor;
    __device__ void turn_to(INDEX c) {
        centre = mean[c];
        scale = inverse[c];
        level = means[c];
        along = means[channels + c];
        factor = fix_gamma ? scale : scale * gamma[c];
    }
    __device__ T of(T x, T g) const {
        A normal = (convert<A>(x) - centre) * scale;
        // along is 0 if statistics do not depend on data; x may then be infinite
        return convert<T>((convert<A>(g) - ((along == (A)0 ? along : normal * along) + level)) * factor);
    }
};

extern "C" __global__ void data_gradient(const T *data, const T *grad, T *to, const A *mean, const A *inverse,
                                         const A *gamma, const A *means, long long n, long long pieces, Divisor after,
                                         Divisor channels, long long fix_gamma) {
    by_channels(DataGradient{data, grad, to, mean, inverse, gamma, means, channels.by, fix_gamma != 0}, n, pieces, after,
                channels);
}
