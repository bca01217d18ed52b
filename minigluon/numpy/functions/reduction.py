"""Reductions over axes. A reduction over all axes has shape (), where `nd` returns (1,)."""

from __future__ import annotations

from typing import Any

from ...base import ArgumentError
from ..table import function
from .common import as_float, as_type, axis_of, dtype_of, scalar, shaped

__all__ = ["axes_of", "reduced"]


def axes_of(name: str, axis: Any, ndim: int) -> tuple[int, ...]:
    """Return the reduced axes as non-negative integers; all axes for None. Raises AxisError, or ArgumentError."""
    given = range(ndim) if axis is None else axis if isinstance(axis, (tuple, list)) else (axis,)
    axes = tuple([axis_of(name, a, ndim) for a in given])
    if len(set(axes)) < len(axes):
        raise ArgumentError(f"np.{name}: axis {axis} contains an axis twice")
    return axes


def reduced(F: Any, name: str, x: Any, axis: Any, keepdims: bool) -> Any:
    """Return a reduction of `nd` over the axes, with NumPy's shape."""
    axes = axes_of(name, axis, len(x.shape))
    if not axes:                                    # for a number, or with axis=()
        return x
    every = len(axes) == len(x.shape)
    result = getattr(F, name)(x, axis=None if every else axes, keepdims=bool(keepdims))
    return scalar(F, result) if every and not keepdims else result


def _as_sum_type(F, a, dtype):
    """Return the array converted to the type of the sum, which is int64 for booleans."""
    if dtype is None and dtype_of(a).kind == "b":
        dtype = "int64"
    return as_type(F, a, dtype)


@function("sum", any_lengths=True)
def sum_(F, a, axis=None, dtype=None, keepdims=False, initial=None, out=None):
    """Return the sum over axes.

    a (any shape and type) | out with type dtype, by default that of a, and int64 for booleans

    >>> np.sum(np.array([[1, 2], [3, 4]]), axis=0)
    array([4., 6.])
    """
    total = reduced(F, "sum", _as_sum_type(F, a, dtype), axis, keepdims)
    return total if initial is None else F.add(total, initial)


@function("prod", "product", any_lengths=True)
def prod(F, a, axis=None, dtype=None, keepdims=False, initial=None, out=None):
    """Return the product over axes.

    a (any shape and type) | out with type dtype, by default that of a, and int64 for booleans

    >>> np.prod(np.array([[1, 2], [3, 4]]), axis=1)
    array([ 2., 12.])
    """
    product = reduced(F, "prod", _as_sum_type(F, a, dtype), axis, keepdims)
    return product if initial is None else F.multiply(product, initial)


@function("mean", any_lengths=True)
def mean(F, a, axis=None, dtype=None, out=None, keepdims=False):
    """Return the mean over axes.

    a (any shape and type) | out with type dtype, by default that of a, and float32 for integers

    >>> np.mean(np.array([[1, 2], [3, 4]], dtype="int32"), axis=0)
    array([2., 3.])
    """
    return reduced(F, "mean", as_float(F, as_type(F, a, dtype)), axis, keepdims)


@function("max", "amax", any_lengths=True)
def max_(F, a, axis=None, keepdims=False, out=None):
    """Return the largest element over axes.

    a (any shape and type) | out like a

    >>> np.max(np.array([[1, 2], [3, 4]]), axis=0, keepdims=True)
    array([[3., 4.]])
    """
    return reduced(F, "max", a, axis, keepdims)


@function("min", "amin", any_lengths=True)
def min_(F, a, axis=None, keepdims=False, out=None):
    """Return the smallest element over axes.

    a (any shape and type) | out like a

    >>> np.min(np.array([[1, 2], [3, 4]]), axis=1, keepdims=True)
    array([[1.],
           [3.]])
    """
    return reduced(F, "min", a, axis, keepdims)


