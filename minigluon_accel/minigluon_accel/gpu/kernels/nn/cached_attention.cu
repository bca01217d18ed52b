// Attention for new positions, whose keys and values are appended to caches of those of earlier positions.
//
// A row is one head of queries at one new position, numbered as in the result (batch, length, heads). Consecutive heads
// of queries share one head of keys and values, of which there are `SHARED`. The positions that a row
// attends to are divided into parts, because decoding has few rows and many positions. A block handles one part, and a
// second kernel joins the parts of each row. T is the type of the elements, A that of the arithmetic, and TI that of
// `filled`.
//
// The new keys and values are read from data, and no block reads the part of the caches that is written here, so no
// block has to wait for another block.
#include "common.cuh"
#include "indices.cuh"
#include "packed.cuh"

#define THREADS 256                     // threads of a block
#define AT_ONCE 4                       // number of positions that a thread reads before it uses them
#define WIDEST (16 / (int)sizeof(T))    // number of elements that a thread reads at once if addresses allow it
#define LINE (THREADS + 8)              // row length in shared memory: reads down and across use different banks

enum { ROWS, HEADS, SHARED, LENGTH, SIZE, CAPACITY, PARTS };

// A row: its position, and the number of positions that it attends to, including itself.
struct Row {
    long long number, head, query, item, first, seen;
    __device__ Row(long long number, const TI *filled, const Dims &sizes) : number(number) {
        long long position = number / sizes.at[HEADS], most = sizes.at[CAPACITY] - sizes.at[LENGTH];
        head = number - position * sizes.at[HEADS];
        item = position / sizes.at[LENGTH];
        query = position - item * sizes.at[LENGTH];
        first = to_integer(filled[item]);
        first = first < 0 ? 0 : first > most ? most : first;
        seen = first + query + 1;
    }
    // Number of positions in a part; the last part may have fewer, and later parts may be empty.
    __device__ long long span(long long parts) const { return (seen + parts - 1) / parts; }
};

// The keys or the values for a row: those of earlier positions are in a cache, and those of new positions are in data.
struct Seen {
    const T *cached, *fresh;
    long long first, size, step;
    __device__ const T *at(long long position) const {
        return position < first ? cached + position * size : fresh + (position - first) * step;
    }
};

// exp(x - most), which is 1 even if both are the same infinity.
__device__ inline A weight(A x, A most) { return x == most ? (A)1 : exp(x - most); }

// scores[j] = factor · query · key at position begin + j, for `many` keys. Each key is handled by `lanes` threads of a
// warp, a power of 2.
template <int W> __device__ void score(A *scores, const T *query, const Seen &keys, long long begin, int many, A factor) {
    int lanes = 1;
    while (lanes < 32 && lanes * W < keys.size) lanes *= 2;
    int lane = threadIdx.x % lanes, team = threadIdx.x / lanes, teams = THREADS / lanes;
    for (int done = 0; done < many; done += AT_ONCE * teams) {
        A sums[AT_ONCE];
        const T *from[AT_ONCE];
#pragma unroll
        for (int k = 0; k < AT_ONCE; ++k) {
            int j = done + k * teams + team;
            sums[k] = (A)0;
            from[k] = keys.at(begin + (j < many ? j : many - 1));
        }
        for (long long c = lane * W; c < keys.size; c += lanes * W) {
            Packed<T, W> q = packed<W>(query + c), x[AT_ONCE];
#pragma unroll
            for (int k = 0; k < AT_ONCE; ++k) x[k] = packed<W>(from[k] + c);
#pragma unroll
            for (int k = 0; k < AT_ONCE; ++k)
#pragma unroll
                for (int w = 0; w < W; ++w) sums[k] += convert<A>(q.at[w]) * convert<A>(x[k].at[w]);
        }
        for (int step = lanes / 2; step > 0; step /= 2)
#pragma unroll
            for (int k = 0; k < AT_ONCE; ++k) sums[k] += __shfl_xor_sync(0xffffffffu, sums[k], step);
#pragma unroll
        for (int k = 0; k < AT_ONCE; ++k) {
            int j = done + k * teams + team;
            if (lane == 0 && j < many) scores[j] = sums[k] * factor;
        }
    }
}

// A thread's partial Σ weight · value, for W columns.
template <int W> struct Gathered {
    A values[W], total;
    __device__ Gathered() : total((A)0) {
        for (int w = 0; w < W; ++w) values[w] = (A)0;
    }
    __device__ void scale(A factor) {
        total *= factor;
#pragma unroll
        for (int w = 0; w < W; ++w) values[w] *= factor;
    }
    // Adds positions begin + j with j = thread, thread + down, ..., below `many`.
    __device__ void add(const A *weights, const Seen &seen, long long begin, int many, long long column, int thread,
                        int down) {
        for (int done = thread; done < many; done += AT_ONCE * down) {
            Packed<T, W> x[AT_ONCE];
#pragma unroll
            for (int k = 0; k < AT_ONCE; ++k) {
                int j = done + k * down;
                x[k] = packed<W>(seen.at(begin + (j < many ? j : many - 1)) + column);
            }
#pragma unroll
            for (int k = 0; k < AT_ONCE; ++k) {
                int j = done + k * down;
                if (j >= many) break;
                total += weights[j];
#pragma unroll
                for (int w = 0; w < W; ++w) values[w] += weights[j] * convert<A>(x[k].at[w]);
            }
        }
    }
};

// The shared memory of a block.
struct Room {
    A *scores, *weights;        // THREADS elements each
    A *values, *totals;         // WIDEST · LINE, THREADS
};

// The arrays: data, the caches and the results.
struct Arrays {
    const T *data;
    T *keys, *values, *out;
    A *partial, *totals;        // (rows, parts, size), (rows, parts, 2): the largest score and the sum of weights
    A factor;
};

