"""Operators that take or replace a rectangular part of an array, and diag."""

import numpy as np

from minigluon.ops.array.slicing import box_key

from ....strides import placeholder, view_at
from ...launch import In, Out, Work
from ..movement import fill, move, one_view, zeros
from ..registry import kernel_for

__all__ = []


@kernel_for("slice", "slice_axis", "slice_like", "Crop")
def box(op, inputs, outputs):
    return one_view(outputs[0], view_at(placeholder(inputs[0].shape), op.key(*[spec.shape for spec in inputs])))


@kernel_for("_slice_grad", "_slice_axis_grad", "_slice_like_grad", "_Crop_grad")
def box_grad(op, inputs, outputs):
    grad, out = inputs[0], outputs[0]
    view = view_at(placeholder(out.shape), op.operator.key(*[spec.shape for spec in inputs[1:]]))
    return Work(*zeros(out, Out(0)), *move(out.dtype, In(0), placeholder(grad.shape), Out(0), view))


@kernel_for("_slice_assign")
def slice_assign(op, inputs, outputs):
    whole, rhs, out = placeholder(inputs[0].shape), inputs[1], outputs[0]
    if rhs.dtype != out.dtype:
        return f"lhs of {out.dtype}, rhs of {rhs.dtype}"
    return Work(*move(out.dtype, In(0), whole, Out(0), whole),
                *move(out.dtype, In(1), placeholder(rhs.shape), Out(0), view_at(whole, box_key(op, out.shape))))


@kernel_for("_slice_assign_scalar")
def slice_assign_scalar(op, inputs, outputs):
    whole, out = placeholder(inputs[0].shape), outputs[0]
    return Work(*move(out.dtype, In(0), whole, Out(0), whole),
                *fill(out.dtype, Out(0), view_at(whole, box_key(op, out.shape)), op.scalar))


def diagonal(op, shape):
    """Returns the diagonal of a placeholder with this shape, which has two or more axes."""
    return np.diagonal(placeholder(shape), op.k, op.axis1, op.axis2)


@kernel_for("diag")
def diag(op, inputs, outputs):
    data, out = inputs[0], outputs[0]
    if len(data.shape) > 1:
        return one_view(out, diagonal(op, data.shape))
    view = np.diagonal(placeholder(out.shape), op.k)
    return Work(*zeros(out, Out(0)), *move(out.dtype, In(0), placeholder(data.shape), Out(0), view))


@kernel_for("_diag_grad")
def diag_grad(op, inputs, outputs):
    grad, out = inputs[0], outputs[0]
    if len(out.shape) == 1:
        return one_view(out, np.diagonal(placeholder(grad.shape), op.k))
    return Work(*zeros(out, Out(0)),
                *move(out.dtype, In(0), placeholder(grad.shape), Out(0), diagonal(op.operator, out.shape)))
