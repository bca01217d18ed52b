// Pooling over windows of up to three axes, and its gradients. Data is [images][space][channels]; with channels first,
// each channel is treated as an image that has one channel. T is the type of the elements, A is that of the arithmetic,
// and INDEX is a type that can index the elements.
//
// Gradients are gathered: each element of data finds the windows that contain it, so no two threads add to the same
// element.
#include "common.cuh"

// kernel, stride and padding before the data, each along three axes: elements of the array `shape`, or, for large
// arrays, macros. The compiler then knows all divisors; a GPU has no instruction for integer division by other
// divisors.
#ifdef K0
#define OF_THREE(name, d) ((d) == 0 ? name##0 : (d) == 1 ? name##1 : name##2)
__device__ inline int kernel(const Dims &, int d) { return OF_THREE(K, d); }
__device__ inline int stride(const Dims &, int d) { return OF_THREE(S, d); }
__device__ inline int pad(const Dims &, int d) { return OF_THREE(P, d); }
#else
__device__ inline int kernel(const Dims &shape, int d) { return (int)shape.at[d]; }
__device__ inline int stride(const Dims &shape, int d) { return (int)shape.at[3 + d]; }
__device__ inline int pad(const Dims &shape, int d) { return (int)shape.at[6 + d]; }
#endif

// The lengths of the data and the numbers of windows along three axes, and the number of channels; each is also given
// as a divisor (see strided_index.cuh).
struct Lengths {
    long long at[7];
    unsigned factor[7], shift[7];
};
#define WINDOWS const __grid_constant__ Dims shape, const __grid_constant__ Lengths lengths
__device__ inline int space(const Lengths &lengths, int d) { return (int)lengths.at[d]; }
__device__ inline int windows(const Lengths &lengths, int d) { return (int)lengths.at[3 + d]; }
__device__ inline INDEX channels(const Lengths &lengths) { return (INDEX)lengths.at[6]; }
__device__ inline unsigned quotient(unsigned i, const Lengths &lengths, int which) {
    return ((unsigned)(((unsigned long long)i * lengths.factor[which]) >> 32) + i) >> lengths.shift[which];
}
__device__ inline long long quotient(long long i, const Lengths &lengths, int which) { return i / lengths.at[which]; }

// The position of an element or a window.
struct Spot {
    INDEX image, channel;
    int at[3];
};

// `first`, the index of its lengths, is 0 for an element and 3 for a window.
__device__ inline Spot spot_of(INDEX i, const Lengths &lengths, int first) {
    Spot spot;
    INDEX rest = quotient(i, lengths, 6);
    spot.channel = i - rest * channels(lengths);
    for (int d = 2; d >= 0; --d) {
        INDEX length = (INDEX)lengths.at[first + d], next = quotient(rest, lengths, first + d);
        spot.at[d] = (int)(rest - next * length);
        rest = next;
    }
    spot.image = rest;
    return spot;
}

// The index of element a, b, c in the spot's image and channel; `first` is as above.
__device__ inline INDEX index_of(const Spot &spot, int a, int b, int c, const Lengths &lengths, int first) {
    INDEX row = (spot.image * (INDEX)lengths.at[first] + a) * (INDEX)lengths.at[first + 1] + b;
    return (row * (INDEX)lengths.at[first + 2] + c) * channels(lengths) + spot.channel;
}

// The elements in a window, from `first` up to, but not including, `end` along each axis.
struct Box {
    int first[3], end[3];
    bool clipped;               // whether the window includes padding
};

__device__ inline Box seen_by(const Spot &window, const Dims &shape, const Lengths &lengths) {
    Box box;
    box.clipped = false;
    for (int d = 0; d < 3; ++d) {
        int start = window.at[d] * stride(shape, d) - pad(shape, d), end = start + kernel(shape, d);
        box.first[d] = start < 0 ? 0 : start;
        box.end[d] = end > space(lengths, d) ? space(lengths, d) : end;
        if (box.first[d] != start || box.end[d] != end) box.clipped = true;
    }
    return box;
}

// The windows that contain an element.
__device__ inline Box seeing(const Spot &element, const Dims &shape, const Lengths &lengths) {
    Box box;
    for (int d = 0; d < 3; ++d) {
        int at = element.at[d] + pad(shape, d), before = at - kernel(shape, d);
        int last = at / stride(shape, d) + 1;
        box.first[d] = before < 0 ? 0 : before / stride(shape, d) + 1;
        box.end[d] = last > windows(lengths, d) ? windows(lengths, d) : last;
    }
    return box;
}

#define for_box(box, a, b, c) \
    for (int a = box.first[0]; a < box.end[0]; ++a) \
        for (int b = box.first[1]; b < box.end[1]; ++b) \
            for (int c = box.first[2]; c < box.end[2]; ++c)

// -- the largest element ---------------------------------------------------------------------------------------------

