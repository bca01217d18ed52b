// Kernels of test_gpu_races.py: textbook patterns, each with its mistake and without. The two lines that race are marked
// with the kernel's name.

#define THREADS 64

// -- within a block ---------------------------------------------------------------------------------------------------

extern "C" __global__ void tree(float *sums, const float *x) {
    __shared__ float part[THREADS];
    int t = threadIdx.x;
    part[t] = x[t];
    __syncthreads();
    for (int step = THREADS / 2; step > 0; step /= 2) {
        if (t < step) part[t] += part[t + step];
        __syncthreads();
    }
    if (t == 0) sums[0] = part[0];
}

extern "C" __global__ void tree_without_barrier(float *sums, const float *x) {
    __shared__ float part[THREADS];
    int t = threadIdx.x;
    part[t] = x[t];
    __syncthreads();
    for (int step = THREADS / 2; step > 0; step /= 2)
        if (t < step) part[t] += part[t + step];                // tree_without_barrier
    if (t == 0) sums[0] = part[0];
}

extern "C" __global__ void broadcast(float *y, const float *x) {
    __shared__ float first;
    if (threadIdx.x == 0) first = x[0];
    __syncthreads();
    y[threadIdx.x] = first;
}

extern "C" __global__ void broadcast_without_barrier(float *y, const float *x) {
    __shared__ float first;
    if (threadIdx.x == 0) first = x[0];                         // broadcast_without_barrier
    y[threadIdx.x] = first;                                     // broadcast_without_barrier
}

// Each thread reads its neighbour in every round.
extern "C" __global__ void neighbours(float *y, const float *x) {
    __shared__ float now[THREADS];
    int t = threadIdx.x;
    float value = x[t];
    for (int round = 0; round < 3; ++round) {
        now[t] = value;
        __syncthreads();
        value += now[(t + 1) % THREADS];
        __syncthreads();
    }
    y[t] = value;
}

extern "C" __global__ void neighbours_with_one_barrier(float *y, const float *x) {
    __shared__ float now[THREADS];
    int t = threadIdx.x;
    float value = x[t];
    for (int round = 0; round < 3; ++round) {
        now[t] = value;                                         // neighbours_with_one_barrier
        __syncthreads();
        value += now[(t + 1) % THREADS];                        // neighbours_with_one_barrier
    }
    y[t] = value;
}

// Two buffers take turns, so one barrier for each round is enough.
extern "C" __global__ void double_buffer(float *y, const float *x) {
    __shared__ float now[2][THREADS];
    int t = threadIdx.x;
    float value = x[t];
    for (int round = 0; round < 3; ++round) {
        now[round % 2][t] = value;
        __syncthreads();
        value += now[round % 2][(t + 1) % THREADS];
    }
    y[t] = value;
}

extern "C" __global__ void stencil(float *y, const float *x) {
    __shared__ float tile[THREADS + 2];
    int t = threadIdx.x, i = blockIdx.x * THREADS + t, n = gridDim.x * THREADS;
    tile[t + 1] = x[i];
    if (t == 0) tile[0] = i ? x[i - 1] : 0.0f;
    if (t == THREADS - 1) tile[t + 2] = i + 1 < n ? x[i + 1] : 0.0f;
    __syncthreads();
    y[i] = tile[t] + tile[t + 1] + tile[t + 2];
}

extern "C" __global__ void stencil_without_barrier(float *y, const float *x) {
    __shared__ float tile[THREADS + 2];
    int t = threadIdx.x, i = blockIdx.x * THREADS + t, n = gridDim.x * THREADS;
    if (t == 0) tile[0] = i ? x[i - 1] : 0.0f;                  // stencil_without_barrier
    if (t == THREADS - 1) tile[t + 2] = i + 1 < n ? x[i + 1] : 0.0f;        // stencil_without_barrier
    tile[t + 1] = x[i];                                         // stencil_without_barrier
    y[i] = tile[t] + tile[t + 1] + tile[t + 2];                 // stencil_without_barrier
}

