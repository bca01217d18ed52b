"""Rectangular parts of an array, and their gradients: the part surrounded by zeros."""

from ...strides import StridedView, view_at
from ..movement import among_constants, one_view
from ..registry import kernel_for


@kernel_for("slice", "slice_axis")
def box(op, inputs, outputs):
    return one_view(inputs[0], outputs[0], view_at(StridedView(inputs[0].shape), op.key(inputs[0].shape)))


@kernel_for("_slice_grad", "_slice_axis_grad")
def box_grad(op, inputs, outputs):
    grad, out = inputs[0], outputs[0]
    return among_constants(grad, out, view_at(StridedView(out.shape), op.operator.key(out.shape)), 0, len(inputs))