// lowest: the padding value.
extern "C" __global__ void largest(const T *from, T *to, long long n, WINDOWS, double lowest) {
    for_each(i, n) {
        Spot window = spot_of((INDEX)i, lengths, 3);
        Box box = seen_by(window, shape, lengths);
        bool none = !box.clipped;
        A most = (A)lowest;
        for_box(box, a, b, c) {
            A x = convert<A>(from[index_of(window, a, b, c, lengths, 0)]);
            most = none ? x : larger(most, x);
            none = false;
        }
        to[i] = convert<T>(most);
    }
}

// Searches a window's elements in row order, including padding: the taps from `low` up to, but not including, `high`.
struct Search {
    A most;
    int where;                  // the element's index in space, or -1 in the padding
    bool has_nan;
};

__device__ inline Search search(const T *from, const Spot &window, const int *low, const int *high,
                                const Dims &shape, const Lengths &lengths, A lowest) {
    Search found;
    found.has_nan = false;
    found.where = -1;
    bool none = true;
    int start[3];
    for (int d = 0; d < 3; ++d) start[d] = window.at[d] * stride(shape, d) - pad(shape, d);
    for (int a = start[0] + low[0]; a < start[0] + high[0]; ++a)
        for (int b = start[1] + low[1]; b < start[1] + high[1]; ++b)
            for (int c = start[2] + low[2]; c < start[2] + high[2]; ++c) {
                bool inside = a >= 0 && a < space(lengths, 0) && b >= 0 && b < space(lengths, 1) && c >= 0
                    && c < space(lengths, 2);
                A x = inside ? convert<A>(from[index_of(window, a, b, c, lengths, 0)]) : lowest;
                if (x != x) found.has_nan = true;
                if (!none && !(x > found.most)) continue;
                found.most = x;
                found.where = inside ? (a * space(lengths, 1) + b) * space(lengths, 2) + c : -1;
                none = false;
            }
    return found;
}

// The element that the reference selects in a window with NaN: the last position along one axis after another, as long
// as the remaining elements contain NaN.
__device__ inline Search search_nan(const T *from, const Spot &window, const Dims &shape, const Lengths &lengths,
                                    A lowest) {
    int low[3] = {0, 0, 0}, high[3] = {kernel(shape, 0), kernel(shape, 1), kernel(shape, 2)};
    Search found;
    found.has_nan = true;
    for (int d = 0; d < 3 && found.has_nan; ++d) {
        low[d] = high[d] - 1;
        found = search(from, window, low, high, shape, lengths, lowest);
    }
    return found;
}

// For each window, the first of its largest elements. If the window contains NaN, there is no winner or, with nan_wins,
// the winner is the element that the reference selects.
extern "C" __global__ void winners_of(const T *from, int *winners, long long n, WINDOWS, double lowest,
                                      long long nan_wins) {
    for_each(i, n) {
        Spot window = spot_of((INDEX)i, lengths, 3);
        int low[3] = {0, 0, 0}, high[3] = {kernel(shape, 0), kernel(shape, 1), kernel(shape, 2)};
        Search found = search(from, window, low, high, shape, lengths, (A)lowest);
        if (found.has_nan && nan_wins) found = search_nan(from, window, shape, lengths, (A)lowest);
        else if (found.has_nan) found.where = -1;
        winners[i] = found.where;
    }
}

// Each element receives the gradients of the windows that it won.
extern "C" __global__ void to_winners(const T *grad, const int *winners, T *to, long long n, WINDOWS) {
    for_each(i, n) {
        Spot element = spot_of((INDEX)i, lengths, 0);
        int own = (element.at[0] * space(lengths, 1) + element.at[1]) * space(lengths, 2) + element.at[2];
        Box box = seeing(element, shape, lengths);
        A sum = (A)0;
        for_box(box, a, b, c) {
            INDEX window = index_of(element, a, b, c, lengths, 3);
            if (winners[window] == own) sum += convert<A>(grad[window]);
        }
        to[i] = convert<T>(sum);
    }
}

// The reverse: each window takes the value at its winner's position.
extern "C" __global__ void from_winners(const T *values, const int *winners, T *to, long long n, WINDOWS) {
    for_each(i, n) {
        Spot window = spot_of((INDEX)i, lengths, 3);
        int where = winners[i], plane = space(lengths, 1) * space(lengths, 2);
        if (where < 0) {
            to[i] = (T)0;
            continue;
        }
        int a = where / plane, b = (where - a * plane) / space(lengths, 2), c = where % space(lengths, 2);
        to[i] = values[index_of(window, a, b, c, lengths, 0)];
    }
}

// -- non-overlapping windows -----------------------------------------------------------------------------------------

