"""Recurrent layers over a sequence, and their gradients: one function for a layer and one for the stack.

The inputs of the entire sequence are multiplied in one large product, as are the gradients of the weights. Only the
computations that depend on states are done step by step.

A batch item that is shorter than the sequence is "outside" in the last steps: its states do not change, and its outputs
are 0. In the reverse direction, it keeps its initial state until it is inside. Therefore neither direction needs to
know where an item ends.
"""

import math

import numpy as np

from ..numeric import sum_along
from .cells import CELLS, Weights
from .layout import directions_of, parameter_shapes, reserve_shapes, views

__all__ = ["backward", "data_grad", "forward"]


def forward(op, inputs, outputs, train, rng):
    """Runs all layers and fills the outputs. inputs, outputs: as in the operator `RNN`, all of one dtype."""
    data, states, inside = _sorted(op, inputs)
    weights = views(inputs[1], parameter_shapes(op, data.shape[2]))
    buffers = views(outputs[-1], reserve_shapes(op, *data.shape[:2]))
    names, x, layer_width = directions_of(op), data, outputs[0].shape[2]
    size = op.projection_size or op.state_size
    for number, name in enumerate(names):
        layer = int(name[1:])
        out = outputs[0] if layer + 1 == op.num_layers else buffers[f"{layer}_outputs"]
        column = size if name[0] == "r" else 0
        cell = CELLS[op.mode](_weights(weights, name), op, data.shape[1])
        ends = layer_forward(cell, x, [s[number] for s in states], _cache(buffers, name),
                             out[:, :, column:column + size], name[0] == "r", inside)
        for final, end in zip(outputs[1:-1], ends, strict=False):
            final[number] = end
        if column + size == layer_width and layer + 1 < op.num_layers:
            x = _drop(op, out, buffers[f"{layer}_mask"], train, rng) if op.p > 0 else out


def layer_forward(cell, x, states, cache, out, reverse, inside):
    """Runs one direction of one layer; returns the last states.

    x (T, N, inputs) | states [h (N, R), c (N, H) of lstm] | cache (gates, the cell's own), out (T, N, R): filled
    inside (T, N, 1), or None if every item is as long as the sequence
    """
    gates, own = cache
    np.matmul(_rows(x), cell.weights.i2h.T, _rows(gates))
    gates += cell.bias
    for t in _order(len(x), reverse):
        before, states = states, cell.step(gates[t], own[t], states, out[t])
        if inside is not None:
            states = [np.where(inside[t], new, old) for new, old in zip(states, before, strict=True)]
            np.copyto(out[t], 0, where=~inside[t])
            if len(states) > 1:
                own[t] = states[1]          # the gradient reads the cell before each step from here
    return states


def backward(op, grads, inputs, output, reserve, results):
    """Fills `results`, the gradients of parameters, states, and the first layer's gates.

    grads: the gradients of the output and the state outputs. inputs: the inputs of `RNN`. output, reserve: its results.
    """
    data, states, inside = _sorted(op, inputs)
    shapes = parameter_shapes(op, data.shape[2])
    weights, weight_grads = views(inputs[1], shapes), views(results[0], shapes)
    buffers = views(reserve, reserve_shapes(op, *data.shape[:2]))
    names, size = directions_of(op), op.projection_size or op.state_size
    out_grad, out, gate_grads = grads[0], output, results[-1]       # of each layer in turn; finally, the first layer's
    for layer in reversed(range(op.num_layers)):
        x = below = buffers[f"{layer - 1}_outputs"] if layer else data
        if layer and op.p > 0:
            x = x * buffers[f"{layer - 1}_mask"]
        for side in range(op.sides):
            number = layer * op.sides + side
            columns = slice(side * size, (side + 1) * size)
            cell = CELLS[op.mode](_weights(weights, names[number]), op, data.shape[1])
            ends = ([g[number] for g in grads[1:]] if op.state_outputs
                    else [np.zeros_like(s[number]) for s in states])
            starts = layer_backward(cell, x, [s[number] for s in states], _cache(buffers, names[number]),
                                    out[:, :, columns], side == 1, inside, out_grad[:, :, columns], ends,
                                    gate_grads[side], _weights(weight_grads, names[number]))
            for result, start in zip(results[1:-1], starts, strict=True):
                result[number] = start
        if layer:
            out_grad = _input_grad(gate_grads, weights, layer, np.empty_like(x))
            if op.p > 0:
                out_grad *= buffers[f"{layer - 1}_mask"]
        out = below


def data_grad(op, gate_grads, parameters, grad):
    """Fills `grad`, the gradient of data, from the gradient of the first layer's gates."""
    _input_grad(gate_grads, views(parameters, parameter_shapes(op, grad.shape[2])), 0, grad)


