"""Products of vectors, matrices and tensors. Integers can be multiplied, whereas MXNet 1.9.1 refuses them."""

from __future__ import annotations

import math
import numbers
from typing import Any

from ...base import ShapeError
from ..table import function
from .common import dtype_of, promoted, scalar, shaped, zeros
from .reduction import reduced
from .shape import broadcast_to, moveaxis, transpose

__all__ = ["matrix_product"]


def matrix_product(F: Any, a: Any, b: Any) -> Any:
    """Return the product of two matrices with the same type."""
    if not a.shape[1] or not a.size or not b.size:
        return zeros(F, a, (a.shape[0], b.shape[1]))
    return F.dot(a, b)


@function("tensordot")
def tensordot(F, a, b, axes=2):
    """Return the sum of products over axes: the last `axes` axes of a and the first ones of b, or two lists of axes.

    a, b (any shapes, any types) | out with the other axes of a, then those of b

    >>> np.tensordot(np.array([[1, 2], [3, 4]]), np.array([1, 10]), axes=1)
    array([21., 43.])
    """
    a, b = promoted(F, a, b)
    if isinstance(axes, numbers.Integral):
        if not 0 <= axes <= min(len(a.shape), len(b.shape)):
            raise ShapeError(f"np.tensordot: axes={axes} for arrays with {len(a.shape)} and {len(b.shape)} axes")
        ours, theirs = list(range(len(a.shape) - int(axes), len(a.shape))), list(range(int(axes)))
    else:
        ours, theirs = ([i] if isinstance(i, numbers.Integral) else list(i) for i in axes)
    ours, theirs = [i % len(a.shape) for i in ours], [i % len(b.shape) for i in theirs]
    if [a.shape[i] for i in ours] != [b.shape[i] for i in theirs]:
        raise ShapeError(f"np.tensordot: axes {ours} of shape {tuple(a.shape)} and axes {theirs} of shape "
                         f"{tuple(b.shape)} have different lengths")
    rest, other = ([i for i in range(len(x.shape)) if i not in gone] for x, gone in ((a, ours), (b, theirs)))
    shape = [a.shape[i] for i in rest] + [b.shape[i] for i in other]
    length = math.prod(a.shape[i] for i in ours)
    left = shaped(F, transpose(F, a, rest + ours), (math.prod(a.shape[i] for i in rest), length))
    right = shaped(F, transpose(F, b, theirs + other), (length, math.prod(b.shape[i] for i in other)))
    return shaped(F, matrix_product(F, left, right), shape)


@function("dot")
def dot(F, a, b, out=None):
    """Return the product of numbers, vectors or matrices, or the sum over the last axis of a and the second-to-last
    axis of b.

    a, b (any shapes, any types) | out with the common type

    >>> np.dot(np.array([[1, 2], [3, 4]]), np.array([1, 10]))
    array([21., 43.])
    """
    a, b = promoted(F, a, b)
    if not a.shape or not b.shape:
        return F.broadcast_mul(a, b)
    if len(a.shape) == len(b.shape) == 2 and a.shape[1] == b.shape[0]:
        return matrix_product(F, a, b)
    if a.shape[-1] != b.shape[-2 if len(b.shape) > 1 else 0]:
        raise ShapeError(f"np.dot: shapes {tuple(a.shape)} and {tuple(b.shape)} do not match; the last axis of a must "
                         "have the length of the last but one of b")
    return tensordot(F, a, b, ([len(a.shape) - 1], [max(len(b.shape) - 2, 0)]))


@function("matmul")
def matmul(F, a, b, out=None):
    """Return the product of matrices; leading axes broadcast, and a vector is a row on the left, a column on the right.

    a, b (one axis or more, any types) | out with the common type

    >>> np.matmul(np.ones((5, 2, 3)), np.ones((3, 4))).shape
    (5, 2, 4)
    """
    if not a.shape or not b.shape:
        raise ShapeError("np.matmul: expected vectors or matrices, found an array without axes; write a * b")
    if len(a.shape) <= 2 and len(b.shape) <= 2:
        return dot(F, a, b)
    if len(a.shape) == 1 or len(b.shape) == 1:
        return tensordot(F, a, b, ([len(a.shape) - 1], [max(len(b.shape) - 2, 0)]))
    a, b = promoted(F, a, b)
    if a.shape[-1] != b.shape[-2]:
        raise ShapeError(f"np.matmul: shapes {tuple(a.shape)} and {tuple(b.shape)} do not match; the last axis of a "
                         "must have the length of the last but one of b")
    front = _front(a.shape[:-2], b.shape[:-2])
    x = broadcast_to(F, a, (*front, *a.shape[-2:]))
    y = broadcast_to(F, b, (*front, *b.shape[-2:]))
    shape = (*front, a.shape[-2], b.shape[-1])
    if not math.prod(shape) or not a.shape[-1]:
        return zeros(F, a, shape)
    if dtype_of(x).kind != "f":         # `batch_dot` is for floats
        pairs = F.broadcast_mul(shaped(F, x, (*x.shape, 1)), shaped(F, y, (*front, 1, *y.shape[-2:])))
        return reduced(F, "sum", pairs, -2, False)
    count = math.prod(front)
    product = F.batch_dot(shaped(F, x, (count, *a.shape[-2:])), shaped(F, y, (count, *b.shape[-2:])))
    return shaped(F, product, shape)


