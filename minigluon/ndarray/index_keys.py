"""The keys of `x[key]`: validation, and conversion to a form with one item per axis.

A key is a tuple of items, one per axis: an integer, a slice, an array of integers (a list, numpy.ndarray or NDArray;
fractions are truncated) or a mask (a boolean array that indexes as many axes as it has). None adds a new axis of length
1, and Ellipsis stands for all axes that are not given. Missing items are `:`.

An array without axes has one element, which both `x[:]` and `x[...]` select.
"""

from __future__ import annotations

import numbers

import numpy as np

from ..base import ArgumentError, MXNetError, OutOfRangeError, ShapeError
from ..common.shape_semantics import is_np_shape
from .ndarray import NDArray

__all__ = ["bounds", "box_of", "is_basic", "normalize_key"]

_ALL = slice(None)


def normalize_key(key, shape):
    """Returns the key as a tuple that covers every axis, with integers, slices, None, and integer arrays, all
    non-negative.
    """
    if not shape and key.__class__ is slice and key == _ALL:
        return ()
    items = [as_item(item, key) for item in (key if isinstance(key, tuple) else (key,))]
    named = sum(axes_of(item) for item in items)
    if named > len(shape):
        raise OutOfRangeError(f"too many indices: an array of shape {shape} has {len(shape)} axes, but {named} were "
                              "indexed. Leave some out; None is an index for an axis that is new.")
    dots = [i for i, item in enumerate(items) if item is ...]
    if len(dots) > 1:
        raise OutOfRangeError("an index can have one Ellipsis ('...') at most")
    at = dots[0] if dots else len(items)
    items[at:at + 1] = [_ALL] * (len(shape) - named)
    result, axis = [], 0
    for item in items:
        if item is not None:
            result += in_range(item, axis, shape)
            axis += axes_of(item)
        else:
            result.append(None)
    require_broadcast([item.shape for item in result if isinstance(item, np.ndarray)])
    return tuple(result)


def require_broadcast(shapes):
    """Raises ShapeError unless the arrays in a key can be broadcast together."""
    try:
        np.broadcast_shapes(*shapes)
    except ValueError:
        raise ShapeError(f"the arrays of an index have shapes {' and '.join(map(str, shapes))}, which cannot be "
                         "broadcast together") from None


def as_item(item, key):
    """Converts one item of a key to an int, slice, None, Ellipsis, or numpy.ndarray of int64 or bool."""
    if item is None or item is ...:
        return item
    if isinstance(item, slice):
        if item.step == 0:
            raise ArgumentError("a slice's step must not be 0")
        return item
    if isinstance(item, numbers.Integral):
        return int(item)
    if isinstance(item, (list, tuple, range, np.ndarray, NDArray)):
        try:
            array = np.asarray(item)
        except ValueError:
            raise MXNetError(f"an NDArray cannot be indexed with {item!r}: its rows have different lengths") from None
        if array.dtype.kind in "iufb" or array.size == 0:
            return array if array.dtype == bool else array.astype(np.int64)
    remedy = f". Write int({item!r})." if isinstance(item, float) else ". Axes and elements have numbers, no names." \
        if isinstance(item, str) else ""
    raise ArgumentError(f"an NDArray cannot be indexed with {item!r} of type {type(item).__name__}; expected integers, "
                        f"slices, None, Ellipsis, or arrays of integers or booleans{remedy}")


def axes_of(item):
    """Returns the number of array axes that an item of a key indexes."""
    if item is None or item is ...:
        return 0
    return item.ndim if isinstance(item, np.ndarray) and item.dtype == bool else 1


def in_range(item, axis, shape):
    """Returns the checked item as a list without negative indices. A mask becomes one array per axis."""
    if isinstance(item, slice):
        return [item]
    if isinstance(item, np.ndarray) and item.dtype == bool:
        if item.shape != shape[axis:axis + item.ndim]:
            raise OutOfRangeError(f"a mask of shape {item.shape} cannot index axes of shape "
                                  f"{shape[axis:axis + item.ndim]}; the shapes must be equal"
                                  + _other_axis(item, axis, shape))
        return list(item.nonzero())
    n = shape[axis]
    if isinstance(item, int):
        outside = [] if -n <= item < n else [item]
    else:
        outside = item[(item < -n) | (item >= n)]
    if len(outside):
        raise OutOfRangeError(f"index {outside[0]} is out of bounds for axis {axis} with size {n} of an array of shape "
                              f"{shape}" + (f"; expected {-n} to {n - 1}" if n else ", which has no elements"))
    if isinstance(item, int):
        return [item % n]
    return [np.where(item < 0, item + n, item)]


def _other_axis(mask, axis, shape):
    """Returns a hint about where a mask would fit, given the items for the preceding axes."""
    for behind in range(axis + 1, len(shape)):
        if mask.shape == shape[behind:behind + mask.ndim]:
            return f". For axis {behind}, write x[{':, ' * behind}mask]."
    return ""


def is_basic(key):
    """Returns whether the key is a box, with no arrays among its items."""
    return not any(isinstance(item, np.ndarray) for item in key)


def box_of(key, shape):
    """Returns (slices, lengths, shape of the result) for a box. An integer is a slice of length 1 whose axis is
    dropped. """
    slices = [slice(item, item + 1) if isinstance(item, int) else item for item in key if item is not None]
    lengths = [len(range(*s.indices(n))) for s, n in zip(slices, shape, strict=True)]
    remaining, result = iter(lengths), []
    for item in key:
        length = 1 if item is None else next(remaining)
        if not isinstance(item, int):
            result.append(length)
    return tuple(slices), tuple(lengths), tuple(result) or (() if is_np_shape() else (1,))


def bounds(item, n):
    """Returns (start, stop, step), as `range` takes them, for an integer or slice on an axis of length n."""
    if item.__class__ is int:
        start = item % n
        return start, start + 1, 1
    edges = item.indices(n)
    return edges if len(range(*edges)) else (0, 0, 1)
