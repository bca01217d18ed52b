// Sums over all axes except one.
#include "common.cuh"

// sums[c] = the sum of data[o][c][i] over all o and i. One block handles each c; its threads stride over o and i
// together.
extern "C" __global__ void sum_channels(T *sums, const T *data, long long channels, long long outer, long long inner) {
    for (long long c = blockIdx.x; c < channels; c += gridDim.x) {
        A sum = 0;
        for (long long at = threadIdx.x; at < outer * inner; at += blockDim.x) {
            long long o = at / inner, i = at - o * inner;
            sum += data[(o * channels + c) * inner + i];
        }
        sum = block_sum(sum);
        if (threadIdx.x == 0) sums[c] = convert<T>(sum);
    }
}