def _front(left, right):
    size = max(len(left), len(right))
    left, right = (1,) * (size - len(left)) + tuple(left), (1,) * (size - len(right)) + tuple(right)
    for n, m in zip(left, right, strict=True):
        if n != m and 1 not in (n, m):
            raise ShapeError(f"np.matmul: the axes in front, {left} and {right}, cannot be broadcast together")
    return tuple(m if n == 1 else n for n, m in zip(left, right, strict=True))


@function("inner")
def inner(F, a, b):
    """Return the sums of products over the last axes.

    a, b (any shapes with last axes of the same length, any types) | out with the common type

    >>> np.inner(np.array([[1, 2], [3, 4]]), np.array([[1, 10]]))
    array([[21.],
           [43.]])
    """
    if not a.shape or not b.shape:
        return F.broadcast_mul(*promoted(F, a, b))
    return tensordot(F, a, b, ([len(a.shape) - 1], [len(b.shape) - 1]))


@function("outer")
def outer(F, a, b):
    """Return the products of each element of a with each element of b.

    a, b (any shapes, any types) | out with shape (a.size, b.size)

    >>> np.outer(np.array([1, 2]), np.array([3, 4]))
    array([[3., 4.],
           [6., 8.]])
    """
    a, b = promoted(F, a, b)
    return F.broadcast_mul(shaped(F, a, (a.size, 1)), shaped(F, b, (1, b.size)))


@function("vdot")
def vdot(F, a, b):
    """Return the sum of the products of all elements.

    a, b (the same number of elements, any types) | out with shape ()

    >>> np.vdot(np.array([[1, 2], [3, 4]]), np.array([[1, 0], [0, 1]]))
    array(5.)
    """
    a, b = promoted(F, a, b)
    if a.size != b.size:
        raise ShapeError(f"np.vdot: {a.size} and {b.size} elements; the numbers must be equal")
    return scalar(F, F.sum(F.broadcast_mul(shaped(F, a, (a.size,)), shaped(F, b, (b.size,)))))


@function("vecdot")
def vecdot(F, x1, x2, axis=-1):
    """Return the dot products of the vectors along an axis; the other axes broadcast. MXNet 1.9.1 does not have it.

    x1, x2 (shapes that broadcast, any types) | out with the common type, without the axis

    >>> np.vecdot(np.array([[1, 2], [3, 4]]), np.array([1, 1]))
    array([3., 7.])
    """
    x1, x2 = promoted(F, moveaxis(F, x1, axis, -1), moveaxis(F, x2, axis, -1))
    return reduced(F, "sum", F.broadcast_mul(x1, x2), -1, False)


@function("kron")
def kron(F, a, b):
    """Return the Kronecker product: b multiplied by each element of a. MXNet 1.9.1 does not have it.

    a, b (any shapes, any types) | out with the products of their lengths as lengths

    >>> np.kron(np.array([1, 10]), np.array([1, 2]))
    array([ 1.,  2., 10., 20.])
    """
    a, b = promoted(F, a, b)
    ndim = max(len(a.shape), len(b.shape))
    left, right = ((1,) * (ndim - len(x.shape)) + tuple(x.shape) for x in (a, b))
    x = shaped(F, a, [n for length in left for n in (length, 1)])
    y = shaped(F, b, [n for length in right for n in (1, length)])
    return shaped(F, F.broadcast_mul(x, y), [n * m for n, m in zip(left, right, strict=True)])


@function("cross")
def cross(F, a, b, axis=-1):
    """Return the cross products of vectors of three elements along an axis. MXNet 1.9.1 does not have it.

    a, b (shapes that broadcast, any types) | out with the common type

    >>> np.cross(np.array([1, 0, 0]), np.array([0, 1, 0]))
    array([0., 0., 1.])
    """
    a, b = promoted(F, moveaxis(F, a, axis, -1), moveaxis(F, b, axis, -1))
    if a.shape[-1] != 3 or b.shape[-1] != 3:
        raise ShapeError(f"np.cross: expected vectors of 3 elements, found {a.shape[-1]} and {b.shape[-1]}")
    x, y = ([F.slice_axis(v, axis=len(v.shape) - 1, begin=i, end=i + 1) for i in range(3)] for v in (a, b))
    parts = [F.broadcast_sub(F.broadcast_mul(x[i], y[j]), F.broadcast_mul(x[j], y[i]))
             for i, j in ((1, 2), (2, 0), (0, 1))]
    return moveaxis(F, F.concat(*parts, dim=len(parts[0].shape) - 1), -1, axis)
