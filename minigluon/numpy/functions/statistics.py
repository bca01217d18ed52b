"""Averages and differences."""

from __future__ import annotations

from ...base import ShapeError
from ..table import function
from .common import as_float, axis_of, is_number, promoted, shaped, zeros
from .filling import full_like
from .joining import concatenate
from .reduction import max_, mean, min_, reduced
from .shape import broadcast_to, ravel


@function("average")
def average(F, a, axis=None, weights=None, returned=False, out=None):
    """Return the weighted mean over axes; with `returned`, also the sum of the weights.

    a (any shape and type), weights (the shape of a, or of its axis) | out of the common type, float32 for integers

    >>> np.average(np.array([1, 5]), weights=np.array([3, 1]))
    array(2.)
    """
    if weights is None:
        result = mean(F, a, axis)
        return (result, F.multiply(F.ones_like(result), a.size / max(result.size, 1))) if returned else result
    a, weights = promoted(F, as_float(F, a), as_float(F, weights))
    if tuple(weights.shape) != tuple(a.shape):
        if axis is None or len(weights.shape) != 1:
            raise ShapeError(f"np.average: weights of shape {tuple(weights.shape)} do not fit an array of shape "
                             f"{tuple(a.shape)}; give the axis of a vector of weights")
        axis = axis_of("average", axis, len(a.shape))
        shape = [1] * len(a.shape)
        shape[axis] = weights.shape[0]
        weights = broadcast_to(F, shaped(F, weights, shape), a.shape)
    total = reduced(F, "sum", weights, axis, False)
    result = F.divide(reduced(F, "sum", F.broadcast_mul(a, weights), axis, False), total)
    return (result, total) if returned else result


@function("ptp")
def ptp(F, a, axis=None, out=None, keepdims=False):
    """Return the difference between the largest and the smallest element over axes.

    a (any shape and type) | out like a

    >>> np.ptp(np.array([[1, 9], [4, 6]]), axis=1)
    array([8., 2.])
    """
    return F.broadcast_sub(max_(F, a, axis, keepdims), min_(F, a, axis, keepdims))


@function("diff")
def diff(F, a, n=1, axis=-1, prepend=None, append=None):
    """Return the n-th differences of neighbours along an axis.

    a (one axis or more) | out like a, shorter by n along the axis

    prepend, append: arrays that are joined to a first.

    >>> np.diff(np.array([1, 4, 9, 16])), np.diff(np.array([1, 4, 9, 16]), n=2)
    (array([3., 5., 7.]), array([2., 2.]))
    """
    axis = axis_of("diff", axis, len(a.shape))
    parts = [x for x in (prepend, a, append) if x is not None]
    x = concatenate(F, parts, axis=axis)
    for _ in range(n):
        length = x.shape[axis]
        x = F.broadcast_sub(F.slice_axis(x, axis=axis, begin=1, end=length),
                            F.slice_axis(x, axis=axis, begin=0, end=length - 1)) if length > 1 else \
            zeros(F, x, [0 if i == axis else m for i, m in enumerate(x.shape)])
    return x


@function("ediff1d")
def ediff1d(F, ary, to_end=None, to_begin=None):
    """Return the differences of neighbours in the flat array, between to_begin and to_end.

    ary (any shape and type) | out with one axis

    >>> np.ediff1d(np.array([[1, 4], [9, 16]]), to_end=np.array([0]))
    array([3., 5., 7., 0.])
    """
    begin, end = [full_like(F, zeros(F, ary, (1,)), x) if is_number(x) else x for x in (to_begin, to_end)]
    parts = [begin, diff(F, ravel(F, ary)), end]
    return concatenate(F, [ravel(F, x) for x in parts if x is not None])
