// Kernels of test_gpu_emulator.py: small ones that are right, and ones that each make one mistake.

// -- right ------------------------------------------------------------------------------------------------------------

extern "C" __global__ void add(float *c, const float *a, const float *b, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}

extern "C" __global__ void indices(int *out) {
    int thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    int block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
    int *mine = out + 6 * (block * (blockDim.x * blockDim.y * blockDim.z) + thread);
    mine[0] = threadIdx.x, mine[1] = threadIdx.y, mine[2] = threadIdx.z;
    mine[3] = blockIdx.x, mine[4] = blockIdx.y, mine[5] = blockIdx.z;
}

#define TILE 8
template <typename V> __device__ V product(const V *a, const V *b, int n, V (*left)[TILE], V (*right)[TILE]) {
    int row = blockIdx.y * TILE + threadIdx.y, column = blockIdx.x * TILE + threadIdx.x;
    V sum = 0;
    for (int step = 0; step < n; step += TILE) {
        left[threadIdx.y][threadIdx.x] = row < n && step + threadIdx.x < n ? a[row * n + step + threadIdx.x] : V(0);
        bool there = column < n && step + threadIdx.y < n;
        right[threadIdx.y][threadIdx.x] = there ? b[(step + threadIdx.y) * n + column] : V(0);
        __syncthreads();
        for (int k = 0; k < TILE; ++k) sum += left[threadIdx.y][k] * right[k][threadIdx.x];
        __syncthreads();
    }
    return sum;
}

extern "C" __global__ void __launch_bounds__(TILE * TILE) matmul(float *c, const float *a, const float *b, int n) {
    __shared__ float left[TILE][TILE], right[TILE][TILE];
    int row = blockIdx.y * TILE + threadIdx.y, column = blockIdx.x * TILE + threadIdx.x;
    float sum = product(a, b, n, left, right);
    if (row < n && column < n) c[row * n + column] = sum;
}

extern "C" __global__ void reversed_in_shared(int *x) {
    extern __shared__ int numbers[];
    numbers[threadIdx.x] = x[threadIdx.x];
    __syncthreads();
    x[threadIdx.x] = numbers[blockDim.x - 1 - threadIdx.x];
}

extern "C" __global__ void votes(int *out, const int *in) {
    int x = in[threadIdx.x];
    int count = __syncthreads_count(x > 2), any = __syncthreads_or(x > 8), all = __syncthreads_and(x > -1);
    int *mine = out + 8 * threadIdx.x;
    mine[0] = count, mine[1] = any, mine[2] = all;
    mine[3] = __ballot_sync(~0u, x > 2);
    mine[4] = __any_sync(~0u, x == 9);
    mine[5] = __all_sync(~0u, x < 5);
    mine[6] = __match_any_sync(~0u, x);
    mine[7] = __reduce_add_sync(~0u, x);
}

extern "C" __global__ void shuffles(double *out, const double *in) {
    double x = in[threadIdx.x];
    double *mine = out + 4 * threadIdx.x;
    mine[0] = __shfl_sync(~0u, x, 5);
    mine[1] = __shfl_up_sync(~0u, x, 3);
    mine[2] = __shfl_down_sync(~0u, x, 2, 8);
    mine[3] = __shfl_xor_sync(~0u, x, 1, 16);
}

extern "C" __global__ void printing(int x) { printf("thread %d: %d\n", threadIdx.x, x); }
extern "C" __global__ void last_thread(int *x) { x[0] = threadIdx.x; }

// Each half of a warp goes its own way and meets its own half alone.
extern "C" __global__ void halves(int *out) {
    int lane = threadIdx.x % 32;
    unsigned mask = lane < 16 ? 0xffffu : 0xffff0000u;
    int sum = lane;
    if (lane < 16) for (int step = 8; step; step /= 2) sum += __shfl_xor_sync(mask, sum, step);
    else for (int step = 1; step < 16; step *= 2) sum += __shfl_xor_sync(mask, sum, step);
    out[threadIdx.x] = sum;
}

extern "C" __global__ void histogram(int *counts, float *sums, double *wide, unsigned long long *largest, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        atomicAdd(&counts[i % 7], 1);
        atomicAdd(&sums[i % 7], 0.5f);
        atomicAdd(wide, (double)i);
        atomicMax(largest, (unsigned long long)i << 32);
        atomicCAS(&counts[7], i, -i);
        atomicExch(&counts[8], 5);
        atomicMin(&counts[9], -i);
        atomicOr(&counts[10], 1 << i % 20);
    }
}

