"""A forward and a backward step of each recurrent cell, in NumPy, in place where possible.

A cell receives the gates for one step, (N, G H), which already include the input's contribution. It adds the state's
contribution, applies the activations, and leaves the values for the backward step in `gates` and `cache`. From the
gradients of the new states, `back` computes the gradients of the gates before their activation and of the states before
the step.

    N batch size, H state size, R size of a step's output (H, or the size of the projection), G number of gates
"""

from typing import NamedTuple

import numpy as np

__all__ = ["CELLS", "Weights"]


class Weights(NamedTuple):
    """The weights for one direction of a layer. Only lstm has a projection, which may be None."""

    i2h: np.ndarray             # (G H, inputs)
    h2h: np.ndarray             # (G H, R)
    i2h_bias: np.ndarray        # (G H,)
    h2h_bias: np.ndarray        # (G H,)
    h2r: np.ndarray | None      # (R, H)


class _Cell:
    """weights: a `Weights`. op: the operator, for its attributes."""

    def __init__(self, weights, op, batch):
        self.weights, self.op = weights, op
        self.from_state = weights.h2h.T                                 # the factor of a new state
        self.bias = weights.i2h_bias + weights.h2h_bias                 # both biases are added to the same gates
        self.part = np.empty((batch, len(weights.h2h)), weights.h2h.dtype)

    def blocks(self, gates):
        """Returns views of the gates' columns, one per gate."""
        size = self.op.state_size
        return [gates[:, start:start + size] for start in range(0, gates.shape[1], size)]

    def hidden_grads(self, gate_grads, gates):
        """Returns the gradients of the gates' h2h part for all steps at once; by default, the gradients of the gates.
        """
        return gate_grads


class ReLU(_Cell):
    """h = max(0, W x + b + R h + d)"""

    def step(self, gates, cache, states, out):
        gates += np.matmul(states[0], self.from_state, self.part)
        np.maximum(gates, 0, out=gates)
        out[...] = gates
        return (out,)

    def back(self, gate_grads, gates, cache, before, grads):
        np.multiply(grads[0], gates > 0, gate_grads)
        return (gate_grads @ self.weights.h2h,)


class Tanh(_Cell):
    """h = tanh(W x + b + R h + d)"""

    def step(self, gates, cache, states, out):
        gates += np.matmul(states[0], self.from_state, self.part)
        np.tanh(gates, gates)
        out[...] = gates
        return (out,)

    def back(self, gate_grads, gates, cache, before, grads):
        np.multiply(gates, gates, gate_grads)
        np.subtract(1, gate_grads, gate_grads)
        gate_grads *= grads[0]
        return (gate_grads @ self.weights.h2h,)


