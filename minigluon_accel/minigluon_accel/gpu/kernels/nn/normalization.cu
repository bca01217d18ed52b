// LayerNorm, InstanceNorm, GroupNorm, L2Normalization and LRN. T is the type of the elements, A is that of the
// arithmetic, and S is that of plain sums: integers are summed as integers, but sqrt and pow do not exist for integers.
#include "moments.cuh"

#ifndef S
#define S A
#endif

// Normalizes each line to mean 0 and variance 1, then multiplies by gamma and adds beta, which are taken from the
// element's row or the line's channel.
struct Normalized : Moments<T, A> {
    T *to, *mean, *deviation;
    const T *gamma, *beta;
    long long channels;             // 0: gamma and beta vary along the rows
    A eps;
    __device__ A centre(const Value &found) const { return found.sum / (found.count > 0 ? found.count : (A)1); }
    __device__ A spread(const Value &found) const {
        return sqrt(found.squares / (found.count > 0 ? found.count : (A)1) + eps);
    }
    __device__ void write(long long line, const Value &found) const {
        mean[line] = convert<T>(centre(found));
        deviation[line] = convert<T>(spread(found));
    }
    typedef A Item;
    __device__ A item(long long i) const { return convert<A>(from[i]); }
    __device__ void put(long long i, long long row, long long line, A x, const Value &found) const {
        long long c = channels ? line % channels : row;
        A normal = (x - centre(found)) / spread(found);
        to[i] = convert<T>(normal * convert<A>(gamma[c]) + convert<A>(beta[c]));
    }
};

#define NORMALIZE_PARAMETERS const T *from, const T *gamma, const T *beta, T *to, T *mean, T *deviation, \
    long long channels, double eps, Dims plan

extern "C" __global__ void normalize_rows(NORMALIZE_PARAMETERS) {
    transform_rows(Normalized{{from}, to, mean, deviation, gamma, beta, channels, (A)eps}, plan);
}

extern "C" __global__ void normalize_tiles(NORMALIZE_PARAMETERS) {
    transform_tiles(Normalized{{from}, to, mean, deviation, gamma, beta, channels, (A)eps}, plan);
}

// -- the gradient of LayerNorm ---------------------------------------------------------------------------------------

struct Pair { A first, second; };

// Reductions of two sums at once.
struct TwoSums {
    typedef Pair Strand;
    typedef Pair Value;
    __device__ Pair begin() const { return {(A)0, (A)0}; }
    __device__ Pair value(const Pair &strand) const { return strand; }
    __device__ Pair join(const Pair &a, const Pair &b) const { return {a.first + b.first, a.second + b.second}; }
    __device__ Pair shuffled(const Pair &a, int step) const {
        return {__shfl_xor_sync(0xffffffffu, a.first, step), __shfl_xor_sync(0xffffffffu, a.second, step)};
    }
};

// The gradient of data: with w = grad · gamma and normal = (x - mean) / deviation, (w - m(w) - normal · m(w · normal))
// / deviation. `to` may be the memory of grad.
struct NormalGradient : TwoSums {
    const T *grad, *data, *gamma, *mean, *deviation;
    T *to;
    A count;
    typedef Pair Item;              // w, normal
    __device__ Pair found(long long i, long long row, long long line) const {
        A normal = (convert<A>(data[i]) - convert<A>(mean[line])) / convert<A>(deviation[line]);
        return {convert<A>(grad[i]) * convert<A>(gamma[row]), normal};
    }
    __device__ void take(Pair &strand, long long i, long long row, long long line) const {
        Pair x = found(i, row, line);
        strand.first += x.first;
        strand.second += x.first * x.second;
    }
    __device__ void write(long long line, const Pair &sums) const {}
    __device__ Pair item(long long i) const { return {convert<A>(grad[i]), convert<A>(data[i])}; }
    __device__ void put(long long i, long long row, long long line, const Pair &read, const Pair &sums) const {
        A spread = convert<A>(deviation[line]), normal = (read.second - convert<A>(mean[line])) / spread;
        A w = read.first * convert<A>(gamma[row]);
        to[i] = convert<T>((w - sums.first / count - normal * (sums.second / count)) / spread);
    }
};

#define NORMAL_GRADIENT_PARAMETERS const T *grad, const T *data, const T *gamma, const T *mean, const T *deviation, \
    T *to, long long count, Dims plan
#define NORMAL_GRADIENT NormalGradient{{}, grad, data, gamma, mean, deviation, to, (A)count}

extern "C" __global__ void normalize_grad_rows(NORMAL_GRADIENT_PARAMETERS) { transform_rows(NORMAL_GRADIENT, plan); }

extern "C" __global__ void normalize_grad_tiles(NORMAL_GRADIENT_PARAMETERS) { transform_tiles(NORMAL_GRADIENT, plan); }

