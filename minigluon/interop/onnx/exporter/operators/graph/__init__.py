"""Loops and branches: see `minigluon.ops.graph`."""

from . import control

__all__ = ["control"]