#define SIDE 8
extern "C" __global__ void transposition(float *y, const float *x) {
    __shared__ float tile[SIDE][SIDE + 1];
    tile[threadIdx.y][threadIdx.x] = x[threadIdx.y * SIDE + threadIdx.x];
    __syncthreads();
    y[threadIdx.y * SIDE + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}

extern "C" __global__ void transposition_without_barrier(float *y, const float *x) {
    __shared__ float tile[SIDE][SIDE + 1];
    tile[threadIdx.y][threadIdx.x] = x[threadIdx.y * SIDE + threadIdx.x];       // transposition_without_barrier
    y[threadIdx.y * SIDE + threadIdx.x] = tile[threadIdx.x][threadIdx.y];       // transposition_without_barrier
}

// Inclusive sums after Hillis and Steele.
extern "C" __global__ void scan(float *y, const float *x) {
    __shared__ float sums[2][THREADS];
    int t = threadIdx.x, from = 0;
    sums[0][t] = x[t];
    __syncthreads();
    for (int step = 1; step < THREADS; step *= 2, from = 1 - from) {
        sums[1 - from][t] = sums[from][t] + (t >= step ? sums[from][t - step] : 0.0f);
        __syncthreads();
    }
    y[t] = sums[from][t];
}

extern "C" __global__ void scan_in_place(float *y, const float *x) {
    __shared__ float sums[THREADS];
    int t = threadIdx.x;
    sums[t] = x[t];
    __syncthreads();
    for (int step = 1; step < THREADS; step *= 2) {
        if (t >= step) sums[t] += sums[t - step];               // scan_in_place
        __syncthreads();
    }
    y[t] = sums[t];
}

extern "C" __global__ void dynamic(float *y, const float *x) {
    extern __shared__ float all[];
    all[threadIdx.x] = x[threadIdx.x];
    __syncthreads();
    y[threadIdx.x] = all[THREADS - 1 - threadIdx.x];
}

extern "C" __global__ void dynamic_without_barrier(float *y, const float *x) {
    extern __shared__ float all[];
    all[threadIdx.x] = x[threadIdx.x];                          // dynamic_without_barrier
    y[threadIdx.x] = all[THREADS - 1 - threadIdx.x];            // dynamic_without_barrier
}

// -- warps ------------------------------------------------------------------------------------------------------------

extern "C" __global__ void in_step(float *sums, const float *x) {
    __shared__ float part[32];
    int lane = threadIdx.x;
    part[lane] = x[lane] + x[lane + 32];
    __syncwarp();
    for (int step = 16; step > 0; step /= 2) {
        float other = part[lane ^ step];
        __syncwarp();
        part[lane] += other;
        __syncwarp();
    }
    if (lane == 0) sums[0] = part[0];
}

extern "C" __global__ void in_step_by_hope(float *sums, const float *x) {
    __shared__ float part[64];
    int lane = threadIdx.x;
    part[lane] = x[lane];
    part[lane + 32] = x[lane + 32];
    __syncwarp();
    for (int step = 32; step > 0; step /= 2) part[lane] += part[lane + step];   // in_step_by_hope
    if (lane == 0) sums[0] = part[0];
}

extern "C" __global__ void in_step_by_volatile(float *sums, const float *x) {
    __shared__ float part[64];
    int lane = threadIdx.x;
    volatile float *all = part;
    all[lane] = x[lane];  // in_step_by_volatile
    all[lane + 32] = x[lane + 32];  // in_step_by_volatile
    for (int step = 32; step > 0; step /= 2) all[lane] = all[lane] + all[lane + step];  // in_step_by_volatile
    if (lane == 0) sums[0] = part[0];
}

// Each half of a warp meets itself; a value from the other half is not there for certain.
extern "C" __global__ void halves(float *y, const float *x) {
    __shared__ float part[32];
    int lane = threadIdx.x;
    unsigned half = lane < 16 ? 0xffffu : 0xffff0000u;
    part[lane] = x[lane];
    __syncwarp(half);
    y[lane] = part[lane ^ 1];
}

extern "C" __global__ void halves_across(float *y, const float *x) {
    __shared__ float part[32];
    int lane = threadIdx.x;
    unsigned half = lane < 16 ? 0xffffu : 0xffff0000u;
    part[lane] = x[lane];                                       // halves_across
    __syncwarp(half);
    y[lane] = part[lane ^ 16];                                  // halves_across
}

__device__ float warp_sum(float value) {
    for (int step = 16; step > 0; step /= 2) value += __shfl_xor_sync(~0u, value, step);
    return value;
}

extern "C" __global__ void shuffles(float *sums, const float *x) {
    __shared__ float of_warps[2];
    float sum = warp_sum(x[threadIdx.x]);
    if (threadIdx.x % 32 == 0) of_warps[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x == 0) sums[0] = of_warps[0] + of_warps[1];
}

extern "C" __global__ void shuffles_without_barrier(float *sums, const float *x) {
    __shared__ float of_warps[2];
    float sum = warp_sum(x[threadIdx.x]);
    if (threadIdx.x % 32 == 0) of_warps[threadIdx.x / 32] = sum;                // shuffles_without_barrier
    if (threadIdx.x == 0) sums[0] = of_warps[0] + of_warps[1];                  // shuffles_without_barrier
}

// -- between blocks ---------------------------------------------------------------------------------------------------

extern "C" __global__ void histogram(float *counts, const float *x) {
    atomicAdd(&counts[(int)x[blockIdx.x * THREADS + threadIdx.x] % 4], 1.0f);
}

extern "C" __global__ void histogram_without_atomics(float *counts, const float *x) {
    counts[(int)x[blockIdx.x * THREADS + threadIdx.x] % 4] += 1.0f;             // histogram_without_atomics
}

extern "C" __global__ void stencil_in_place(float *x) {
    int i = blockIdx.x * THREADS + threadIdx.x, n = gridDim.x * THREADS;
    float next = i + 1 < n ? x[i + 1] : 0.0f;                   // stencil_in_place
    __syncthreads();
    x[i] += next;                                               // stencil_in_place
}

__device__ unsigned blocks_done = 0;

// The last block that has written its part sums up the parts.
extern "C" __global__ void last_block(float *sums, float *parts, const float *x) {
    __shared__ bool last;
    float sum = warp_sum(x[blockIdx.x * THREADS + threadIdx.x]);
    if (threadIdx.x % 32 == 0) parts[blockIdx.x * 2 + threadIdx.x / 32] = sum;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) last = atomicInc(&blocks_done, gridDim.x - 1) == gridDim.x - 1;
    __syncthreads();
    if (last && threadIdx.x == 0) {
        sums[0] = 0;
        for (int i = 0; i < 2 * gridDim.x; ++i) sums[0] += parts[i];
    }
}

