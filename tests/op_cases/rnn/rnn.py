"""Rows of the operators in `minigluon/ops/rnn/rnn.py`."""

import numpy as np

from ..case import case, fixed, u

NO_LENGTHS = "MXNet ignores lengths on the CPU"
GATES = {"rnn_relu": 1, "rnn_tanh": 1, "lstm": 4, "gru": 3}


def size(mode, inputs, state, layers=1, sides=1, projection=None):
    """Length of the packed vector."""
    rows, out = GATES[mode] * state, projection or state
    widths = [inputs] + [out * sides] * (layers - 1)
    return sides * sum(rows * (width + out + 2) + state * (projection or 0) for width in widths)


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def gru(data, parameters, state):
    """One layer in one direction, from the formulas."""
    inputs, hidden = data.shape[2], state.shape[2]
    i2h, h2h, i2h_bias, h2h_bias = np.split(parameters, np.cumsum([3 * hidden * n for n in (inputs, hidden)] + [
        3 * hidden])[:3])
    h, out = state[0], []
    for x in data:
        xr, xz, xn = np.split(x @ i2h.reshape(-1, inputs).T + i2h_bias, 3, axis=1)
        hr, hz, hn = np.split(h @ h2h.reshape(-1, hidden).T + h2h_bias, 3, axis=1)
        z, n = sigmoid(xz + hz), np.tanh(xn + sigmoid(xr + hr) * hn)
        h = (1 - z) * n + z * h
        out.append(h)
    return np.stack(out), h[None]


def row(mode, *, steps=3, batch=2, inputs=3, state=2, layers=1, bidirectional=False, lengths=None, **more):
    sides = 2 if bidirectional else 1
    projection = more.get("projection_size")
    states = [u(layers * sides, batch, n) for n in (projection or state, state)][:2 if mode == "lstm" else 1]
    if lengths is not None:
        states.append(fixed(lengths, floating=False))
        more["use_sequence_length"] = True
    case("RNN", u(steps, batch, inputs), u(size(mode, inputs, state, layers, sides, projection)), *states,
         mode=mode, state_size=state, num_layers=layers, bidirectional=bidirectional, second=False, **more)


row("rnn_tanh")
row("rnn_relu", state_outputs=True)
row("gru", state_outputs=True, expect=gru)
row("lstm", state_outputs=True)
row("lstm", layers=2, bidirectional=True, state_outputs=True)
row("gru", layers=2, bidirectional=True)
row("rnn_tanh", layers=2, bidirectional=True, state_outputs=True)
row("lstm", layers=2, p=0.5, state_outputs=True, oracle="MXNet drops wherever a gradient is recorded")
row("lstm", layers=2, bidirectional=True, state_outputs=True, projection_size=1, state=3,
    oracle="MXNet has no gradient on the CPU and takes no second direction")
row("lstm", layers=2, bidirectional=True, state_outputs=True, lengths=[2, 3], oracle=NO_LENGTHS)
row("gru", layers=2, bidirectional=True, state_outputs=True, lengths=[3, 1], oracle=NO_LENGTHS)
row("rnn_tanh", state_outputs=True, lengths=[1, 2], oracle=NO_LENGTHS)
row("lstm", state_outputs=True, lstm_state_clip_min=-.1, lstm_state_clip_max=.2,
    oracle="MXNet does not clip on the CPU")
