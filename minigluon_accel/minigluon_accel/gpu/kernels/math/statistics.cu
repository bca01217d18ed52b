// Positions of extremes, mean and variance, running sums, and products of all other elements. T and TO are the types of
// data and of results, and A is the type of the arithmetic.
#include "moments.cuh"

// -- argmax and argmin -----------------------------------------------------------------------------------------------

struct Place {
    A value;
    long long row;              // -1: none
};

// The first of equal elements comes before the others, and NaN comes before all numbers.
struct Arg {
    typedef Place Strand;
    typedef Place Value;
    const T *from;
    TO *to;
    bool smallest;
    __device__ bool before(const Place &a, const Place &b) const {
        if (a.row < 0 || b.row < 0) return b.row < 0;
        bool a_is_nan = a.value != a.value, b_is_nan = b.value != b.value;
        if (a_is_nan || b_is_nan) return a_is_nan && (!b_is_nan || a.row < b.row);
        if (a.value == b.value) return a.row < b.row;
        return smallest ? a.value < b.value : a.value > b.value;
    }
    __device__ Place begin() const { return {(A)0, -1}; }
    __device__ void take(Place &strand, long long i, long long row, long long line) const {
        strand = join(strand, {convert<A>(from[i]), row});
    }
    __device__ Place value(const Place &strand) const { return strand; }
    __device__ Place join(const Place &a, const Place &b) const { return before(a, b) ? a : b; }
    __device__ Place shuffled(const Place &a, int step) const {
        return {__shfl_xor_sync(0xffffffffu, a.value, step), __shfl_xor_sync(0xffffffffu, a.row, step)};
    }
    __device__ void write(long long line, const Place &found) const { to[line] = convert<TO>(found.row); }
};

extern "C" __global__ void arg_rows(const void *from, void *to, Dims plan, long long smallest) {
    rows_in_steps(Arg{(const T *)from, (TO *)to, smallest != 0}, from, to, plan);
}

extern "C" __global__ void arg_tiles(const void *from, void *to, Dims plan, long long smallest) {
    tiles_in_steps(Arg{(const T *)from, (TO *)to, smallest != 0}, from, to, plan);
}

// -- moments ---------------------------------------------------------------------------------------------------------

struct MeanAndVariance : Moments<T, A> {
    TO *mean, *variance;
    __device__ void write(long long line, const Value &found) const {
        A count = found.count > 0 ? found.count : (A)1;
        mean[line] = convert<TO>(found.sum / count);
        variance[line] = convert<TO>(found.squares / count);
    }
};

extern "C" __global__ void moments_rows(const void *from, void *to, Dims plan, TO *mean, TO *variance) {
    rows_in_steps(MeanAndVariance{{(const T *)from}, mean, variance}, from, to, plan);
}

extern "C" __global__ void moments_tiles(const void *from, void *to, Dims plan, TO *mean, TO *variance) {
    tiles_in_steps(MeanAndVariance{{(const T *)from}, mean, variance}, from, to, plan);
}

// -- running sums ----------------------------------------------------------------------------------------------------

// Running sums along lines [outer][rows][inner], each divided into `chunks` chunks of `length` rows. One thread adds
// the elements of part chunk * lines + line sequentially. A chunk begins with the sum of everything before it.
// Undivided lines begin without a sum, and are rounded to TO after each step, as in the reference.
#define LINES long long outer, long long rows, long long inner, long long chunks, long long length, long long backwards
#define BATCH 16            // elements that a thread reads before it adds the first one
#define PARTS 32            // size of a tile that a block of 256 threads has in shared memory
#define COLUMNS 128

struct Part {
    long long chunk, first, step, start, end;
    __device__ Part(long long i, LINES) {
        long long lines = outer * inner, line = i % lines;
        chunk = i / lines;
        step = backwards ? -inner : inner;
        first = line / inner * rows * inner + line % inner + (backwards ? (rows - 1) * inner : 0);
        start = chunk * length;
        end = start + length < rows ? start + length : rows;
    }
    __device__ long long at(long long row) const { return first + row * step; }
};

__device__ inline TO added(TO sum, TO x) { return convert<TO>(convert<A>(sum) + convert<A>(x)); }
#define NOTHING (-0.0f)     // -0 + x is x, even for x = -0

