// Sorting along an axis. Data is (outer, n, inner); row o * inner + k consists of the n elements (o, :, k), and its
// items are contiguous.
//
//   sort_tiles      runs of up to TILE items are sorted in shared memory
//   merge_runs      two runs become one of twice the length, as often as needed, through global memory
//   first_... the first few items of a row, without sorting the others
//   ordered_...     the requested view of the sorted items: elements, positions, or a mask
#include "common.cuh"
#include "indices.cuh"
#include "items.cuh"

#define TILE 1024
#define FIRST_ELEMENT(row) ((row) / inner * n * inner + (row) % inner)

// -- keys ------------------------------------------------------------------------------------------------------------

// The bits of a number as an integer with the same order: for negative numbers, all bits are flipped; for others, only
// the sign bit. The two zeros are equal. NaN comes last in either direction.
__device__ inline unsigned long long key_from(float x, bool ascending) {
    if (x != x) return 0xffffffffu;
    unsigned bits = x == 0.0f ? 0u : __float_as_uint(ascending ? x : -x);
    return bits >> 31 ? ~bits : bits | 0x80000000u;
}
__device__ inline unsigned long long key_from(half x, bool ascending) { return key_from((float)x, ascending); }
__device__ inline unsigned long long key_from(double x, bool ascending) {
    if (x != x) return ~0ull;
    unsigned long long bits = x == 0.0 ? 0ull : (unsigned long long)__double_as_longlong(ascending ? x : -x);
    return bits >> 63 ? ~bits : bits | 1ull << 63;
}
__device__ inline unsigned long long key_from(long long x, bool ascending) {
    unsigned long long key = (unsigned long long)x ^ 1ull << 63;
    return ascending ? key : ~key;
}
__device__ inline unsigned long long key_from(int x, bool ascending) {
    unsigned key = (unsigned)x ^ 0x80000000u;
    return ascending ? key : ~key;
}
__device__ inline unsigned long long key_from(signed char x, bool ascending) { return key_from((int)x, ascending); }
__device__ inline unsigned long long key_from(unsigned char x, bool ascending) { return key_from((int)x, ascending); }
__device__ inline unsigned long long key_from(bool x, bool ascending) { return key_from((int)x, ascending); }

// -- sorting ---------------------------------------------------------------------------------------------------------

__device__ inline void exchange(Item *tile, int i, int j) {
    Item a = tile[i], b = tile[j];
    if (before(b, a)) {
        tile[i] = b;
        tile[j] = a;
    }
}

// Sorts each group of `width` items, a power of two, among the TILE items of a tile. Each step merges sorted runs of
// half the length into sorted runs of `length`: the first half is compared with the second half read backwards, which
// leaves the smaller items in the first half; then smaller and smaller halves, both read forwards, are compared until
// the run is sorted.
__device__ inline void sort_tile(Item *tile, int width) {
    for (int length = 2; length <= width; length *= 2) {
        __syncthreads();
        for (int t = threadIdx.x; t < TILE / 2; t += blockDim.x) {
            int first = t / (length / 2) * length, at = t % (length / 2);
            exchange(tile, first + at, first + length - 1 - at);
        }
        for (int apart = length / 4; apart > 0; apart /= 2) {
            __syncthreads();
            for (int t = threadIdx.x; t < TILE / 2; t += blockDim.x) {
                int i = t / apart * 2 * apart + t % apart;
                exchange(tile, i, i + apart);
            }
        }
    }
    __syncthreads();
}

// Sorts each run of `width` items; each row has `per_row` runs, and the last one may be shorter. A tile holds as many
// runs as fit; the remaining positions of a run or a tile are filled with items that sort last.
extern "C" __global__ void sort_tiles(Item *items, const T *data, long long rows, long long n, long long inner,
                                      long long width, long long per_row, long long ascending) {
    __shared__ Item tile[TILE];
    long long runs = rows * per_row, in_tile = TILE / width;
    for (long long first = blockIdx.x * in_tile; first < runs; first += gridDim.x * in_tile) {
        for (int t = threadIdx.x; t < TILE; t += blockDim.x) {
            long long run = first + t / width, row = run / per_row, place = run % per_row * width + t % width;
            tile[t] = run < runs && place < n
                ? item_of(key_from(data[FIRST_ELEMENT(row) + place * inner], ascending != 0), place) : LAST_ITEM;
        }
        sort_tile(tile, (int)width);
        for (int t = threadIdx.x; t < TILE; t += blockDim.x) {
            long long run = first + t / width, row = run / per_row, place = run % per_row * width + t % width;
            if (run < runs && place < n) items[row * n + place] = tile[t];
        }
        __syncthreads();                // all threads have read the tile before the next tile replaces it
    }
}

// The number of sorted items in from[begin .. end-1] that come before an item.
__device__ inline long long count_before(const Item *from, long long begin, long long end, Item item) {
    long long low = begin, high = end;
    while (low < high) {
        long long middle = (low + high) / 2;
        if (before(from[middle], item)) low = middle + 1;
        else high = middle;
    }
    return low - begin;
}

