// Densities, computed in double precision. Parameters (*S, *event), samples (*S, *T, *event), out (*S, *T): each
// parameter belongs to `each` consecutive samples.
#include "common.cuh"

#define LOG_TWO_PI 1.8378770664093453

struct Uniform {
    static __device__ double log_density(double x, double low, double high) { return -log(high - low); }
};

struct Normal {
    static __device__ double log_density(double x, double mu, double sigma) {
        double z = (x - mu) / sigma;
        return -0.5 * z * z - log(sigma) - 0.5 * LOG_TWO_PI;
    }
};

struct Gamma {
    static __device__ double log_density(double x, double alpha, double beta) {
        return alpha * log(beta) - lgamma(alpha) + (alpha - 1) * log(x) - beta * x;
    }
};

struct Exponential {
    static __device__ double log_density(double x, double rate, double) { return log(rate) - rate * x; }
};

struct Poisson {
    static __device__ double log_density(double x, double mean, double) { return x * log(mean) - mean - lgamma(x + 1); }
};

struct NegativeBinomial {
    static __device__ double log_density(double x, double k, double p) {
        return lgamma(x + k) - lgamma(x + 1) - lgamma(k) + k * log(p) + x * log(1 - p);
    }
};

struct GeneralizedNegativeBinomial {
    static __device__ double log_density(double x, double mu, double alpha) {
        return NegativeBinomial::log_density(x, 1 / alpha, 1 / (1 + mu * alpha));
    }
};

// LAW: one of the distributions above. A distribution with only one parameter receives it twice.
extern "C" __global__ void density(T *out, const T *samples, const T *first, const T *second, long long n,
                                   long long each, bool is_log) {
    for_each(i, n) {
        double value = LAW::log_density(convert<double>(samples[i]), convert<double>(first[i / each]),
                                        convert<double>(second[i / each]));
        out[i] = convert<T>(is_log ? value : exp(value));
    }
}

// Dirichlet's density: samples are vectors of `length` elements. One thread for each sample.
extern "C" __global__ void dirichlet(T *out, const T *samples, const T *alphas, long long n, long long each,
                                     long long length, bool is_log) {
    for_each(i, n) {
        const T *x = samples + i * length, *alpha = alphas + i / each * length;
        double total = 0, value = 0;
        for (long long k = 0; k < length; ++k) {
            double a = convert<double>(alpha[k]);
            total += a;
            value += (a - 1) * log(convert<double>(x[k])) - lgamma(a);
        }
        value += lgamma(total);
        out[i] = convert<T>(is_log ? value : exp(value));
    }
}

// out (*S, *T, *event) = the parameters, repeated for each sample.
extern "C" __global__ void spread(T *out, const T *parameter, long long n, long long each, long long length) {
    for_each(i, n) out[i] = parameter[i / length / each * length + i % length];
}

// out (*S, *event) = the sums over the samples of each parameter. One block computes each sum.
extern "C" __global__ void collect(T *out, const T *grad, long long n, long long each, long long length) {
    for (long long i = blockIdx.x; i < n; i += gridDim.x) {
        A sum = 0;
        for (long long k = threadIdx.x; k < each; k += blockDim.x)
            sum += (A)grad[(i / length * each + k) * length + i % length];
        sum = block_sum(sum);
        if (threadIdx.x == 0) out[i] = convert<T>(sum);
    }
}
