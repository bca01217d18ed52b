// Operators that end a network, and their gradients. T is the type of data, LABEL is that of labels, and A is that of
// the arithmetic. Labels that are class indices are compared as double, which represents the indices of every type
// exactly.
#include "common.cuh"
#include "indices.cuh"

// The gradient of the cross entropy: (pred - target) · scale / count, for pred [items][classes][places]. count: the
// number of labels that are not ignored, known only on the device; without use_count, it is not read, and `scale` is
// already divided by it.
extern "C" __global__ void softmax_output_gradient(const T *pred, const LABEL *label, T *to, const long long *count,
                                                   long long n, long long classes, long long places, double scale,
                                                   double own, double others, double ignored, long long use_ignored,
                                                   long long use_count) {
    A factor = use_count ? (A)(scale / (double)(*count > 1 ? *count : 1)) : (A)scale;
    for_each(i, n) {
        long long row = i / places, place = i - row * places, item = row / classes;
        double wanted = (double)label[item * places + place];
        A target = wanted == (double)(row - item * classes) ? (A)own : (A)others;
        bool none = use_ignored && wanted == ignored;
        to[i] = none ? (T)0 : convert<T>((convert<A>(pred[i]) - target) * factor);
    }
}

// The same with labels that are probabilities.
extern "C" __global__ void difference_gradient(const T *pred, const LABEL *label, T *to, long long n, double scale) {
    for_each(i, n) to[i] = convert<T>((convert<A>(pred[i]) - convert<A>(label[i])) * (A)scale);
}

extern "C" __global__ void sigmoid(const T *from, T *to, long long n) {
    for_each(i, n) {
        A x = convert<A>(from[i]), e = exp(x < (A)0 ? x : -x);
        to[i] = convert<T>(x >= (A)0 ? (A)1 / ((A)1 + e) : e / ((A)1 + e));
    }
}

// The gradient of each class's hinge loss against all other classes; in double precision, as in the reference.
extern "C" __global__ void svm_gradient(const T *data, const LABEL *label, T *to, long long n, long long classes,
                                        double margin, double coefficient, long long linear) {
    for_each(i, n) {
        long long item = i / classes;
        double target = (double)label[item] == (double)(i - item * classes) ? 1.0 : -1.0;
        double short_of = margin - target * (double)data[i];
        double cost = linear ? (short_of > 0 ? 1.0 : 0.0) : 2 * larger(short_of, 0.0);
        to[i] = convert<T>(-target * cost * coefficient);
    }
}

extern "C" __global__ void one_hot_rows(const LABEL *label, T *to, long long n, long long classes) {
    for_each(i, n) {
        long long item = i / classes;
        to[i] = (double)label[item] == (double)(i - item * classes) ? (T)1 : (T)0;
    }
}

// The element that the label picks from each item's row, negated. Labels out of range have already been reported.
extern "C" __global__ void picked(const A *rows, const LABEL *label, A *to, long long n, long long classes) {
    for_each(i, n) to[i] = -rows[i * classes + within(to_integer(label[i]), classes, CLIP)];
}
