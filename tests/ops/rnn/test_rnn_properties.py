"""Drawn recurrent nets: the operator RNN against one item after the other by the formulas, and its gradient."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from minigluon import autograd, nd
from minigluon.ops import REGISTRY
from minigluon.ops.rnn.layout import parameter_shapes, size_of_all, views


@st.composite
def nets(draw):
    """(operator, steps, batch, inputs, lengths or None)"""
    mode = draw(st.sampled_from(["rnn_relu", "rnn_tanh", "lstm", "gru"]))
    steps, batch = draw(st.integers(1, 4)), draw(st.integers(1, 3))
    lengths = draw(st.none() | st.lists(st.integers(1, steps), min_size=batch, max_size=batch))
    clip = draw(st.booleans()) and mode == "lstm"
    op = REGISTRY["RNN"](mode=mode, state_size=draw(st.integers(1, 3)), num_layers=draw(st.integers(1, 3)),
                         bidirectional=draw(st.booleans()), state_outputs=True, use_sequence_length=lengths is not None,
                         projection_size=draw(st.none() | st.integers(1, 3)) if mode == "lstm" else None,
                         lstm_state_clip_min=-0.3 if clip else None, lstm_state_clip_max=0.25 if clip else None)
    return op, steps, batch, draw(st.integers(1, 3)), lengths


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def step(op, weights, x, states):
    """New states of one item from its input (inputs,) and states."""
    i2h, h2h, i2h_bias, h2h_bias = weights[:4]
    here, there = i2h @ x + i2h_bias, h2h @ states[0] + h2h_bias
    if op.mode.startswith("rnn"):
        total = here + there
        return [np.tanh(total) if op.mode == "rnn_tanh" else np.maximum(total, 0)]
    if op.mode == "lstm":
        i, f, n, o = np.split(here + there, 4)
        c = sigmoid(f) * states[1] + sigmoid(i) * np.tanh(n)
        if op.lstm_state_clip_min is not None:
            c = np.clip(c, op.lstm_state_clip_min, op.lstm_state_clip_max)
        h = sigmoid(o) * np.tanh(c)
        return [h if op.projection_size is None else weights[4] @ h, c]
    (xr, xz, xn), (hr, hz, hn) = np.split(here, 3), np.split(there, 3)
    z = sigmoid(xz + hz)
    return [(1 - z) * np.tanh(xn + sigmoid(xr + hr) * hn) + z * states[0]]


def by_items(op, lengths, data, parameters, *states):
    """What RNN returns, item by item: a shorter item is a shorter sequence."""
    parts = views(parameters, parameter_shapes(op, data.shape[2]))
    out = np.zeros((*data.shape[:2], op.sides * states[0].shape[2]))
    finals = [np.zeros_like(s) for s in states]
    for item in range(data.shape[1]):
        x = data[:lengths[item] if lengths else None, item]
        for layer in range(op.num_layers):
            sides = []
            for side in "lr"[:op.sides]:
                number = layer * op.sides + len(sides)
                weights = [parts.get(f"{side}{layer}_{part}")
                           for part in ("i2h_weight", "h2h_weight", "i2h_bias", "h2h_bias", "h2r_weight")]
                now, outputs = [s[number, item] for s in states], []
                for row in x if side == "l" else x[::-1]:
                    now = step(op, weights, row, now)
                    outputs.append(now[0])
                sides.append(outputs if side == "l" else outputs[::-1])
                for final, state in zip(finals, now, strict=True):
                    final[number, item] = state
            x = np.concatenate(sides, axis=1)
        out[:len(x), item] = x
    return [out, *finals]


def drawn_arrays(op, steps, batch, inputs):
    rng = np.random.default_rng(5)
    shapes = [(steps, batch, inputs), (size_of_all(parameter_shapes(op, inputs)),), *op.state_shapes(batch)]
    return [rng.uniform(-1, 1, shape) for shape in shapes]


@settings(deadline=None, max_examples=30)
@given(nets())
def test_the_operator_computes_its_formulas(drawn):
    op, *sizes, lengths = drawn
    arrays = drawn_arrays(op, *sizes)
    more = {} if lengths is None else {"sequence_length": nd.array(lengths)}
    found = nd.RNN(*[nd.array(a, dtype="float64") for a in arrays], **more, **op.attributes)
    for y, expected in zip(found, by_items(op, lengths, *arrays), strict=True):
        np.testing.assert_allclose(y.asnumpy(), expected, rtol=1e-11, atol=1e-13)


@settings(deadline=None, max_examples=30)
@given(nets())
def test_its_gradient_is_the_slope(drawn):
    """Along one direction for each input, by differences of the formulas."""
    op, *sizes, lengths = drawn
    arrays = drawn_arrays(op, *sizes)
    inputs = [nd.array(a, dtype="float64") for a in arrays]
    for x in inputs:
        x.attach_grad()
    more = {} if lengths is None else {"sequence_length": nd.array(lengths)}
    with autograd.record():
        total = sum((y * y).sum() for y in nd.RNN(*inputs, **more, **op.attributes))
    total.backward()
    rng = np.random.default_rng(6)
    for place, x in enumerate(inputs):
        way = rng.normal(size=x.shape)
        above, below = (sum((y * y).sum() for y in by_items(op, lengths, *[
            a + sign * 1e-6 * way if i == place else a for i, a in enumerate(arrays)])) for sign in (1, -1))
        slope = (x.grad.asnumpy() * way).sum()
        np.testing.assert_allclose(slope, (above - below) / 2e-6, rtol=1e-5, atol=1e-7)
