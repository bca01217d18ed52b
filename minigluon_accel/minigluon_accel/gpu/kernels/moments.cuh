// Mean and variance of lines in one pass, as a reduction: see reductions.cuh.
//
// A strand sums the distances from its own first element, and their squares, so that there is little cancellation if
// the mean is far from 0. Strands are joined by Σ(x - m)² over both = Σ of each around its own mean + (distance of the
// means)² · n₁n₂/n.
#include "reductions.cuh"

template <typename FROM_, typename SUM> struct Moments {
    struct Strand { SUM count, sum, shift, away, squares; };
    struct Value { SUM count, sum, squares; };          // squares of the distances from the mean
    const FROM_ *from;
    __device__ Strand begin() const { return {SUM(0), SUM(0), SUM(0), SUM(0), SUM(0)}; }
    __device__ void take(Strand &strand, long long i, long long row, long long line) const {
        add(strand, convert<SUM>(from[i]));
    }
    __device__ static void add(Strand &strand, SUM x) {
        if (strand.count == SUM(0)) strand.shift = x;
        SUM away = x - strand.shift;
        strand.count += SUM(1);
        strand.sum += x;
        strand.away += away;
        strand.squares += away * away;
    }
    __device__ Value value(const Strand &strand) const {
        if (strand.count == SUM(0)) return {SUM(0), SUM(0), SUM(0)};
        SUM surplus = strand.away * (strand.away / strand.count);
        // if squares are infinite, so is the surplus; if the distances are infinite or NaN, squares are meaningless
        SUM squares = strand.squares - surplus;
        if (strand.squares - strand.squares != SUM(0)) squares = strand.squares;
        if (strand.away - strand.away != SUM(0)) squares = strand.away - strand.away;
        return {strand.count, strand.sum, squares < SUM(0) ? SUM(0) : squares};
    }
    __device__ Value join(const Value &a, const Value &b) const {
        if (a.count == SUM(0)) return b;
        if (b.count == SUM(0)) return a;
        SUM count = a.count + b.count, distance = a.sum / a.count - b.sum / b.count;
        return {count, a.sum + b.sum, a.squares + b.squares + distance * distance * (a.count * b.count / count)};
    }
    __device__ Value shuffled(const Value &a, int step) const {
        return {__shfl_xor_sync(0xffffffffu, a.count, step), __shfl_xor_sync(0xffffffffu, a.sum, step),
                __shfl_xor_sync(0xffffffffu, a.squares, step)};
    }
};
