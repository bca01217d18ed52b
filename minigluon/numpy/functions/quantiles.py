"""Quantiles: elements of the sorted array, or numbers between two of them."""

from __future__ import annotations

import math
from typing import Any

import numpy as onp

from ...base import ArgumentError, ShapeError
from ..table import function
from .common import as_float, is_number, shaped
from .joining import stack
from .reduction import axes_of
from .shape import transpose

_BETWEEN = {"linear": None, "lower": math.floor, "higher": math.ceil, "nearest": round, "midpoint": None}


@function("quantile")
def quantile(F, a, q, axis=None, out=None, overwrite_input=None, interpolation="linear", keepdims=False, method=None):
    """Return the numbers below which the fractions q of the elements lie, along axes.

    a (any shape and type) | out with the axes of q in front, float32 for integers

    q: a fraction between 0 and 1, or several in a list or an array.
    overwrite_input: has no effect.
    interpolation, method: of a position between two elements: 'linear', 'lower', 'higher', 'midpoint' or 'nearest'.

    Raises ArgumentError for other fractions and methods, and ShapeError without elements.
    """
    return _quantile(F, "quantile", a, _fractions(q, 1), axis, method or interpolation, keepdims)


@function("percentile")
def percentile(F, a, q, axis=None, out=None, overwrite_input=None, interpolation="linear", keepdims=False,
               method=None):
    """Return the numbers below which q percent of the elements lie, along axes.

    a (any shape and type) | out with the axes of q in front, float32 for integers

    q: a number between 0 and 100, or several in a list or an array.
    overwrite_input: has no effect.
    interpolation, method: of a position between two elements: 'linear', 'lower', 'higher', 'midpoint' or 'nearest'.

    Raises ArgumentError for other percentages and methods, and ShapeError without elements.
    """
    return _quantile(F, "percentile", a, _fractions(q, 100), axis, method or interpolation, keepdims)


@function("median")
def median(F, a, axis=None, out=None, overwrite_input=False, keepdims=False):
    """Return the middle of the sorted elements along axes, or the mean of the two there. MXNet 1.9.1 lacks it.

    a (any shape and type) | out like a without the axes, float32 for integers

    overwrite_input: has no effect.
    """
    return _quantile(F, "median", a, onp.float64(0.5), axis, "linear", keepdims)


def _fractions(q: Any, whole: int) -> Any:
    """Return q as NumPy's floats, divided by `whole`. The values are needed, so in a graph q is not a symbol."""
    if not is_number(q) and hasattr(q, "asnumpy"):
        q = q.asnumpy()
    return onp.asarray(q, "float64") / whole


def _quantile(F, name, a, fractions, axis, method, keepdims):
    if method not in _BETWEEN:
        raise ArgumentError(f"np.{name}: the method is {method!r}, expected one of {', '.join(_BETWEEN)}")
    if not ((fractions >= 0) & (fractions <= 1)).all():
        raise ArgumentError(f"np.{name}: q must be between 0 and {100 if name == 'percentile' else 1}")
    a = as_float(F, a)
    axes = axes_of(name, axis, len(a.shape))
    kept = [i for i in range(len(a.shape)) if i not in axes]
    n = math.prod(a.shape[i] for i in axes)
    if not n:
        raise ShapeError(f"np.{name}: an array of shape {tuple(a.shape)} has no elements along axis={axis}")
    shape = [1 if i in axes else m for i, m in enumerate(a.shape) if keepdims or i not in axes]
    x = shaped(F, transpose(F, a, [*kept, *axes]), [*[a.shape[i] for i in kept], n])
    x = F.sort(x, axis=len(kept)) if a.size else x
    parts = [shaped(F, _at(F, x, len(kept), fraction * (n - 1), method), shape) for fraction in fractions.ravel()]
    if not fractions.ndim:
        return parts[0]
    stacked = stack(F, parts)
    return shaped(F, stacked, [*fractions.shape, *shape])


def _at(F, x, axis, position, method):
    """Return the element of a sorted axis at a position, which may be between two."""
    low, high = math.floor(position), math.ceil(position)
    if _BETWEEN[method] is not None:
        low = high = int(_BETWEEN[method](position))
    below = F.slice_axis(x, axis=axis, begin=low, end=low + 1)
    if low == high:
        return below
    weight = 0.5 if method == "midpoint" else float(position - low)
    above = F.slice_axis(x, axis=axis, begin=high, end=high + 1)
    return F.add(below, F.multiply(F.subtract(above, below), weight))
