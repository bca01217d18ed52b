// Sums of the slices that have the same index: the gradients of take, Embedding and gather_nd.
//
// The items are the slices' indices and positions, sorted by index. Slices with the same index are then consecutive, in
// their original order, and are added in that order, whatever the number of threads, so the result is bitwise the same
// on every run. An index may occur a million times (for example that of the padding of sentences), so items are first
// summed in chunks:
//
//     items of chunks      | 2 2 5 5 5 | 5 5 5 5 5 | 5 7 7 9 9 |
//     add_chunks           out[2], out[5] so far  |  rest[1]  |  rest[2], out[7], out[9]
//     add_rests            out[5] += rest[1] + rest[2]
#include "common.cuh"
#include "items.cuh"

#define GRAD(item, column) (A)grad[((column) / inner * taken + place_of(item)) * inner + (column) % inner]
#define OUT(item, column) out[((column) / inner * count + (long long)key_from_item(item)) * inner + (column) % inner]

// The index from which a key was formed: indices are not negative, so only the sign bit differs.
__device__ inline unsigned long long key_from_item(Item item) {
#ifdef WIDE
    return key_of(item) ^ 1ull << 63;
#else
    return key_of(item) ^ 0x80000000u;
#endif
}

__device__ inline bool together(Item a, Item b) { return key_of(a) == key_of(b); }

// For each chunk of `chunk` items and each column, computes the sums of its runs. The sum of a run that began in an
// earlier chunk is written to rest (chunks, columns), other sums are written to out, which is zero for unused indices.
// grad (outer, taken, inner), out (outer, count, inner), columns = outer * inner.
extern "C" __global__ void add_chunks(T *out, A *rest, const T *grad, const Item *items, long long taken,
                                      long long count, long long inner, long long columns, long long chunk) {
    for_each(i, (taken + chunk - 1) / chunk * columns) {
        long long number = i / columns, column = i % columns, p = number * chunk;
        long long end = p + chunk < taken ? p + chunk : taken;
        bool continued = p > 0 && together(items[p - 1], items[p]);
        while (p < end) {
            Item run = items[p];
            A sum = 0;
            for (; p < end && together(items[p], run); ++p) sum += GRAD(items[p], column);
            if (continued) rest[i] = sum;
            else OUT(run, column) = convert<T>(sum);
            continued = false;
        }
    }
}

// For each run that extends past its first chunk, adds its sums from the next chunks.
extern "C" __global__ void add_rests(T *out, const A *rest, const Item *items, long long taken, long long count,
                                     long long inner, long long columns, long long chunk) {
    long long chunks = (taken + chunk - 1) / chunk;
    for_each(i, chunks * columns) {
        long long number = i / columns, column = i % columns, begin = number * chunk, end = begin + chunk;
        if (end >= taken || !together(items[end - 1], items[end])) continue;         // the chunk's last run ends here
        if (begin > 0 && together(items[begin - 1], items[end])) continue;           // the run began in an earlier
                                                                                     // chunk
        Item run = items[end];
        A sum = (A)OUT(run, column);
        for (++number; number < chunks && together(items[number * chunk], run); ++number)
            sum += rest[number * columns + column];
        OUT(run, column) = convert<T>(sum);
    }
}