// Neighboring threads have neighboring lines. This is for inner > 1, and for short lines.
extern "C" __global__ void sums_of_chunks(const T *from, A *sums, LINES) {
    for_each(i, outer * inner * chunks) {
        Part part(i, outer, rows, inner, chunks, length, backwards);
        A sum = (A)0;
#pragma unroll 8
        for (long long row = part.start; row < part.end; ++row) sum += convert<A>(convert<TO>(from[part.at(row)]));
        sums[i] = sum;
    }
}

extern "C" __global__ void running_sums(const T *from, TO *to, const A *before, LINES) {
    for_each(i, outer * inner * chunks) {
        Part part(i, outer, rows, inner, chunks, length, backwards);
        TO sum = convert<TO>(part.chunk ? before[i] : (A)NOTHING);
        for (long long row = part.start; row < part.end; row += BATCH) {
            T x[BATCH];
#pragma unroll
            for (int k = 0; k < BATCH; ++k)
                if (row + k < part.end) x[k] = from[part.at(row + k)];
#pragma unroll
            for (int k = 0; k < BATCH; ++k)
                if (row + k < part.end) to[part.at(row + k)] = sum = added(sum, convert<TO>(x[k]));
        }
    }
}

// For inner = 1: all threads read PARTS parts into a tile, along their rows, COLUMNS elements of each at a time; each
// of the first 32 threads then adds the elements of one part. The assignment of threads does not affect any sum.
//
// begin(part's number, its chunk)       by the thread that adds it up, or out of range by one that has none
// scan(row of the tile)                 by that thread, once for each COLUMNS elements; after the last are zeros
// end(part's number)                    by that thread
template <bool WRITES, int STEP, typename V, typename Begin, typename Scan, typename End>
__device__ void tiles_along(const T *from, TO *to, LINES, V (*tile)[COLUMNS + 1], Begin begin, Scan scan, End finish) {
    const int each = PARTS / 8, pieces = COLUMNS / 32;      // rows of the tile for each warp
    long long parts = outer * chunks;
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    for (long long group = blockIdx.x * (long long)PARTS; group < parts; group += gridDim.x * (long long)PARTS) {
        const T *at[each];
        TO *to_at[each];
        long long own = group + threadIdx.x;
        int left[each];                     // below 2^31, because longer lines are divided into chunks
        bool adds = threadIdx.x < PARTS && own < parts;
#pragma unroll
        for (int k = 0; k < each; ++k) {
            long long number = group + warp * each + k;
            Part part(number, outer, rows, inner, chunks, length, backwards);
            at[k] = from + part.at(part.start + lane);
            to_at[k] = to + part.at(part.start + lane);
            left[k] = number < parts ? (int)(part.end - part.start) - lane : 0;
        }
        if (adds) begin(own, own / outer);
        for (long long column = 0; column < length; column += COLUMNS) {
            T x[each][pieces];
#pragma unroll
            for (int k = 0; k < each; ++k)
#pragma unroll
                for (int c = 0; c < pieces; ++c)
                    x[k][c] = 32 * c < left[k] ? at[k][32 * c * STEP] : (T)0;
#pragma unroll
            for (int k = 0; k < each; ++k)
#pragma unroll
                for (int c = 0; c < pieces; ++c)
                    tile[warp * each + k][32 * c + lane] = convert<V>(convert<TO>(x[k][c]));
            __syncthreads();
            if (adds) scan(tile[threadIdx.x]);
            __syncthreads();
#pragma unroll
            for (int k = 0; k < each; ++k) {
                #pragma unroll
                for (int c = 0; c < pieces; ++c)
                    if (WRITES && 32 * c < left[k]) to_at[k][32 * c * STEP] = tile[warp * each + k][32 * c + lane];
                at[k] += COLUMNS * STEP;
                to_at[k] += COLUMNS * STEP;
                left[k] -= COLUMNS;
            }
            // a thread overwrites only elements of the tile that it has read itself
        }
        if (adds) finish(own);
    }
}

template <bool WRITES, typename V, typename Begin, typename Scan, typename End>
__device__ void for_tiles(const T *from, TO *to, LINES, V (*tile)[COLUMNS + 1], Begin begin, Scan scan, End end) {
    if (backwards)
        tiles_along<WRITES, -1>(from, to, outer, rows, inner, chunks, length, backwards, tile, begin, scan, end);
    else tiles_along<WRITES, 1>(from, to, outer, rows, inner, chunks, length, backwards, tile, begin, scan, end);
}

