// The gradient of attention. Tile by tile, the weights are recomputed from the scores and from two values that the
// forward pass saved for each query: the largest score and the sum of the exponentials.
//
// With weights P, result O and its gradient G, the gradient at P is G · valueᵀ, and the gradient at the scores is P (G
// · valueᵀ - D) with D = Σ G O for each query. There are three kernels. The first computes D. The second computes the
// gradients of keys and values, with blocks of keys that loop over queries. The third computes the gradients of
// queries, with blocks of queries that loop over keys. No sum uses atomics, so every run produces bitwise the same
// result.
#include "nn/fused_attention.cuh"

// The state of one query. by: 1 / the sum.
struct Query {
    A most, by, total;
    __device__ Query() {}
    __device__ Query(const Attention &s, const T *norms, const A *totals, long long number)
        : most(convert<A>(norms[number])), by((A)1), total(totals[number]) {
        const A sum = convert<A>(norms[s.norms + number]);
        if (MASKING == LENGTH && sum == (A)0) most = (A)0;      // the query has no key within its length
        else by = (A)1 / sum;
    }
};

// Replaces the product of a query and a key with its weight, ready for the product with value, and `to`, the gradient
// at the weight, with the gradient at the product. exists: whether both exist.
__device__ inline void go_back(const T *mask, long long key, bool exists, A scale, A fill, const Query &query, A &score,
                               A &to) {
    if (!exists) {
        score = to = (A)0;
        return;
    }
    const Masked masked(mask, key, score * scale, fill);
    const A weight = exp(masked.score - query.most) * query.by;
    score = weight * masked.factor;
    to = masked.kept ? weight * (to * masked.factor - query.total) * scale : (A)0;
}

// One warp for each query.
extern "C" __global__ void attention_totals(const T *grad, const T *out, A *totals, const __grid_constant__ Attention s,
                                            long long count) {
    const int lane = threadIdx.x % 32;
    const long long warps = (long long)gridDim.x * blockDim.x / 32;
    for (long long i = ((long long)blockIdx.x * blockDim.x + threadIdx.x) / 32; i < count; i += warps) {
        const long long pair = i / s.queries, batch = pair / s.heads, head = pair - batch * s.heads;
        const long long from = batch * s.out.batch + head * s.out.head + (i - pair * s.queries) * s.out.row;
        A sum = (A)0;
        for (long long c = lane; c < s.width; c += 32) sum += convert<A>(grad[from + c]) * convert<A>(out[from + c]);
        sum = warp_sum(sum);
        if (lane == 0) totals[i] = sum;
    }
}

extern "C" __global__ void __launch_bounds__(THREADS, 2)
attention_to_keys(const T *query, const T *key, const T *value, const T *mask, const T *grad, const T *norms,
                  const A *totals, T *to_key, T *to_value, const __grid_constant__ Attention s, double scale,
                  double fill) {
    extern __shared__ Four memory[];
    A *keys = (A *)memory, *values = keys + BM * PITCH(DEPTH), *queries = values + BM * PITCH(WIDTH);
    A *grads = queries + BN * PITCH(DEPTH), *weights = grads + BN * PITCH(WIDTH);
    const Unit unit(s, s.keys);
    const T *query_rows = unit.rows(query, s.query), *grad_rows = unit.rows(grad, s.out);
    const long long known = unit.pair * s.queries;
    const int mine = there(unit.first, s.keys, BM) - down();
    Copies<Piece> copies;
    Gathered<DEPTH> for_key;
    Gathered<WIDTH> for_value;
    bring<BM, DEPTH>(keys, unit.rows(key, s.key), s.key.row, unit.first, s.keys, s.depth, copies);
    bring<BM, WIDTH>(values, unit.rows(value, s.value), s.value.row, unit.first, s.keys, s.width, copies);
    bring<BN, DEPTH>(queries, query_rows, s.query.row, 0, s.queries, s.depth, copies);
    bring<BN, WIDTH>(grads, grad_rows, s.out.row, 0, s.queries, s.width, copies);
    for (long long first = 0; first < s.queries; first += BN) {
        copies.wait();
        __syncthreads();                // queries and their gradients are loaded
        A scores[TM][TN] = {}, to[TM][TN] = {};
        dots<DEPTH>(keys, queries, scores);
        dots<WIDTH>(values, grads, to);
        const int here = there(first, s.queries, BN) - across();
        const T *masks = unit.mask(mask, s) + (first + across()) * s.mask_query + (unit.first + down()) * s.mask_key;
#pragma unroll
        for (int c = 0; c < TN; ++c) {
            const bool exists = c * ACROSS < here;
            const Query asks(s, norms, totals, known + (exists ? first + c * ACROSS + across() : 0));
#pragma unroll
            for (int r = 0; r < TM; ++r)
                go_back(masks + c * ACROSS * s.mask_query + r * DOWN * s.mask_key, unit.first + r * DOWN + down(),
                        exists && r * DOWN < mine, rounded(scale), filling(fill), asks, scores[r][c], to[r][c]);
        }
        put(weights, scores);
        __syncthreads();                // weights are ready
        for_value.add(weights, grads);
        __syncthreads();                // weights and these gradients are no longer read
        const long long next = first + BN;
        if (next < s.queries) bring<BN, WIDTH>(grads, grad_rows, s.out.row, next, s.queries, s.width, copies);
        put(weights, to);
        __syncthreads();                // the gradients at scores are ready
        for_key.add(weights, queries);
        __syncthreads();                // gradients at scores and these queries are no longer read
        if (next < s.queries) bring<BN, DEPTH>(queries, query_rows, s.query.row, next, s.queries, s.depth, copies);
    }
    for_key.write_all(unit.rows(to_key, s.to_key), s.to_key.row, unit.first, s.keys, s.depth);
    for_value.write_all(unit.rows(to_value, s.to_value), s.to_value.row, unit.first, s.keys, s.width);
}

