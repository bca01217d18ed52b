// Shared by all kernels. T is the type of the elements and A the type in which they are summed; the launch defines
// both.
//
//   for_each(i, n)      a loop over 0 .. n-1 whose iterations are divided among all threads of the grid
//   load / store        elements of T as A, so that float16 is computed in float
//   block_sum / _max    over the threads of a block
//   Dims                a few numbers, passed by value: lengths or strides

#define MAX_DIMS 12

struct Dims { long long at[MAX_DIMS]; };

#define for_each(i, n) \
    for (long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x, _step = (long long)gridDim.x * blockDim.x; \
         i < (n); i += _step)

#define MINIGLUON_NAN __int_as_float(0x7fffffff)
#define MINIGLUON_INFINITY __int_as_float(0x7f800000)

// -- float16 ---------------------------------------------------------------------------------------------------------

// Two bytes of memory; every computation is done in float, and the result is rounded to the nearest, ties to even.
struct half {
    unsigned short bits;
#ifdef MINIGLUON_EMULATED
    __device__ half() = default;
    template <typename V> __device__ half(V x) : half((float)x) {}
    __device__ half(float x) { _Float16 y = (_Float16)x; __builtin_memcpy(&bits, &y, 2); }
    __device__ half(double x) { _Float16 y = (_Float16)x; __builtin_memcpy(&bits, &y, 2); }
    __device__ operator float() const { _Float16 y; __builtin_memcpy(&y, &bits, 2); return (float)y; }
#else
    __device__ half() {}
    template <typename V> __device__ half(V x) : half((float)x) {}
    __device__ half(double x) { asm("cvt.rn.f16.f64 %0, %1;" : "=h"(bits) : "d"(x)); }
    __device__ half(float x) { asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(x)); }
    __device__ operator float() const { float y; asm("cvt.f32.f16 %0, %1;" : "=f"(y) : "h"(bits)); return y; }
#endif
};

// -- conversions -----------------------------------------------------------------------------------------------------

// x rounded towards zero; the lowest integer for NaN and for values out of range, as in ops/numeric.py.
template <typename V> __device__ long long towards_zero(V x) {
    return x < (V)9223372036854775808.0 ? (long long)x : -9223372036854775807LL - 1;
}

// x as another type. A narrow integer is converted through long long, so that values out of range wrap around; a bool
// is x != 0.
template <typename To, typename From> struct Converted { static __device__ To of(From x) { return (To)x; } };
template <typename From> struct Converted<bool, From> { static __device__ bool of(From x) { return x != From(0); } };
template <> struct Converted<bool, half> { static __device__ bool of(half x) { return (float)x != 0.0f; } };
#define THROUGH_LONG(To) \
    template <> struct Converted<To, float> { static __device__ To of(float x) { return (To)towards_zero(x); } }; \
    template <> struct Converted<To, double> { static __device__ To of(double x) { return (To)towards_zero(x); } };
THROUGH_LONG(signed char) THROUGH_LONG(unsigned char) THROUGH_LONG(int) THROUGH_LONG(long long)
#define THROUGH_FLOAT(To) \
    template <> struct Converted<To, half> { static __device__ To of(half x) { return Converted<To, float>::of(x); } };
THROUGH_FLOAT(signed char) THROUGH_FLOAT(unsigned char) THROUGH_FLOAT(int) THROUGH_FLOAT(long long)

template <typename To, typename From> __device__ To convert(From x) { return Converted<To, From>::of(x); }

// -- sums and maxima of a block --------------------------------------------------------------------------------------

template <typename V> __device__ V warp_sum(V value) {
    for (int step = 16; step > 0; step /= 2) value += __shfl_xor_sync(0xffffffffu, value, step);
    return value;
}

template <typename V> __device__ V larger(V a, V b) { return a != a || a > b ? a : b; }         // NaN wins
template <typename V> __device__ V smaller(V a, V b) { return a != a || a < b ? a : b; }

template <typename V> __device__ V warp_max(V value) {
    for (int step = 16; step > 0; step /= 2) value = larger(value, __shfl_xor_sync(0xffffffffu, value, step));
    return value;
}

// The sum over all threads of a block, returned to every thread. blockDim.x must be a multiple of 32, at most 1024.
template <typename V> __device__ V block_sum(V value) {
    __shared__ V sums[32];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;
    value = warp_sum(value);
    __syncthreads();                    // all threads have read the sums of an earlier call
    if (lane == 0) sums[warp] = value;
    __syncthreads();
    return warp_sum(lane < warps ? sums[lane] : V(0));
}

template <typename V> __device__ V block_max(V value) {
    __shared__ V most[32];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;
    value = warp_max(value);
    __syncthreads();
    if (lane == 0) most[warp] = value;
    __syncthreads();
    return warp_max(most[lane < warps ? lane : 0]);
}

// -- offsets ---------------------------------------------------------------------------------------------------------

// The offset of element i of an array with these lengths and strides.
__device__ inline long long place(long long i, int rank, const Dims &lengths, const Dims &strides) {
    long long at = 0;
    for (int d = rank - 1; d > 0; --d) {
        long long rest = i / lengths.at[d];
        at += (i - rest * lengths.at[d]) * strides.at[d];
        i = rest;
    }
    return rank > 0 ? at + i * strides.at[0] : 0;       // the remaining i is the index along the first axis
}
