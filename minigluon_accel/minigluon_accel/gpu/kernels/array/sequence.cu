// Batches of sequences of different lengths: data is (T, N, inner), or (N, T, inner) with `batch_first`.
#include "common.cuh"
#include "indices.cuh"

// The number of steps of sequence b, at least `fewest`; all steps if no lengths were given.
__device__ inline long long steps_of(const TI *lengths, long long b, long long steps, long long fewest) {
    if (lengths == nullptr) return steps;
    long long length = to_integer(lengths[b]);
    return length < fewest ? fewest : length > steps ? steps : length;
}

// The step and the sequence of row r, and the row of a sequence's step.
#define STEP(r) (batch_first ? (r) % steps : (r) / batch)
#define SEQUENCE(r) (batch_first ? (r) / steps : (r) % batch)
#define ROW(step, b) (batch_first ? (b) * steps + (step) : (step) * batch + (b))

// Replaces the elements after the end of each sequence with `value`.
extern "C" __global__ void sequence_mask(W *out, const W *data, const TI *lengths, long long steps, long long batch,
                                         long long inner, long long batch_first, W value) {
    for_each(i, steps * batch * inner) {
        long long r = i / inner;
        out[i] = STEP(r) < steps_of(lengths, SEQUENCE(r), steps, 0) ? data[i] : value;
    }
}

// Reverses each sequence; elements after its end keep their positions.
extern "C" __global__ void sequence_reverse(W *out, const W *data, const TI *lengths, long long steps, long long batch,
                                            long long inner, long long batch_first) {
    for_each(i, steps * batch * inner) {
        long long r = i / inner, step = STEP(r), b = SEQUENCE(r), end = steps_of(lengths, b, steps, 0);
        long long source = step < end ? ROW(end - 1 - step, b) : r;
        out[i] = data[source * inner + i % inner];
    }
}

// The last element of each sequence: out (N, inner).
extern "C" __global__ void sequence_last(W *out, const W *data, const TI *lengths, long long steps, long long batch,
                                         long long inner, long long batch_first) {
    for_each(i, batch * inner) {
        long long b = i / inner;
        out[i] = data[ROW(steps_of(lengths, b, steps, 1) - 1, b) * inner + i % inner];
    }
}

// Its gradient: the result's gradient for the last elements, and zero for all others.
extern "C" __global__ void sequence_last_grad(W *out, const W *grad, const TI *lengths, long long steps,
                                              long long batch, long long inner, long long batch_first) {
    for_each(i, steps * batch * inner) {
        long long r = i / inner, b = SEQUENCE(r);
        out[i] = STEP(r) == steps_of(lengths, b, steps, 1) - 1 ? grad[b * inner + i % inner] : (W)0;
    }
}
