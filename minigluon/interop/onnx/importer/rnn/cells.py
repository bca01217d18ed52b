"""Recurrent cells as loops: peepholes, GRUs that reset before the product, and other gate activations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..... import symbol as sym

if TYPE_CHECKING:
    from ..call import Call

FUNCTIONS = {
    "Sigmoid": sym.sigmoid, "Tanh": sym.tanh, "Relu": sym.relu, "Softsign": sym.softsign,
    "Softplus": lambda x: sym.Activation(x, act_type="softrelu"),
    "Hardsigmoid": lambda x: sym.hard_sigmoid(x, alpha=0.2, beta=0.5), "Affine": lambda x: x,
}


def run_cells(call: Call, kind: Any, x: Any, states: Any, direction: Any, size: Any,
              activations: Any) -> list[Any]:
    """Returns [outputs (T, N, D H), states after the last step (D, N, H)]."""
    names = [name.capitalize() for name in activations]
    unknown = [name for name in names if name not in FUNCTIONS]
    if unknown or call.attribute("activation_alpha", None) or call.attribute("activation_beta", None):
        raise call.refuse(f"the activations {activations} with their factors")
    sides = {"forward": [False], "reverse": [True], "bidirectional": [False, True]}[direction]
    count = len(names) // len(sides)
    outputs, after = [], []
    for side, backwards in enumerate(sides):
        functions = [FUNCTIONS[name] for name in names[side * count:(side + 1) * count]]
        step = CELLS[kind](call, side, size, functions)
        begin = [sym.reshape(sym.slice_axis(state, axis=0, begin=side, end=side + 1), shape=(-3, -2))
                 for state in states]
        data = sym.reverse(x, axis=0) if backwards else x
        out, last = sym.contrib.foreach(step, data, begin)
        outputs.append(sym.reverse(out, axis=0) if backwards else out)
        after.append([sym.expand_dims(state, axis=0) for state in last])
    joined = outputs[0] if len(outputs) == 1 else sym.concat(*outputs, dim=2)
    states = [parts[0] if len(parts) == 1 else sym.concat(*parts, dim=0) for parts in zip(*after, strict=True)]
    return [joined, *states]


def _side(call, index, side, columns=True):
    """Returns W, R, B or P for one direction, or None if it is omitted."""
    if not call.has(index):
        return None
    return sym.reshape(sym.slice_axis(call.data(index), axis=0, begin=side, end=side + 1),
                       shape=(-3, -2) if columns else (-1,))


def _gates(call, side, gates, size):
    """Returns (input part, state part): functions that map x and h to the pre-activation gates, each (N, H)."""
    w, r, b = _side(call, 1, side), _side(call, 2, side), _side(call, 3, side, False)
    halves = [None, None] if b is None else [
        sym.slice_axis(b, axis=0, begin=half * gates * size, end=(half + 1) * gates * size) for half in (0, 1)]

    def part(x, weight, bias, k):
        rows = [sym.slice_axis(one, axis=0, begin=k * size, end=(k + 1) * size)
                for one in (weight, bias) if one is not None]
        return sym.FullyConnected(x, *rows, num_hidden=size, no_bias=bias is None, flatten=False)
    return (lambda x, k: part(x, w, halves[0], k)), (lambda h, k: part(h, r, halves[1], k))


def _lstm(call, side, size, functions):
    """Returns the LSTM step.

    The gates are in the order input, output, forget, cell, and the peepholes in the order input, output, forget.
    """
    from_x, from_h = _gates(call, side, 4, size)
    f, g, h_function = functions
    peep = _side(call, 7, side, False)
    coupled = call.attribute("input_forget", 0)

    def look(c, k):
        if peep is None:
            return 0
        return sym.broadcast_mul(c, sym.reshape(sym.slice_axis(peep, axis=0, begin=k * size, end=(k + 1) * size),
                                                shape=(1, -1)))

    def step(x, states):
        h, c = states
        i = f(from_x(x, 0) + from_h(h, 0) + look(c, 0))
        forget = 1 - i if coupled else f(from_x(x, 2) + from_h(h, 2) + look(c, 2))
        c = forget * c + i * g(from_x(x, 3) + from_h(h, 3))
        h = f(from_x(x, 1) + from_h(h, 1) + look(c, 1)) * h_function(c)
        return h, [h, c]
    return step


def _gru(call, side, size, functions):
    """Returns the GRU step, with the gates in the order update, reset, hidden."""
    from_x, from_h = _gates(call, side, 3, size)
    f, g = functions
    late = call.attribute("linear_before_reset", 0)

    def step(x, states):
        h, = states
        z, r = f(from_x(x, 0) + from_h(h, 0)), f(from_x(x, 1) + from_h(h, 1))
        new = g(from_x(x, 2) + (r * from_h(h, 2) if late else from_h(r * h, 2)))
        h = (1 - z) * new + z * h
        return h, [h]
    return step


def _rnn(call, side, size, functions):
    from_x, from_h = _gates(call, side, 1, size)

    def step(x, states):
        h = functions[0](from_x(x, 0) + from_h(states[0], 0))
        return h, [h]
    return step


CELLS = {"LSTM": _lstm, "GRU": _gru, "RNN": _rnn}
