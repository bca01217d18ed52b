"""Operators that repeat an array along axes of length 1, and their adjoint, a sum."""

from ...expressions import elementwise
from ..reductions import reduce
from ..registry import kernel_for

__all__ = []


@kernel_for("broadcast_to", "broadcast_axis", "broadcast_like", "_stretch_like")
def stretch(op, inputs, outputs):
    """Returns the Work whose formula is the element itself."""
    return elementwise(op, inputs, outputs)


@kernel_for("_sum_like")
def sum_like(op, inputs, outputs):
    data, like = inputs[0].shape, outputs[0].shape
    full = (1,) * (len(data) - len(like)) + like
    return reduce(inputs[0], [a for a, (n, m) in enumerate(zip(data, full, strict=True)) if n != m], outputs[0], "sum")
