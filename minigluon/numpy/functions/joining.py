"""Functions that join, split, and repeat arrays."""

from __future__ import annotations

import numbers
from typing import Any

from ...base import ArgumentError, ShapeError
from ..table import function
from .common import axis_of, promoted, shaped, zeros
from .shape import atleast_1d, atleast_2d, atleast_3d, reshape, transpose


def _several(name, arrays):
    arrays = list(arrays)
    if not arrays:
        raise ArgumentError(f"np.{name}: expected at least one array, found none")
    return arrays


@function("concatenate")
def concatenate(F, seq, axis=0, out=None):
    """Return the arrays joined along an axis, or all their elements for axis=None.

    seq (shapes equal except along the axis, any types) | out with the common type

    >>> np.concatenate([np.array([[1, 2]]), np.array([[3, 4]])])
    array([[1., 2.],
           [3., 4.]])
    """
    arrays = promoted(F, *_several("concatenate", seq))
    if axis is None:
        return concatenate(F, [reshape(F, x, -1 if x.size else 0) for x in arrays])
    axis = axis_of("concatenate", axis, len(arrays[0].shape))
    arrays = [x for x in arrays if x.shape[axis]] or arrays[:1]
    return arrays[0] if len(arrays) == 1 else F.concat(*arrays, dim=axis)


@function("stack")
def stack(F, arrays, axis=0, out=None):
    """Return the arrays joined along a new axis.

    arrays (the same shape, any types) | out with the common type

    >>> np.stack([np.array([1, 2]), np.array([3, 4])], axis=1)
    array([[1., 3.],
           [2., 4.]])
    """
    arrays = _several("stack", arrays)
    for x in arrays:
        if tuple(x.shape) != tuple(arrays[0].shape):
            raise ShapeError(f"np.stack: arrays of shapes {tuple(arrays[0].shape)} and {tuple(x.shape)} cannot be "
                             "stacked; the shapes must be equal")
    arrays = promoted(F, *arrays)
    return F.stack(*arrays, axis=axis_of("stack", axis, len(arrays[0].shape) + 1))


@function("vstack", "row_stack")
def vstack(F, arrays, out=None):
    """Return the arrays joined as rows.

    arrays (shapes equal except along the first axis, any types) | out with the common type

    >>> np.vstack([np.array([1, 2]), np.array([[3, 4]])])
    array([[1., 2.],
           [3., 4.]])
    """
    return concatenate(F, [atleast_2d(F, x) for x in _several("vstack", arrays)], axis=0)


@function("hstack")
def hstack(F, arrays):
    """Return the arrays joined along the second axis; vectors are joined along their only axis.

    arrays (shapes equal except along that axis, any types) | out with the common type

    >>> np.hstack([np.array([[1], [2]]), np.array([[3], [4]])])
    array([[1., 3.],
           [2., 4.]])
    """
    arrays = [atleast_1d(F, x) for x in _several("hstack", arrays)]
    return concatenate(F, arrays, axis=0 if len(arrays[0].shape) == 1 else 1)


@function("dstack")
def dstack(F, arrays):
    """Return the arrays joined along the third axis.

    arrays (shapes equal except along that axis, any types) | out with the common type

    >>> np.dstack([np.array([1, 2]), np.array([3, 4])])
    array([[[1., 3.],
            [2., 4.]]])
    """
    return concatenate(F, [atleast_3d(F, x) for x in _several("dstack", arrays)], axis=2)


@function("column_stack")
def column_stack(F, tup):
    """Return vectors as the columns of a matrix, and matrices joined along the second axis.

    tup (vectors or matrices with the same height, any types) | out with the common type

    >>> np.column_stack([np.array([1, 2]), np.array([3, 4])])
    array([[1., 3.],
           [2., 4.]])
    """
    return concatenate(F, [transpose(F, atleast_2d(F, x)) if len(x.shape) < 2 else x
                           for x in _several("column_stack", tup)], axis=1)


@function("append")
def append(F, arr, values, axis=None):
    """Return arr with values appended along an axis, or both flattened and joined.

    arr, values (shapes equal except along the axis, any types) | out with the common type

    >>> np.append(np.array([[1, 2]]), np.array([[3, 4]]))
    array([1., 2., 3., 4.])
    """
    return concatenate(F, [arr, values], axis=axis)


_MOST_PARTS = 1 << 20           # limit for parts without elements: a wrong number would fill the memory


def _cut(F, name, x, indices_or_sections, axis, even):
    """Return the parts of an array. even: whether the number of parts must divide the length."""
    axis = axis_of(name, axis, len(x.shape))
    n = x.shape[axis]
    if isinstance(indices_or_sections, numbers.Integral):
        count = int(indices_or_sections)
        if not 1 <= count <= max(n, _MOST_PARTS) or even and n % count:
            raise ArgumentError(f"np.{name}: an axis of length {n} cannot be cut into {count} equal parts")
        size, longer = divmod(n, count)
        if size and not longer and count > 1:
            return list(F.SliceChannel(x, num_outputs=count, axis=axis))
        stops = [(i + 1) * size + min(i + 1, longer) for i in range(count - 1)]
    else:
        stops = [int(i) for i in indices_or_sections]
    parts, start = [], 0
    for stop in [*stops, n]:
        begin, end, _ = slice(start, stop).indices(n)
        parts.append(_part(F, x, axis, begin, max(begin, end)))
        start = stop
    return parts


