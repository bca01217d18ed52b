// Boxes given by their corners, in the type A, and the best score in a block.
//
// Files that include this file are compiled without fma: products and sums are rounded separately, as in NumPy, because
// otherwise an overlap could reach a threshold in only one of the two implementations.
#include "common.cuh"

struct Box { A left, top, right, bottom; };

// 4 values: the corners or, with `centered`, the center and the size.
template <typename V> __device__ inline Box box_at(const V *at, bool centered) {
    Box box = {(A)at[0], (A)at[1], (A)at[2], (A)at[3]};
    if (!centered) return box;
    A half_width = box.right * (A)0.5, half_height = box.bottom * (A)0.5;
    return {box.left - half_width, box.top - half_height, box.left + half_width, box.top + half_height};
}

__device__ inline A area_of(Box box, A pixel) {
    return larger(box.right - box.left + pixel, (A)0) * larger(box.bottom - box.top + pixel, (A)0);
}

// Intersection over union; 0 if the union is empty. pixel: 1 if the corners are pixels inside the box.
__device__ inline A overlap_of(Box a, Box b, A pixel) {
    Box both = {larger(a.left, b.left), larger(a.top, b.top), smaller(a.right, b.right), smaller(a.bottom, b.bottom)};
    A shared = area_of(both, pixel), whole = area_of(a, pixel) + area_of(b, pixel) - shared;
    return whole > (A)0 ? shared / whole : (A)0;
}

struct Best { A score; long long place; };      // place -1: none

__device__ inline Best better(Best a, Best b) {
    if (b.place < 0) return a;
    return a.place < 0 || b.score > a.score || (b.score == a.score && b.place < a.place) ? b : a;
}

// The best value of all threads of a block, the first one in a tie. blockDim.x is a power of two, at most 256.
__device__ inline Best best_of_block(Best mine) {
    __shared__ A scores[256];
    __shared__ long long places[256];
    __syncthreads();                            // all threads have read the result of an earlier call
    scores[threadIdx.x] = mine.score;
    places[threadIdx.x] = mine.place;
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half) {
            Best best = better({scores[threadIdx.x], places[threadIdx.x]},
                               {scores[threadIdx.x + half], places[threadIdx.x + half]});
            scores[threadIdx.x] = best.score;
            places[threadIdx.x] = best.place;
        }
    }
    __syncthreads();
    return {scores[0], places[0]};
}
