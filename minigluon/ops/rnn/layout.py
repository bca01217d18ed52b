"""The layout of `RNN`'s two long vectors: the parameters, and the values that forward saves for the gradient.

A layer's direction is named by its side and index, like Gluon's parameters: `l0`, `r0`, `l1`, ...
"""

import itertools
import math

__all__ = ["GATES", "directions_of", "firsts", "input_size_of", "parameter_shapes", "parameter_size", "reserve_shapes",
           "reserve_size", "size_of_all", "views"]

GATES = {"rnn_relu": 1, "rnn_tanh": 1, "lstm": 4, "gru": 3}


def directions_of(op):
    """Returns ('l0', 'r0', 'l1', ...), which is also the order of the states. op: any object with the attributes of
    `RNN`.
    """
    return tuple([f"{side}{layer}" for layer in range(op.num_layers) for side in ("lr" if op.bidirectional else "l")])


def parameter_shapes(op, input_size):
    """Returns {name: shape} in the order of cuDNN's packed vector: all matrices, then all biases, by direction.

    For each direction i2h_weight (G H, inputs), h2h_weight (G H, R) and, with a projection, h2r_weight (R, H); then
    i2h_bias and h2h_bias (G H). H is state_size, and R is the size of a step's output: projection_size or H. The first
    layer's inputs are data; the other layers' inputs are the results of both directions of the previous layer. The G
    blocks of rows are the gates: lstm input, forget, candidate, output; gru reset, update, candidate.
    """
    rows, out = GATES[op.mode] * op.state_size, op.projection_size or op.state_size
    below = out * (2 if op.bidirectional else 1)
    shapes = {}
    for name in directions_of(op):
        shapes[f"{name}_i2h_weight"] = (rows, input_size if name[1:] == "0" else below)
        shapes[f"{name}_h2h_weight"] = (rows, out)
        if op.projection_size:
            shapes[f"{name}_h2r_weight"] = (out, op.state_size)
    for name in directions_of(op):
        shapes[f"{name}_i2h_bias"] = shapes[f"{name}_h2h_bias"] = (rows,)
    return shapes


def parameter_size(op, input_size):
    """Returns `size_of_all(parameter_shapes(op, input_size))` without listing the layers, because a file may claim to
    have any number of layers. """
    sides, rows, out = _sizes(op)
    direction = rows * out + 2 * rows + (out * op.state_size if op.projection_size else 0)
    return sides * (op.num_layers * direction + rows * (input_size + (op.num_layers - 1) * sides * out))


def input_size_of(op, size):
    """Returns the length of data's last axis that matches a packed vector of this size; None if no length fits."""
    without = parameter_size(op, 0)
    inputs, remainder = divmod(size - without, parameter_size(op, 1) - without)
    return inputs if inputs >= 0 and remainder == 0 else None


def reserve_shapes(op, steps, batch):
    """Returns {name: shape} of the values that forward saves, in the order of the vector `reserve`.

    For each direction, `gates` (T, N, G H) after their activation, and for
    lstm: `cells` (T, N, H), the cell after each step; gru: `hidden` (T, N, H), the h2h part of the candidate.
    For each layer except the last, `outputs` (T, N, width) and, with p > 0, `mask`, by which they are multiplied in the
    next layer's input: 0 or 1 / (1 - p) in training, otherwise 1.
    """
    shapes = {}
    extra = {"lstm": "cells", "gru": "hidden"}.get(op.mode)
    for name in directions_of(op):
        shapes[f"{name}_gates"] = (steps, batch, GATES[op.mode] * op.state_size)
        if extra:
            shapes[f"{name}_{extra}"] = (steps, batch, op.state_size)
    width = (op.projection_size or op.state_size) * (2 if op.bidirectional else 1)
    for layer in range(op.num_layers - 1):
        shapes[f"{layer}_outputs"] = (steps, batch, width)
        if op.p > 0:
            shapes[f"{layer}_mask"] = (steps, batch, width)
    return shapes


def reserve_size(op, steps, batch):
    """Returns `size_of_all(reserve_shapes(op, steps, batch))` without listing the layers."""
    sides, rows, out = _sizes(op)
    direction = rows + (op.state_size if op.mode in ("lstm", "gru") else 0)
    between = sides * out * (2 if op.p > 0 else 1)
    return steps * batch * (op.num_layers * sides * direction + (op.num_layers - 1) * between)


def _sizes(op):
    """Returns (directions, rows of a matrix of all gates, size of a step's output)."""
    return 2 if op.bidirectional else 1, GATES[op.mode] * op.state_size, op.projection_size or op.state_size


def size_of_all(shapes):
    """Returns the number of elements of a vector that contains all of these consecutively."""
    return sum(map(math.prod, shapes.values()))


def firsts(shapes):
    """Returns {name: index of its first element in that vector}."""
    return dict(zip(shapes, itertools.accumulate(map(math.prod, shapes.values()), initial=0), strict=False))


def views(vector, shapes):
    """Returns {name: view of the vector}. shapes: the result of one of the functions above."""
    ends = list(itertools.accumulate(map(math.prod, shapes.values())))
    return {name: vector[start:end].reshape(shape)
            for (name, shape), start, end in zip(shapes.items(), [0, *ends], ends, strict=False)}
