"""Operators of two arrays, each stretched along axes of length 1 where the operator broadcasts."""

from minigluon.ops.math.broadcast import Binary

from ...expressions import elementwise
from ..registry import kernel_for, names_of

__all__ = []


@kernel_for(*names_of(Binary))
def binary(op, inputs, outputs):
    return elementwise(op, inputs, outputs)
