"""Functions that select elements: by index, by condition, on diagonals."""

from __future__ import annotations

import math

import numpy as onp

from ...base import ArgumentError, CallError, ShapeError
from ..table import function
from .arithmetic import multiply
from .common import as_type, axis_of, device_of, dtype_of, is_number, promoted, shaped, zeros
from .filling import full_like
from .joining import concatenate
from .reduction import sum_
from .shape import broadcast_arrays, moveaxis, reshape


@function("take")
def take(F, a, indices, axis=None, mode="raise", out=None):
    """Return the elements with these indices along an axis, or in the flat array.

    a (any shape and type), indices (any shape) | out with shape (axes before, *indices.shape, axes after)

    mode: 'raise', 'clip' or 'wrap' for indices out of range.

    >>> np.take(np.array([10, 20, 30]), np.array([[2, 0]], dtype="int32"))
    array([[30., 10.]])
    """
    if mode not in ("raise", "clip", "wrap"):
        raise ArgumentError(f"np.take: mode is {mode!r}, expected 'raise', 'clip' or 'wrap'")
    if axis is None:
        a, axis = reshape(F, a, -1 if a.size else 0), 0
    axis = axis_of("take", axis, len(a.shape))
    if is_number(indices):
        raise CallError("np.take: indices must be an array of mx.np, found a number. Write a[index].")
    shape = (*a.shape[:axis], *indices.shape, *a.shape[axis + 1:])
    if mode == "raise":                 # negative indices count from the end
        index = as_type(F, indices, "int64")
        indices = F.where(F.lesser(index, 0), F.add(index, a.shape[axis]), index)
    flat = shaped(F, indices, (indices.size,))
    return shaped(F, F.take(a, flat, axis=axis, mode=mode), shape)


@function("where")
def where(F, condition, x=None, y=None):
    """Return the elements of x where the condition holds, and those of y elsewhere.

    condition, x, y (shapes that broadcast, any types; x and y may be numbers) | out with the common type of x and y

    Without x and y it returns the indices where the condition holds, like `nonzero`, but not in a graph.

    Raises CallError with only one of them.

    >>> np.where(np.array([1, 0, 2]) > 0, np.array([1, 2, 3]), -1)
    array([ 1., -1.,  3.])
    """
    if x is None and y is None and hasattr(condition, "asnumpy"):
        places = onp.nonzero(onp.atleast_1d(condition.asnumpy()))
        return tuple([F.array(i, dtype="int64", **device_of(condition)) for i in places])
    if x is None or y is None:
        raise CallError("np.where: expected x and y, or neither of them outside of graphs")
    marks = condition if dtype_of(condition).kind in "bf" else as_type(F, F.not_equal(condition, 0), "bool")
    if is_number(x) and is_number(y):
        one = F.ones_like(as_type(F, marks, "float32"))
        x, y = F.multiply(one, x), F.multiply(one, y)
    elif is_number(x):
        x = F.add(F.zeros_like(y), x)
    elif is_number(y):
        y = F.add(F.zeros_like(x), y)
    marks, x, y = broadcast_arrays(F, marks, *promoted(F, x, y))
    return F.where(marks, x, y)


@function("diag")
def diag(F, array, k=0):
    """Return a matrix with the vector on its k-th diagonal, or the k-th diagonal of a matrix.

    array (one or two axes) | out with two axes or one

    >>> np.diag(np.array([1, 2]))
    array([[1., 0.],
           [0., 2.]])
    >>> np.diag(np.array([[1, 2], [3, 4]]))
    array([1., 4.])
    """
    if len(array.shape) not in (1, 2):
        raise ShapeError(f"np.diag: expected a vector or a matrix, found shape {tuple(array.shape)}")
    if len(array.shape) == 2:
        return diagonal(F, array, k)
    return F.diag(array, k=k) if array.size else zeros(F, array, (abs(k), abs(k)))


@function("diagflat")
def diagflat(F, array, k=0):
    """Return a matrix with all elements of the array on its k-th diagonal.

    array (any shape) | out with two axes

    >>> np.diagflat(np.array([[1, 2]]), k=1)
    array([[0., 1., 0.],
           [0., 0., 2.],
           [0., 0., 0.]])
    """
    return diag(F, shaped(F, array, (array.size,)), k)


