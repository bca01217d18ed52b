// Reductions of each line to a single value: sums, products, extremes and norms. FROM and TO are the types of data and
// result, and A is the type of the arithmetic. The other macros name functions in this file: TAKE is applied to each
// element, JOIN combines two values, EMPTY is the result for no elements, and FINISH is applied to the final result.
#include "reductions.cuh"

__device__ inline A added(A a, A b) { return a + b; }
__device__ inline A multiplied(A a, A b) { return a * b; }

#define MIN_VALUE (-extreme((A)0) - (A)1)         // -infinity, too, less 1
#define MAX_VALUE extreme((A)0)
__device__ inline float extreme(float) { return MINIGLUON_INFINITY; }
__device__ inline double extreme(double) { return MINIGLUON_INFINITY; }
__device__ inline long long extreme(long long) { return 0x7fffffffffffffffLL; }

// -- elements; `number` comes from the launch ------------------------------------------------------------------------

__device__ inline A as_it_is(A x, A number) { return x; }
__device__ inline A squared(A x, A number) { return x * x; }
__device__ inline A squared_in_type(A x, A number) { return convert<A>(convert<FROM>(x * x)); }
__device__ inline A size(A x, A number) { return x < 0 ? -x : x; }
__device__ inline A nan_as_0(A x, A number) { return x != x ? (A)0 : x; }
__device__ inline A nan_as_1(A x, A number) { return x != x ? (A)1 : x; }
__device__ inline A differs(A x, A number) { return x != number ? (A)1 : (A)0; }

// -- results of a line -----------------------------------------------------------------------------------------------

__device__ inline A kept(A x, A number) { return x; }
__device__ inline A divided(A x, A number) { return x / number; }
__device__ inline A truncated(A x, A number) { return trunc((double)x / (double)number); }
__device__ inline A root(A x, A number) { return sqrt((double)x); }

struct Reduction {
    typedef A Strand;
    typedef A Value;
    const FROM *from;
    TO *to;
    A number;
    __device__ A begin() const { return (A)(EMPTY); }
    __device__ void take(A &strand, long long i, long long row, long long line) const {
        strand = JOIN(strand, TAKE(convert<A>(from[i]), number));
    }
    __device__ A value(A strand) const { return strand; }
    __device__ A join(A a, A b) const { return JOIN(a, b); }
    __device__ A shuffled(A x, int step) const { return __shfl_xor_sync(0xffffffffu, x, step); }
    __device__ void write(long long line, A x) const { to[line] = convert<TO>(FINISH(x, number)); }
};

extern "C" __global__ void reduce_rows(const void *from, void *to, Dims plan, double number) {
    rows_in_steps(Reduction{(const FROM *)from, (TO *)to, (A)number}, from, to, plan);
}

extern "C" __global__ void reduce_tiles(const void *from, void *to, Dims plan, double number) {
    tiles_in_steps(Reduction{(const FROM *)from, (TO *)to, (A)number}, from, to, plan);
}
