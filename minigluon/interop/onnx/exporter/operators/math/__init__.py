"""Arithmetic, elementwise functions, reductions: see `minigluon.ops.math`."""

from ...table import listed
from . import broadcast, elementwise, reduce, statistics, stretch

__all__ = ["broadcast", "elementwise", "reduce", "statistics", "stretch"]

listed("ONNX has no gamma function and no inverse of erf", "erfinv", "gamma", "gammaln", "_polygamma")
