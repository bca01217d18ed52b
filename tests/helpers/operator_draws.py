"""Convolution, Deconvolution, Pooling and RNN with attributes that hypothesis draws: (symbol, {name: array}).

Parameters are among the arrays; `data` and the states are what a network would be given.
"""

import numpy as np
from hypothesis import assume
from hypothesis import strategies as st

from minigluon import sym
from minigluon.ops import REGISTRY
from minigluon.ops.rnn.layout import parameter_size

from .convolution_draws import convolutions
from .pooling_draws import pools

__all__ = ["OPERATORS"]


def _numbers(draw, *shape):
    rng = np.random.default_rng(draw(st.integers(0, 999)))
    return rng.uniform(-1, 1, shape).astype(np.float32)


@st.composite
def convolution(draw):
    """One to three axes, with strides, dilation, padding and groups."""
    geometry, batch, channels, filters, space, _ = draw(convolutions((9, 7, 5), st.integers(1, 3)))
    no_bias = draw(st.booleans())
    arrays = {"data": _numbers(draw, batch, channels, *space),
              "weight": _numbers(draw, filters, channels // geometry["num_group"], *geometry["kernel"])}
    if not no_bias:
        arrays["bias"] = _numbers(draw, filters)
    symbol = sym.Convolution(*map(sym.var, arrays), num_filter=filters, no_bias=no_bias, **geometry)
    return symbol, arrays


@st.composite
def deconvolution(draw):
    """The same backwards, with elements added at the far ends."""
    axes = draw(st.integers(1, 3))
    several = lambda low, high: tuple(draw(st.integers(low, high)) for _ in range(axes))
    kernel, stride, dilate, pad, space = several(1, 3), several(1, 3), several(1, 2), several(0, 2), several(1, 5)
    adj = tuple(draw(st.integers(0, s - 1)) for s in stride)
    sizes = [(n - 1) * s - 2 * p + d * (k - 1) + 1 + a
             for n, s, p, d, k, a in zip(space, stride, pad, dilate, kernel, adj, strict=True)]
    assume(min(sizes) > 0)
    groups, no_bias = draw(st.sampled_from([1, 1, 2])), draw(st.booleans())
    channels, filters = groups * draw(st.integers(1, 3)), groups * draw(st.integers(1, 3))
    arrays = {"data": _numbers(draw, draw(st.integers(1, 3)), channels, *space),
              "weight": _numbers(draw, channels, filters // groups, *kernel)}
    if not no_bias:
        arrays["bias"] = _numbers(draw, filters)
    symbol = sym.Deconvolution(*map(sym.var, arrays), num_filter=filters, kernel=kernel, stride=stride, dilate=dilate,
                               pad=pad, adj=adj, num_group=groups, no_bias=no_bias)
    return symbol, arrays


@st.composite
def pooling(draw):
    """All kinds and conventions: valid, full and same; with the padding counted or not."""
    attributes, data = draw(pools(9, 3, ["float32"]))
    return sym.Pooling(sym.var("data"), **attributes), {"data": data}


@st.composite
def recurrent(draw):
    """All cells, layers and directions, with lengths of the sequences."""
    mode, both = draw(st.sampled_from(["lstm", "gru", "rnn_relu", "rnn_tanh"])), draw(st.booleans())
    steps, batch, inputs, size, layers = (draw(st.integers(1, high)) for high in (5, 3, 4, 4, 3))
    attributes = {"mode": mode, "state_size": size, "num_layers": layers, "bidirectional": both,
                  "state_outputs": draw(st.booleans()), "use_sequence_length": draw(st.booleans())}
    total = parameter_size(REGISTRY["RNN"](**attributes), inputs)
    arrays = {"data": _numbers(draw, steps, batch, inputs), "parameters": _numbers(draw, total) / 2}
    for name in ("state", "state_cell")[:2 if mode == "lstm" else 1]:
        arrays[name] = _numbers(draw, layers * (2 if both else 1), batch, size)
    if attributes["use_sequence_length"]:
        arrays["sequence_length"] = np.float32([draw(st.integers(1, steps)) for _ in range(batch)])
    return sym.RNN(**{name: sym.var(name) for name in arrays}, **attributes), arrays


OPERATORS = {"Convolution": convolution, "Deconvolution": deconvolution, "Pooling": pooling, "RNN": recurrent}