// In each row of n items, merges pairs of runs of `width` items: the position of an item in the new run is its position
// in its own run plus the number of items of the other run that come before it.
extern "C" __global__ void merge_runs(Item *to, const Item *from, long long total, long long n, long long width) {
    for_each(i, total) {
        long long row = i / n * n, at = i - row, left = at / (2 * width) * (2 * width);
        long long middle = left + width < n ? left + width : n, end = left + 2 * width < n ? left + 2 * width : n;
        bool in_left = at < middle;
        long long own = in_left ? at - left : at - middle;
        long long others = in_left ? count_before(from + row, middle, end, from[i])
                                   : count_before(from + row, left, middle, from[i]);
        to[row + left + own + others] = from[i];
    }
}

// -- the first few of a row ------------------------------------------------------------------------------------------

#define ALL 0xffffffffu
#ifdef WIDE
__device__ inline Item from_lane(Item a, int lane) {
    return {__shfl_sync(ALL, a.key, lane), __shfl_sync(ALL, a.place, lane)};
}
__device__ inline Item from_below(Item a) { return {__shfl_up_sync(ALL, a.key, 1), __shfl_up_sync(ALL, a.place, 1)}; }
#else
__device__ inline Item from_lane(Item a, int lane) { return __shfl_sync(ALL, a, lane); }
__device__ inline Item from_below(Item a) { return __shfl_up_sync(ALL, a, 1); }
#endif

// The source of a row's items: read(place) loads an element from memory, and item(...) creates an item from it.
struct Elements {
    typedef T Raw;
    const T *from;
    long long inner;
    bool ascending;
    __device__ T read(long long place) const { return from[place * inner]; }
    __device__ Item item(T x, long long place) const { return item_of(key_from(x, ascending), place); }
};

struct Items {
    typedef Item Raw;
    const Item *from;
    __device__ Item read(long long place) const { return from[place]; }
    __device__ Item item(Item x, long long place) const { return x; }
};

// The n elements of each row are divided into `parts` parts of `length` elements, each read by a warp. The warp's lanes
// hold the part's first `count` items so far: lane 0 the first item, and so on. Few elements come before the last of
// these items, so few are inserted.
template <typename F>
__device__ void first_items(Item *to, long long rows, long long n, long long parts, long long length, int count,
                            F source_of) {
    const int BATCH = 8;                // elements that a lane reads before it uses the first one
    int lane = threadIdx.x % 32;
    long long warps = (long long)gridDim.x * blockDim.x / 32;
    for (long long part = ((long long)blockIdx.x * blockDim.x + threadIdx.x) / 32; part < rows * parts; part += warps) {
        long long row = part / parts, start = (part - row * parts) * length;
        long long end = start + length < n ? start + length : n;
        auto source = source_of(row);
        Item own = LAST_ITEM, last = LAST_ITEM;
        for (long long first = start + lane; first - lane < end; first += 32 * BATCH) {
            typename decltype(source)::Raw read[BATCH];
#pragma unroll
            for (int k = 0; k < BATCH; ++k)         // without branches, so that all loads overlap
                read[k] = source.read(first + 32 * k < end ? first + 32 * k : end - 1);
#pragma unroll
            for (int k = 0; k < BATCH; ++k) {
                Item found = first + 32 * k < end ? source.item(read[k], first + 32 * k) : LAST_ITEM;
                unsigned wanted = __ballot_sync(ALL, before(found, last));
                while (wanted) {
                    Item put = from_lane(found, __ffs(wanted) - 1), below = from_below(own);
                    if (before(put, own)) own = lane > 0 && before(put, below) ? below : put;
                    last = from_lane(own, count - 1);
                    wanted &= wanted - 1;
                    wanted &= __ballot_sync(ALL, before(found, last));
                }
            }
        }
        if (lane < count) to[part * count + lane] = own;
    }
}

extern "C" __global__ void first_of_elements(Item *to, const T *data, long long rows, long long n, long long inner,
                                             long long parts, long long length, long long count, long long ascending) {
    first_items(to, rows, n, parts, length, (int)count, [=](long long row) {
        return Elements{data + FIRST_ELEMENT(row), inner, ascending != 0};
    });
}

// The same for rows of n items, in any order.
extern "C" __global__ void first_of_items(Item *to, const Item *from, long long rows, long long n, long long parts,
                                          long long length, long long count) {
    first_items(to, rows, n, parts, length, (int)count, [=](long long row) { return Items{from + row * n}; });
}

// -- results: the first `count` of the `held` items of each row of n, as (outer, count, inner) -----------------------

// The row of element i of a result, and its index among the row's items.
#define ROW_OF(i) ((i) / inner / count * inner + (i) % inner)
#define RANK_OF(i) ((i) / inner % count)

extern "C" __global__ void ordered_values(T *out, const T *data, const Item *items, long long total, long long n,
                                          long long held, long long count, long long inner) {
    for_each(i, total) {
        long long row = ROW_OF(i);
        out[i] = data[FIRST_ELEMENT(row) + place_of(items[row * held + RANK_OF(i)]) * inner];
    }
}

extern "C" __global__ void ordered_places(TO *out, const Item *items, long long total, long long n, long long held,
                                          long long count, long long inner) {
    for_each(i, total) out[i] = convert<TO>(place_of(items[ROW_OF(i) * held + RANK_OF(i)]));
}

// Writes ones at the positions of the items; `out` is initially zero.
extern "C" __global__ void ordered_mask(T *out, const Item *items, long long total, long long n, long long held,
                                        long long count, long long inner) {
    for_each(i, total) {
        long long row = ROW_OF(i);
        out[FIRST_ELEMENT(row) + place_of(items[row * held + RANK_OF(i)]) * inner] = convert<T>(1);
    }
}
