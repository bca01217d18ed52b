// Elements at given positions along an axis, and the adjoint. Data is (outer, n, inner), places (outer, count, inner);
// negative positions count from the end. The positions are results of sorting, so they are in range and distinct within
// each row.
#include "common.cuh"
#include "indices.cuh"

#define PLACE(i) ((i) / inner / count * n * inner + (i) % inner + within(to_integer(where[i]), n, WRAP) * inner)

extern "C" __global__ void along_axis(W *out, const W *data, const TI *where, long long total, long long n,
                                      long long count, long long inner) {
    for_each(i, total) out[i] = data[PLACE(i)];
}

extern "C" __global__ void along_axis_grad(W *out, const W *grad, const TI *where, long long total, long long n,
                                           long long count, long long inner) {
    for_each(i, total) out[PLACE(i)] = grad[i];
}