def _part(F, x, axis, begin, end):
    if begin == end:
        return zeros(F, x, (*x.shape[:axis], 0, *x.shape[axis + 1:]))
    return F.slice_axis(x, axis=axis, begin=begin, end=end)


@function("split")
def split(F, ary, indices_or_sections, axis=0):
    """Return the parts of an array along an axis: equal parts, or parts that end before the given indices.

    ary (any shape and type) | out a list of arrays

    >>> np.split(np.arange(5), [2, 3])
    [array([0., 1.]), array([2.]), array([3., 4.])]
    """
    return _cut(F, "split", ary, indices_or_sections, axis, True)


@function("array_split")
def array_split(F, ary, indices_or_sections, axis=0):
    """Return parts of an array along an axis, of almost equal length: the first ones may be longer by one.

    ary (any shape and type) | out a list of arrays

    >>> np.array_split(np.arange(5), 2)
    [array([0., 1., 2.]), array([3., 4.])]
    """
    return _cut(F, "array_split", ary, indices_or_sections, axis, False)


@function("vsplit")
def vsplit(F, ary, indices_or_sections):
    """Return the parts of an array along its first axis.

    ary (two axes or more) | out a list of arrays

    >>> np.vsplit(np.array([[1, 2], [3, 4]]), 2)
    [array([[1., 2.]]), array([[3., 4.]])]
    """
    return _cut(F, "vsplit", ary, indices_or_sections, 0, True)


@function("hsplit")
def hsplit(F, ary, indices_or_sections):
    """Return the parts of an array along its second axis; a vector is split along its only axis.

    ary (one axis or more) | out a list of arrays

    >>> np.hsplit(np.array([[1, 2], [3, 4]]), 2)
    [array([[1.],
           [3.]]), array([[2.],
           [4.]])]
    """
    return _cut(F, "hsplit", ary, indices_or_sections, 0 if len(ary.shape) == 1 else 1, True)


@function("dsplit")
def dsplit(F, ary, indices_or_sections):
    """Return the parts of an array along its third axis.

    ary (three axes or more) | out a list of arrays

    >>> [part.shape for part in np.dsplit(np.ones((1, 2, 4)), 2)]
    [(1, 2, 2), (1, 2, 2)]
    """
    return _cut(F, "dsplit", ary, indices_or_sections, 2, True)


@function("tile")
def tile(F, A, reps):
    """Return the array repeated along each axis; additional numbers are for new leading axes.

    A (any shape and type) | out like A

    >>> np.tile(np.array([1, 2]), (2, 2))
    array([[1., 2., 1., 2.],
           [1., 2., 1., 2.]])
    """
    counts = (reps,) if isinstance(reps, numbers.Integral) else tuple(int(n) for n in reps)
    ndim = max(len(counts), len(A.shape))
    x = shaped(F, A, (1,) * (ndim - len(A.shape)) + tuple(A.shape))
    counts = (1,) * (ndim - len(counts)) + counts
    if 0 in counts or not A.size:
        return zeros(F, A, [n * k for n, k in zip(x.shape, counts, strict=True)])
    return x if all(n == 1 for n in counts) else F.tile(x, reps=counts)


@function("repeat")
def repeat(F, a, repeats, axis=None):
    """Return the array with each element repeated along an axis, or as a flat array.

    a (any shape and type) | out like a

    repeats: a number, or a list with one number for each element of the axis.

    >>> np.repeat(np.array([1, 2]), [1, 3])
    array([1., 2., 2., 2.])
    """
    if axis is None:
        a, axis = reshape(F, a, -1 if a.size else 0), 0
    axis = axis_of("repeat", axis, len(a.shape))
    if isinstance(repeats, numbers.Integral):
        if not repeats or not a.size:
            return zeros(F, a, [n * int(repeats) if i == axis else n for i, n in enumerate(a.shape)])
        return F.repeat(a, repeats=int(repeats), axis=axis)
    counts = [int(n) for n in repeats]
    if len(counts) == 1:
        return repeat(F, a, counts[0], axis)
    if len(counts) != a.shape[axis]:
        raise ShapeError(f"np.repeat: {len(counts)} numbers for an axis of length {a.shape[axis]}")
    parts = [repeat(F, part, n, axis) for part, n in zip(_cut(F, "repeat", a, a.shape[axis], axis, True), counts,
                                                         strict=True)]
    return concatenate(F, parts, axis=axis)


def as_axes(axis: Any) -> tuple[int, ...]:
    """Return axes as a tuple."""
    return (axis,) if isinstance(axis, numbers.Integral) else tuple(axis)