// The gradients of gamma and beta: Σ grad · normal and Σ grad at each position of the lines, which have the layout
// [outer][places][inner].
struct PlaceGradients : TwoSums {
    const T *grad, *data, *mean, *deviation;
    T *gamma_grad, *beta_grad;
    long long places, inner;
    __device__ void take(Pair &strand, long long i, long long row, long long line) const {
        long long of = i / (places * inner) * inner + (inner == 1 ? 0 : i % inner);
        A g = convert<A>(grad[i]);
        strand.first += g * ((convert<A>(data[i]) - convert<A>(mean[of])) / convert<A>(deviation[of]));
        strand.second += g;
    }
    __device__ void write(long long place, const Pair &sums) const {
        gamma_grad[place] = convert<T>(sums.first);
        beta_grad[place] = convert<T>(sums.second);
    }
};

#define PLACE_GRADIENTS_PARAMETERS const void *from, void *to, Dims plan, const T *grad, const T *data, const T *mean, \
    const T *deviation, T *gamma_grad, T *beta_grad, long long places, long long inner
#define PLACE_GRADIENTS PlaceGradients{{}, grad, data, mean, deviation, gamma_grad, beta_grad, places, inner}

extern "C" __global__ void place_gradients_rows(PLACE_GRADIENTS_PARAMETERS) {
    rows_in_steps(PLACE_GRADIENTS, from, to, plan);
}

extern "C" __global__ void place_gradients_tiles(PLACE_GRADIENTS_PARAMETERS) {
    tiles_in_steps(PLACE_GRADIENTS, from, to, plan);
}

// -- by the norm -----------------------------------------------------------------------------------------------------

// Divides each line by √(Σ x² + eps), which is written to norms. The squares are summed in double precision, because
// the sum may overflow a float even if its root does not.
struct ByNorm {
    typedef double Strand;
    typedef double Value;
    const T *from;
    T *to, *norms;
    double eps;
    __device__ double begin() const { return 0; }
    __device__ void take(double &strand, long long i, long long row, long long line) const {
        double x = (double)convert<A>(from[i]);
        strand += x * x;
    }
    __device__ double value(double strand) const { return strand; }
    __device__ double join(double a, double b) const { return a + b; }
    __device__ double shuffled(double x, int step) const { return __shfl_xor_sync(0xffffffffu, x, step); }
    __device__ A root(double sum) const {
        A square = (A)(sum + eps);
        // the fast square root of a float, unless the sum fits only in a double
        return square > (A)1e-30 && square < (A)1e30 ? sqrt(square) : (A)sqrt(sum + eps);
    }
    __device__ void write(long long line, double sum) const { norms[line] = convert<T>(root(sum)); }
    typedef A Item;
    __device__ A item(long long i) const { return convert<A>(from[i]); }
    __device__ void put(long long i, long long row, long long line, A x, double sum) const {
        to[i] = convert<T>(x / root(sum));
    }
};

extern "C" __global__ void by_norm_rows(const T *from, T *to, T *norms, double eps, Dims plan) {
    transform_rows(ByNorm{from, to, norms, eps}, plan);
}

extern "C" __global__ void by_norm_tiles(const T *from, T *to, T *norms, double eps, Dims plan) {
    transform_tiles(ByNorm{from, to, norms, eps}, plan);
}

// -- neighbouring channels -------------------------------------------------------------------------------------------

// x (knorm + alpha Σ x²)^-beta, where the sum is over a channel and `reach` channels on either side; alpha is already
// divided by nsize.
extern "C" __global__ void respond_locally(const T *from, T *to, long long n, long long channels, long long inner,
                                           long long reach, double knorm, double alpha, double beta) {
    for_each(i, n) {
        long long channel = i / inner % channels;
        A sum = (A)0;
        for (long long step = -reach; step <= reach; ++step) {
            if (channel + step < 0 || channel + step >= channels) continue;
            A x = convert<A>(from[i + step * inner]);
            sum += x * x;
        }
        to[i] = convert<T>(convert<A>(from[i]) * pow((A)knorm + (A)alpha * sum, -(A)beta));
    }
}

// Each element and its neighbors along the channels, rounded after each step as in the reference.
extern "C" __global__ void sum_neighbours(const T *from, T *to, long long n, long long channels, long long inner,
                                          long long reach) {
    for_each(i, n) {
        long long channel = i / inner % channels;
        T sum = from[i];
        for (long long step = 1; step <= reach && step < channels; ++step) {
            if (channel >= step) sum = convert<T>(convert<S>(sum) + convert<S>(from[i - step * inner]));
            if (channel + step < channels) sum = convert<T>(convert<S>(sum) + convert<S>(from[i + step * inner]));
        }
        to[i] = sum;
    }
}
