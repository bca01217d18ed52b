"""Operators that join and split arrays."""

import itertools

from ....strides import placeholder, view_at
from ...launch import In, Out, Work
from ..movement import move
from ..registry import kernel_for

__all__ = []


def along(whole, axis, lengths):
    """Returns consecutive views of a placeholder along an axis."""
    ends = [0, *itertools.accumulate(lengths)]
    return [whole[(*[slice(None)] * axis, slice(a, b))] for a, b in itertools.pairwise(ends)]


@kernel_for("Concat", "_rnn_param_concat")
def concat(op, inputs, outputs):
    out = outputs[0]
    axis = op.axis_of(out.shape)
    views = along(placeholder(out.shape), axis, [spec.shape[axis] for spec in inputs])
    return _gathered(inputs, out, views)


@kernel_for("stack")
def stack(op, inputs, outputs):
    out = outputs[0]
    axis = op.normalize_axis(op.axis, len(out.shape))
    whole = placeholder(out.shape)
    return _gathered(inputs, out, [view_at(whole, (*[slice(None)] * axis, number)) for number in range(len(inputs))])


def _gathered(inputs, out, views):
    """Returns the Work that copies each input to its view of the output."""
    if any(spec.dtype != out.dtype for spec in inputs):
        return f"inputs of {', '.join(str(spec.dtype) for spec in inputs)}"
    return Work(*[part for number, (spec, view) in enumerate(zip(inputs, views, strict=True))
                  for part in move(out.dtype, In(number), placeholder(spec.shape), Out(0), view)])


@kernel_for("SliceChannel", "_split_v2")
def split(op, inputs, outputs):
    data = inputs[0]
    axis = op.normalize_axis(op.axis, len(data.shape))
    cuts = [0, *op.cuts(data.shape[axis]), data.shape[axis]]
    return _divided(data, outputs, axis, [b - a for a, b in itertools.pairwise(cuts)])


@kernel_for("_concat_grad")
def concat_grad(op, inputs, outputs):
    axis = op.normalize_axis(op.dim, len(inputs[0].shape))
    return _divided(inputs[0], outputs, axis, [spec.shape[axis] for spec in outputs])


def _divided(data, outputs, axis, lengths):
    """Returns the Work that splits the first input along an axis into parts with these lengths."""
    if any(spec.dtype != data.dtype for spec in outputs):
        return f"outputs of {', '.join(str(spec.dtype) for spec in outputs)}"
    views = along(placeholder(data.shape), axis, lengths)
    return Work(*[part for number, view in enumerate(views)
                  for part in move(data.dtype, In(0), view, Out(number), placeholder(view.shape))])
