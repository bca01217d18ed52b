"""Quantiles: elements of the sorted array, or numbers between two of its elements."""

from __future__ import annotations

import math
from typing import Any

import numpy as onp

from ...base import ArgumentError, ShapeError
from ..table import function
from .common import as_float, as_type, dtype_of, is_number, shaped
from .elementwise import rint
from .joining import stack
from .reduction import axes_of, mean
from .shape import moveaxis, transpose

_BETWEEN = {"linear": None, "lower": math.floor, "higher": math.ceil, "nearest": round, "midpoint": None}


@function("quantile")
def quantile(F, a, q, axis=None, out=None, overwrite_input=None, interpolation="linear", keepdims=False, method=None):
    """Return the quantiles over axes: the numbers below which the fractions q of the elements lie.

    a (any shape and type) | out with the axes of q first, float32 for integers

    q: a fraction between 0 and 1, or several in a list or an array.
    overwrite_input: no effect.
    interpolation, method: for a position between two elements: 'linear', 'lower', 'higher', 'midpoint' or 'nearest'.

    Raises ArgumentError for other fractions and methods, and ShapeError if there are no elements.

    >>> np.quantile(np.array([1, 2, 3, 4]), [0.5, 1])
    array([2.5, 4. ])
    """
    return _quantile(F, "quantile", a, _fractions(F, q, 1), axis, method or interpolation, keepdims)


@function("percentile")
def percentile(F, a, q, axis=None, out=None, overwrite_input=None, interpolation="linear", keepdims=False,
               method=None):
    """Return the percentiles over axes: the numbers below which q percent of the elements lie.

    a (any shape and type) | out with the axes of q first, float32 for integers

    q: a number between 0 and 100, or several in a list or an array.
    overwrite_input: no effect.
    interpolation, method: for a position between two elements: 'linear', 'lower', 'higher', 'midpoint' or 'nearest'.

    Raises ArgumentError for other percentages and methods, and ShapeError if there are no elements.

    >>> np.percentile(np.array([1, 2, 3, 4]), 50)
    array(2.5)
    """
    return _quantile(F, "percentile", a, _fractions(F, q, 100), axis, method or interpolation, keepdims)


@function("median")
def median(F, a, axis=None, out=None, overwrite_input=False, keepdims=False):
    """Return the middle element of the sorted elements over axes, or the mean of the middle two.

    MXNet 1.9.1 does not have it.

    a (any shape and type) | out like a without the axes, float32 for integers

    overwrite_input: no effect.

    >>> np.median(np.array([[1, 9, 2], [4, 4, 4]]), axis=1)
    array([2., 4.])
    """
    return _quantile(F, "median", a, onp.float64(0.5), axis, "linear", keepdims)


def _fractions(F: Any, q: Any, whole: int) -> Any:
    """Return q as NumPy floats, or as a symbol of a graph, divided by `whole`."""
    if hasattr(q, "heads"):
        return F.divide(as_type(F, q, "float64"), whole)
    if not is_number(q) and hasattr(q, "asnumpy"):
        q = q.asnumpy()
    return onp.asarray(q, "float64") / whole


def _quantile(F, name, a, fractions, axis, method, keepdims):
    if method not in _BETWEEN:
        raise ArgumentError(f"np.{name}: the method is {method!r}, expected one of {', '.join(_BETWEEN)}")
    is_symbol = hasattr(fractions, "heads")
    if not is_symbol and not ((fractions >= 0) & (fractions <= 1)).all():
        raise ArgumentError(f"np.{name}: q must be between 0 and {100 if name == 'percentile' else 1}")
    a = as_float(F, a)
    axes = axes_of(name, axis, len(a.shape))
    kept = [i for i in range(len(a.shape)) if i not in axes]
    n = math.prod(a.shape[i] for i in axes)
    if not n and name == "median":
        return mean(F, a, axis, keepdims=keepdims)
    if not n:
        raise ShapeError(f"np.{name}: an array of shape {tuple(a.shape)} has no elements along axis={axis}")
    shape = [1 if i in axes else m for i, m in enumerate(a.shape) if keepdims or i not in axes]
    x = shaped(F, transpose(F, a, [*kept, *axes]), [*[a.shape[i] for i in kept], n])
    x = F.sort(x, axis=len(kept)) if a.size else x
    if is_symbol:
        found = _at_each(F, x, len(kept), F.multiply(fractions, n - 1), method)
        return shaped(F, moveaxis(F, found, -1, 0), [*fractions.shape, *shape])
    parts = [shaped(F, _at(F, x, len(kept), fraction * (n - 1), method), shape) for fraction in fractions.ravel()]
    if not fractions.ndim:
        return parts[0]
    stacked = stack(F, parts)
    return shaped(F, stacked, [*fractions.shape, *shape])


def _at(F, x, axis, position, method):
    """Return the element of a sorted axis at a position, which may lie between two elements."""
    low, high = math.floor(position), math.ceil(position)
    if _BETWEEN[method] is not None:
        low = high = int(_BETWEEN[method](position))
    below = F.slice_axis(x, axis=axis, begin=low, end=low + 1)
    if low == high:
        return below
    weight = 0.5 if method == "midpoint" else float(position - low)
    above = F.slice_axis(x, axis=axis, begin=high, end=high + 1)
    return F.add(below, F.multiply(F.subtract(above, below), weight))


def _at_each(F, x, axis, positions, method):
    """Return the elements of a sorted axis, the last one, at positions that are only known when the graph runs."""
    positions = shaped(F, positions, (positions.size,))
    low, high = F.floor(positions), F.ceil(positions)
    if method in ("higher", "nearest"):
        low = high if method == "higher" else rint(F, positions)
    below, above = (F.take(x, as_type(F, place, "int64"), axis=axis, mode="clip") for place in (low, high))
    weight = F.multiply(F.subtract(high, low), 0.5) if method == "midpoint" else F.subtract(positions, low)
    if _BETWEEN[method] is not None:
        return below
    return F.broadcast_add(below, F.broadcast_mul(F.subtract(above, below), as_type(F, weight, dtype_of(x))))
