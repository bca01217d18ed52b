// Conversions between the type in which recurrent layers are computed and the type of their operands; and copies of
// parts.
#include "common.cuh"

// out: elements of T, from data: elements of TI
extern "C" __global__ void rnn_copy(T *out, const TI *data, long long n, long long out_at, long long data_at) {
    for_each(i, n) out[out_at + i] = convert<T>(data[data_at + i]);
}