@function("diagonal")
def diagonal(F, a, offset=0, axis1=0, axis2=1):
    """Return the diagonals of the matrices that the two axes form, as the last axis.

    a (two axes or more) | out without the two axes, and with the diagonal as the last axis

    >>> np.diagonal(np.array([[1, 2, 3], [4, 5, 6]]), offset=1)
    array([2., 6.])
    """
    ndim = len(a.shape)
    first, second = axis_of("diagonal", axis1, ndim), axis_of("diagonal", axis2, ndim)
    x = moveaxis(F, a, (first, second), (ndim - 2, ndim - 1))
    rows, columns = x.shape[-2:]
    start = offset if offset >= 0 else -offset * columns
    length = max(0, min(rows, columns - offset) if offset >= 0 else min(rows + offset, columns))
    flat = shaped(F, x, (*x.shape[:-2], rows * columns))
    if not length or not a.size:
        return zeros(F, a, (*x.shape[:-2], length))
    end = start + (length - 1) * (columns + 1) + 1
    return F.slice(flat, begin=(None,) * (ndim - 2) + (start,), end=(None,) * (ndim - 2) + (end,),
                   step=(None,) * (ndim - 2) + (columns + 1,))


@function("trace")
def trace(F, a, offset=0, axis1=0, axis2=1, out=None):
    """Return the sums of the diagonals of the matrices that the two axes form.

    a (two axes or more) | out without the two axes

    >>> np.trace(np.array([[1, 2], [3, 4]]))
    array(5.)
    """
    return sum_(F, diagonal(F, a, offset, axis1, axis2), axis=-1)


@function("tril")
def tril(F, m, k=0):
    """Return the matrices with zeros above the k-th diagonal.

    m (two axes or more) | out like m

    >>> np.tril(np.array([[1, 2], [3, 4]]))
    array([[1., 0.],
           [3., 4.]])
    """
    return _triangle(F, m, k, onp.tril)


@function("triu")
def triu(F, m, k=0):
    """Return the matrices with zeros below the k-th diagonal. MXNet 1.9.1 does not have it.

    m (two axes or more) | out like m

    >>> np.triu(np.array([[1, 2], [3, 4]]))
    array([[1., 2.],
           [0., 4.]])
    """
    return _triangle(F, m, k, onp.triu)


def _triangle(F, m, k, part):
    if len(m.shape) < 2:
        raise ShapeError(f"np.{part.__name__}: expected a matrix or more axes, found shape {tuple(m.shape)}")
    if not m.size:
        return m
    rows, columns = m.shape[-2:]
    row = F.arange(0, rows, dtype="int64", **device_of(m))
    column = F.arange(0, columns, dtype="int64", **device_of(m))
    distance = F.broadcast_sub(F.reshape(column, shape=(1, columns)), F.reshape(row, shape=(rows, 1)))
    inside = F.lesser_equal(distance, k) if part is onp.tril else F.greater_equal(distance, k)
    inside = F.reshape(inside, shape=(1,) * (len(m.shape) - 2) + (rows, columns))
    return multiply(F, m, as_type(F, inside, m.dtype))


@function("pad")
def pad(F, x, pad_width, mode="constant", constant_values=0):
    """Return the array with elements added at both ends of its axes.

    x (any shape and type) | out like x

    pad_width: a number, (before, after), or such a pair for each axis.
    mode: 'constant', 'edge', 'reflect' or 'symmetric'.
    constant_values: the value that is added in mode 'constant'.

    >>> np.pad(np.array([1, 2, 3]), (1, 2), mode="edge")
    array([1., 1., 2., 3., 3., 3.])
    """
    if mode not in ("constant", "edge", "reflect", "symmetric"):
        raise ArgumentError(f"np.pad: mode is {mode!r}, expected 'constant', 'edge', 'reflect' or 'symmetric'")
    widths = onp.broadcast_to(onp.asarray(pad_width, "int64"), (len(x.shape), 2)).tolist()
    for axis, (before, after) in enumerate(widths):
        n = x.shape[axis]
        if mode == "constant":
            ends = [full_like(F, zeros(F, x, [*x.shape[:axis], width, *x.shape[axis + 1:]]), constant_values)
                    for width in (before, after)]
            x = concatenate(F, [ends[0], x, ends[1]], axis=axis)
        elif (before or after) and not n:
            raise ArgumentError(f"np.pad: axis {axis} has no elements, and mode {mode!r} repeats some; use mode "
                                "'constant'")
        elif before or after:
            index = onp.pad(onp.arange(n), (before, after), mode)
            parts = [F.slice_axis(x, axis=axis, begin=int(i), end=int(i) + 1) for i in index]
            x = concatenate(F, parts, axis=axis)
    return x


