"""Operators on two arrays, which are broadcast along axes of length 1 if the operator supports this."""

from minigluon.ops.math.broadcast import Binary

from ...expressions import elementwise
from ..registry import kernel_for, names_of

__all__ = []


@kernel_for(*names_of(Binary))
def binary(op, inputs, outputs):
    return elementwise(op, inputs, outputs)
