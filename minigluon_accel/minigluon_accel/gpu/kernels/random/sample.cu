// Draws of class indices with given probabilities, and of unique integers.
#include "philox.cuh"

// Distribution functions: cdf[row] = the running sum of a row's probabilities, divided by its last element. One thread
// handles each row, because the reference sums in this order, and the same class indices must be drawn.
extern "C" __global__ void distribution(double *cdf, const T *probabilities, long long rows, long long classes) {
    for_each(row, rows) {
        double sum = 0, *to = cdf + row * classes;
        for (long long k = 0; k < classes; ++k) to[k] = sum += convert<double>(probabilities[row * classes + k]);
        for (long long k = 0; k < classes; ++k) to[k] /= sum;
    }
}

// The class for number i, found by a search in its row's function. The reference searches all rows as a single line, in
// which it adds r to row r. This kernel does the same, so that it rounds in the same way. D: the type of class indices.
extern "C" __global__ void classes_drawn(D *out, const double *cdf, const Draws *draws, long long n, long long each,
                                         long long classes) {
    each_wide_draw(draws, n, [=](long long i, Word bits) {
        long long row = i / each, low = 0, high = classes;
        double shift = (double)row, x = wide_unit(bits) + shift;
        while (low < high) {
            long long middle = (low + high) / 2;
            if (cdf[row * classes + middle] + shift <= x) low = middle + 1;
            else high = middle;
        }
        out[i] = convert<D>(smaller(low, classes - 1));
    });
}

// out[i] = log of the probability of the class that was drawn.
extern "C" __global__ void log_probabilities(T *out, const T *probabilities, const D *drawn, long long n,
                                             long long each, long long classes) {
    for_each(i, n) {
        T probability = probabilities[i / each * classes + convert<long long>(drawn[i])];
        out[i] = convert<T>(log(convert<double>(probability)));
    }
}

// out = 0, then grad / probability is added at each drawn class, if the class is valid. One thread handles each row, so
// that the draws are added in order.
extern "C" __global__ void multinomial_grad(T *out, const T *grad, const T *probabilities, const D *drawn,
                                            long long rows, long long each, long long classes) {
    for_each(row, rows) {
        for (long long k = 0; k < classes; ++k) out[row * classes + k] = (T)0;
        for (long long i = row * each; i < (row + 1) * each; ++i) {
            long long which = convert<long long>(drawn[i]), at = row * classes + which;
            if (which < 0 || which >= classes) continue;
            T part = convert<T>((A)grad[i] / (A)probabilities[at]);
            out[at] = convert<T>((A)out[at] + (A)part);
        }
    }
}

// Distinct integers in [0, most) for each row, log-uniform, in the order in which they are drawn. tries: the number of
// draws up to the last of these integers. One block handles each row: each of its threads draws a candidate and checks
// whether it is a repeat; then thread 0 takes the candidates that are not.
extern "C" __global__ void unique_zipfian(long long *out, long long *tries, const Draws *draws, long long rows,
                                          long long wanted, double most) {
    __shared__ long long candidates[256];
    __shared__ bool fresh[256];
    __shared__ long long found, drawn;
    for (long long row = blockIdx.x; row < rows; row += gridDim.x) {
        Stream stream(draws, row * 256 + threadIdx.x);
        long long *to = out + row * wanted;
        __syncthreads();
        if (threadIdx.x == 0) found = drawn = 0;
        __syncthreads();
        while (found < wanted) {
            long long mine = (long long)exp(stream.uniform() * log(most + 1)) - 1;
            mine = smaller(larger(mine, 0ll), (long long)most - 1);
            candidates[threadIdx.x] = mine;
            __syncthreads();
            bool first = true;
            for (int k = 0; k < threadIdx.x && first; ++k) first = candidates[k] != mine;
            for (long long k = 0; k < found && first; ++k) first = to[k] != mine;
            fresh[threadIdx.x] = first;
            __syncthreads();
            if (threadIdx.x == 0) {
                long long count = found;
                for (int k = 0; k < 256 && count < wanted; ++k) {
                    ++drawn;
                    if (fresh[k]) to[count++] = candidates[k];
                }
                found = count;
            }
            __syncthreads();
        }
        if (threadIdx.x == 0) tries[row] = drawn;
    }
}
