"""Functions that return an array in another shape, or with its axes in another order."""

from __future__ import annotations

import math
import numbers
from typing import Any

from ...base import ShapeError
from ...ops.symbolic_dimensions import SymbolicDim
from ..reshape_codes import mirrored, resolve
from ..table import function
from .common import axis_of, shaped, zeros

__all__ = ["complete_shape"]


def complete_shape(shape: Any, size: int) -> tuple[int, ...]:
    """Return a shape with the length for -1 filled in. Raises ShapeError."""
    lengths = [n if isinstance(n, SymbolicDim) else int(n) for n in (
        (shape,) if isinstance(shape, (numbers.Integral, SymbolicDim)) else shape)]
    known = math.prod(n for n in lengths if n != -1)
    wrong = any(n < -1 for n in lengths) or lengths.count(-1) > 1
    if not wrong and -1 in lengths and known and size % known == 0:
        lengths[lengths.index(-1)] = size // known
    if wrong or -1 in lengths or math.prod(lengths) != size:
        raise ShapeError(f"np.reshape: an array of {size} elements cannot have shape {tuple(lengths)}; at most one "
                         "length may be -1. The codes of nd.reshape are those of npx.reshape.")
    return tuple(lengths)


@function("reshape")
def reshape(F, a, newshape, order="C", out=None):
    """Return the elements in another shape; one length may be -1.

    a (any shape and type) | out like a

    order: must be 'C'.

    >>> np.reshape(np.arange(6), (2, -1))
    array([[0., 1., 2.],
           [3., 4., 5.]])
    """
    if order != "C":
        raise ShapeError(f"np.reshape: order must be 'C', found {order!r}")
    return shaped(F, a, complete_shape(newshape, a.size))


@function("_npx_reshape")
def npx_reshape(F, a, newshape, reverse=False, order="C"):
    """Return the elements in another shape, which is given with the codes of `npx.reshape`.

    a (any shape and type) | out like a
    """
    codes = [newshape] if isinstance(newshape, int) else list(newshape)
    if not reverse:
        return reshape(F, a, resolve(codes, list(a.shape), a.size), order)
    return reshape(F, a, resolve(mirrored(codes), list(a.shape)[::-1], a.size)[::-1], order)


@function("ravel")
def ravel(F, x, order="C"):
    """Return the elements as a flat array.

    x (any shape and type) | out like x

    order: must be 'C'.

    >>> np.ravel(np.array([[1, 2], [3, 4]]))
    array([1., 2., 3., 4.])
    """
    return reshape(F, x, -1 if x.size else 0, order)


@function("transpose", any_lengths=True)
def transpose(F, a, axes=None):
    """Return the array with its axes in another order, by default reversed.

    a (any shape and type) | out like a

    >>> np.transpose(np.ones((2, 3, 4))).shape, np.transpose(np.ones((2, 3, 4)), (0, 2, 1)).shape
    ((4, 3, 2), (2, 4, 3))
    """
    if len(a.shape) < 2:
        return a
    return F.transpose(a) if axes is None else F.transpose(a, axes=tuple(
        axis_of("transpose", i, len(a.shape)) for i in axes))


@function("matrix_transpose", any_lengths=True)
def matrix_transpose(F, x):
    """Return the matrices in the last two axes transposed. MXNet 1.9.1 does not have it.

    x (two axes or more) | out like x

    >>> np.matrix_transpose(np.ones((2, 3, 4))).shape
    (2, 4, 3)
    """
    return swapaxes(F, x, -1, -2)


@function("swapaxes", any_lengths=True)
def swapaxes(F, a, axis1, axis2):
    """Return the array with two axes swapped.

    a (any shape and type) | out like a

    >>> np.swapaxes(np.ones((2, 3, 4)), 0, 2).shape
    (4, 3, 2)
    """
    order = list(range(len(a.shape)))
    i, j = (axis_of("swapaxes", axis, len(order)) for axis in (axis1, axis2))
    order[i], order[j] = order[j], order[i]
    return transpose(F, a, order)


@function("moveaxis", any_lengths=True)
def moveaxis(F, a, source, destination):
    """Return the array with axes moved to other positions; the remaining axes keep their order.

    a (any shape and type) | out like a

    >>> np.moveaxis(np.ones((2, 3, 4)), 0, -1).shape
    (3, 4, 2)
    """
    ndim = len(a.shape)
    starts, ends = ([axis_of("moveaxis", i, ndim) for i in ((axes,) if isinstance(axes, int) else axes)]
                    for axes in (source, destination))
    if len(starts) != len(ends):
        raise ShapeError(f"np.moveaxis: {len(starts)} axes cannot move to {len(ends)} positions")
    order = [i for i in range(ndim) if i not in starts]
    for end, start in sorted(zip(ends, starts, strict=True)):
        order.insert(end, start)
    return transpose(F, a, order)


