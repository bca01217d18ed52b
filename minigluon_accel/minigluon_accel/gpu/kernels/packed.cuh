// Memory access in pieces: several elements read or written at once.

// N elements that are read or written at once.
template <typename V, int N> struct alignas(sizeof(V) * N) Packed { V at[N]; };

template <int N, typename V> __device__ Packed<V, N> packed(const V *from) { return *(const Packed<V, N> *)from; }

template <typename V, int N> __device__ void store(V *to, Packed<V, N> piece) { *(Packed<V, N> *)to = piece; }

// Whether N elements can be read or written at once here.
template <int N, typename V> __device__ bool aligned(const V *x) {
    return (unsigned long long)x % (sizeof(V) * N) == 0;
}

// Writes the first `count` of N values, `step` elements apart, in one access if they are contiguous and aligned.
template <int N, typename V>
__device__ void write_run(V *to, long long step, long long count, const V *values) {
    if (step == 1 && count >= N && aligned<N>(to)) {
        Packed<V, N> piece;
#pragma unroll
        for (int i = 0; i < N; ++i) piece.at[i] = values[i];
        store(to, piece);
        return;
    }
#pragma unroll
    for (int i = 0; i < N; ++i)
        if (i < count) to[i * step] = values[i];
}