def layer_backward(cell, x, states, cache, out, reverse, inside, out_grad, ends, gate_grads, weight_grads):
    """Computes the gradients of `layer_forward` except for its input, and returns those of the initial states.

    out_grad (T, N, R), ends: the gradients of the outputs and the last states
    gate_grads (T, N, G H): filled, the gradients of the gates | weight_grads: a `Weights`, filled
    """
    gates, own = cache
    if inside is not None:                  # x may be NaN outside, where gradients are 0, but 0 · NaN is NaN
        x, gates = _cleared(x, inside), _cleared(gates, inside)
        own = own if len(states) > 1 else _cleared(own, inside)         # for lstm, these contain the cell states
    projected_grads = None if cell.weights.h2r is None else np.empty(out.shape, out.dtype)
    before = [_before(out, states[0], reverse, inside), *[_before(own, c, reverse, None) for c in states[1:]]]
    grads = ends
    for t in reversed(_order(len(x), reverse)):
        outside = ()
        if inside is not None:              # the step changes neither the items that are outside nor their gradients
            outside = [np.where(inside[t], 0, g) for g in grads]
            grads = [np.where(inside[t], g, 0) for g in (grads[0] + out_grad[t], *grads[1:])]
        else:
            grads = [grads[0] + out_grad[t], *grads[1:]]
        if projected_grads is not None:
            projected_grads[t] = grads[0]
        grads = cell.back(gate_grads[t], gates[t], own[t], [b[t] for b in before], grads)
        if outside:
            grads = [g + o for g, o in zip(grads, outside, strict=True)]
    hidden_grads = cell.hidden_grads(gate_grads, gates)
    np.matmul(_rows(gate_grads).T, _rows(x), weight_grads.i2h)
    np.matmul(_rows(hidden_grads).T, _rows(before[0]), weight_grads.h2h)
    sum_along(_rows(gate_grads), 0, None, weight_grads.i2h_bias)
    sum_along(_rows(hidden_grads), 0, None, weight_grads.h2h_bias)
    if projected_grads is not None:
        hidden = np.tanh(own) * gates[..., -cell.op.state_size:]
        np.matmul(_rows(projected_grads).T, _rows(hidden), weight_grads.h2r)
    return grads


def _input_grad(gate_grads, weights, layer, grad):
    """Fills `grad` (T, N, inputs), the gradient of a layer's input, summed over both directions."""
    np.matmul(_rows(gate_grads[0]), weights[f"l{layer}_i2h_weight"], _rows(grad))
    if len(gate_grads) > 1:
        grad += (_rows(gate_grads[1]) @ weights[f"r{layer}_i2h_weight"]).reshape(grad.shape)
    return grad


def _sorted(op, inputs):
    """Returns (data, [state, state_cell of lstm], inside): inside (T, N, 1), or None without sequence_length."""
    data, _, *states = inputs
    if not op.use_sequence_length:
        return data, states, None
    lengths = states.pop()
    return data, states, (np.arange(len(data))[:, None] < lengths)[:, :, None]


def _cleared(array, inside):
    """Returns the array with zeros where items are outside."""
    return np.where(inside, array, array.dtype.type(0))


def _weights(arrays, name):
    return Weights(*[arrays.get(f"{name}_{part}")
                     for part in ("i2h_weight", "h2h_weight", "i2h_bias", "h2h_bias", "h2r_weight")])


def _cache(arrays, name):
    """Returns (gates, the cell's other saved values), or the gates twice if there are no other values."""
    gates = arrays[f"{name}_gates"]
    return gates, arrays.get(f"{name}_cells", arrays.get(f"{name}_hidden", gates))


def _order(steps, reverse):
    return range(steps)[::-1] if reverse else range(steps)


def _rows(array):
    """Reshapes (T, N, ...) to (T N, ...); does not use -1, because inputs may have no features."""
    return array.reshape(math.prod(array.shape[:-1]), array.shape[-1])


def _before(after, first, reverse, inside):
    """Returns the state before each step (T, N, ...) from the states after each step, which are not stored outside."""
    before = np.empty(after.shape, after.dtype)
    if reverse:
        before[-1:], before[:-1] = first, after[1:]
        if inside is not None:
            np.copyto(before[:-1], first, where=~inside[1:])
    else:
        before[:1], before[1:] = first, after[:-1]
    return before


def _drop(op, out, mask, train, rng):
    """Drops each element of out with probability p, and fills the mask."""
    if not train:
        mask.fill(1)
        return out
    np.greater_equal(rng.random(mask.shape, np.float32), op.p, mask)
    mask *= mask.dtype.type(1 / (1 - op.p) if op.p < 1 else 0)
    return out * mask