@function("expand_dims")
def expand_dims(F, a, axis):
    """Return the array with an axis of length 1 at each of the positions `axis`.

    a (any shape and type) | out like a

    >>> np.expand_dims(np.ones((2, 3)), 1).shape
    (2, 1, 3)
    """
    new = (axis,) if isinstance(axis, numbers.Integral) else tuple(axis)
    ndim = len(a.shape) + len(new)
    places, old = {axis_of("expand_dims", i, ndim) for i in new}, iter(a.shape)
    if len(places) < len(new):
        raise ShapeError(f"np.expand_dims: the axes {axis} name one twice")
    if len(new) == 1 and a.shape and 0 not in a.shape:
        return F.expand_dims(a, axis=min(places))
    return shaped(F, a, [1 if i in places else next(old) for i in range(ndim)])


@function("squeeze")
def squeeze(F, a, axis=None, out=None):
    """Return the array without its axes of length 1, or without those in `axis`.

    a (any shape and type) | out like a

    >>> np.squeeze(np.ones((1, 3, 1))).shape, np.squeeze(np.ones((1, 3, 1)), axis=0).shape
    ((3,), (3, 1))
    """
    ndim = len(a.shape)
    if axis is None:
        gone = {i for i, n in enumerate(a.shape) if n == 1}
    else:
        gone = {axis_of("squeeze", i, ndim) for i in ((axis,) if isinstance(axis, numbers.Integral) else axis)}
        for i in gone:
            if a.shape[i] != 1:
                raise ShapeError(f"np.squeeze: axis {i} of shape {tuple(a.shape)} has length {a.shape[i]}, not 1")
    if gone and len(gone) < ndim and 0 not in a.shape:
        return F.squeeze(a, axis=None if axis is None else tuple(sorted(gone)))
    return shaped(F, a, [n for i, n in enumerate(a.shape) if i not in gone])


@function("broadcast_to")
def broadcast_to(F, array, shape):
    """Return the array stretched to a shape: axes of length 1 are repeated, and new leading axes are added.

    array (any shape and type) | out with shape `shape`

    >>> np.broadcast_to(np.array([[1], [2]]), (2, 3))
    array([[1., 1., 1.],
           [2., 2., 2.]])
    """
    shape = (shape,) if isinstance(shape, numbers.Integral) else tuple(shape)
    missing = len(shape) - len(array.shape)
    if missing < 0:
        raise ShapeError(f"np.broadcast_to: an array of shape {tuple(array.shape)} cannot have shape {shape}")
    if tuple(array.shape) == shape:
        return array
    for old, new in zip(array.shape, shape[missing:], strict=True):
        if old not in (1, new):
            raise ShapeError(f"np.broadcast_to: an array of shape {tuple(array.shape)} cannot have shape {shape}; each "
                             "axis must have that length, or 1")
    if 0 in shape:
        return shaped(F, array, shape) if not array.size else zeros(F, array, shape)
    return F.broadcast_to(shaped(F, array, (1,) * missing + tuple(array.shape)), shape=shape)


@function("broadcast_arrays")
def broadcast_arrays(F, *args):
    """Return the arrays stretched to their common shape, in a list.

    args (shapes that broadcast) | out a list of arrays with the same shape

    >>> [x.shape for x in np.broadcast_arrays(np.ones((2, 1)), np.ones(3))]
    [(2, 3), (2, 3)]
    """
    shape = _common_shape(args)
    return [broadcast_to(F, x, shape) for x in args]


def _common_shape(arrays):
    shape = []
    ndim = max((len(x.shape) for x in arrays), default=0)
    for i in range(-ndim, 0):
        lengths = {x.shape[i] for x in arrays if len(x.shape) >= -i} - {1}
        if len(lengths) > 1:
            raise ShapeError("np.broadcast_arrays: shapes " + ", ".join(str(tuple(x.shape)) for x in arrays)
                             + " cannot be broadcast together")
        shape.append(lengths.pop() if lengths else 1)
    return tuple(shape)


def _at_least(F, x, count, place):
    while len(x.shape) < count:
        x = expand_dims(F, x, place(len(x.shape)))
    return x


def _each(F, arrays, count, place):
    results = [_at_least(F, x, count, place) for x in arrays]
    return results[0] if len(results) == 1 else results


@function("atleast_1d")
def atleast_1d(F, *arys):
    """Return the array with at least one axis, or a list for several arrays.

    arys (any shapes and types) | out like them

    >>> np.atleast_1d(np.array(5))
    array([5.])
    """
    return _each(F, arys, 1, lambda ndim: 0)


@function("atleast_2d")
def atleast_2d(F, *arys):
    """Return the array with at least two axes, new ones first, or a list for several arrays.

    arys (any shapes and types) | out like them

    >>> np.atleast_2d(np.array([1, 2]))
    array([[1., 2.]])
    """
    return _each(F, arys, 2, lambda ndim: 0)


@function("atleast_3d")
def atleast_3d(F, *arys):
    """Return the array with at least three axes, placed as in NumPy, or a list for several arrays.

    arys (any shapes and types) | out like them

    >>> np.atleast_3d(np.ones((2, 3))).shape
    (2, 3, 1)
    """
    return _each(F, arys, 3, lambda ndim: ndim if ndim == 2 else 0)