class LSTM(_Cell):
    """i, f, o = sigmoid and n = tanh of W x + b + R h + d, in blocks ordered i, f, n, o; c = f c + i n, clipped;
    h = o tanh(c), multiplied by the projection if there is one. kept: the new c.

    Sources: Hochreiter and Schmidhuber, Neural Computation 9 (1997); projection: Sak et al., arXiv:1402.1128.
    """

    def __init__(self, weights, op, batch):
        super().__init__(weights, op, batch)
        self.squashed = np.empty((batch, op.state_size), weights.h2h.dtype)     # tanh of the cell

    def step(self, gates, cache, states, out):
        h, c = states
        gates += np.matmul(h, self.from_state, self.part)
        i, f, n, o = self.blocks(gates)
        for gate in (i, f, o):
            _sigmoid(gate)
        np.tanh(n, n)
        np.multiply(f, c, cache)
        cache += np.multiply(i, n, self.squashed)
        self.clip(cache)
        h = np.tanh(cache, self.squashed)
        h *= o
        np.copyto(out, h if self.weights.h2r is None else h @ self.weights.h2r.T)
        return out, cache

    def back(self, gate_grads, gates, cache, before, grads):
        (h_grad, c_grad), c = grads, before[1]
        if self.weights.h2r is not None:
            h_grad = h_grad @ self.weights.h2r
        i, f, n, o = self.blocks(gates)
        i_grad, f_grad, n_grad, o_grad = self.blocks(gate_grads)
        squashed = np.tanh(cache, self.squashed)
        np.multiply(h_grad, squashed, o_grad)
        c_grad = c_grad + h_grad * o * (1 - squashed * squashed)
        self.clip_back(c_grad, cache)
        np.multiply(c_grad, n, i_grad)
        np.multiply(c_grad, c, f_grad)
        np.multiply(c_grad, i, n_grad)
        for gate, grad in ((i, i_grad), (f, f_grad), (o, o_grad)):
            grad *= gate
            grad *= 1 - gate
        n_grad *= 1 - n * n
        return gate_grads @ self.weights.h2h, c_grad * f

    def clip(self, cell):
        """Clips to lstm_state_clip_min and lstm_state_clip_max, if given; lstm_state_clip_nan replaces NaN with the
        lower bound.
        """
        low, high = self.op.lstm_state_clip_min, self.op.lstm_state_clip_max
        if low is not None:
            if self.op.lstm_state_clip_nan:
                np.fmax(cell, low, out=cell)
            np.clip(cell, low, high, out=cell)

    def clip_back(self, grad, cell):
        """Sets the gradient to 0 where the cell was clipped."""
        low, high = self.op.lstm_state_clip_min, self.op.lstm_state_clip_max
        if low is not None:
            grad *= (cell > low) & (cell < high)


class GRU(_Cell):
    """r, z = sigmoid(W x + b + R h + d), n = tanh(W x + b + r (R h + d)), in blocks ordered r, z, n;
    h = (1 - z) n + z h. kept: R h + d of the candidate n.

    Source: Cho et al., arXiv:1406.1078, with r applied after the product, as in cuDNN.
    """

    def __init__(self, weights, op, batch):
        super().__init__(weights, op, batch)
        last = slice(2 * op.state_size, None)
        self.bias[last] = weights.i2h_bias[last]
        self.hidden_bias = weights.h2h_bias[last]

    def step(self, gates, cache, states, out):
        h = states[0]
        r, z, n = self.blocks(gates)
        r_part, z_part, n_part = self.blocks(np.matmul(h, self.from_state, self.part))
        r += r_part
        z += z_part
        _sigmoid(r)
        _sigmoid(z)
        np.add(n_part, self.hidden_bias, cache)
        n += np.multiply(r, cache, n_part)
        np.tanh(n, n)
        difference = np.subtract(h, n, n_part)
        difference *= z
        np.add(n, difference, out)
        return (out,)

    def back(self, gate_grads, gates, cache, before, grads):
        h_grad, h = grads[0], before[0]
        r, z, n = self.blocks(gates)
        r_grad, z_grad, n_grad = self.blocks(gate_grads)
        np.subtract(h, n, z_grad)
        z_grad *= h_grad
        z_grad *= z
        z_grad *= 1 - z
        np.multiply(h_grad, 1 - z, n_grad)
        n_grad *= 1 - n * n
        np.multiply(n_grad, cache, r_grad)
        r_grad *= r
        r_grad *= 1 - r
        return (self.hidden_grads(gate_grads, gates) @ self.weights.h2h + h_grad * z,)

    def hidden_grads(self, gate_grads, gates):
        """Returns the gradients of the gates, with the candidate's multiplied by r."""
        size = self.op.state_size
        grads = gate_grads.copy()
        grads[..., 2 * size:] *= gates[..., :size]
        return grads


def _sigmoid(x):
    """Computes 1 / (1 + e⁻ˣ) in place. e⁻ˣ may overflow to ∞; 1 / ∞ is correct.

    np.negative is avoided because in NumPy 2.4.6 its in-place result is wrong for one of several columns, as in a
    one-unit gate.
    """
    np.multiply(x, -1, x)
    np.exp(x, x)
    np.add(x, 1, x)
    np.reciprocal(x, x)


CELLS = {"rnn_relu": ReLU, "rnn_tanh": Tanh, "lstm": LSTM, "gru": GRU}
