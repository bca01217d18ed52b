// Recurrent layers, step by step; the formulas are those in minigluon/ops/rnn/cells.py and rnn_kernels.py.
//
// T is float or double; TI is the type of the lengths. Macros: MODE; CLIP, 1 if cells are clipped and 2 if NaN is
// clipped too; PROJECTED, 1 if another product is between a cell's result and the state. Arrays are passed with the
// offset of their first element.
#include "common.cuh"

#define RELU 0
#define TANH 1
#define LSTM 2
#define GRU 3
#define GATES (MODE == LSTM ? 4 : MODE == GRU ? 3 : 1)

// The offset of the first element of each array. row: distance from one item of the batch to the next in the layer's
// output.
struct Forward { long long batch, units, time, gates, kept, bias, state, cell, out, row; };
struct Back { long long batch, units, time, gates, kept, before, cell_before, grads, state, cell, out, row; };

__device__ inline T sigmoid(T x) { return 1 / (1 + exp(-x)); }

// Whether item n's sequence continues at this time. Without lengths, all sequences do.
__device__ inline bool goes_on(const TI *lengths, long long n, long long time) {
    return lengths == nullptr || (double)time < (double)lengths[n];
}

// A forward step. `part` is the product of the state with the recurrent weights. After the end of its sequence, an item
// keeps its state.
extern "C" __global__ void rnn_step(T *reserve, const T *part, const T *parameters, T *state, T *cell, T *out,
                                    const TI *lengths, Forward s, double least, double most) {
    for_each(i, s.batch * s.units) {
        long long n = i / s.units, j = i % s.units, first = n * GATES * s.units + j, u = s.units;
        T *gates = reserve + s.gates + first, h;
        const T *from = part + first, *bias = parameters + s.bias + j;
        bool is_on = goes_on(lengths, n, s.time);
#if MODE == LSTM
        T before = cell[s.cell + i];
        gates[0] = sigmoid(gates[0] + from[0] + bias[0]);
        gates[u] = sigmoid(gates[u] + from[u] + bias[u]);
        gates[2 * u] = tanh(gates[2 * u] + from[2 * u] + bias[2 * u]);
        gates[3 * u] = sigmoid(gates[3 * u] + from[3 * u] + bias[3 * u]);
        T c = gates[u] * before + gates[0] * gates[2 * u];
#if CLIP
        if (CLIP == 2 && c != c) c = (T)least;
        c = c < (T)least ? (T)least : c;
        c = c > (T)most ? (T)most : c;          // applied last, even if the limits are reversed
#endif
        h = gates[3 * u] * tanh(c);
        reserve[s.kept + i] = cell[s.cell + i] = is_on ? c : before;
#elif MODE == GRU
        T hidden = reserve[s.kept + i] = from[2 * u] + bias[2 * u];
        T reset = gates[0] = sigmoid(gates[0] + from[0] + bias[0]);
        T update = gates[u] = sigmoid(gates[u] + from[u] + bias[u]);
        T fresh = gates[2 * u] = tanh(gates[2 * u] + reset * hidden);
        h = fresh + update * (state[s.state + i] - fresh);
#else
        T x = gates[0] + from[0] + bias[0];
        h = gates[0] = MODE == TANH ? tanh(x) : x > 0 || x != x ? x : (T)0;
#endif
#if PROJECTED
        out[i] = h;
#else
        out[s.out + n * s.row + j] = is_on ? h : (T)0;
        if (is_on) state[s.state + i] = h;
#endif
    }
}

// The end of a step with a projection: the projection's result `fresh` becomes the output and the state.
extern "C" __global__ void rnn_settle(T *state, T *out, const T *fresh, const TI *lengths, Forward s) {
    for_each(i, s.batch * s.units) {
        long long n = i / s.units, j = i % s.units;
        bool is_on = goes_on(lengths, n, s.time);
        out[s.out + n * s.row + j] = is_on ? fresh[i] : (T)0;
        if (is_on) state[s.state + i] = fresh[i];
    }
}

