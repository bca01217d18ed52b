"""Polynomials, piecewise linear functions, and their integrals."""

from __future__ import annotations

from ...base import ArgumentError
from ..table import function
from .common import as_float, as_type, is_number, promoted, shaped, zeros
from .indexing import take, where
from .joining import concatenate
from .reduction import sum_


@function("polyval")
def polyval(F, p, x):
    """Return p[0]·xⁿ + p[1]·xⁿ⁻¹ + ... + p[n] for each element of x.

    p (one axis), x (any shape, or a number) | out like x, with the common type

    >>> np.polyval(np.array([1, 0, 2]), np.array([0, 1, 2]))
    array([2., 3., 6.])
    """
    if is_number(x):
        x = F.add(zeros(F, p, ()), x)
    p, x = promoted(F, p, x)
    total = F.zeros_like(x)
    for i in range(p.shape[0]):
        total = F.broadcast_add(F.broadcast_mul(total, x), _element(F, p, i, len(x.shape)))
    return total


def _element(F, vector, index, ndim):
    return shaped(F, F.slice_axis(vector, axis=0, begin=index, end=index + 1), (1,) * ndim)


@function("interp")
def interp(F, x, xp, fp, left=None, right=None, period=None):
    """Return the piecewise linear function through the points (xp, fp), evaluated at each element of x.

    x (any shape), xp, fp (one axis of the same length) | out like x, float32 for integers

    left, right: the values before the first point and after the last one, by default those of these points.
    period: the period of x; if it is given, xp need not be in ascending order, and left and right have no effect.

    Raises ArgumentError for xp and fp of different shapes, or without elements.

    >>> np.interp(np.array([0.5, 3]), np.array([0, 1, 2]), np.array([0, 10, 40]))
    array([ 5., 40.])
    """
    x, xp, fp = promoted(F, *[as_float(F, v) for v in (x, xp, fp)])
    if len(xp.shape) != 1 or tuple(xp.shape) != tuple(fp.shape) or not xp.size:
        raise ArgumentError("np.interp: xp and fp must be vectors of one length, found shapes "
                            f"{tuple(xp.shape)} and {tuple(fp.shape)}")
    if period is not None:
        x, xp, fp = _in_period(F, x, xp, fp, abs(float(period)))
        left = right = None
    n = xp.shape[0]
    if n == 1:
        inside = F.broadcast_add(F.zeros_like(x), shaped(F, fp, (1,) * len(x.shape)))
    else:
        flat = shaped(F, x, (x.size, 1))
        count = sum_(F, as_type(F, F.broadcast_greater_equal(flat, shaped(F, xp, (1, n))), "int64"), 1)
        segment = F.clip(shaped(F, count, x.shape), a_min=1, a_max=n - 1)
        ends = [take(F, v, F.subtract(segment, k), 0, "clip") for v in (xp, fp) for k in (1, 0)]
        inside = _between(F, x, *ends)
    first, last = (_element(F, xp, i, len(x.shape)) for i in (0, n - 1))
    low, high = (_element(F, fp, i, len(x.shape)) if v is None else v for i, v in ((0, left), (n - 1, right)))
    return where(F, F.broadcast_lesser(x, first), low, where(F, F.broadcast_greater(x, last), high, inside))


def _between(F, x, start, end, low, high):
    fraction = F.divide(F.subtract(x, start), F.subtract(end, start))
    return F.add(low, F.multiply(F.subtract(high, low), fraction))


def _in_period(F, x, xp, fp, period):
    """Return x and the points within one period, with a point of the neighboring period at both ends."""
    xp = F.modulo(xp, period)
    order = F.argsort(xp, axis=0, dtype="int64")
    xp, fp = take(F, xp, order, 0, "clip"), take(F, fp, order, 0, "clip")
    n = xp.shape[0]
    first, last = ([F.slice_axis(v, axis=0, begin=i, end=i + 1) for v in (xp, fp)] for i in (0, n - 1))
    return (F.modulo(x, period), concatenate(F, [F.subtract(last[0], period), xp, F.add(first[0], period)]),
            concatenate(F, [last[1], fp, first[1]]))
