// Reductions of lines of an array [outer][rows][inner], each of which has `rows` elements that are `inner` apart.
//
// A reduction is a struct with
//   Strand, Value              one thread's accumulator, and the value that threads exchange
//   Strand begin()             an empty strand
//   void take(Strand &, i, row, line)  gather element i of the array, element `row` of line `line`
//   Value value(Strand)        the strand as a value
//   Value join(Value, Value)   of two parts of a line; must not depend on which comes first
//   Value shuffled(Value, step)    the value of the lane whose index differs by step
//   void write(line, Value)    the final step, by one of the threads that share the line
// and for `transform_...`, once a line is known,
//   Item item(i)               what is read of element i
//   void put(i, row, line, Item, Value)    the transformed element
//
// The order in which a line is gathered and joined depends only on its length, so each run produces bitwise the same
// result. There are two kernels for the two ways in which threads share lines:
//   rows    for inner = 1: `lanes` threads of a warp share a line, and join by shuffles
//   tiles   a block has `width` adjacent lines; its threads are rows of `width`, and join in shared memory
#include "common.cuh"

// Maps a line's index in [outer][inner] to its first element in [outer][rows][inner].
struct Line {
    long long number, first, rows, inner;
    __device__ Line(long long outer_at, long long column, long long rows, long long inner)
        : number(outer_at * inner + column), first(outer_at * rows * inner + column), rows(rows), inner(inner) {}
    __device__ long long at(long long row) const { return first + row * inner; }
};

// Gathers one thread's share of a line in blocks of elements, which are then joined, so that the rounding error of a
// long sum does not grow with each element.
template <typename R> __device__ typename R::Value gathered(const R &how, const Line &line, bool exists,
                                                            long long first, long long end, long long step) {
    const long long block = 64 * step;
    typename R::Value value = how.value(how.begin());
    for (long long start = first; exists && start < end; start += block) {
        typename R::Strand strand = how.begin();
        long long stop = start + block < end ? start + block : end;
        long long row = start;
        // eight at once: their loads are issued together
        for (; row + 7 * step < stop; row += 8 * step) {
#pragma unroll
            for (int k = 0; k < 8; ++k) how.take(strand, line.at(row + k * step), row + k * step, line.number);
        }
        for (; row < stop; row += step) how.take(strand, line.at(row), row, line.number);
        value = start == first ? how.value(strand) : how.join(value, how.value(strand));
    }
    return value;
}

// Transforms every step-th element in this thread. Eight elements are read before any is written: the compiler cannot
// move reads before a write that may alias them.
template <typename R> __device__ void transformed(const R &how, const Line &line, bool exists, long long first,
                                                  long long end, long long step, const typename R::Value &value) {
    long long row = first;
    for (; exists && row + 7 * step < end; row += 8 * step) {
        typename R::Item items[8];
#pragma unroll
        for (int k = 0; k < 8; ++k) items[k] = how.item(line.at(row + k * step));
#pragma unroll
        for (int k = 0; k < 8; ++k) how.put(line.at(row + k * step), row + k * step, line.number, items[k], value);
    }
    for (; exists && row < end; row += step) how.put(line.at(row), row, line.number, how.item(line.at(row)), value);
}

// The join over `lanes` neighboring lanes of a warp, a power of 2; all 32 lanes must call it.
template <typename R> __device__ typename R::Value lanes_joined(const R &how, typename R::Value value, int lanes) {
    for (int step = lanes / 2; step > 0; step /= 2) value = how.join(value, how.shuffled(value, step));
    return value;
}

// Shared memory for one value of each thread of a block; all reductions with this type of value use the same memory.
template <typename V> __device__ V *one_for_each_thread() {
    __shared__ V values[256];
    return values;
}

// The join over all threads of a block with the same threadIdx.x % width; each of them receives the result.
template <typename R> __device__ typename R::Value tile_joined(const R &how, typename R::Value value, int width) {
    typename R::Value *values = one_for_each_thread<typename R::Value>();
    int t = threadIdx.x;
    values[t] = value;
    __syncthreads();
    for (int upper = blockDim.x / 2; upper >= width; upper /= 2) {
        if (t < upper) values[t] = how.join(values[t], values[t + upper]);
        __syncthreads();
    }
    value = values[t % width];
    __syncthreads();            // before the next tile overwrites the values
    return value;
}

// All lines with inner = 1. Every thread performs the same number of rounds, because all lanes must take part in the
// shuffles.
template <bool TRANSFORM, typename R>
__device__ void each_row(const R &how, long long outer, long long rows, int lanes) {
    long long team = ((long long)blockIdx.x * blockDim.x + threadIdx.x) / lanes;
    long long teams = (long long)gridDim.x * blockDim.x / lanes;
    int lane = threadIdx.x % lanes;
    for (long long round = 0; round < outer; round += teams) {
        Line line(round + team, 0, rows, 1);
        bool exists = line.number < outer;
        typename R::Value value = lanes_joined(how, gathered(how, line, exists, lane, rows, lanes), lanes);
        if (exists && lane == 0) how.write(line.number, value);
        if constexpr (TRANSFORM) transformed(how, line, exists, lane, rows, lanes, value);
    }
}

