"""Operators that repeat or pad arrays, and the gradients of the repeating operators, which are sums."""

import math

import numpy as np

from minigluon.backend import Spec

from ....strides import placeholder, start
from ... import launch
from ...launch import In, Launch, Out, Scratch, SourceFile, Work, blocks, dims, types
from ..movement import one_view, walk, word_of
from ..registry import kernel_for

__all__ = ["add_copies", "summed"]

SOURCE = SourceFile("array/extending.cu")
MODES = {"constant": 0, "edge": 1, "reflect": 2}        # as in array/extending.cu
LONG = 256              # a whole block computes a sum of at least this many elements, unless there are many sums

# -- repeating --------------------------------------------------------------------------------------------------------


@kernel_for("tile")
def tile(op, inputs, outputs):
    shape = inputs[0].shape
    extra, counts = op.factors(len(shape))
    shape = (1,) * extra + shape
    # Before each axis, an axis that has length 1 in the data.
    whole = placeholder([n for length in shape for n in (1, length)])
    return one_view(outputs[0], np.broadcast_to(whole, [n for pair in zip(counts, shape, strict=True) for n in pair]))


@kernel_for("_tile_grad")
def tile_grad(op, inputs, outputs):
    shape = outputs[0].shape
    extra, counts = op.operator.factors(len(shape))
    pairs = [n for pair in zip(counts, (1,) * extra + shape, strict=True) for n in pair]
    return Work(*summed(outputs[0].dtype, In(0), placeholder(pairs), range(0, len(pairs), 2), Out(0)))


def _repeated_shape(op, shape):
    """Returns (the shape up to the repeated axis, before repetition; the shape after this axis)."""
    axis = len(shape) - 1 if op.axis is None else op.normalize_axis(op.axis, len(shape))
    return shape[:axis + 1], shape[axis + 1:]


@kernel_for("repeat")
def repeat(op, inputs, outputs):
    lead, trailing = _repeated_shape(op, inputs[0].shape)
    view = np.broadcast_to(placeholder((*lead, 1, *trailing)), (*lead, op.repeats, *trailing))
    return one_view(outputs[0], view)


@kernel_for("_repeat_grad")
def repeat_grad(op, inputs, outputs):
    lead, trailing = _repeated_shape(op, outputs[0].shape)
    return Work(*summed(outputs[0].dtype, In(0), placeholder((*lead, op.repeats, *trailing)), [len(lead)], Out(0)))


def summed(dtype, source, view, axes, target):
    """Returns a list with a Launch that writes the sum of a view of `source` over axes to all of operand `target`."""
    outside = [axis for axis in range(view.ndim) if axis not in axes]
    count = math.prod(view.shape[axis] for axis in axes)
    n = math.prod(view.shape[axis] for axis in outside)
    if not n:
        return []
    around, index = walk(_steps(view, outside))
    within, inner_index = walk(_steps(view, axes))
    index = max(index, inner_index, key=lambda define: len(define["INDEX"]))      # the wider of the two dtypes
    many = count >= LONG and n < launch.MAX_BLOCKS
    function, grid = ("sum_many_copies", blocks(n, 1)) if many else ("sum_copies", blocks(n))
    return [Launch(SOURCE, function, {**types(dtype), **index}, grid, launch.THREADS,
                   [target, source, n, count, start(view), around, within])]


def _steps(view, axes):
    """Returns [[length, 0, stride]] for some axes of a view; axes that can be traversed as one axis are merged."""
    steps = []
    for axis in axes:
        n, stride = view.shape[axis], view.strides[axis]
        if n == 1:
            continue
        if steps and steps[-1][2] == stride * n:
            steps[-1] = [steps[-1][0] * n, 0, stride]
        else:
            steps.append([n, 0, stride])
    return steps


def add_copies(dtype, source, view, target, target_view):
    """Returns a list with a Launch that adds a view of `source` to a view of `target`, which is initialized to 0."""
    if not view.size:
        return []
    axes = [[n, a, b] for n, a, b in zip(view.shape, target_view.strides, view.strides, strict=True)]
    steps, index = walk(axes)
    return [Launch(SOURCE, "add_copies", {**types(dtype), **index}, blocks(view.size), launch.THREADS,
                   [target, source, view.size, steps])]


# -- padding ----------------------------------------------------------------------------------------------------------


@kernel_for("Pad")
def pad(op, inputs, outputs):
    data, out = inputs[0], outputs[0]
    if not math.prod(out.shape):
        return Work()
    if len(out.shape) > launch.MAX_DIMS:
        return f"{len(out.shape)} axes"
    whole, padded = placeholder(data.shape), math.prod(out.shape)
    steps, index = walk([[n, 0, stride] for n, stride in zip(out.shape, whole.strides, strict=True)])
    with np.errstate(all="ignore"):
        word = np.array([op.constant_value]).astype(out.dtype).view(f"u{out.dtype.itemsize}")[0]
    return Work(Launch(SOURCE, "pad", {**word_of(out.dtype), **index}, blocks(padded), launch.THREADS,
                       [Out(0), In(0), padded, MODES[op.mode], word, dims([before for before, _ in op.widths]),
                        dims(data.shape), steps]))


@kernel_for("_Pad_grad")
def pad_grad(op, inputs, outputs):
    """Proceeds axis by axis, as the reference does, so intermediate arrays are still padded along later axes."""
    grad, out, widths = inputs[0], outputs[0], op.operator.widths
    if op.mode == "constant":
        key = tuple(slice(before, before + n) for n, (before, _) in zip(out.shape, widths, strict=True))
        return one_view(out, placeholder(grad.shape)[key])
    if not math.prod(out.shape):
        return Work()
    axes = [axis for axis, pair in enumerate(widths) if any(pair)]
    if not axes:
        return one_view(out, placeholder(grad.shape))
    shape, source, launches, scratch = list(grad.shape), In(0), [], []
    for axis in axes:
        shape[axis] = out.shape[axis]
        target = Out(0) if axis == axes[-1] else Scratch(len(scratch))
        launches.append(Launch(SOURCE, "pad_grad", {**types(out.dtype), "INDEX": "unsigned"},
                               blocks(math.prod(shape)), launch.THREADS,
                               [target, source, math.prod(shape), shape[axis], math.prod(shape[axis + 1:]),
                                *widths[axis], MODES[op.mode]]))
        if axis != axes[-1]:
            scratch.append(Spec(tuple(shape), out.dtype))
        source = target
    return Work(*launches, scratch=scratch)
