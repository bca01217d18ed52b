// Elements looked up by index. W: the type of elements that are only moved. TI: the type of the indices. Arrays are
// treated as (outer, count, inner), with the indexed axis in the middle; INDEX is a type that can index all of their
// elements.
#include "common.cuh"
#include "indices.cuh"

// -- indices that must be in range -----------------------------------------------------------------------------------

// For each block, the lowest position p of an index that is out of range, or n if there is none. Row r of the indices,
// r = p / row_length, contains the indices along axis r. `note_outside` takes the minimum over the blocks, so the same
// index is always reported.
extern "C" __global__ void find_outside(long long *found, const TI *indices, long long n, long long row_length,
                                        long long negative, const __grid_constant__ Dims lengths) {
    long long first = n;
    for_each(p, n) {
        long long i = to_integer(indices[p]), length = lengths.at[p / row_length];
        if (p < first && (i < (negative ? -length : 0) || i >= length)) first = p;
    }
    first = -block_max(-first);
    if (threadIdx.x == 0) found[blockIdx.x] = first;
}

// The first index out of range, as the host reads it; check is 0 as long as there is none. This is host memory.
struct Outside { long long check, index, axis, length; };

// Stores the minimum over the blocks if an index is out of range and none has been stored yet. Uses one block.
extern "C" __global__ void note_outside(Outside *noted, const long long *found, long long blocks, const TI *indices,
                                        long long n, long long row_length, long long check, Dims lengths) {
    long long first = n;
    for_each(i, blocks) first = smaller(first, found[i]);
    first = -block_max(-first);
    if (threadIdx.x == 0 && first < n && noted->check == 0) {
        noted->index = to_integer(indices[first]);
        noted->axis = first / row_length;
        noted->length = lengths.at[noted->axis];
        __threadfence_system();
        noted->check = check;
    }
}

// -- one index for each slice ----------------------------------------------------------------------------------------

// out (outer, taken, inner): slices of a (outer, count, inner).
extern "C" __global__ void take(W *out, const W *a, const TI *indices, long long total, long long count,
                                long long inner, long long taken, long long mode) {
    for_each(i, total) {
        INDEX row = (INDEX)i / (INDEX)inner, k = (INDEX)i - row * (INDEX)inner;
        INDEX o = row / (INDEX)taken, t = row - o * (INDEX)taken;
        out[i] = a[((long long)o * count + within(to_integer(indices[t]), count, mode)) * inner + k];
    }
}

// -- one index for each element --------------------------------------------------------------------------------------

// out (outer, inner): data[o, index[o, k], k].
extern "C" __global__ void pick(W *out, const W *data, const TI *index, long long total, long long count,
                                long long inner, long long mode) {
    for_each(i, total) {
        INDEX o = (INDEX)i / (INDEX)inner, k = (INDEX)i - o * (INDEX)inner;
        out[i] = data[((long long)o * count + within(to_integer(index[i]), count, mode)) * inner + k];
    }
}

// out (outer, count, inner): grad[o, k] at the picked position, and zero elsewhere.
extern "C" __global__ void pick_grad(W *out, const W *grad, const TI *index, long long total, long long count,
                                     long long inner, long long mode) {
    for_each(i, total) {
        INDEX row = (INDEX)i / (INDEX)inner, k = (INDEX)i - row * (INDEX)inner;
        INDEX o = row / (INDEX)count, at = row - o * (INDEX)count;
        long long from = (long long)o * inner + k;
        out[i] = within(to_integer(index[from]), count, mode) == (long long)at ? grad[from] : (W)0;
    }
}

// out (indices, depth): each element is one of two values.
extern "C" __global__ void one_hot(W *out, const TI *indices, long long total, long long depth, W on, W off) {
    for_each(i, total) {
        INDEX row = (INDEX)i / (INDEX)depth;
        out[i] = to_integer(indices[row]) == i - (long long)row * depth ? on : off;
    }
}

