"""Reordered elements: transpose, flip and related operators."""

from ...strides import StridedView
from ..movement import one_view
from ..registry import kernel_for


@kernel_for("transpose")
def transpose(op, inputs, outputs):
    data = inputs[0]
    return one_view(data, outputs[0], StridedView(data.shape).transpose(op.order(len(data.shape))))


@kernel_for("SwapAxis")
def swap_axis(op, inputs, outputs):
    return one_view(inputs[0], outputs[0], StridedView(inputs[0].shape).swapaxes(op.dim1, op.dim2))


@kernel_for("reverse")
def reverse(op, inputs, outputs):
    shape = inputs[0].shape
    return one_view(inputs[0], outputs[0], StridedView(shape).flip([a % len(shape) for a in op.axis]))


@kernel_for("depth_to_space")
def depth_to_space(op, inputs, outputs):
    (n, c, h, w), b = inputs[0].shape, op.block_size
    return one_view(inputs[0], outputs[0], StridedView((n, b, b, c // b ** 2, h, w)).transpose((0, 3, 4, 1, 5, 2)))


@kernel_for("space_to_depth")
def space_to_depth(op, inputs, outputs):
    (n, c, h, w), b = inputs[0].shape, op.block_size
    return one_view(inputs[0], outputs[0], StridedView((n, c, h // b, b, w // b, b)).transpose((0, 3, 5, 1, 2, 4)))
