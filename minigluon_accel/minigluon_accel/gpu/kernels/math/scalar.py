"""Operators on an array and a number, which may change without recompiling."""

from minigluon.ops.math.scalar import Scalar

from ...expressions import elementwise
from ..registry import kernel_for, names_of

__all__ = []


@kernel_for(*names_of(Scalar))
def scalar(op, inputs, outputs):
    return elementwise(op, inputs, outputs)