extern "C" __global__ void intrinsics(unsigned *bits, float *reals) {
    bits[0] = __popc(0xf0f0u), bits[1] = __clz(1), bits[2] = __ffs(8), bits[3] = __brev(1u);
    bits[4] = __umulhi(0x80000000u, 6u), bits[5] = __float_as_int(1.0f);
    bits[6] = __byte_perm(0x33221100u, 0x77665544u, 0x7520);
    bits[7] = (unsigned)(__umul64hi(1ull << 63, 6ull)), bits[8] = __float2int_rn(2.5f), bits[9] = __float2int_rz(-2.9f);
    bits[10] = min(3, 4) + max(3u, 4u), bits[11] = __activemask(), bits[12] = __funnelshift_l(0x80000000u, 1u, 1);
    reals[0] = erfinvf(0.5f), reals[1] = rsqrtf(4.0f), reals[2] = __saturatef(7.0f), reals[3] = fmaf(2, 3, 4);
    reals[4] = (float)lgamma(4.5), reals[5] = (float)tgamma(4.5), reals[6] = j0f(1.0f), reals[7] = __fdividef(1, 4);
    reals[8] = erfinvf(-0.999f), reals[9] = (float)erfinv(1e-9), reals[10] = normcdff(1.0f), reals[11] = exp10f(2.0f);
    float4 v = make_float4(1, 2, 3, 4);
    reals[12] = v.x + v.y + v.z + v.w;
    reals[13] = isnan(NAN) && isinf(INFINITY) ? 1 : 0;
}

__constant__ float factors[4];
__device__ int counter = 3;
extern "C" __global__ void scaled(float *x) {
    x[threadIdx.x] *= factors[threadIdx.x];
    if (threadIdx.x == 0) counter += 1;
}

struct Pair { char tag; double value; };
extern "C" __global__ void mixed(double *out, char a, double b, short c, Pair pair, bool flag) {
    out[0] = a, out[1] = b, out[2] = c, out[3] = pair.tag, out[4] = pair.value, out[5] = flag;
}

extern "C" __global__ void spin(int *x, int turns) {
    volatile int work = 0;
    for (int i = 0; i < turns; ++i) work = work + 1;
    x[blockIdx.x] = work;
}

namespace { template <typename V> __device__ V twice(V x) { return x + x; } }
#define TWICE(type) extern "C" __global__ void twice_##type(type *x) { x[threadIdx.x] = twice(x[threadIdx.x]); }
TWICE(float)
TWICE(int)
__global__ void mangled(float *x) { x[0] = 8; }
extern "C" __global__ void lfind(float *x) { x[0] = 9; }        // the C library has a function of this name

// -- wrong ------------------------------------------------------------------------------------------------------------

extern "C" __global__ void write_at(float *x, long long i) { if (threadIdx.x == 3) x[i] = 1; }
extern "C" __global__ void read_at(float *out, const float *x, long long i) { out[0] = x[i]; }
extern "C" __global__ void hidden(long long address) { *(float *)address = 1; }
extern "C" __global__ void misaligned(float *x) { *(float4 *)(x + 1) = make_float4(1, 2, 3, 4); }
extern "C" __global__ void index_out(float *x, int i) { __shared__ float s[4]; s[i] = x[0]; x[0] = s[i]; }
extern "C" __global__ void beyond_dynamic(int *x, int i) {
    extern __shared__ int numbers[];
    numbers[i] = 1;
    x[0] = numbers[i];
}
extern "C" __global__ void unset(float *x) {
    __shared__ float s[32];
    if (x[0] > 9) s[threadIdx.x] = 1;
    x[threadIdx.x] = s[threadIdx.x];
}
extern "C" __global__ void forgotten_barrier(int *x) {
    __shared__ int s[64];
    s[threadIdx.x] = x[threadIdx.x];
    x[threadIdx.x] = s[63 - threadIdx.x];
}
extern "C" __global__ void forgotten_after(int *x) {
    __shared__ int s[64];
    s[threadIdx.x] = x[threadIdx.x];
    __syncthreads();
    x[threadIdx.x] = s[63 - threadIdx.x];
    s[threadIdx.x] = 0;
}
extern "C" __global__ void two_barriers() {
    if (threadIdx.x < 2) __syncthreads();
    else
        __syncthreads();
}
extern "C" __global__ void deadlock() {
    if (threadIdx.x < 2) __syncthreads();
    else if (threadIdx.x < 4) __ballot_sync(0xfu, 1);
}
extern "C" __global__ void shuffle_with_ended(int *x) {
    if (threadIdx.x == 3) return;
    x[threadIdx.x] = __shfl_sync(~0u, 1, 0);
}
extern "C" __global__ void not_in_mask(int *x) { x[threadIdx.x] = __shfl_sync(1u, 1, 0); }
extern "C" __global__ void two_operations(int *x) {
    if (threadIdx.x % 2) x[0] = __any_sync(~0u, 1);
    else x[0] = __all_sync(~0u, 1);
}
extern "C" __global__ void divided(int *x, int by) { x[0] = 7 / by; }
extern "C" __global__ void asserted(int *x) { assert(x[0] == 7); }
extern "C" __global__ void trapped(int *x) { if (threadIdx.x == 1) __trap(); x[0] = 1; }
__device__ int deep(int n, int *x) {
    volatile int room[64];
    room[n % 64] = n;
    return n <= 0 ? 0 : deep(n - 1, x) + room[n % 64] + x[0];
}
extern "C" __global__ void recursion(int *x, int n) { x[0] = deep(n, x); }
extern "C" __global__ void __launch_bounds__(64) bounded(int *x) { x[0] = 1; }
