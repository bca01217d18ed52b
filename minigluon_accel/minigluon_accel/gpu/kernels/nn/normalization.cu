// LayerNorm, InstanceNorm, GroupNorm, L2Normalization and LRN. T is the type of the elements, A the one to compute in,
// S the one of plain sums: integers are summed as integers, which have no sqrt and no pow.
#include "nn/moments.cuh"

#ifndef S
#define S A
#endif

// Each line to mean 0 and variance 1, then times gamma plus beta: of the element's row, or of the line's channel.
struct Normalized : Moments<T, A> {
    T *to, *mean, *deviation;
    const T *gamma, *beta;
    long long channels;             // 0: gamma and beta go along the rows
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

// Each line divided by √(Σ x² + eps), which is written to norms.
struct ByNorm {
    typedef A Strand;
    typedef A Value;
    const T *from;
    T *to, *norms;
    A eps;
    __device__ A begin() const { return (A)0; }
    __device__ void take(A &strand, long long i, long long row, long long line) const {
        A x = convert<A>(from[i]);
        strand += x * x;
    }
    __device__ A value(A strand) const { return strand; }
    __device__ A join(A a, A b) const { return a + b; }
    __device__ A shuffled(A x, int step) const { return __shfl_xor_sync(0xffffffffu, x, step); }
    __device__ void write(long long line, A sum) const { norms[line] = convert<T>(sqrt(sum + eps)); }
    typedef A Item;
    __device__ A item(long long i) const { return convert<A>(from[i]); }
    __device__ void put(long long i, long long row, long long line, A x, A sum) const {
        to[i] = convert<T>(x / sqrt(sum + eps));
    }
};

extern "C" __global__ void by_norm_rows(const T *from, T *to, T *norms, double eps, Dims plan) {
    transform_rows(ByNorm{from, to, norms, (A)eps}, plan);
}

extern "C" __global__ void by_norm_tiles(const T *from, T *to, T *norms, double eps, Dims plan) {
    transform_tiles(ByNorm{from, to, norms, (A)eps}, plan);
}

// -- neighbouring channels --------------------------------------------------------------------------------------------

// x (knorm + alpha Σ x²)^-beta, the sum over a channel and `reach` on either side; alpha is already divided by nsize.
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

// Each element and its neighbours along the channels, rounded after each step as the reference does.
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
