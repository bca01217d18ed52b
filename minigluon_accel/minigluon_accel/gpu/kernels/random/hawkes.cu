// The likelihood of a Hawkes process and its gradients: one thread for each sequence visits its events in order.
#include "common.cuh"

// The state of class k of a sequence at one point in time; `since`: the time since the class's last event, or since the
// beginning.
struct Memory { A before, kept, loss, fading; };

__device__ inline Memory memory_of(A state, A by_beta, A beta, A since) {
    A loss = expm1(-beta * since);
    return {state, state * ((A)1 + loss), loss, (by_beta - state * since) * ((A)1 + loss)};
}

__device__ inline long long class_of(MARK mark, long long kinds) {
    return mark < 0 ? 0 : mark >= kinds ? kinds - 1 : (long long)mark;
}

// likelihood (n). state (n, kinds) of type A, initially the state at the beginning. last (n, kinds) of type A,
// initially zero.
extern "C" __global__ void likelihood(T *out, A *state, A *last, const T *lda, const T *alpha, const T *beta,
                                      const T *lags, const MARK *marks, const T *lengths, const T *ends, long long n,
                                      long long kinds, long long steps) {
    for_each(i, n) {
        A now = 0, sum = 0;
        for (long long t = 0; t < steps && (A)t < (A)lengths[i]; ++t) {
            long long k = class_of(marks[i * steps + t], kinds), at = i * kinds + k;
            now += (A)lags[i * steps + t];
            A since = now - last[at], rate = (A)lda[at], a = (A)alpha[k], b = (A)beta[k];
            Memory m = memory_of(state[at], 0, b, since);
            sum += log(rate + a * b * m.kept) - (rate * since - a * m.before * m.loss);
            state[at] = m.kept + (A)1;
            last[at] = now;
        }
        for (long long k = 0; k < kinds; ++k) {
            long long at = i * kinds + k;
            A since = (A)ends[i] - last[at];
            Memory m = memory_of(state[at], 0, (A)beta[k], since);
            sum -= (A)lda[at] * since - (A)alpha[k] * m.before * m.loss;
            state[at] = m.kept;
        }
        out[i] = convert<T>(sum);
    }
}

// by_lda, by_alpha, by_beta, state, last, slope (n, kinds) of type A; all except state (see above) are initially zero.
extern "C" __global__ void gradients(A *by_lda, A *by_alpha, A *by_beta, A *state, A *last, A *slope, const T *grad,
                                     const T *lda, const T *alpha, const T *beta, const T *lags, const MARK *marks,
                                     const T *lengths, const T *ends, long long n, long long kinds, long long steps) {
    for_each(i, n) {
        A now = 0, scale = (A)grad[i];
        for (long long t = 0; t < steps + kinds; ++t) {
            bool event = t < steps;
            if (event && !((A)t < (A)lengths[i])) continue;
            long long k = event ? class_of(marks[i * steps + t], kinds) : t - steps, at = i * kinds + k;
            if (event) now += (A)lags[i * steps + t];
            A since = (event ? now : (A)ends[i]) - last[at], a = (A)alpha[k], b = (A)beta[k];
            Memory m = memory_of(state[at], slope[at], b, since);
            by_lda[at] -= scale * since;
            by_alpha[at] += scale * (m.before * m.loss);
            by_beta[at] -= scale * (a * (slope[at] - m.fading));
            if (event) {
                A rate = (A)lda[at] + a * b * m.kept;
                by_lda[at] += scale / rate;
                by_alpha[at] += scale * (b * m.kept / rate);
                by_beta[at] += scale * (a * (m.kept + b * m.fading) / rate);
                last[at] = now;
            }
            state[at] = m.kept + (A)event;
            slope[at] = m.fading;
        }
    }
}

extern "C" __global__ void widened(A *out, const T *from, long long n) {
    for_each(i, n) out[i] = (A)from[i];
}

extern "C" __global__ void rounded(T *out, const A *from, long long n) {
    for_each(i, n) out[i] = convert<T>(from[i]);
}

// out (kinds) from (n, kinds).
extern "C" __global__ void over_sequences(T *out, const A *from, long long n, long long kinds) {
    for_each(k, kinds) {
        A sum = 0;
        for (long long i = 0; i < n; ++i) sum += from[i * kinds + k];
        out[k] = convert<T>(sum);
    }
}
