// Indices of any type as integers: fractions are dropped.

// NaN, and values that do not fit in a long long, become the lowest long long, as in NumPy on x86.
__device__ inline long long to_integer(double x) {
    return x > -9.3e18 && x < 9223372036854775808.0 ? (long long)x : -9223372036854775807LL - 1;
}
__device__ inline long long to_integer(float x) { return to_integer((double)x); }
__device__ inline long long to_integer(half x) { return to_integer((double)(float)x); }
__device__ inline long long to_integer(long long x) { return x; }
__device__ inline long long to_integer(int x) { return x; }
__device__ inline long long to_integer(signed char x) { return x; }
__device__ inline long long to_integer(unsigned char x) { return x; }
__device__ inline long long to_integer(bool x) { return x; }

#define CLIP 0
#define WRAP 1

// An index within 0 .. limit - 1; limit must be positive. An index out of range is clipped or wrapped.
__device__ inline long long within(long long i, long long limit, long long mode) {
    if (mode == WRAP) {
        i %= limit;
        return i < 0 ? i + limit : i;
    }
    return i < 0 ? 0 : i >= limit ? limit - 1 : i;
}
