/* Attention

   Each row of q, a query, is compared with all rows of k, the keys: the score is their dot product divided by the
   square root of D, the row length. Softmax turns the scores of a query into weights, and the query's result is the sum
   of the rows of v, the values, with these weights:

       out[i] = the sum of weight[i][j] * v[j],    weight[i] = softmax of q[i] . k[j] / sqrt(D) over all j

   The weights of all queries would be a large matrix. They need not be stored: each thread has one query, and reads the
   keys once. It keeps the largest score so far (top), the sum of exp(score - top) (total), and the sum of exp(score -
   top) * v[j] (sum). When a larger score comes up, the sums so far are relative to the old top. A factor corrects them:

       exp(score - new top) = exp(score - old top) * exp(old top - new top)

   At the end, out[i] = sum / total. Keys and values are fetched into shared memory in tiles of 8 rows, because all
   threads of the block need all of them. This is what a flash-attention kernel does. */

#define THREADS 8
#define D 4

extern "C" __global__ void attention(float *out, const float *q, const float *k, const float *v, int queries, int keys)
{
    __shared__ float key[THREADS][D], value[THREADS][D];
    int t = threadIdx.x, i = blockIdx.x * THREADS + t;
    float query[D], sum[D] = {}, top = -INFINITY, total = 0;
    for (int d = 0; d < D; ++d)
        query[d] = i < queries ? q[i * D + d] : 0;
    for (int start = 0; start < keys; start += THREADS) {
        /* HOLE attention: process one tile. Fetch row start + t of k and of v, if there is one; wait. For each existing
           row of the tile, compute its score, the new top and the factor for the sums so far, and then add. Wait
           again. */
        for (int d = 0; d < D && start + t < keys; ++d) {
            key[t][d] = k[(start + t) * D + d];
            value[t][d] = v[(start + t) * D + d];
        }
        __syncthreads();
        for (int j = 0; j < THREADS && start + j < keys; ++j) {
            float score = 0;
            for (int d = 0; d < D; ++d)
                score += query[d] * key[j][d];
            score /= sqrtf(D);
            float higher = fmaxf(top, score), factor = expf(top - higher), weight = expf(score - higher);
            total = total * factor + weight;
            for (int d = 0; d < D; ++d)
                sum[d] = sum[d] * factor + weight * value[j][d];
            top = higher;
        }
        __syncthreads();
        /* END */
    }
    for (int d = 0; d < D && i < queries; ++d)
        out[i * D + d] = sum[d] / total;
}
