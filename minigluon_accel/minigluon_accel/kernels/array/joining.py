"""Arrays joined and taken apart along an axis, and padded: concat, stack, split, pad."""

import numpy as np

from ...engine import Call
from ...geometry import ghost, view_at
from ..movement import among_constants, cannot, move
from ..registry import kernel_for, size


def consecutive(whole, axis, lengths):
    """Views of a ghost that follow each other along an axis."""
    start, lead = 0, (slice(None),) * axis
    for length in lengths:
        yield whole[(*lead, slice(start, start + length))]
        start += length


@kernel_for("Concat", "_rnn_param_concat")
def concat(op, inputs, outputs):
    axis = op.axis_of(outputs[0].shape)
    views = consecutive(ghost(outputs[0].shape), axis, [spec.shape[axis] for spec in inputs])
    return cannot(*inputs, *outputs) or Call(*[
        move(spec.dtype.itemsize, number, len(inputs), ghost(spec.shape), view)
        for number, (spec, view) in enumerate(zip(inputs, views, strict=True)) if size(spec)])


@kernel_for("stack")
def stack(op, inputs, outputs):
    axis = op.normalize_axis(op.axis, len(outputs[0].shape))
    whole, lead = ghost(outputs[0].shape), (slice(None),) * axis
    return cannot(*inputs, *outputs) or Call(*[
        move(spec.dtype.itemsize, number, len(inputs), ghost(spec.shape), view_at(whole, (*lead, number)))
        for number, spec in enumerate(inputs) if size(spec)])


@kernel_for("SliceChannel", "_split_v2")
def split(op, inputs, outputs):
    data = inputs[0]
    axis = op.normalize_axis(op.axis, len(data.shape))
    cuts = [0, *op.cuts(data.shape[axis]), data.shape[axis]]
    return taken_apart(data, outputs, 1, axis, [b - a for a, b in zip(cuts, cuts[1:], strict=False)])


@kernel_for("_concat_grad")
def concat_grad(op, inputs, outputs):
    axis = op.normalize_axis(op.dim, len(inputs[0].shape))
    return taken_apart(inputs[0], outputs, len(inputs), axis, [spec.shape[axis] for spec in outputs])


def taken_apart(data, outputs, first, axis, lengths):
    """The parts along an axis, of these lengths, to the outputs, which are operands from number `first` on."""
    views = consecutive(ghost(data.shape), axis, lengths)
    return cannot(data, *outputs) or Call(*[
        move(data.dtype.itemsize, 0, first + number, view, ghost(view.shape))
        for number, (spec, view) in enumerate(zip(outputs, views, strict=True)) if size(spec)])


@kernel_for("Pad")
def pad(op, inputs, outputs):
    data, out = inputs[0], outputs[0]
    inner = inside(op.widths, data.shape)
    whole = ghost(out.shape)
    if op.mode == "constant":
        return among_constants(data, out, whole[inner], op.constant_value, 1)
    item = out.dtype.itemsize
    return cannot(data, out) or Call(move(item, 0, 1, ghost(data.shape), whole[inner]),
                                     *[move(item, 1, 1, view, border) for view, border in borders(op, whole, inner)])


def inside(widths, shape):
    """Where in the padded array that of this shape is: a slice for each axis."""
    return tuple(slice(before, before + n) for n, (before, _) in zip(shape, widths, strict=True))


def borders(op, whole, inner):
    """(what is copied, to where) for modes that copy: axis after axis, later ones with the borders of earlier ones."""
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
    view = ghost(grad.shape)[inside(op.operator.widths, out.shape)]
    return cannot(grad, out) or Call(move(out.dtype.itemsize, 0, len(inputs), view, ghost(out.shape)))
