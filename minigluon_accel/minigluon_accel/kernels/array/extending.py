"""Padding of arrays."""

import numpy as np

from ...engine import Call
from ...strides import placeholder
from ..movement import among_constants, move, unsupported
from ..registry import kernel_for


@kernel_for("Pad")
def pad(op, inputs, outputs):
    data, out = inputs[0], outputs[0]
    inner = inside(op.widths, data.shape)
    whole = placeholder(out.shape)
    if op.mode == "constant":
        if isinstance(op.constant_value, int):
            return "a constant that no float64 is"
        return among_constants(data, out, whole[inner], op.constant_value, 1)
    item = out.dtype.itemsize
    return unsupported(data, out) or Call(
        move(item, 0, 1, placeholder(data.shape), whole[inner]),
        *[move(item, 1, 1, view, border) for view, border in borders(op, whole, inner)])


def inside(widths, shape):
    """Returns the region of the padded array that contains an array of this shape: a slice for each axis."""
    return tuple(slice(before, before + n) for n, (before, _) in zip(shape, widths, strict=True))


def borders(op, whole, inner):
    """Yields (source, target) of the copies for modes that copy, axis by axis, with the borders along earlier axes."""
    for axis, (part, (before, after)) in enumerate(zip(inner, op.widths, strict=True)):
        rows = whole[(*[slice(None)] * (axis + 1), *inner[axis + 1:])].swapaxes(0, axis)
        if op.mode == "edge":
            first, last = rows[part.start:part.start + 1], rows[part.stop - 1:part.stop]
        else:
            first = rows[part.start + 1:part.start + 1 + before][::-1]
            last = rows[part.stop - 1 - after:part.stop - 1][::-1]
        for source, target in (first, rows[:part.start]), (last, rows[part.stop:]):
            if target.size:
                yield np.broadcast_to(source, target.shape), target


@kernel_for("_Pad_grad")
def pad_grad(op, inputs, outputs):
    grad, out = inputs[0], outputs[0]
    if op.mode != "constant":
        return f"mode {op.mode}"
    view = placeholder(grad.shape)[inside(op.operator.widths, out.shape)]
    return unsupported(grad, out) or Call(move(out.dtype.itemsize, 0, len(inputs), view, placeholder(out.shape)))