// All lines, each divided into `chunks` parts that become lines of [outer][chunks][inner]. blockDim.x is 256.
template <bool TRANSFORM, typename R>
__device__ void each_tile(const R &how, long long outer, long long rows, long long inner, long long chunks, int width) {
    long long tiles = (inner + width - 1) / width, height = blockDim.x / width;
    for (long long tile = blockIdx.x; tile < outer * chunks * tiles; tile += gridDim.x) {
        long long part = tile / tiles, column = tile % tiles * width + threadIdx.x % width;
        long long chunk = part % chunks, first = rows * chunk / chunks, end = rows * (chunk + 1) / chunks;
        Line line(part / chunks, column, rows, inner);
        long long start = first + threadIdx.x / width;
        bool exists = column < inner;
        typename R::Value value = tile_joined(how, gathered(how, line, exists, start, end, height), width);
        if (exists && threadIdx.x < width) how.write(part * inner + column, value);
        if constexpr (TRANSFORM) transformed(how, line, exists, start, end, height, value);
    }
}

// A reduction in several launches: a launch may read values that an earlier launch has written, and may write values
// for the next launch.
template <typename R> struct Step {
    typedef typename R::Value Strand;
    typedef typename R::Value Value;
    R how;
    const Value *from;
    __device__ Step(const R &how, const void *from) : how(how), from((const Value *)from) {}
    __device__ Strand begin() const { return how.value(how.begin()); }
    __device__ void take(Strand &strand, long long i, long long row, long long line) const {
        strand = how.join(strand, from[i]);
    }
    __device__ Value value(const Strand &strand) const { return strand; }
    __device__ Value join(const Value &a, const Value &b) const { return how.join(a, b); }
    __device__ Value shuffled(const Value &a, int step) const { return how.shuffled(a, step); }
    __device__ void write(long long line, const Value &value) const { how.write(line, value); }
};

template <typename R> struct Partial : R {
    typename R::Value *to;
    __device__ Partial(const R &how, void *to) : R(how), to((typename R::Value *)to) {}
    __device__ void write(long long line, const typename R::Value &value) const { to[line] = value; }
};

template <typename R> __device__ Step<R> step(const R &how, const void *from) { return Step<R>(how, from); }
template <typename R> __device__ Partial<R> partial(const R &how, void *to) { return Partial<R>(how, to); }

// The parameters of a plan, as written by `reduce.py`.
enum { OUTER, ROWS, INNER, CHUNKS, WIDTH, FROM_PARTS, TO_PARTS };

template <typename R> __device__ void rows_in_steps(const R &how, const void *from, void *to, const Dims &plan) {
    long long outer = plan.at[OUTER], rows = plan.at[ROWS];
    int lanes = (int)plan.at[WIDTH];
    if (plan.at[FROM_PARTS]) {
        if (plan.at[TO_PARTS]) each_row<false>(partial(step(how, from), to), outer, rows, lanes);
        else each_row<false>(step(how, from), outer, rows, lanes);
    } else {
        if (plan.at[TO_PARTS]) each_row<false>(partial(how, to), outer, rows, lanes);
        else each_row<false>(how, outer, rows, lanes);
    }
}

template <typename R> __device__ void tiles_in_steps(const R &how, const void *from, void *to, const Dims &plan) {
    long long outer = plan.at[OUTER], rows = plan.at[ROWS], inner = plan.at[INNER], chunks = plan.at[CHUNKS];
    int width = (int)plan.at[WIDTH];
    if (plan.at[FROM_PARTS]) {
        if (plan.at[TO_PARTS]) each_tile<false>(partial(step(how, from), to), outer, rows, inner, chunks, width);
        else each_tile<false>(step(how, from), outer, rows, inner, chunks, width);
    } else {
        if (plan.at[TO_PARTS]) each_tile<false>(partial(how, to), outer, rows, inner, chunks, width);
        else each_tile<false>(how, outer, rows, inner, chunks, width);
    }
}

template <typename R> __device__ void transform_rows(const R &how, const Dims &plan) {
    each_row<true>(how, plan.at[OUTER], plan.at[ROWS], (int)plan.at[WIDTH]);
}

template <typename R> __device__ void transform_tiles(const R &how, const Dims &plan) {
    each_tile<true>(how, plan.at[OUTER], plan.at[ROWS], plan.at[INNER], 1, (int)plan.at[WIDTH]);
}
