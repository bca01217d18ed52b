// Positions of extremes, mean and variance, running sums, and products of all others. T and TO are the types of data
// and of results, and A is the type to compute in.
#include "nn/moments.cuh"

// -- argmax and argmin ------------------------------------------------------------------------------------------------

struct Place {
    A value;
    long long row;              // -1: none
};

// Of equal ones the first; NaN before all others.
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

// -- moments ----------------------------------------------------------------------------------------------------------

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

// -- one thread a line, or a part of one ------------------------------------------------------------------------------

// Running sums along lines [outer][rows][inner], each in so many chunks. A chunk begins with `before[line][chunk]`, the
// sum of what lies before it; whole lines begin with nothing, and are rounded to TO after each step as the reference
// does.
#define LINES long long outer, long long rows, long long inner, long long chunks, long long backwards

struct Part {
    long long line, chunk, first, inner, start, end, rows;
    bool backwards;
    __device__ Part(long long i, long long rows, long long inner, long long chunks, bool backwards)
        : line(i / chunks), chunk(i % chunks), inner(inner), rows(rows), backwards(backwards) {
        first = line / inner * rows * inner + line % inner;
        start = rows * chunk / chunks;
        end = rows * (chunk + 1) / chunks;
    }
    __device__ long long at(long long row) const { return first + (backwards ? rows - 1 - row : row) * inner; }
};

extern "C" __global__ void sums_of_chunks(const T *from, A *sums, LINES) {
    for_each(i, outer * inner * chunks) {
        Part part(i, rows, inner, chunks, backwards != 0);
        A sum = (A)0;
        for (long long row = part.start; row < part.end; ++row) sum += convert<A>(convert<TO>(from[part.at(row)]));
        sums[i] = sum;
    }
}

extern "C" __global__ void sums_before_chunks(A *sums, LINES) {
    for_each(line, outer * inner) {
        A before = (A)0;
        for (long long chunk = 0; chunk < chunks; ++chunk) {
            A own = sums[line * chunks + chunk];
            sums[line * chunks + chunk] = before;
            before += own;
        }
    }
}

extern "C" __global__ void running_sums(const T *from, TO *to, const A *before, LINES) {
    for_each(i, outer * inner * chunks) {
        Part part(i, rows, inner, chunks, backwards != 0);
        TO sum = part.chunk ? convert<TO>(before[i]) : (TO)0;
        for (long long row = part.start; row < part.end; ++row) {
            TO x = convert<TO>(from[part.at(row)]);
            sum = row == 0 ? x : convert<TO>(convert<A>(sum) + convert<A>(x));
            to[part.at(row)] = sum;
        }
    }
}

// For each element of a line the product of all others. The way there leaves the product of those before it in `to`,
// and the way back multiplies it with that of those behind. skip_nan: NaN counts as 1, and gets 0.
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
