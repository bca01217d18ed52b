"""Operators of one array, element by element."""

from minigluon.ops.math.elementwise import Unary

from ...expressions import elementwise
from ..registry import kernel_for, names_of

__all__ = []


@kernel_for(*names_of(Unary), "_relu_grad", "hard_sigmoid", "smooth_l1", "clip", "_clip_grad")
def unary(op, inputs, outputs):
    return elementwise(op, inputs, outputs)
