// Counts the elements in each bin. T is the type of data, and EDGE is the type of the edges; both are compared as
// double.
#include "common.cuh"

// The n + 1 edges of equal bins, and the same edges in the type of the result. Each step is rounded as in the
// reference.
extern "C" __global__ void equal_edges(EDGE *edges, T *results, long long n, double low, double high) {
    for_each(i, n + 1) {
        double step = (high - low) / (double)n;
        edges[i] = convert<EDGE>(i == n ? high : __dadd_rn(__dmul_rn((double)i, step), low));
        results[i] = convert<T>(edges[i]);
    }
}

// The given edges, in the type of the result.
extern "C" __global__ void given_edges(const EDGE *edges, T *results, long long n) {
    for_each(i, n) results[i] = convert<T>(edges[i]);
}

extern "C" __global__ void no_counts(unsigned long long *counts, long long bins) {
    for_each(i, bins) counts[i] = 0;
}

// counts[b] = the number of elements in bin b, from its lower edge up to, but not including, the next edge; only the
// last bin includes its upper edge. atomicAdd produces the same counts in any order, because they are integers.
extern "C" __global__ void count_in_bins(const T *from, const EDGE *edges, unsigned long long *counts, long long n,
                                         long long bins) {
    for_each(i, n) {
        double x = convert<double>(from[i]);
        if (!(x >= convert<double>(edges[0]) && x <= convert<double>(edges[bins]))) continue;
        long long low = 0, high = bins;         // edges[low] <= x; and x < edges[high], or high is the last edge
        while (high - low > 1) {
            long long middle = (low + high) / 2;
            if (x >= convert<double>(edges[middle])) low = middle;
            else high = middle;
        }
        atomicAdd(counts + low, 1ULL);
    }
}
