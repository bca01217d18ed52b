"""Derivatives of the log-gamma function; see `polygamma` in `expressions.py` and in `math/elementwise.cuh`."""

from ...expressions import elementwise
from ..registry import kernel_for

__all__ = []


@kernel_for("_polygamma")
def polygamma(op, inputs, outputs):
    return elementwise(op, inputs, outputs)
