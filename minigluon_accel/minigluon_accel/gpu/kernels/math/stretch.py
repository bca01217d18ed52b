"""Operators that repeat an array along axes of length 1: the formula is the element itself."""

from ..registry import kernel_for
from .elementwise import elementwise

kernel_for("broadcast_to", "broadcast_axis", "broadcast_like", "_stretch_like")(elementwise)
