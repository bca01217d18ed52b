"""Functions that order elements along an axis."""

from __future__ import annotations

import numbers

from ..table import function
from .common import axis_of, shaped
from .joining import as_axes, concatenate
from .shape import reshape, swapaxes


@function("flip")
def flip(F, m, axis=None, out=None):
    """Return the array in reverse order along the axes, or along all of them.

    m (any shape and type) | out like m

    >>> np.flip(np.array([[1, 2], [3, 4]]))
    array([[4., 3.],
           [2., 1.]])
    """
    axes = range(len(m.shape)) if axis is None else [axis_of("flip", i, len(m.shape)) for i in as_axes(axis)]
    return F.flip(m, axis=tuple(axes)) if m.size and len(tuple(axes)) else m


@function("flipud")
def flipud(F, m):
    """Return the array in reverse order along its first axis.

    m (one axis or more) | out like m

    >>> np.flipud(np.array([[1, 2], [3, 4]]))
    array([[3., 4.],
           [1., 2.]])
    """
    return flip(F, m, 0)


@function("fliplr")
def fliplr(F, m):
    """Return the array in reverse order along its second axis.

    m (two axes or more) | out like m

    >>> np.fliplr(np.array([[1, 2], [3, 4]]))
    array([[2., 1.],
           [4., 3.]])
    """
    return flip(F, m, 1)


@function("rot90")
def rot90(F, m, k=1, axes=(0, 1)):
    """Return the array rotated by k right angles, from the first of the two axes towards the second.

    m (two axes or more) | out like m

    >>> np.rot90(np.array([[1, 2], [3, 4]]))
    array([[2., 4.],
           [1., 3.]])
    """
    i, j = (axis_of("rot90", axis, len(m.shape)) for axis in axes)
    if k % 4 == 2:
        return flip(F, m, (i, j))
    if k % 4 == 1:
        return swapaxes(F, flip(F, m, j), i, j)
    return flip(F, swapaxes(F, m, i, j), j) if k % 4 else m


@function("roll")
def roll(F, a, shift, axis=None):
    """Return the array with its elements shifted along the axes; elements shifted past the end reappear at the start.

    a (any shape and type) | out like a

    >>> np.roll(np.array([1, 2, 3, 4]), 1)
    array([4., 1., 2., 3.])
    """
    if axis is None:
        return shaped(F, roll(F, reshape(F, a, -1 if a.size else 0), shift, 0), a.shape)
    axes = as_axes(axis)
    shifts = (shift,) * len(axes) if isinstance(shift, numbers.Integral) else tuple(shift)
    for i, step in zip(axes * len(shifts) if len(axes) == 1 else axes, shifts, strict=True):
        i = axis_of("roll", i, len(a.shape))
        n = a.shape[i]
        step = int(step) % n if n else 0
        if step and a.size:
            a = concatenate(F, [F.slice_axis(a, axis=i, begin=n - step, end=n),
                                F.slice_axis(a, axis=i, begin=0, end=n - step)], axis=i)
    return a


@function("sort")
def sort(F, a, axis=-1, kind=None, order=None):
    """Return the elements in ascending order along an axis, or all of them in a flat array for axis=None.

    a (any shape and type) | out like a

    kind, order: ignored.

    >>> np.sort(np.array([[3, 1], [2, 0]]))
    array([[1., 3.],
           [0., 2.]])
    """
    x, axis = (reshape(F, a, -1 if a.size else 0), 0) if axis is None else (a, axis)
    return F.sort(x, axis=axis_of("sort", axis, len(x.shape))) if x.size else x


@function("argsort")
def argsort(F, a, axis=-1, kind=None, order=None):
    """Return the indices that sort the elements along an axis, as int64.

    a (any shape and type) | out int64

    kind, order: ignored; equal elements keep their order.

    >>> np.argsort(np.array([3, 1, 2]))
    array([1, 2, 0], dtype=int64)
    """
    x, axis = (reshape(F, a, -1 if a.size else 0), 0) if axis is None else (a, axis)
    axis = axis_of("argsort", axis, len(x.shape))
    return F.argsort(x, axis=axis, dtype="int64") if x.size else F.cast(x, dtype="int64")
