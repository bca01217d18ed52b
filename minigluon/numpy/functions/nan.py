"""Reductions that skip NaN, which is replaced by a number with no effect on the result, so that all have gradients."""

from __future__ import annotations

from typing import Any

import numpy as onp

from ..table import function
from .common import as_float, as_type, dtype_of
from .elementwise import clip
from .reduction import cumprod, cumsum, max_, min_, prod, sum_


def _replaced(F, a, number):
    """Return the array with a number in place of each NaN."""
    return F.where(F.equal(a, a), a, F.multiply(F.ones_like(a), number)) if dtype_of(a).kind == "f" else a


@function("nansum")
def nansum(F, a, axis=None, dtype=None, out=None, keepdims=False):
    """Return the sum over axes of the elements that are not NaN.

    a (any shape and type) | out with type dtype, by default that of a

    >>> np.nansum(np.array([[1, np.nan], [3, 4]]), axis=1)
    array([1., 7.])
    """
    return sum_(F, _replaced(F, a, 0), axis, dtype, keepdims)


@function("nanprod")
def nanprod(F, a, axis=None, dtype=None, out=None, keepdims=False):
    """Return the product over axes of the elements that are not NaN.

    a (any shape and type) | out with type dtype, by default that of a

    >>> np.nanprod(np.array([[1, np.nan], [3, 4]]), axis=1)
    array([ 1., 12.])
    """
    return prod(F, _replaced(F, a, 1), axis, dtype, keepdims)


@function("nancumsum")
def nancumsum(F, a, axis=None, dtype=None, out=None):
    """Return the running sum of the elements; a NaN counts as 0.

    a (any shape and type) | out with type dtype, by default that of a

    >>> np.nancumsum(np.array([2, np.nan, 3]))
    array([2., 2., 5.])
    """
    return cumsum(F, _replaced(F, a, 0), axis, dtype)


@function("nancumprod")
def nancumprod(F, a, axis=None, dtype=None, out=None):
    """Return the running product of the elements; a NaN counts as 1.

    a (any shape and type) | out with type dtype, by default that of a

    >>> np.nancumprod(np.array([2, np.nan, 3]))
    array([2., 2., 6.])
    """
    return cumprod(F, _replaced(F, a, 1), axis, dtype)


@function("nanmax")
def nanmax(F, a, axis=None, out=None, keepdims=False):
    """Return the largest element over axes that is not NaN; NaN if there is none.

    a (any shape and type) | out like a

    >>> np.nanmax(np.array([[1, np.nan], [3, 4]]), axis=1)
    array([1., 4.])
    """
    return _or_nan(F, a, max_(F, _replaced(F, a, -onp.inf), axis, keepdims), axis, keepdims)


@function("nanmin")
def nanmin(F, a, axis=None, out=None, keepdims=False):
    """Return the smallest element over axes that is not NaN; NaN if there is none.

    a (any shape and type) | out like a

    >>> np.nanmin(np.array([[1, np.nan], [3, 4]]), axis=1)
    array([1., 3.])
    """
    return _or_nan(F, a, min_(F, _replaced(F, a, onp.inf), axis, keepdims), axis, keepdims)


def _or_nan(F, a, result, axis, keepdims):
    """Return a result with NaN in place of the results of no elements."""
    if dtype_of(a).kind != "f":
        return result
    return F.where(F.greater(_count(F, a, axis, keepdims), 0), result, F.multiply(F.ones_like(result), onp.nan))


def _count(F, a, axis, keepdims):
    """Return how many elements over the axes are not NaN."""
    return sum_(F, as_type(F, F.equal(a, a), a.dtype), axis, None, keepdims)


@function("nanmean")
def nanmean(F, a, axis=None, dtype=None, out=None, keepdims=False):
    """Return the mean over axes of the elements that are not NaN.

    a (any shape and type) | out with type dtype, by default that of a, and float32 for integers

    >>> np.nanmean(np.array([1, np.nan, 3]))
    array(2.)
    """
    a = as_float(F, as_type(F, a, dtype))
    return F.divide(nansum(F, a, axis, keepdims=keepdims), _count(F, a, axis, keepdims))


@function("nanvar")
def nanvar(F, a, axis=None, dtype=None, out=None, ddof=0, keepdims=False):
    """Return the variance over axes of the elements that are not NaN, as `var` does.

    a (any shape and type) | out with type dtype, by default that of a, and float32 for integers

    >>> np.nanvar(np.array([1, np.nan, 3]))
    array(1.)
    """
    a = as_float(F, as_type(F, a, dtype))
    distance = _replaced(F, F.subtract(a, nanmean(F, a, axis, keepdims=True)), 0)
    count: Any = clip(F, F.subtract(_count(F, a, axis, keepdims), ddof), 0, None)
    return F.divide(sum_(F, F.square(distance), axis, None, keepdims), count)


@function("nanstd")
def nanstd(F, a, axis=None, dtype=None, out=None, ddof=0, keepdims=False):
    """Return the standard deviation over axes of the elements that are not NaN.

    a (any shape and type) | out with type dtype, by default that of a, and float32 for integers

    >>> np.nanstd(np.array([1, np.nan, 3]))
    array(1.)
    """
    return F.sqrt(nanvar(F, a, axis, dtype, None, ddof, keepdims))
