// Dropout with the same random numbers, and so the same mask, as on the CPU. W is the type of the factor `kept`: float
// for float16, so that a product is rounded only once; otherwise T.
#include "philox.cuh"

// mask[i] = kept if the i-th random number is at least p, otherwise 0
extern "C" __global__ void dropout_mask(T *mask, const Draws *draws, long long n, float p, W kept) {
    each_draw(draws, n, [=](long long i, unsigned bits) { mask[i] = unit(bits) >= p ? kept : (W)0; });
}

// Writes the mask, and out = data · mask. out may be the memory of data.
extern "C" __global__ void dropout(T *out, T *mask, const T *data, const Draws *draws, long long n, float p, W kept) {
    each_draw(draws, n, [=](long long i, unsigned bits) {
        W factor = unit(bits) >= p ? kept : (W)0;
        mask[i] = factor;
        out[i] = convert<T>((A)data[i] * (A)factor);
    });
}

// out = data · kept or data · 0 if several elements share a mask element: the mask has its own strides along data's
// axes.
extern "C" __global__ void apply_mask(T *out, const T *data, const T *mask, long long n, int rank,
                                      const __grid_constant__ Dims lengths, const __grid_constant__ Dims strides,
                                      W kept) {
    for_each(i, n) {
        bool keeps = mask[place(i, rank, lengths, strides)] != (T)0;
        out[i] = convert<T>((A)data[i] * (A)(keeps ? kept : (W)0));
    }
}

// Prediction: out = data, and all elements of the mask are 1.
extern "C" __global__ void dropout_pass(T *out, T *mask, const T *data, long long n, long long ones) {
    for_each(i, n) out[i] = data[i];
    for_each(i, ones) mask[i] = (T)1;
}
