"""Joining and splitting arrays along an axis: concat, stack and split."""

from ...engine import Call
from ...strides import StridedView, view_at
from ..movement import move, unsupported
from ..registry import kernel_for, size


def consecutive(whole, axis, lengths):
    """Returns consecutive views of a whole array along an axis."""
    start, lead = 0, (slice(None),) * axis
    for length in lengths:
        yield whole[(*lead, slice(start, start + length))]
        start += length


@kernel_for("Concat", "_rnn_param_concat")
def concat(op, inputs, outputs):
    axis = op.axis_of(outputs[0].shape)
    views = consecutive(StridedView(outputs[0].shape), axis, [spec.shape[axis] for spec in inputs])
    return unsupported(*inputs, *outputs) or Call(*[
        move(spec.dtype.itemsize, number, len(inputs), StridedView(spec.shape), view)
        for number, (spec, view) in enumerate(zip(inputs, views, strict=True)) if size(spec)])


@kernel_for("stack")
def stack(op, inputs, outputs):
    axis = op.normalize_axis(op.axis, len(outputs[0].shape))
    whole, lead = StridedView(outputs[0].shape), (slice(None),) * axis
    return unsupported(*inputs, *outputs) or Call(*[
        move(spec.dtype.itemsize, number, len(inputs), StridedView(spec.shape), view_at(whole, (*lead, number)))
        for number, spec in enumerate(inputs) if size(spec)])


@kernel_for("SliceChannel", "_split_v2")
def split(op, inputs, outputs):
    data = inputs[0]
    axis = op.normalize_axis(op.axis, len(data.shape))
    cuts = [0, *op.cuts(data.shape[axis]), data.shape[axis]]
    return split_along(data, outputs, 1, axis, [b - a for a, b in zip(cuts, cuts[1:], strict=False)])


@kernel_for("_concat_grad")
def concat_grad(op, inputs, outputs):
    axis = op.normalize_axis(op.dim, len(inputs[0].shape))
    return split_along(inputs[0], outputs, len(inputs), axis, [spec.shape[axis] for spec in outputs])


def split_along(data, outputs, first, axis, lengths):
    """Splits along an axis into parts with these lengths. The outputs are the operands from index `first` on."""
    views = consecutive(StridedView(data.shape), axis, lengths)
    return unsupported(data, *outputs) or Call(*[
        move(data.dtype.itemsize, 0, first + number, view, StridedView(view.shape))
        for number, (spec, view) in enumerate(zip(outputs, views, strict=True)) if size(spec)])
