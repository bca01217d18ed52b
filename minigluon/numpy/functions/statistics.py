"""Averages and differences."""

from __future__ import annotations

from ...base import ArgumentError, ShapeError
from ..table import function
from .common import as_float, as_type, axis_of, is_number, promoted, scalar, shaped, zeros
from .elementwise import clip
from .filling import full_like
from .joining import concatenate
from .reduction import max_, mean, min_, reduced
from .shape import atleast_2d, broadcast_to, ravel, transpose


@function("average")
def average(F, a, axis=None, weights=None, returned=False, out=None):
    """Return the weighted mean over axes; with `returned`, also the sum of the weights.

    a (any shape and type), weights (the shape of a, or of its axis) | out with the common type, float32 for integers

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
    """Return the n-th differences of neighbors along an axis.

    a (one axis or more) | out like a, shorter by n along the axis

    prepend, append: arrays that are joined to a before the differences are computed.

    >>> np.diff(np.array([1, 4, 9, 16])), np.diff(np.array([1, 4, 9, 16]), n=2)
    (array([3., 5., 7.]), array([2., 2.]))
    """
    axis = axis_of("diff", axis, len(a.shape))
    parts = [x for x in (prepend, a, append) if x is not None]
    x = concatenate(F, parts, axis=axis)
    if n < 0:
        raise ArgumentError(f"np.diff: n must not be negative, found {n}")
    for _ in range(min(n, x.shape[axis])):
        length = x.shape[axis]
        x = F.broadcast_sub(F.slice_axis(x, axis=axis, begin=1, end=length),
                            F.slice_axis(x, axis=axis, begin=0, end=length - 1)) if length > 1 else \
            zeros(F, x, [0 if i == axis else m for i, m in enumerate(x.shape)])
    return x


@function("ediff1d")
def ediff1d(F, ary, to_end=None, to_begin=None):
    """Return the differences of neighbors in the flat array, with to_begin before them and to_end after them.

    ary (any shape and type) | out with one axis

    >>> np.ediff1d(np.array([[1, 4], [9, 16]]), to_end=np.array([0]))
    array([3., 5., 7., 0.])
    """
    begin, end = [full_like(F, zeros(F, ary, (1,)), x) if is_number(x) else x for x in (to_begin, to_end)]
    parts = [begin, diff(F, ravel(F, ary)), end]
    return concatenate(F, [ravel(F, x) for x in parts if x is not None])


@function("trapz")
def trapz(F, y, x=None, dx=1.0, axis=-1):
    """Return the integral of points by the trapezoidal rule.

    y (one axis or more), x (one axis, or the shape of y) | out with the common type, without the axis

    dx: the distance between points if x is not given.

    >>> np.trapz(np.array([0, 1, 4]))
    array(3.)
    """
    y, axis = as_float(F, y), axis_of("trapz", axis, len(y.shape))
    if x is not None:
        y, x = promoted(F, y, x)
    n = y.shape[axis]
    means = F.divide(F.add(F.slice_axis(y, axis=axis, begin=1, end=n),
                           F.slice_axis(y, axis=axis, begin=0, end=n - 1)), 2) if n > 1 else diff(F, y, 1, axis)
    if x is None:
        return F.multiply(reduced(F, "sum", means, axis, False), dx)
    widths = shaped(F, diff(F, x), [max(n - 1, 0) if i == axis else 1 for i in range(len(y.shape))]) \
        if len(x.shape) == 1 else diff(F, x, 1, axis)
    return reduced(F, "sum", F.multiply(means, widths), axis, False)


@function("cov")
def cov(F, m, y=None, rowvar=True, bias=False, ddof=None, fweights=None, aweights=None, dtype=None):
    """Return the covariance matrix of the rows, in float64 if `dtype` is None.

    m (one or two axes), y (like m), fweights, aweights (the number of columns) | out float64

    y: additional rows.
    rowvar: False takes columns instead of rows.
    bias: True divides by the number of columns instead of one less.
    ddof: what is subtracted from the number of columns; None leaves it to `bias`.
    fweights, aweights: how often each column counts, and with what weight.
    dtype: of the result.

    >>> np.cov(np.array([[1, 2, 3], [3, 2, 1]]))
    array([[ 1., -1.],
           [-1.,  1.]], dtype=float64)
    """
    rows = concatenate(F, [_rows(F, x, rowvar) for x in (m, y) if x is not None])
    given = [as_type(F, w, "float64") for w in (fweights, aweights) if w is not None]
    weights = shaped(F, given[0] if len(given) == 1 else F.multiply(*given), (1, rows.shape[1])) if given else \
        F.ones_like(F.sum(rows, axis=0, keepdims=True))
    ddof = (0 if bias else 1) if ddof is None else ddof
    total = F.sum(weights, axis=1, keepdims=True)
    doubled = weights if aweights is None else F.multiply(weights, shaped(F, given[-1], weights.shape))
    less = F.multiply(ddof, F.divide(F.sum(doubled, axis=1, keepdims=True), total))
    weighted = F.multiply(rows, weights)
    centred = F.subtract(rows, F.divide(F.sum(weighted, axis=1, keepdims=True), total))
    product = F.dot(F.multiply(centred, weights), centred, transpose_b=True)
    result = as_type(F, F.divide(product, clip(F, F.subtract(total, less), 0, None)), dtype)
    return scalar(F, result) if rows.shape[0] == 1 else result


def _rows(F, x, rowvar):
    rows = atleast_2d(F, as_type(F, x, "float64"))
    return rows if rowvar or len(x.shape) == 1 else transpose(F, rows)


@function("corrcoef")
def corrcoef(F, x, y=None, rowvar=True, bias=None, ddof=None, dtype=None):
    """Return the matrix of the correlation coefficients of the rows, in float64 if `dtype` is None.

    x (one or two axes), y (like x) | out float64

    y: additional rows.
    rowvar: False takes columns instead of rows.
    bias, ddof: have no effect.
    dtype: of the result.

    >>> np.corrcoef(np.array([[1, 2, 3], [3, 2, 1]])).round(3)
    array([[ 1., -1.],
           [-1.,  1.]], dtype=float64)
    """
    matrix = cov(F, x, y, rowvar, dtype=dtype)
    if 0 in (len(matrix.shape), *matrix.shape):
        return F.divide(matrix, matrix)
    spread = F.sqrt(F.diag(matrix))
    n = matrix.shape[0]
    return clip(F, F.divide(matrix, F.multiply(shaped(F, spread, (n, 1)), shaped(F, spread, (1, n)))), -1, 1)
