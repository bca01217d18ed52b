"""Copies to other places: transpose, concat, slice, pad, split, flip and their kin.

Each is one or several runs of the kernel `move`. Where elements come from and go to is asked of NumPy: the operator's
view is taken of an array of that shape which has no memory, and its distances are read off.
"""

import math

import numpy as np

from ...engine import Call, Phase
from ..registry import kernel_for, parts, size
from .sources import fill_phase


def ghost(shape):
    """An array of bytes of this shape that all are one byte, with the distances that a whole array has."""
    strides = [math.prod(shape[axis + 1:]) for axis in range(len(shape))]
    return np.lib.stride_tricks.as_strided(_ONE_BYTE, shape, strides)


_ONE_BYTE = np.zeros(1, "uint8")


def place(view):
    """Where a view of a ghost begins."""
    return view.__array_interface__["data"][0] - _ONE_BYTE.__array_interface__["data"][0]


def move(item, source, target, view, target_view):
    """The Phase that copies a view of operand number `source` to one of the same shape of operand `target`."""
    axes = [[n, a, b] for n, a, b in zip(view.shape, view.strides, target_view.strides, strict=True) if n != 1]
    axes.sort(key=lambda axis: -abs(axis[2]))
    merged = []
    for n, a, b in axes:
        if merged and merged[-1][1] == n * a and merged[-1][2] == n * b:
            merged[-1] = [merged[-1][0] * n, a, b]
        else:
            merged.append([n, a, b])
    while len(merged) < 2:
        merged.insert(0, [1, 0, 0])
    if abs(merged[-1][1]) != 1:         # the axis along which the source is dense goes with the target's
        dense = [axis for axis in merged[:-1] if abs(axis[1]) == 1]
        for axis in dense[:1]:
            merged.remove(axis)
            merged.insert(-1, axis)
    count, units = math.prod(n for n, _, _ in merged), math.prod(n for n, _, _ in merged[:-2]) * -(-merged[-2][0] // 16)
    numbers = [axis[k] for k in range(3) for axis in merged]
    return Phase("move", None, min(parts(count), units) if count else 0, item=item, source=source, target=target,
                 axes=len(merged), from_=place(view), to=place(target_view), numbers=numbers)


def cannot(*specs):
    """Why `move` cannot copy such arrays, or None."""
    if any(spec.dtype.itemsize not in (1, 2, 4, 8) or spec.dtype.hasobject for spec in specs):
        return f"dtype {specs[0].dtype}"
    return "mixed dtypes" if any(spec.dtype != specs[0].dtype for spec in specs) else None


def one_view(spec, out, view):
    """The Call that makes `out` from a view of the first input."""
    return cannot(spec, out) or Call(move(spec.dtype.itemsize, 0, 1, view, ghost(view.shape)))


@kernel_for("transpose")
def transpose(op, inputs, outputs):
    data = inputs[0]
    return one_view(data, outputs[0], ghost(data.shape).transpose(op._order(len(data.shape))))


@kernel_for("SwapAxis")
def swap_axis(op, inputs, outputs):
    return one_view(inputs[0], outputs[0], ghost(inputs[0].shape).swapaxes(op.dim1, op.dim2))


@kernel_for("reverse")
def reverse(op, inputs, outputs):
    return one_view(inputs[0], outputs[0], np.flip(ghost(inputs[0].shape), op.axis))


@kernel_for("slice", "slice_axis")
def box(op, inputs, outputs):
    return one_view(inputs[0], outputs[0], ghost(inputs[0].shape)[op.key(inputs[0].shape)])


@kernel_for("_slice_grad", "_slice_axis_grad")
def box_grad(op, inputs, outputs):
    grad, out = inputs[0], outputs[0]
    return among_constants(grad, out, ghost(out.shape)[op.operator.key(out.shape)], 0, len(inputs))


def among_constants(data, out, view, value, target):
    """The Call that makes `out`, operand number `target`, of one value, and of the first input where `view` is."""
    return cannot(data, out) or Call(fill_phase(out, value, target),
                                     move(out.dtype.itemsize, 0, target, ghost(data.shape), view))


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


@kernel_for("depth_to_space")
def depth_to_space(op, inputs, outputs):
    (n, c, h, w), b = inputs[0].shape, op.block_size
    return one_view(inputs[0], outputs[0], ghost((n, b, b, c // b ** 2, h, w)).transpose(0, 3, 4, 1, 5, 2))


@kernel_for("space_to_depth")
def space_to_depth(op, inputs, outputs):
    (n, c, h, w), b = inputs[0].shape, op.block_size
    return one_view(inputs[0], outputs[0], ghost((n, c, h // b, b, w // b, b)).transpose(0, 3, 5, 1, 2, 4))


def along(whole, axis, lengths):
    """Views of a ghost that follow each other along an axis."""
    start, lead = 0, (slice(None),) * axis
    for length in lengths:
        yield whole[(*lead, slice(start, start + length))]
        start += length


@kernel_for("Concat", "_rnn_param_concat")
def concat(op, inputs, outputs):
    axis = op.axis_of(outputs[0].shape)
    views = along(ghost(outputs[0].shape), axis, [spec.shape[axis] for spec in inputs])
    return cannot(*inputs, *outputs) or Call(*[
        move(spec.dtype.itemsize, number, len(inputs), ghost(spec.shape), view)
        for number, (spec, view) in enumerate(zip(inputs, views, strict=True)) if size(spec)])


@kernel_for("stack")
def stack(op, inputs, outputs):
    axis = op.normalize_axis(op.axis, len(outputs[0].shape))
    whole, lead = ghost(outputs[0].shape), (slice(None),) * axis
    return cannot(*inputs, *outputs) or Call(*[
        move(spec.dtype.itemsize, number, len(inputs), ghost(spec.shape), whole[(*lead, number)])
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
    views = along(ghost(data.shape), axis, lengths)
    return cannot(data, *outputs) or Call(*[
        move(data.dtype.itemsize, 0, first + number, view, ghost(view.shape))
        for number, (spec, view) in enumerate(zip(outputs, views, strict=True)) if size(spec)])
