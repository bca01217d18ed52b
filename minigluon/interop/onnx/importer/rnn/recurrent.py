"""LSTM, GRU and RNN as the operator RNN, or as a loop from `rnn.cells` if that operator is not sufficient."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..... import symbol as sym
from ..shaping import filled
from ..table import operator
from .cells import run_cells

if TYPE_CHECKING:
    from .....symbol import Symbol
    from ..call import Call

# The order of the gates in a file: gate k in minigluon is gate ORDER[k] in ONNX.
ORDER = {"LSTM": (0, 2, 3, 1), "GRU": (1, 0, 2), "RNN": (0,)}
USUAL = {"LSTM": ["Sigmoid", "Tanh", "Tanh"], "GRU": ["Sigmoid", "Tanh"], "RNN": ["Tanh"]}


@operator("LSTM", "GRU", "RNN")
def recurrent(call: Call) -> list[Symbol]:
    """Maps X (T, N, I), W (D, G H, I), R (D, G H, H), B (D, 2 G H), lengths, states to Y (T, D, N, H), states."""
    kind, direction = call.type, call.choice("direction", "forward", "reverse", "bidirectional")
    sides = 2 if direction == "bidirectional" else 1
    size = call.attribute("hidden_size", None) or call.length(-1, 2)
    _require_shapes(call, kind, sides, size)
    activations = call.attribute("activations", None) or USUAL[kind] * sides
    batch_first = call.attribute("layout", 0)
    x = call.data(0)
    if batch_first:
        x = sym.swapaxes(x, dim1=0, dim2=1)
    batch = call.shape()[0 if batch_first else 1]
    states = [_state(call, index, (sides, batch, size), batch_first) for index in ((5, 6) if kind == "LSTM" else (5,))]
    lengths = sym.cast(call.data(4), dtype=call.dtype().name) if call.has(4) else None
    mode = _mode(call, kind, activations, sides)
    if mode is None:
        if lengths is not None:
            raise call.refuse("sequences of different lengths with this cell")
        results = run_cells(call, kind, x, states, direction, size, activations)
    else:
        results = _operator(call, kind, mode, x, states, lengths, direction, size)
    if sides == 1:
        out = sym.expand_dims(results[0], axis=1)
    else:
        out = sym.transpose(sym.reshape(results[0], shape=(0, 0, sides, size)), axes=(0, 2, 1, 3))
    after = list(results[1:])
    if batch_first:
        out = sym.transpose(out, axes=(2, 0, 1, 3))
        after = [sym.swapaxes(part, dim1=0, dim2=1) for part in after]
    return [out, *after]


def _require_shapes(call, kind, sides, size):
    """Checks the weights' shapes, so that nothing larger than the weights is allocated."""
    rows = len(ORDER[kind]) * size
    for index, shape in ((1, (sides, rows, call.shape(1)[-1])), (2, (sides, rows, size)), (3, (sides, 2 * rows))):
        if call.has(index) and not (size > 0 and _fits(call.shape(index), shape)):
            expected = f"for hidden_size={size} and direction={call.attribute('direction', 'forward')!r} it is {shape}"
            raise call.refuse(f"weights {call.value(index).name!r} of shape {call.shape(index)}; {expected}")


def _fits(actual, shape):
    """Returns whether all known lengths agree with this shape."""
    return len(actual) == len(shape) and all(a == b for a, b in zip(actual, shape, strict=True)
                                             if isinstance(a, (int, np.integer)))


def _state(call, index, shape, batch_first):
    if not call.has(index):
        return filled(call, shape, 0, call.dtype())
    state = call.data(index)
    return sym.swapaxes(state, dim1=0, dim2=1) if batch_first else state


def _mode(call, kind, activations, sides):
    """Returns the operator RNN's name for this cell, or None if there is none."""
    if call.attribute("clip", 0):
        raise call.refuse("clip, a bound for the input of the activations")
    names = [name.capitalize() for name in activations]
    if kind == "RNN" and set(names) in ({"Tanh"}, {"Relu"}):
        return "rnn_" + names[0].lower()
    if names != USUAL[kind] * sides or call.has(7) or call.attribute("input_forget", 0):
        return None
    if kind == "GRU":
        return "gru" if call.attribute("linear_before_reset", 0) else None
    return "lstm" if kind == "LSTM" else None


def _operator(call, kind, mode, x, states, lengths, direction, size):
    backwards = direction == "reverse"
    if backwards:
        x = _reversed(x, lengths)
    more = [lengths] if lengths is not None else []
    results = sym.RNN(x, _packed(call, kind, size), *states, *more, state_size=size, num_layers=1, mode=mode,
                      bidirectional=direction == "bidirectional", state_outputs=True,
                      use_sequence_length=lengths is not None)
    results[0].heads[0][0].name = (call.node.name or call.outputs[0]).removesuffix(f"/{kind}")
    return [_reversed(results[0], lengths) if backwards else results[0], *list(results)[1:]]


def _reversed(x, lengths):
    if lengths is None:
        return sym.reverse(x, axis=0)
    return sym.SequenceReverse(x, lengths, use_sequence_length=True)


def _packed(call, kind, size):
    """Returns all matrices and biases as one vector, in the order of `ops.rnn.layout`."""
    sides = call.length(0, 1)
    is_constant = all(call.is_known(index) for index in (1, 2, 3) if call.has(index))
    if is_constant:
        take = lambda index, side: call.constant(index)[side]
        rows = lambda part, k: part[k * size:(k + 1) * size].ravel()
        join, blank = np.concatenate, lambda: np.zeros(size * len(ORDER[kind]), call.dtype(1))
    else:
        take = lambda index, side: sym.reshape(sym.slice_axis(call.data(index), axis=0, begin=side, end=side + 1),
                                               shape=(-3, -2) if index < 3 else (-1,))
        rows = lambda part, k: sym.reshape(sym.slice_axis(part, axis=0, begin=k * size, end=(k + 1) * size),
                                           shape=(-1,))
        join = lambda parts: sym.concat(*parts, dim=0)
        blank = lambda: sym.zeros((size * len(ORDER[kind]),), dtype=call.dtype(1).name)
    parts = [rows(take(index, side), k) for side in range(sides) for index in (1, 2) for k in ORDER[kind]]
    gates = len(ORDER[kind])
    for side in range(sides):
        if call.has(3):
            parts += [rows(take(3, side), half + k) for half in (0, gates) for k in ORDER[kind]]
        else:
            parts += [blank(), blank()]
    return call.parameter(join(parts), "parameters") if is_constant else join(parts)