extern "C" __global__ void __launch_bounds__(THREADS, 2)
attention_to_queries(const T *query, const T *key, const T *value, const T *mask, const T *grad, const T *norms,
                     const A *totals, T *to_query, const __grid_constant__ Attention s, double scale, double fill) {
    extern __shared__ Four memory[];
    A *queries = (A *)memory, *grads = queries + BM * PITCH(DEPTH), *keys = grads + BM * PITCH(WIDTH);
    A *values = keys + BN * PITCH(DEPTH), *to_scores = values + BN * PITCH(WIDTH);
    const Unit unit(s, s.queries);
    const T *key_rows = unit.rows(key, s.key), *value_rows = unit.rows(value, s.value);
    Copies<Piece> copies;
    Gathered<DEPTH> for_query;
    const int mine = there(unit.first, s.queries, BM) - down();
    Query asks[TM];
#pragma unroll
    for (int r = 0; r < TM; ++r)
        asks[r] = Query(s, norms, totals,
                        unit.pair * s.queries + (r * DOWN < mine ? unit.first + r * DOWN + down() : 0));
    bring<BM, DEPTH>(queries, unit.rows(query, s.query), s.query.row, unit.first, s.queries, s.depth, copies);
    bring<BM, WIDTH>(grads, unit.rows(grad, s.out), s.out.row, unit.first, s.queries, s.width, copies);
    bring<BN, DEPTH>(keys, key_rows, s.key.row, 0, s.keys, s.depth, copies);
    bring<BN, WIDTH>(values, value_rows, s.value.row, 0, s.keys, s.width, copies);
    for (long long first = 0; first < s.keys; first += BN) {
        copies.wait();
        __syncthreads();                // keys and values are loaded
        A scores[TM][TN] = {}, to[TM][TN] = {};
        dots<DEPTH>(queries, keys, scores);
        dots<WIDTH>(grads, values, to);
        const int here = there(first, s.keys, BN) - across();
        const T *masks = unit.mask(mask, s) + (unit.first + down()) * s.mask_query + (first + across()) * s.mask_key;
#pragma unroll
        for (int c = 0; c < TN; ++c)
#pragma unroll
            for (int r = 0; r < TM; ++r)
                go_back(masks + r * DOWN * s.mask_query + c * ACROSS * s.mask_key, first + c * ACROSS + across(),
                        c * ACROSS < here && r * DOWN < mine, rounded(scale), filling(fill), asks[r], scores[r][c],
                        to[r][c]);
        put(to_scores, to);
        __syncthreads();                // the gradients at scores are ready, and these values are no longer read
        const long long next = first + BN;
        if (next < s.keys) bring<BN, WIDTH>(values, value_rows, s.value.row, next, s.keys, s.width, copies);
        for_query.add(to_scores, keys);
        __syncthreads();                // gradients at scores and these keys are no longer read
        if (next < s.keys) bring<BN, DEPTH>(keys, key_rows, s.key.row, next, s.keys, s.depth, copies);
    }
    for_query.write_all(unit.rows(to_query, s.to_query), s.to_query.row, unit.first, s.queries, s.depth);
}