extern "C" __global__ void sums_of_chunks_tiles(const T *from, A *sums, LINES) {
    __shared__ A tile[PARTS][COLUMNS + 1];
    A sum = (A)0;
    for_tiles<false>(from, (TO *)0, outer, rows, inner, chunks, length, backwards, tile,
        [&](long long part, long long chunk) { sum = (A)0; },
        [&](A *x) {
#pragma unroll 16
            for (int c = 0; c < COLUMNS; ++c) sum += x[c];
        },
        [&](long long part) { sums[part] = sum; });
}

extern "C" __global__ void running_sums_tiles(const T *from, TO *to, const A *before, LINES) {
    __shared__ TO tile[PARTS][COLUMNS + 1];
    TO sum;
    for_tiles<true>(from, to, outer, rows, inner, chunks, length, backwards, tile,
        [&](long long part, long long chunk) { sum = convert<TO>(chunk ? before[part] : (A)NOTHING); },
        [&](TO *x) {
            for (int c = 0; c < COLUMNS; c += BATCH) {
                TO read[BATCH];
#pragma unroll
                for (int k = 0; k < BATCH; ++k) read[k] = x[c + k];
#pragma unroll
                for (int k = 0; k < BATCH; ++k) x[c + k] = sum = added(sum, read[k]);
            }
        },
        [](long long part) {});
}

// Replaces each chunk's sum with the sum of everything before the chunk, with one thread for each line.
extern "C" __global__ void sums_before_chunks(A *sums, LINES) {
    long long lines = outer * inner;
    for_each(line, lines) {
        A before = (A)0;
        for (long long chunk = 0; chunk < chunks; ++chunk) {
            A own = sums[chunk * lines + line];
            sums[chunk * lines + line] = before;
            before += own;
        }
    }
}

// The same with one block for each line, 8 chunks per thread at a time.
extern "C" __global__ void sums_before_many_chunks(A *sums, LINES) {
    __shared__ A of_warps[32];
    long long lines = outer * inner;
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;
    for (long long line = blockIdx.x; line < lines; line += gridDim.x) {
        A carry = (A)0;
        for (long long start = 0; start < chunks; start += 8 * blockDim.x) {
            long long first = start + 8 * threadIdx.x;
            A own[8], upto = (A)0;
#pragma unroll
            for (int k = 0; k < 8; ++k) {
                own[k] = first + k < chunks ? sums[(first + k) * lines + line] : (A)0;
                upto += own[k];
            }
            for (int step = 1; step < 32; step *= 2) {
                A below = __shfl_up_sync(0xffffffffu, upto, step);
                if (lane >= step) upto += below;
            }
            A before = __shfl_up_sync(0xffffffffu, upto, 1);
            if (lane == 0) before = (A)0;
            if (lane == 31) of_warps[warp] = upto;
            __syncthreads();
            for (int w = 0; w < warps; ++w) {
                if (w == warp) before += carry;
                carry += of_warps[w];
            }
            __syncthreads();            // all threads have read the warps' sums
#pragma unroll
            for (int k = 0; k < 8; ++k) {
                if (first + k < chunks) sums[(first + k) * lines + line] = before;
                before += own[k];
            }
        }
    }
}

// -- products of all other elements ----------------------------------------------------------------------------------

// For each element of a line, the product of all other elements. The first pass writes the product of the elements
// before it to `to`, and a pass from the end multiplies this by the product of the elements after it. skip_nan: NaN
// counts as 1, and its own result is 0.
extern "C" __global__ void prod_others(const T *from, T *to, long long lines, long long rows, long long kept_rank,
                                       const __grid_constant__ Dims kept_lengths,
                                       const __grid_constant__ Dims kept_strides, long long rank,
                                       const __grid_constant__ Dims lengths, const __grid_constant__ Dims strides,
                                       long long skip_nan) {
    for_each(line, lines) {
        long long first = place(line, (int)kept_rank, kept_lengths, kept_strides);
        T product = (T)1;
        for (long long row = 0; row < rows; ++row) {
            long long at = first + place(row, (int)rank, lengths, strides);
            to[at] = product;
            A x = convert<A>(from[at]);
            if (!skip_nan || x == x) product = convert<T>(convert<A>(product) * x);
        }
        product = (T)1;
        for (long long row = rows - 1; row >= 0; --row) {
            long long at = first + place(row, (int)rank, lengths, strides);
            A x = convert<A>(from[at]);
            bool skipped = skip_nan && x != x;
            to[at] = skipped ? (T)0 : convert<T>(convert<A>(to[at]) * convert<A>(product));
            if (!skipped) product = convert<T>(convert<A>(product) * x);
        }
    }
}
