"""Operators that repeat an array along axes of length 1, and the adjoint, which sums over them."""

from .. import programs
from ..reductions import reduce
from ..registry import kernel_for


@kernel_for("broadcast_to", "broadcast_axis", "broadcast_like", "_stretch_like")
def broadcast(op, inputs, outputs):
    return programs.stretch(inputs, inputs[0].shape, outputs[0])


@kernel_for("_sum_like")
def sum_like(op, inputs, outputs):
    data, like = inputs[0].shape, outputs[0].shape
    full = (1,) * (len(data) - len(like)) + like
    axes = [a for a, (n, m) in enumerate(zip(data, full, strict=True)) if n != m]
    return reduce("sum", inputs, axes, outputs[0])