// -- an index for each of the first axes -----------------------------------------------------------------------------

// The slice that a column of the indices (axes, columns) selects, with the first axes flattened into one. Negative
// indices count from the end. An index out of range, which has already been reported, is replaced with the nearest
// valid index.
__device__ inline long long slice_number(const TI *indices, long long b, long long axes, long long columns,
                                         const Dims &lengths) {
    long long number = 0;
    for (int axis = 0; axis < axes; ++axis) {
        long long i = to_integer(indices[axis * columns + b]), length = lengths.at[axis];
        number = number * length + within(i < 0 ? i + length : i, length, CLIP);
    }
    return number;
}

// out (columns, inner): the slices of data (slices, inner) that the indices select.
extern "C" __global__ void gather(W *out, const W *data, const TI *indices, long long total, long long inner,
                                  long long axes, long long columns, const __grid_constant__ Dims lengths) {
    for_each(i, total) {
        INDEX b = (INDEX)i / (INDEX)inner;
        out[i] = data[slice_number(indices, b, axes, columns, lengths) * inner + (i - (long long)b * inner)];
    }
}

// last[number] = the last column that selects a slice. The maximum does not depend on the order of the columns, so an
// atomic maximum is enough. `last` is initially -1.
extern "C" __global__ void mark_last(int *last, const TI *indices, long long axes, long long columns,
                                     const __grid_constant__ Dims lengths) {
    for_each(b, columns) atomicMax(&last[slice_number(indices, b, axes, columns, lengths)], (int)b);
}

// Copies slices of data (columns, inner) to the slices of out that the indices select, unless a later column selects
// the same slice.
extern "C" __global__ void scatter(W *out, const W *data, const TI *indices, const int *last, long long total,
                                   long long inner, long long axes, long long columns,
                                   const __grid_constant__ Dims lengths) {
    for_each(i, total) {
        INDEX b = (INDEX)i / (INDEX)inner;
        long long number = slice_number(indices, b, axes, columns, lengths);
        if (last[number] == (int)b) out[number * inner + (i - (long long)b * inner)] = data[i];
    }
}

// -- flat indices and positions --------------------------------------------------------------------------------------

// The indices of slices, to be sorted. N is int if they fit, otherwise long long.
extern "C" __global__ void slice_numbers(N *numbers, const TI *indices, long long axes, long long columns,
                                         const __grid_constant__ Dims lengths) {
    for_each(b, columns) numbers[b] = (N)slice_number(indices, b, axes, columns, lengths);
}

extern "C" __global__ void numbers_within(N *numbers, const TI *indices, long long n, long long limit, long long mode) {
    for_each(i, n) numbers[i] = (N)within(to_integer(indices[i]), limit, mode);
}

// The flat index of the element at each position: data (axes, columns), out (columns). TI is the type of both.
extern "C" __global__ void ravel(TI *out, const TI *data, long long columns, long long axes,
                                 const __grid_constant__ Dims strides) {
    for_each(b, columns) {
        long long number = 0;
        for (int axis = 0; axis < axes; ++axis) number += to_integer(data[axis * columns + b]) * strides.at[axis];
        out[b] = convert<TI>(number);
    }
}

// The position of the element with each flat index: data (columns), out (axes, columns). Divisions round down, as in
// Python.
extern "C" __global__ void unravel(TI *out, const TI *data, long long columns, long long axes,
                                   const __grid_constant__ Dims lengths) {
    for_each(b, columns) {
        long long rest = to_integer(data[b]);
        for (int axis = (int)axes - 1; axis >= 0; --axis) {
            long long n = lengths.at[axis];
            if (axis == 0 && n < 0) {                   // the remainder
                out[b] = convert<TI>(rest);
                break;
            }
            long long place = within(rest, n, WRAP);
            out[axis * columns + b] = convert<TI>(place);
            rest = rest >= 0 ? rest / n : -((-(rest + 1)) / n) - 1;
        }
    }
}