// Computes all parts of all rows. Each row is divided into tiles of columns, which differ only in the values that they
// read.
template <int W>
__device__ void attend(const Arrays &arrays, const TI *filled, const Room &room, const Dims &sizes) {
    const long long size = sizes.at[SIZE], parts = sizes.at[PARTS];
    const long long all = sizes.at[HEADS] * size, shared = sizes.at[SHARED] * size, step = all + 2 * shared;
    const long long group = sizes.at[HEADS] / sizes.at[SHARED];
    int across = 1, thread = threadIdx.x;
    while (across < THREADS && across * W < size) across *= 2;
    const int down = THREADS / across;
    const long long tile_size = across * W, tiles = (size + tile_size - 1) / tile_size;
    for (long long unit = blockIdx.x; unit < sizes.at[ROWS] * parts * tiles; unit += gridDim.x) {
        const long long number = unit / tiles, tile = unit - number * tiles, part = number % parts;
        const Row row(number / parts, filled, sizes);
        const T *data = arrays.data + row.item * sizes.at[LENGTH] * step, *fresh = data + all + row.head / group * size;
        const long long cache = (row.item * sizes.at[SHARED] + row.head / group) * sizes.at[CAPACITY] * size;
        const Seen keys{arrays.keys + cache, fresh, row.first, size, step};
        const Seen values{arrays.values + cache, fresh + shared, row.first, size, step};
        const long long left = tile * tile_size, rest = size - left, here = rest < tile_size ? rest : tile_size;
        if (part == 0 && row.head % group == 0)
            for (long long c = left + thread; c < left + here; c += THREADS) {
                long long to = cache + (row.seen - 1) * size + c;
                arrays.keys[to] = keys.at(row.seen - 1)[c];
                arrays.values[to] = values.at(row.seen - 1)[c];
            }
        const long long span = row.span(parts), stop = (part + 1) * span < row.seen ? (part + 1) * span : row.seen;
        if (part * span >= stop) continue;
        const long long column = left + thread % across * W;
        A most = -MINIGLUON_INFINITY;
        Gathered<W> mine;
        for (long long begin = part * span; begin < stop; begin += THREADS) {
            const int many = stop - begin < THREADS ? (int)(stop - begin) : THREADS;
            score<W>(room.scores, data + row.query * step + row.head * size, keys, begin, many, arrays.factor);
            __syncthreads();            // all scores are written, and the previous chunk's weights have been read
            A largest = most;
            for (int j = thread % 32; j < many; j += 32) largest = larger(largest, room.scores[j]);
            largest = warp_max(largest);
            if (thread < many) room.weights[thread] = weight(room.scores[thread], largest);
            __syncthreads();            // all weights are written, and scores have been read
            mine.scale(weight(most, largest));
            if (column < size) mine.add(room.weights, values, begin, many, column, thread / across, down);
            most = largest;
        }
#pragma unroll
        for (int w = 0; w < W; ++w) room.values[w * LINE + thread] = mine.values[w];
        if (thread % across == 0) room.totals[thread / across] = mine.total;
        __syncthreads();                // the sums of all threads are written
        for (int c = thread; c < here; c += THREADS) {
            A value = (A)0, total = (A)0;
            for (int d = 0; d < down; ++d) {
                value += room.values[c % W * LINE + d * across + c / W];
                total += room.totals[d];
            }
            if (parts == 1) {           // if the largest score is infinite, all results are NaN, like infinity minus
                                        // infinity
                arrays.out[row.number * size + left + c] =
                    convert<T>(most - most == (A)0 ? value / total : (A)MINIGLUON_NAN);
            } else {
                arrays.partial[number * size + left + c] = value;
                if (left + c == 0) {
                    arrays.totals[2 * number] = most;
                    arrays.totals[2 * number + 1] = total;
                }
            }
        }
    }
}

extern "C" __global__ void __launch_bounds__(THREADS, 2)
cached_attention(const T *data, T *keys, T *values, const TI *filled, T *out, A *partial, A *totals, double factor,
                 const __grid_constant__ Dims sizes) {
    __shared__ A scores[THREADS], weights[THREADS], sums[THREADS], gathered[WIDEST * LINE];
    const Arrays arrays{data, keys, values, out, partial, totals, (A)factor};
    const Room room{scores, weights, gathered, sums};
    if (sizes.at[SIZE] % WIDEST == 0 && aligned<WIDEST>(data) && aligned<WIDEST>(keys) && aligned<WIDEST>(values))
        attend<WIDEST>(arrays, filled, room, sizes);
    else
        attend<1>(arrays, filled, room, sizes);
}

// Joins the parts of each row, in order, with one thread for each element of the result.
extern "C" __global__ void join_parts(T *out, const A *partial, const A *totals, const TI *filled,
                                      const __grid_constant__ Dims sizes) {
    const long long size = sizes.at[SIZE], parts = sizes.at[PARTS];
    for_each(i, sizes.at[ROWS] * size) {
        const long long number = i / size, c = i - number * size;
        const Row row(number, filled, sizes);
        const long long span = row.span(parts), there = (row.seen + span - 1) / span;
        const A *of_row = totals + 2 * number * parts, *from = partial + number * parts * size + c;
        A most = -MINIGLUON_INFINITY, value = (A)0, total = (A)0;
        for (long long part = 0; part < there; ++part) most = larger(most, of_row[2 * part]);
        for (long long part = 0; part < there; ++part) {
            A share = weight(of_row[2 * part], most);
            value += share * from[part * size];
            total += share * of_row[2 * part + 1];
        }
        out[i] = convert<T>(most - most == (A)0 ? value / total : (A)MINIGLUON_NAN);
    }
}
