// The steps of optimizers on one element, in the reference's order of operations. T is the type of the states and of
// the weight used in arithmetic, W is that of the resulting weight, and G is that of the gradient.
//
// N is the type of the arithmetic: float if T is float16, so that a step rounds only once, when the result is stored.
// The optimizer's parameters are passed as double and rounded to N when they are combined with an array, as NumPy does
// with Python's floats.
#include "common.cuh"

template <typename V> struct NumberOf { typedef V type; };
template <> struct NumberOf<half> { typedef float type; };
typedef NumberOf<T>::type N;

// No step is computed on integers, but the file that fills integer arrays also contains steps.
template <typename V> __device__ V root(V x) { return (V)sqrt((double)x); }
__device__ inline float root(float x) { return sqrtf(x); }
__device__ inline double root(double x) { return sqrt(x); }

// x as N, from any element type.
template <typename V> __device__ N number(V x) { return N(x); }
__device__ inline N number(half x) { return N((float)x); }

__device__ inline N square(N x) { return x * x; }
__device__ inline N size_of(N x) { return x < N(0.0) ? -x : x; }
__device__ inline N sign(N x) { return x > N(0.0) ? N(1.0) : x < N(0.0) ? N(-1.0) : x != x ? x : N(0.0); }

// x clamped to [-limit, limit]; unchanged if limit is negative.
__device__ inline N clipped(N x, double limit) {
    return limit < 0 ? x : smaller(larger(x, N(-limit)), N(limit));
}

// clip(rescale · grad + wd · weight): the weight decay is clipped together with the gradient.
__device__ inline N decayed(N weight, N grad, double rescale, double limit, double wd) {
    N d = grad * N(rescale);
    if (wd != 0) d = d + N(wd) * weight;
    return clipped(d, limit);
}

// decay · mean + (1 - decay) · next
__device__ inline N running_mean(N mean, N next, double decay) {
    return mean * N(decay) + next * (N(1) - N(decay));      // a difference of the two would be infinite where next is
}

// weight - lr · (g + wd · weight)
__device__ inline N sgd(N weight, N grad, double rescale, double limit, double lr, double wd) {
    return clipped(grad * N(rescale), limit) * N(-lr) + weight * N(1 - lr * wd);
}

// mom = momentum · mom - lr · (g + wd · weight); the new weight is weight + mom.
__device__ inline N sgd_momentum(N weight, N grad, N &mom, double rescale, double limit, double momentum, double lr,
                                 double wd) {
    mom = mom * N(momentum) - clipped(grad * N(rescale), limit) * N(lr);
    if (wd != 0) mom = mom - weight * N(lr * wd);
    return weight + mom;
}

// weight - lr · mean / (√var + epsilon), with the running means of d and d².
__device__ inline N adam(N weight, N grad, N &mean, N &var, double rescale, double limit, double beta1, double beta2,
                         double epsilon, double lr, double wd) {
    N d = decayed(weight, grad, rescale, limit, wd);
    mean = running_mean(mean, d, beta1);
    var = running_mean(var, square(d), beta2);
    return mean / (root(var) + N(epsilon)) * N(-lr) + weight;
}

// Stores the new weight; with MIXED, also in the full-precision copy from which the step was computed.
__device__ inline void put(W *out, T *weight, long long i, N value) {
    out[i] = (W)(T)value;
#ifdef MIXED
    weight[i] = (T)value;
#endif
}
