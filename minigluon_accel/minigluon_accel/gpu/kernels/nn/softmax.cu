// softmax, its logarithm, and the gradients of both, along lines of [outer][rows][inner]. T and TO are the types of
// data and result, and A is that of the arithmetic.
#include "reductions.cuh"

// The product is rounded before the largest element is subtracted. If the compiler fused the two operations, the
// difference of large equal numbers would not be 0.
__device__ inline float product(float a, float b) { return __fmul_rn(a, b); }
__device__ inline double product(double a, double b) { return __dmul_rn(a, b); }

// The largest element so far and Σ exp(x - largest), in one pass: when a larger element appears, the sum is rescaled.
struct Total {
    A most, sum;
};

struct Exponentials {
    typedef Total Strand;
    typedef Total Value;
    const T *from;
    TO *to;
    A factor;                   // factor of the data
    bool logarithm;

    typedef A Item;

    __device__ A item(long long i) const { return product(convert<A>(from[i]), factor); }
    __device__ Total begin() const { return {-MINIGLUON_INFINITY, (A)0}; }
    // The same exp serves both cases, so that the threads of a warp do not diverge. Both values may be -infinity, and
    // their difference is then NaN.
    __device__ void add(Total &strand, A x) const {
        bool grows = x > strand.most;
        A share = x == strand.most ? (A)1 : exp(grows ? strand.most - x : x - strand.most);
        strand.sum = grows ? strand.sum * share + (A)1 : strand.sum + share;
        strand.most = grows ? x : strand.most;
    }
    __device__ void take(Total &strand, long long i, long long row, long long line) const {
        add(strand, item(i));
    }
    __device__ Total value(const Total &strand) const { return strand; }
    __device__ Total join(const Total &a, const Total &b) const {
        if (a.most == b.most) return {a.most, a.sum + b.sum};
        if (a.most < b.most) return {b.most, a.sum * exp(a.most - b.most) + b.sum};
        return {a.most, b.sum * exp(b.most - a.most) + a.sum};
    }
    __device__ Total shuffled(const Total &a, int step) const {
        return {__shfl_xor_sync(0xffffffffu, a.most, step), __shfl_xor_sync(0xffffffffu, a.sum, step)};
    }
    __device__ void write(long long line, const Total &total) const {}
    // If the largest element is infinite, the whole line is NaN, like infinity minus infinity.
    __device__ A share(A x, const Total &total) const {
        if (total.most - total.most != (A)0) return MINIGLUON_NAN;
        return logarithm ? (x - total.most) - log(total.sum) : exp(x - total.most) / total.sum;
    }
    __device__ void put(long long i, long long row, long long line, A x, const Total &total) const {
        to[i] = convert<TO>(share(x, total));
    }
};

extern "C" __global__ void softmax_rows(const T *from, TO *to, double factor, long long logarithm, Dims plan) {
    transform_rows(Exponentials{from, to, (A)factor, logarithm != 0}, plan);
}

extern "C" __global__ void softmax_tiles(const T *from, TO *to, double factor, long long logarithm, Dims plan) {
    transform_tiles(Exponentials{from, to, (A)factor, logarithm != 0}, plan);
}

// -- lengths ---------------------------------------------------------------------------------------------------------

// Elements after the line's length are 0 in the result; in the search for the largest element, they count as the lowest
// finite number.
struct WithLength : Exponentials {
    const LENGTH *lengths;
    A least;
    __device__ bool counts(long long row, long long line) const { return (double)row < (double)lengths[line]; }
    __device__ void take(Total &strand, long long i, long long row, long long line) const {
        add(strand, counts(row, line) ? item(i) : least);
    }
    __device__ void put(long long i, long long row, long long line, A x, const Total &total) const {
        to[i] = convert<TO>(counts(row, line) ? share(x, total) : (A)0);
    }
};

extern "C" __global__ void softmax_length_rows(const T *from, TO *to, double factor, const LENGTH *lengths,
                                               double least, Dims plan) {
    transform_rows(WithLength{{from, to, (A)factor, false}, lengths, (A)least}, plan);
}

extern "C" __global__ void softmax_length_tiles(const T *from, TO *to, double factor, const LENGTH *lengths,
                                                double least, Dims plan) {
    transform_tiles(WithLength{{from, to, (A)factor, false}, lengths, (A)least}, plan);
}

// -- gradients -------------------------------------------------------------------------------------------------------

// The gradient of softmax: result (grad - Σ grad result); the gradient of its logarithm: grad - exp(result) Σ grad.
struct Gradient {
    typedef A Strand;
    typedef A Value;
    const T *grad, *result;
    TO *to;
    bool logarithm;
    __device__ A begin() const { return (A)0; }
    __device__ void take(A &strand, long long i, long long row, long long line) const {
        strand += logarithm ? convert<A>(grad[i]) : convert<A>(grad[i]) * convert<A>(result[i]);
    }
    __device__ A value(A strand) const { return strand; }
    __device__ A join(A a, A b) const { return a + b; }
    __device__ A shuffled(A x, int step) const { return __shfl_xor_sync(0xffffffffu, x, step); }
    __device__ void write(long long line, A sum) const {}
    struct Item { A grad, result; };
    __device__ Item item(long long i) const { return {convert<A>(grad[i]), convert<A>(result[i])}; }
    __device__ void put(long long i, long long row, long long line, const Item &at, A sum) const {
        to[i] = convert<TO>(logarithm ? at.grad - exp(at.result) * sum : at.result * (at.grad - sum));
    }
};

extern "C" __global__ void softmax_grad_rows(const T *grad, const T *result, TO *to, long long logarithm, Dims plan) {
    transform_rows(Gradient{grad, result, to, logarithm != 0}, plan);
}

extern "C" __global__ void softmax_grad_tiles(const T *grad, const T *result, TO *to, long long logarithm, Dims plan) {
    transform_tiles(Gradient{grad, result, to, logarithm != 0}, plan);
}
