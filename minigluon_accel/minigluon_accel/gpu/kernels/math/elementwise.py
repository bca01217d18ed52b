"""Elementwise operators on one array."""

from minigluon.ops.math.elementwise import Unary

from ...expressions import elementwise
from ..array.sources import fill
from ..registry import kernel_for, names_of

__all__ = []

CONSTANTS = {"zeros_like": 0, "ones_like": 1}


@kernel_for(*sorted({*names_of(Unary)} - {*CONSTANTS}), "_relu_grad", "hard_sigmoid", "smooth_l1", "clip", "_clip_grad")
def unary(op, inputs, outputs):
    return elementwise(op, inputs, outputs)


@kernel_for(*CONSTANTS)
def constant(op, inputs, outputs):
    """Reads no element, because the input may be one of the tape's placeholders, which have no memory."""
    return fill(outputs[0], CONSTANTS[op.name])