extern "C" __global__ void last_block_without_fence(float *sums, float *parts, const float *x) {
    __shared__ bool last;
    float sum = warp_sum(x[blockIdx.x * THREADS + threadIdx.x]);
    if (threadIdx.x % 32 == 0) parts[blockIdx.x * 2 + threadIdx.x / 32] = sum;  // last_block_without_fence
    __syncthreads();
    if (threadIdx.x == 0) last = atomicInc(&blocks_done, gridDim.x - 1) == gridDim.x - 1;
    __syncthreads();
    if (last && threadIdx.x == 0) {
        sums[0] = 0;
        for (int i = 0; i < 2 * gridDim.x; ++i) sums[0] += parts[i];            // last_block_without_fence
    }
}

// As above, by a fence of the one thread that counts: what it knows by the barrier is behind its fence, too.
extern "C" __global__ void last_block_one_fence(float *sums, float *parts, const float *x) {
    __shared__ bool last;
    float sum = warp_sum(x[blockIdx.x * THREADS + threadIdx.x]);
    if (threadIdx.x % 32 == 0) parts[blockIdx.x * 2 + threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        last = atomicInc(&blocks_done, gridDim.x - 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (last && threadIdx.x == 0) {
        sums[0] = 0;
        for (int i = 0; i < 2 * gridDim.x; ++i) sums[0] += parts[i];
    }
}

// -- between launches -------------------------------------------------------------------------------------------------

extern "C" __global__ void doubled(float *y) { y[threadIdx.x] *= 2.0f; }         // doubled
extern "C" __global__ void moved(float *y, const float *x) { y[threadIdx.x] = x[threadIdx.x]; }  // moved
