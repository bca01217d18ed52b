// Attention in one pass: out = softmax(scale · query · keyᵀ, masked) · value for each head, without an array of scores.
//
// A block handles BM queries of a head. For each query, it keeps the largest score so far and the sum of the
// exponentials relative to it; if a tile of keys has a larger score, the sum and the result so far are scaled down. Dao
// 2023, FlashAttention-2, arXiv:2307.08691.
#include "nn/fused_attention.cuh"

// Reductions over the threads that share a row.
__device__ inline A row_max(A x) {
    for (int step = ACROSS / 2; step > 0; step /= 2) x = fmax(x, __shfl_xor_sync(0xffffffffu, x, step));
    return x;
}

__device__ inline A row_sum(A x) {
    for (int step = ACROSS / 2; step > 0; step /= 2) x += __shfl_xor_sync(0xffffffffu, x, step);
    return x;
}

// The state of this thread's rows: the largest score, and the thread's own part of the sum of exponentials.
struct Rows {
    A most[TM], total[TM];
    __device__ Rows() {
        for (int r = 0; r < TM; ++r) most[r] = (A)-MINIGLUON_INFINITY, total[r] = (A)0;
    }
};

// Replaces the products of a tile of BN keys, starting at `key`, with exponentials, ready for the product with value;
// scales earlier results.
__device__ inline void exponentials(const Attention &s, const T *mask, long long query, long long key, A scale, A fill,
                                    A (&scores)[TM][TN], Rows &rows, Gathered<WIDTH> &out) {
    const int queries = there(query, s.queries, BM) - down(), keys = there(key, s.keys, BN) - across();
    mask += (query + down()) * s.mask_query + (key + across()) * s.mask_key;
#pragma unroll
    for (int r = 0; r < TM; ++r) {
        A factors[TN], largest = rows.most[r];
#pragma unroll
        for (int c = 0; c < TN; ++c) {
            factors[c] = (A)1;
            // a missing query has scores of 0, which are not used, and no mask
            if (c * ACROSS < keys && (MASKING == NONE || r * DOWN < queries)) {
                const Masked masked(mask + r * DOWN * s.mask_query + c * ACROSS * s.mask_key,
                                    key + c * ACROSS + across(), scores[r][c] * scale, fill);
                scores[r][c] = masked.score;
                factors[c] = masked.factor;
            } else {
                scores[r][c] = (A)-MINIGLUON_INFINITY;
            }
            largest = fmax(largest, scores[r][c]);          // NaN is handled by the sum
        }
        largest = row_max(largest);
        const A base = largest == (A)-MINIGLUON_INFINITY ? (A)0 : largest;  // if all keys so far are masked, exp
                                                                            // returns 0
        const A shrunk = exp(rows.most[r] - base);
        rows.most[r] = largest;
        rows.total[r] *= shrunk;
#pragma unroll
        for (int c = 0; c < TN; ++c) {
            const A e = exp(scores[r][c] - base);
            rows.total[r] += e;
            scores[r][c] = e * factors[c];
        }
#pragma unroll
        for (int c = 0; c < WIDTH / ACROSS; ++c) out.sums[r][c] *= shrunk;
    }
}

extern "C" __global__ void __launch_bounds__(THREADS, WIDTH > 64 ? 2 : 3)
attention(const T *query, const T *key, const T *value, const T *mask, T *out, T *norms,
          const __grid_constant__ Attention s, double scale, double fill) {
    extern __shared__ Four memory[];
    A *queries = (A *)memory, *keys = queries + BM * PITCH(DEPTH), *values = keys + BN * PITCH(DEPTH);
    A *weights = values + BN * PITCH(WIDTH);
    const Unit unit(s, s.queries);
    const T *key_rows = unit.rows(key, s.key), *value_rows = unit.rows(value, s.value);
    Copies<Piece> copies;
    Rows rows;
    Gathered<WIDTH> gathered;
    bring<BM, DEPTH>(queries, unit.rows(query, s.query), s.query.row, unit.first, s.queries, s.depth, copies);
    bring<BN, DEPTH>(keys, key_rows, s.key.row, 0, s.keys, s.depth, copies);
    for (long long first = 0; first < s.keys; first += BN) {
        copies.wait();
        __syncthreads();                // keys are loaded, and earlier values are no longer read
        bring<BN, WIDTH>(values, value_rows, s.value.row, first, s.keys, s.width, copies);
        A scores[TM][TN] = {};
        dots<DEPTH>(queries, keys, scores);
        exponentials(s, unit.mask(mask, s), unit.first, first, rounded(scale), filling(fill), scores, rows, gathered);
        put(weights, scores);
        copies.wait();
        __syncthreads();                // values and weights are ready, and these keys are no longer read
        if (first + BN < s.keys) bring<BN, DEPTH>(keys, key_rows, s.key.row, first + BN, s.keys, s.depth, copies);
        gathered.add(weights, values);
    }
#pragma unroll
    for (int r = 0; r < TM; ++r) {
        const long long i = unit.first + r * DOWN + down(), row = unit.pair * s.queries + i;
        const A total = row_sum(rows.total[r]);
        if (i >= s.queries) continue;
        const bool empty = total == (A)0 && (MASKING == LENGTH || s.keys == 0);     // if there is no key, the result is
                                                                                    // 0
        gathered.write(unit.rows(out, s.out) + i * s.out.row, r, s.width, empty ? (A)1 : total);
        if (across() == 0) {
            norms[row] = convert<T>(rows.most[r]);
            norms[s.norms + row] = convert<T>(total);
        }
    }
}
