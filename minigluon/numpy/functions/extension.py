"""Functions of `mx.npx` that have separate nodes in MXNet's files."""

from __future__ import annotations

from ..table import function
from .common import as_float


@function("_npx_relu")
def relu(F, data):
    """Return max(x, 0)."""
    return F.relu(data)


@function("_npx_sigmoid")
def sigmoid(F, data):
    """Return 1 / (1 + exp(-x))."""
    return F.sigmoid(as_float(F, data))
