"""Operators that reorder an array: transpose, reverse and related operators."""

import numpy as np

from ....strides import placeholder
from ..movement import one_view
from ..registry import kernel_for

__all__ = []


@kernel_for("transpose")
def transpose(op, inputs, outputs):
    shape = inputs[0].shape
    return one_view(outputs[0], placeholder(shape).transpose(op.order(len(shape))))


@kernel_for("SwapAxis")
def swap_axis(op, inputs, outputs):
    return one_view(outputs[0], placeholder(inputs[0].shape).swapaxes(op.dim1, op.dim2))


@kernel_for("reverse")
def reverse(op, inputs, outputs):
    return one_view(outputs[0], np.flip(placeholder(inputs[0].shape), op.axis))


@kernel_for("depth_to_space")
def depth_to_space(op, inputs, outputs):
    (n, c, h, w), b = inputs[0].shape, op.block_size
    return one_view(outputs[0], placeholder((n, b, b, c // b ** 2, h, w)).transpose(0, 3, 4, 1, 5, 2))


@kernel_for("space_to_depth")
def space_to_depth(op, inputs, outputs):
    (n, c, h, w), b = inputs[0].shape, op.block_size
    return one_view(outputs[0], placeholder((n, c, h // b, b, w // b, b)).transpose(0, 3, 5, 1, 2, 4))
