// A walk over an array of any rank whose elements are read from, or written to, arrays with any strides.
//
// The flat index i is split into indices along the axes, beginning with the last axis. That requires a division for
// each axis, for which a GPU has no instruction. With fewer than 2^31 elements, the division is replaced with a
// multiplication by the divisor's inverse, which the host has computed, and a shift; INDEX is then `unsigned`. It is
// `long long` for larger arrays.

#ifndef INDEX
#define INDEX unsigned
#endif

struct Walk {
    long long length[MAX_DIMS], to[MAX_DIMS], from[MAX_DIMS];    // for each axis: its length, and its stride in both
    unsigned factor[MAX_DIMS], shift[MAX_DIMS];                   // length[d] as a divisor
    long long rank;
};

struct Ends { long long to, from; };

// i / walk.length[d]
__device__ inline unsigned quotient(unsigned i, const Walk &walk, int d) {
    unsigned high = (unsigned)(((unsigned long long)i * walk.factor[d]) >> 32);
    return (high + i) >> walk.shift[d];
}
__device__ inline long long quotient(long long i, const Walk &walk, int d) { return i / walk.length[d]; }

// The target and source offsets of element i, in elements.
__device__ inline Ends ends(INDEX i, const Walk &walk) {
    Ends at = {0, 0};
    for (int d = (int)walk.rank - 1; d > 0; --d) {
        INDEX rest = quotient(i, walk, d);
        long long along = (long long)(i - rest * (INDEX)walk.length[d]);
        at.to += along * walk.to[d];
        at.from += along * walk.from[d];
        i = rest;
    }
    if (walk.rank > 0) {            // the remainder is the index along the first axis
        at.to += (long long)i * walk.to[0];
        at.from += (long long)i * walk.from[0];
    }
    return at;
}
