"""Functions that insert or delete elements, or repeat all of them to fill a shape."""

from __future__ import annotations

import math
from typing import Any

import numpy as onp

from ...base import OutOfRangeError
from ..table import function
from .common import as_type, axis_of, dtype_of, is_number, shaped, zeros
from .filling import full_like
from .joining import concatenate
from .shape import broadcast_to, moveaxis, reshape


@function("insert")
def insert(F, arr, obj, values, axis=None):
    """Return the array with values inserted before the indices `obj` along an axis, or into the flat array.

    arr (any shape and type), values (a number or an array that broadcasts to the inserted part) | out like arr

    obj: an integer, a list or array of integers, or a slice; negative indices count from the end.

    Raises OutOfRangeError for an index out of range.

    >>> np.insert(np.array([1, 2, 3]), 1, 9)
    array([1., 9., 2., 3.])
    >>> np.insert(np.array([[1, 2], [3, 4]]), 1, 0, axis=1)
    array([[1., 0., 2.],
           [3., 0., 4.]])
    """
    arr, axis = _along(F, "insert", arr, axis)
    n = arr.shape[axis]
    ndim, places = _indices("insert", obj, n, n + 1)
    values = full_like(F, zeros(F, arr, ()), values) if is_number(values) else as_type(F, values, dtype_of(arr).name)
    values = shaped(F, values, (1,) * (len(arr.shape) - len(values.shape)) + tuple(values.shape))
    if not ndim:                        # the first axis counts the inserted parts, as in NumPy
        values = moveaxis(F, values, 0, axis)
    count = values.shape[axis] if len(places) == 1 else len(places)
    part = broadcast_to(F, values, [*arr.shape[:axis], count, *arr.shape[axis + 1:]])
    if len(places) == 1:
        return concatenate(F, [_piece(F, arr, axis, 0, places[0]), part, _piece(F, arr, axis, places[0], n)], axis=axis)
    pieces, done = [], 0
    for i in sorted(range(len(places)), key=places.__getitem__):
        pieces += [_piece(F, arr, axis, done, places[i]), _piece(F, part, axis, i, i + 1)]
        done = places[i]
    return concatenate(F, [*pieces, _piece(F, arr, axis, done, n)], axis=axis)


@function("delete")
def delete(F, arr, obj, axis=None):
    """Return the array without the elements at the indices `obj` along an axis, or in the flat array.

    arr (any shape and type) | out like arr

    obj: an integer, a list or array of integers, or a slice; negative indices count from the end.

    Raises OutOfRangeError for an index out of range.

    >>> np.delete(np.array([[1, 2, 3], [4, 5, 6]]), [0, 2], axis=1)
    array([[2.],
           [5.]])
    """
    arr, axis = _along(F, "delete", arr, axis)
    n = arr.shape[axis]
    pieces, done = [], 0
    for i in sorted(set(_indices("delete", obj, n, n)[1])):
        pieces.append(_piece(F, arr, axis, done, i))
        done = i + 1
    return concatenate(F, [*pieces, _piece(F, arr, axis, done, n)], axis=axis)


@function("resize")
def resize(F, a, new_shape):
    """Return the elements in a shape of any size: they are repeated, or dropped at the end; zeros if there are none.

    a (any shape and type) | out with shape `new_shape`

    new_shape: an integer or a tuple.

    >>> np.resize(np.array([1, 2, 3]), (2, 4))
    array([[1., 2., 3., 1.],
           [2., 3., 1., 2.]])
    """
    shape = (int(new_shape),) if is_number(new_shape) else tuple(int(n) for n in new_shape)
    size = math.prod(shape)
    if not size or not a.size:
        return zeros(F, a, shape)
    flat = reshape(F, a, -1)
    if size > a.size:
        flat = F.tile(flat, reps=(-(-size // a.size),))
    return shaped(F, F.slice_axis(flat, axis=0, begin=0, end=size), shape)


def _along(F, name, x, axis):
    """Return an array and a non-negative axis; for None, the flat array and 0."""
    if axis is None:
        return reshape(F, x, -1 if x.size else 0), 0
    return x, axis_of(name, axis, len(x.shape))


def _indices(name: str, obj: Any, n: int, limit: int) -> tuple[int, list[int]]:
    """Return (the number of axes of `obj`, the indices). Their values are needed, so `obj` cannot be a symbol."""
    if isinstance(obj, slice):
        return 1, list(range(*obj.indices(n)))
    values = onp.asarray(obj.asnumpy() if hasattr(obj, "asnumpy") else obj)
    if values.dtype == bool:
        values = onp.flatnonzero(values)
    places = [int(i) + n if i < 0 else int(i) for i in values.ravel()]
    for i, place in zip(values.ravel(), places, strict=True):
        if not 0 <= place < limit:
            raise OutOfRangeError(f"np.{name}: index {int(i)} is out of range for an axis of length {n}")
    return values.ndim, places


def _piece(F, x, axis, begin, end):
    if begin == end:
        return zeros(F, x, [*x.shape[:axis], 0, *x.shape[axis + 1:]])
    return F.slice_axis(x, axis=axis, begin=begin, end=end)