@function("var")
def var(F, a, axis=None, dtype=None, out=None, ddof=0, keepdims=False, correction=None):
    """Return the sum of squared distances from the mean, divided by the count minus `ddof`.

    a (any shape and type) | out with type dtype, by default that of a; for integers it is truncated, as in MXNet

    >>> np.var(np.array([1, 2, 3])).round(3), np.var(np.array([1, 2, 3]), ddof=1)
    (array(0.667), array(1.))
    """
    x = as_float(F, as_type(F, a, dtype))
    axes = axes_of("var", axis, len(a.shape))
    count = 1
    for i in axes:
        count *= a.shape[i]
    distance = F.broadcast_sub(x, F.mean(x, axis=axes, keepdims=True)) if axes else F.subtract(x, x)
    ddof = ddof if correction is None else correction
    total = reduced(F, "sum", F.square(distance), axis, keepdims)
    spread = F.divide(total, float(max(0, count - ddof)))
    return spread if dtype is not None else as_type(F, spread, a.dtype) if dtype_of(a).kind != "b" else spread


@function("std")
def std(F, a, axis=None, dtype=None, out=None, ddof=0, keepdims=False, correction=None):
    """Return the standard deviation, the square root of `var`.

    a (any shape and type) | out with type dtype, by default that of a; for integers it is truncated, as in MXNet

    >>> np.std(np.array([[1, 3], [2, 8]]), axis=1)
    array([1., 3.])
    """
    x = as_float(F, as_type(F, a, dtype))
    root = F.sqrt(var(F, x, axis, None, None, ddof, keepdims, correction))
    return root if dtype is not None else as_type(F, root, a.dtype) if dtype_of(a).kind != "b" else root


@function("argmax")
def argmax(F, a, axis=None, out=None):
    """Return the index of the first largest element along an axis, or in the flat array, as int64.

    a (any shape and type) | out int64, without the axis

    >>> np.argmax(np.array([1, 7, 7]))
    array(1, dtype=int64)
    """
    return _arg(F, "argmax", a, axis)


@function("argmin")
def argmin(F, a, axis=None, out=None):
    """Return the index of the first smallest element along an axis, or in the flat array, as int64.

    a (any shape and type) | out int64, without the axis

    >>> np.argmin(np.array([[4, 2], [1, 3]]), axis=1)
    array([1, 0], dtype=int64)
    """
    return _arg(F, "argmin", a, axis)


def _arg(F, name, a, axis):
    x = shaped(F, a, (-1,) if a.size else (0,)) if axis is None else a
    axis = 0 if axis is None else axis_of(name, axis, len(a.shape))
    index = as_type(F, getattr(F, name)(x, axis=axis), "int64")
    return scalar(F, index) if len(x.shape) == 1 else index


@function("cumsum")
def cumsum(F, a, axis=None, dtype=None, out=None):
    """Return the running sum of the elements along an axis, or of the flat array.

    a (any shape and type) | out with type dtype, by default that of a, and int64 for booleans

    >>> np.cumsum(np.array([[1, 2], [3, 4]]), axis=1)
    array([[1., 3.],
           [3., 7.]])
    """
    x = _as_sum_type(F, a, dtype)
    if axis is None:
        x, axis = shaped(F, x, (-1,) if x.size else (0,)), 0
    return F.cumsum(x, axis=axis)


@function("cumprod")
def cumprod(F, a, axis=None, dtype=None, out=None):
    """Return the running product of the elements along an axis, or of the flat array. MXNet 1.9.1 does not have it.

    a (any shape and type) | out with type dtype, by default that of a, and int64 for booleans

    >>> np.cumprod(np.array([1, 2, 3, 4]))
    array([ 1.,  2.,  6., 24.])
    """
    x = _as_sum_type(F, a, dtype)
    x, axis = (shaped(F, x, (x.size,)), 0) if axis is None else (x, axis_of("cumprod", axis, len(x.shape)))
    n, step = x.shape[axis], 1
    while step < n and x.size:          # each element becomes the product of twice as many elements
        ones = F.ones_like(F.slice_axis(x, axis=axis, begin=0, end=step))
        moved = F.concat(ones, F.slice_axis(x, axis=axis, begin=0, end=n - step), dim=axis)
        x, step = F.multiply(x, moved), 2 * step
    return x