// The tap index, in row order, of the element with a given index in space.
__device__ inline int tap_of(int where, const Box &box, const Dims &shape, const Lengths &lengths) {
    int plane = space(lengths, 1) * space(lengths, 2), row = where % plane / space(lengths, 2);
    int a = where / plane - box.first[0], b = row - box.first[1], c = where % space(lengths, 2) - box.first[2];
    return (a * kernel(shape, 1) + b) * kernel(shape, 2) + c;
}

// Writes the largest element, and the index of its tap in row order.
extern "C" __global__ void largest_and_tap(const T *from, T *to, unsigned char *taps, long long n, WINDOWS) {
    for_each(i, n) {
        Spot window = spot_of((INDEX)i, lengths, 3);
        Box box = seen_by(window, shape, lengths);
        A most = (A)0;
        int tap = 0, winner = 0;
        for_box(box, a, b, c) {
            A x = convert<A>(from[index_of(window, a, b, c, lengths, 0)]);
            if (tap == 0 || x > most) winner = tap;
            most = tap == 0 ? x : larger(most, x);
            ++tap;
        }
        if (most != most) winner = tap_of(search_nan(from, window, shape, lengths, (A)0).where, box, shape, lengths);
        to[i] = convert<T>(most);
        taps[i] = (unsigned char)winner;
    }
}

// Each element receives the gradient of its window if the element has won there.
extern "C" __global__ void to_taps(const T *grad, const unsigned char *taps, T *to, long long n, WINDOWS) {
    for_each(i, n) {
        Spot element = spot_of((INDEX)i, lengths, 0);
        int tap = 0, window[3];
        bool inside = true;
        for (int d = 0; d < 3; ++d) {
            window[d] = element.at[d] / stride(shape, d);
            int within = element.at[d] - window[d] * stride(shape, d);
            inside = inside && window[d] < windows(lengths, d) && within < kernel(shape, d);
            tap = tap * kernel(shape, d) + within;
        }
        INDEX at = inside ? index_of(element, window[0], window[1], window[2], lengths, 3) : (INDEX)0;
        to[i] = inside && taps[at] == tap ? grad[at] : (T)0;
    }
}

// -- sums ------------------------------------------------------------------------------------------------------------

enum { SUM, AVERAGE, AVERAGE_WITH_PADDING, NORM };

// The factor of a window's sum: 1 / (number of elements), where padding after the data counts only up to `pad`.
__device__ inline A weight(int a, int b, int c, const Dims &shape, const Lengths &lengths, int kind) {
    if (kind == SUM || kind == NORM) return (A)1;
    A count = (A)1;
    int at[3] = {a, b, c};
    for (int d = 0; d < 3; ++d) {
        int padded = kind == AVERAGE_WITH_PADDING ? pad(shape, d) : 0;
        int start = at[d] * stride(shape, d) - pad(shape, d), end = start + kernel(shape, d);
        if (end > space(lengths, d) + padded) end = space(lengths, d) + padded;
        if (start < -padded) start = -padded;
        count *= (A)(end - start > 1 ? end - start : 1);
    }
    return (A)1 / count;
}

__device__ inline A power(A x, int exponent) {
    A result = x;
    for (int i = 1; i < exponent; ++i) result *= x;
    return result;
}

// The p-th root. CUDA's pow is off by up to two units in the last place, which matters when results are truncated to
// integers, so it is used only where NumPy's pow is not exact either.
__device__ inline double root_of(double sum, int p) {
    return p == 1 ? sum : p == 2 ? sqrt(sum) : pow(sum, 1.0 / (double)p);
}

extern "C" __global__ void window_sums(const T *from, T *to, long long n, WINDOWS, long long kind, long long exponent) {
    for_each(i, n) {
        Spot window = spot_of((INDEX)i, lengths, 3);
        Box box = seen_by(window, shape, lengths);
        A sum = (A)0;
        for_box(box, a, b, c) {
            A x = convert<A>(from[index_of(window, a, b, c, lengths, 0)]);
            sum += kind == NORM ? power(x, (int)exponent) : x;
        }
        if (kind == NORM) {
            A root = root_of((double)(sum < (A)0 ? -sum : sum), (int)exponent);
            sum = sum < (A)0 ? -root : root;
        } else if (kind != SUM) {
            sum *= weight(window.at[0], window.at[1], window.at[2], shape, lengths, (int)kind);
        }
        to[i] = convert<T>(sum);
    }
}

extern "C" __global__ void window_sums_gradient(const T *grad, T *to, long long n, WINDOWS, long long kind) {
    for_each(i, n) {
        Spot element = spot_of((INDEX)i, lengths, 0);
        Box box = seeing(element, shape, lengths);
        A sum = (A)0;
        for_box(box, a, b, c) {
            A g = convert<A>(grad[index_of(element, a, b, c, lengths, 3)]);
            sum += g * weight(a, b, c, shape, lengths, (int)kind);
        }
        to[i] = convert<T>(sum);
    }
}