@function("_basic_index")
def basic_index(F, x, key):
    """Return x[key] in a graph, for integers, slices, None and Ellipsis.

    x (any shape and type) | out like x

    key: a tuple of items. ('slice', start, stop, step) stands for a slice, ('index', i) for an integer that leaves an
        axis of length 1. A single such item may also be passed without a tuple.
    """
    items = [key] if key[:1] in (("slice",), ("index",)) else list(key)
    named = sum(item is not None and item is not ... for item in items)
    if named > len(x.shape):
        raise ShapeError(f"{named} indices for {len(x.shape)} axes")
    dots = items.index(...) if ... in items else len(items)
    items[dots:dots + 1] = [("slice", None, None, None)] * (len(x.shape) - named)
    axis, shape = 0, []
    for item in items:
        if item is None:
            shape.append(1)
            continue
        n = x.shape[axis]
        if isinstance(item, tuple) and item[0] == "slice":
            x = _sliced(F, x, axis, *slice(*item[1:]).indices(n))
            shape.append(x.shape[axis])
        else:
            i = item[1] if isinstance(item, tuple) else item
            if not -n <= i < n:
                raise ShapeError(f"index {i} is out of range for axis {axis} of length {n}")
            x = F.slice_axis(x, axis=axis, begin=i % n, end=i % n + 1)
            shape += [1] * isinstance(item, tuple)
        axis += 1
    return shaped(F, x, shape)


@function("_index")
def index(F, x, key, *arrays):
    """Return x[key] in a graph, for a key with integer arrays, or with a single mask, which selects rows.

    x (any shape and type), arrays (shapes that broadcast) | out like x

    key: a tuple of items as for `_basic_index`; ('array', i) is the i-th array, and ('list', ...) is a list.

    Raises ShapeError for None between arrays, and for a mask together with other indices.
    """
    items = list(key)
    if len(items) == 1 and items[0][0] == "array" and dtype_of(arrays[0]).kind == "b":
        return _chosen(F, x, arrays[0])
    if any(dtype_of(array).kind == "b" for array in arrays):
        raise ShapeError("a mask in a graph must be the only index")
    places = [i for i, item in enumerate(items) if isinstance(item, tuple) and item[0] in ("array", "list")]
    if None in items or ... in items[:places[-1]]:
        raise ShapeError("a key with arrays cannot have None in a graph, nor Ellipsis before an array")
    rest = tuple([("slice", None, None, None) if i in places else ("index", item[1]) if item[0] == "index" else item
                  for i, item in enumerate(items) if item is not ...])
    x = basic_index(F, x, rest)
    picked = [_as_index(F, x, items[i], arrays, i) for i in places]
    dropped = [i for i, item in enumerate(items) if item is not ... and item[0] == "index"]
    return _picked(F, x, places, picked, dropped)


def _as_index(F, x, item, arrays, axis):
    """Return an index of an axis as non-negative integers."""
    if item[0] == "list":
        numbers = [F.full((1,), int(i), dtype="int64", **device_of(x)) for i in item[1:]]
        chosen = concatenate(F, numbers)
    else:
        chosen = as_type(F, arrays[item[1]], "int64")
    return F.where(F.lesser(chosen, 0), F.add(chosen, x.shape[axis]), chosen)


def _picked(F, x, places, picked, dropped):
    """Return the elements at the picked indices; the axes of the indices are placed where NumPy puts them.

    dropped: axes of length 1 that the key's integers leave behind; NumPy counts them as arrays when it orders the axes.
    """
    picked = broadcast_arrays(F, *picked)
    shape, axes = tuple(picked[0].shape), sorted({*places, *dropped})
    x = moveaxis(F, x, tuple(places), tuple(range(len(places))))
    flat = picked[0]
    for i in range(1, len(places)):
        flat = F.broadcast_add(F.multiply(flat, x.shape[i]), picked[i])
    rest = x.shape[len(places):]
    x = shaped(F, x, (math.prod(x.shape[:len(places)]), *rest))
    x = shaped(F, F.take(x, shaped(F, flat, (flat.size,)), axis=0, mode="clip"), (*shape, *rest))
    before = axes[0] if axes == list(range(axes[0], axes[-1] + 1)) else 0
    left = [i for i in range(len(rest) + len(places)) if i not in places]
    x = moveaxis(F, x, tuple(range(len(shape))), tuple(range(before, before + len(shape))))
    kept = [n for i, n in zip(left, rest, strict=True) if i not in dropped]
    return shaped(F, x, (*kept[:before], *shape, *kept[before:]))


def _chosen(F, x, mask):
    """Return the elements of x for which a mask of its first axes is true."""
    front = len(mask.shape)
    x = shaped(F, x, (math.prod(x.shape[:front]), *x.shape[front:]))
    return F._contrib_boolean_mask(x, shaped(F, mask, (mask.size,)))


def _sliced(F, x, axis, start, stop, step):
    if (start, stop, step) == (0, x.shape[axis], 1):
        return x
    length = len(range(start, stop, step))
    if not length:
        return zeros(F, x, [*x.shape[:axis], 0, *x.shape[axis + 1:]])
    if step == 1:
        return F.slice_axis(x, axis=axis, begin=start, end=stop)
    empty = (None,) * axis
    return F.slice(x, begin=(*empty, start), end=(*empty, None if stop < 0 else stop), step=(*empty, step))
