"""Arrays created from numbers in graphs, such as MXNet's `_npi_zeros`. `creation.py` creates them immediately."""

from __future__ import annotations

import math
from collections.abc import Callable
from operator import index
from typing import Any

import numpy as onp

from ..table import function
from .common import as_type, scalar, shaped
from .joining import stack
from .shape import broadcast_to

__all__ = ["lengths_of"]


def lengths_of(shape: Any) -> tuple[int, ...]:
    """Return a shape as a tuple, with () for None."""
    return () if shape is None else (index(shape),) if onp.ndim(shape) == 0 else tuple(map(index, shape))


def _full(F, shape, value, dtype):
    lengths = lengths_of(shape)
    made = F.full(lengths or (1,), value, dtype="float32" if dtype is None else onp.dtype(dtype).name)
    return made if lengths else scalar(F, made)


@function("_zeros")
def zeros_(F, shape, dtype="float32", order="C"):
    """Return zeros."""
    return _full(F, shape, 0, dtype)


@function("_ones")
def ones(F, shape, dtype="float32", order="C"):
    """Return ones."""
    return _full(F, shape, 1, dtype)


@function("_full")
def full(F, shape, value, dtype="float32", order="C"):
    """Return an array filled with a number."""
    return _full(F, shape, value, dtype)


@function("_arange")
def arange(F, start, stop=None, step=1, dtype="float32"):
    """Return start, start + step, ... below stop."""
    if stop is None:
        start, stop = 0, start
    if math.ceil((stop - start) / step) <= 0:
        return _full(F, 0, 0, dtype)
    return F.arange(start, stop, step, dtype=onp.dtype(dtype or "float32").name)


@function("_linspace")
def linspace(F, start, stop, num=50, endpoint=True, dtype=None):
    """Return evenly spaced numbers."""
    return F.linspace(start, stop, num, endpoint, dtype=onp.dtype(dtype or "float32").name)


@function("_logspace")
def logspace(F, start, stop, num=50, endpoint=True, base=10.0, dtype=None):
    """Return numbers with evenly spaced logarithms."""
    return as_type(F, F.power(base, F.linspace(start, stop, num, endpoint, dtype="float64")), dtype or "float32")


@function("_eye")
def eye(F, N, M=None, k=0, dtype="float32"):
    """Return a matrix with ones on a diagonal."""
    return F.eye(N, N if M is None else M, k, dtype=onp.dtype(dtype or "float32").name)


@function("_identity")
def identity(F, shape, dtype="float32"):
    """Return the identity matrix of shape (n, n)."""
    return eye(F, lengths_of(shape)[0], None, 0, dtype)


@function("_indices")
def indices(F, dimensions, dtype="int32"):
    """Return, for each axis of a grid, the index of each point."""
    lengths = lengths_of(dimensions)
    grids = [broadcast_to(F, shaped(F, arange(F, n, dtype=dtype), [n if i == axis else 1 for i in range(len(lengths))]),
                          lengths) for axis, n in enumerate(lengths)]
    return stack(F, grids)


def _window(name: str, *weights: float) -> Callable[..., Any]:
    def window(F, M, dtype="float32"):
        if M == 1:
            return _full(F, 1, 1, dtype)
        angle = F.multiply(F.arange(0, M, dtype="float64"), 2 * onp.pi / (M - 1))
        total = F.add(F.zeros_like(angle), weights[0])
        for i, weight in enumerate(weights[1:]):
            total = F.add(total, F.multiply(F.cos(F.multiply(angle, i + 1)), weight))
        return as_type(F, total, dtype or "float32")
    window.__doc__ = f"Return the {name} window."
    return function(f"_{name}")(window)


_window("blackman", 0.42, -0.5, 0.08)
_window("hamming", 0.54, -0.46)
_window("hanning", 0.5, -0.5)