// A backward step: from the gradients of h and c after the step to the gradients of the gates before their activation,
// and to the gradients of h and c before the step. The product with the weights is added later. out_grad: the gradient
// of the layer's output; with a projection, the gradient of the cell's result, (batch, units), contiguous.
extern "C" __global__ void rnn_back(T *grads, T *hidden_grads, T *state_grad, T *cell_grad, const T *reserve,
                                    const T *before, const T *cell_before, const T *out_grad, const TI *lengths,
                                    Back s, double least, double most) {
    for_each(i, s.batch * s.units) {
        long long n = i / s.units, j = i % s.units, first = n * GATES * s.units + j, u = s.units;
        const T *gates = reserve + s.gates + first;
        T *g = grads + s.grads + first;
        bool is_on = goes_on(lengths, n, s.time);
#if PROJECTED
        T grad = out_grad[i];
#else
        T grad = state_grad[s.state + i], past = is_on ? (T)0 : grad;
        grad = is_on ? grad + out_grad[s.out + n * s.row + j] : (T)0;
#endif
#if MODE == LSTM
        T in = gates[0], forget = gates[u], fresh = gates[2 * u], output = gates[3 * u], c = reserve[s.kept + i];
        T squashed = tanh(c), by_cell = cell_grad[s.cell + i] + grad * output * (1 - squashed * squashed);
#if CLIP
        if (!(c > (T)least && c < (T)most)) by_cell = 0;
#endif
        g[0] = is_on ? by_cell * fresh * in * (1 - in) : (T)0;
        g[u] = is_on ? by_cell * cell_before[s.cell_before + i] * forget * (1 - forget) : (T)0;
        g[2 * u] = is_on ? by_cell * in * (1 - fresh * fresh) : (T)0;
        g[3 * u] = is_on ? grad * squashed * output * (1 - output) : (T)0;
        if (is_on) cell_grad[s.cell + i] = by_cell * forget;
#elif MODE == GRU
        T *hidden = hidden_grads + s.grads + first;
        T reset = gates[0], update = gates[u], fresh = gates[2 * u];
        T by_fresh = grad * (1 - update) * (1 - fresh * fresh);
        hidden[0] = g[0] = by_fresh * reserve[s.kept + i] * reset * (1 - reset);
        hidden[u] = g[u] = grad * (before[s.before + i] - fresh) * update * (1 - update);
        g[2 * u] = by_fresh;
        hidden[2 * u] = by_fresh * reset;
        past += grad * update;
#else
        g[0] = MODE == TANH ? grad * (1 - gates[0] * gates[0]) : gates[0] > 0 ? grad : (T)0;
#endif
#if !PROJECTED
        state_grad[s.state + i] = past;
#endif
    }
}

// The beginning of a backward step with a projection: the gradient of the projection's result.
extern "C" __global__ void rnn_settle_back(T *projected_grads, T *state_grad, const T *out_grad, const TI *lengths,
                                           Back s) {
    for_each(i, s.batch * s.units) {
        long long n = i / s.units, j = i % s.units;
        bool is_on = goes_on(lengths, n, s.time);
        projected_grads[s.grads + i] = is_on ? state_grad[s.state + i] + out_grad[s.out + n * s.row + j] : (T)0;
        if (is_on) state_grad[s.state + i] = 0;
    }
}

// The states before each step, (steps, batch, units), from the states after each step. If a sequence is reversed, the
// state before its last element is the first state.
extern "C" __global__ void rnn_before(T *before, const T *out, const T *first, const TI *lengths, long long steps,
                                      long long batch, long long units, long long out_at, long long row,
                                      long long first_at, long long reverse) {
    for_each(i, steps * batch * units) {
        long long j = i % units, n = i / units % batch, time = i / units / batch, then = reverse ? time + 1 : time - 1;
        bool is_first = then < 0 || then >= steps || (reverse && !goes_on(lengths, n, then));
        before[i] = is_first ? first[first_at + n * units + j] : out[out_at + (then * batch + n) * row + j];
    }
}

// The input of the projection, for all times: output gate · tanh(cell).
extern "C" __global__ void rnn_hidden(T *hidden, const T *reserve, long long rows, long long units, long long gates,
                                      long long kept) {
    for_each(i, rows * units)
        hidden[i] = reserve[gates + i / units * 4 * units + 3 * units + i % units] * tanh(reserve[kept + i]);
}

// Sums of columns: the gradient of a bias.
extern "C" __global__ void rnn_sums(T *sums, const T *grads, long long rows, long long columns, long long first,
                                    long long grads_at) {
    for_each(j, columns) {
        T sum = 0;
        for (long long r = 0; r < rows; ++r) sum += grads[grads_at + r * columns + j];
        sums[first + j] = sum;
    }
}

// Adds the bias of the input weights to each row of the gates.
extern "C" __global__ void rnn_add_bias(T *reserve, const T *bias, long long n, long long columns, long long bias_at,
                                        long long gates) {
    for_each(i, n) reserve[gates + i] += bias[bias_at + i % columns];
}

extern "C" __global__ void rnn_add(T *sum, const T *data, long long n, long long first) {
    for_each(i, n) sum[first + i] += data[i];
}

// out = data · factors; out may be data.
extern "C" __global__ void rnn_scale(T *out, const T *data, const T *factors, long long n, long long data_at,
                                     long long factors_at) {
    for_each(i, n) out[i] = data[data_at + i] * factors[factors_at + i];
}

extern "C" __global__ void rnn_fill(T *out, long long n, long long first, double value) {
    for_each(i, n) out[first + i] = (T)value;
}
