"""Operators that give an array another shape: reshape and its kin."""

import math

from ....strides import placeholder
from ..movement import one_view
from ..registry import kernel_for

__all__ = []


@kernel_for("Reshape", "Flatten", "expand_dims", "squeeze", "reshape_like")
def whole(op, inputs, outputs):
    """The same elements in the same order. The output may be the memory of the input."""
    return one_view(outputs[0], placeholder((math.prod(outputs[0].shape),)))
