"""Reading and writing parts of an array: `x[key]` and `x[key] = value`.

A key is a tuple of items, each for one axis: an integer, a slice, an array of integers (a list, numpy.ndarray or
NDArray; fractions are dropped) or a mask (an array of booleans, for as many axes as it has); None is a new axis of
length 1, and Ellipsis stands for all axes that are not named. Missing items are `:`.

An array without axes has one element: `x[:]`, as `x[...]`, stands for it.

  * Integers and slices alone read a box. It is a view, which shares memory, where the box is contiguous; else a copy.
  * With an array or mask among the items it is NumPy's advanced indexing, always a copy. What integers and slices
    would leave as shape () is (1,), as everywhere in MXNet; under `mx.np_shape` a number has shape ().

While recording, the reads of an array on the tape are put there as `slice`, `Reshape` and `take`. Writing to an array
that is not on the tape a value that is, puts the array there: as `_slice_assign` or `_scatter_set_nd`.
"""

from __future__ import annotations

import math
import numbers
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import numpy as np

from .. import tape
from ..backend import backend_for
from ..base import ArgumentError, DTypeError, MXNetError, OutOfRangeError, ShapeError
from ..common.shape_semantics import is_np_shape
from ..ops import REGISTRY
from .ndarray import NDArray, invoke

__all__ = ["add_indexing"]

_state = tape.state
_ALL = slice(None)
_BOX, _SLICES, _INTEGERS = {int, slice}, {slice}, {int}         # kinds of items in a key
MAX_OPERATORS = 4096        # made for keys and remembered: making one costs more than the rest of a read


def add_indexing():
    """Give NDArray the square brackets and iteration."""
    NDArray.__getitem__ = read
    NDArray.__setitem__ = write
    NDArray.__iter__ = rows


def rows(x: NDArray) -> Iterator[NDArray]:
    """`for row in x`: x[0], x[1], ..."""
    return (x[i] for i in range(x.shape[0]))


def read(x: NDArray, key: Any) -> NDArray:
    """x[key]: a view where the part is contiguous in memory, otherwise a copy.

    Raises OutOfRangeError (an IndexError, too), or MXNetError for a key of another kind.
    """
    part = slice_fast(x.buffer, key)
    if part is not None:
        result = x._view(part) if part.flags.c_contiguous else NDArray(part.copy(), x.device)
        if _state.recording and tape.is_recorded(x):
            record_box(x, [bounds(item, n) for item, n in zip(key if key.__class__ is tuple else (key,), x.shape)],
                       result)
        return result
    key = normalize_key(key, x.shape)
    return read_box(x, key) if is_basic(key) else read_elements(x, key)


def slice_fast(data, key):
    """The part of a buffer for the most frequent keys: the short way. None for all others.

    They are i, i:j, (i, j), and a tuple of integers and slices with a slice among them.
    """
    shape = data.shape
    if not shape:
        return None
    if key.__class__ is int:
        n = shape[0]
        if -n <= key < n:
            return data[key] if len(shape) > 1 else as_number(data[key:key + 1 or n])
    elif key.__class__ is slice and key.step is None:
        return data[key]
    elif key.__class__ is tuple and len(key) <= len(shape):
        kinds = set(map(type, key))
        if kinds in (_BOX, _SLICES):
            try:
                return data[key]
            except (LookupError, ValueError):       # out of range, or a step of 0: the long way says so
                return None
        if len(key) == 2 == len(shape) and kinds == _INTEGERS:
            i, j = key
            if -shape[0] <= i < shape[0] and -shape[1] <= j < shape[1]:
                return as_number(data[i, j:j + 1 or shape[1]])
    return None


def as_number(part):
    """One element, of shape (1,), in the shape of a number."""
    return part.reshape(()) if is_np_shape() else part


def write(x: NDArray, key: Any, value: Any) -> None:
    """x[key] = value: a number, NDArray, numpy.ndarray or nested lists, broadcast and converted to x's dtype.

    Raises OutOfRangeError, ShapeError when the value cannot be broadcast, MXNetError when x is on the tape.
    """
    x._forbid_write_on_tape()
    if _state.recording and isinstance(value, NDArray) and tape.is_recorded(value):
        return write_tracked(x, normalize_key(key, x.shape), value)
    value = as_elements(x, value)
    part = x.buffer if key is ... else slice_fast(x.buffer, key)
    if part is not None:
        store(part, value)
    else:
        key = normalize_key(key, x.shape)
        if is_basic(key):
            store(x.buffer[(*key, ...)], value)
        else:
            store_elements(x, key, value)
    x._count_write()


# -- keys -----------------------------------------------------------------------------------------------------------


def normalize_key(key, shape):
    """The key as a tuple that names every axis: of integers, slices, None, and arrays of integers; none negative."""
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
    """Raise ShapeError unless the arrays of a key go together."""
    try:
        np.broadcast_shapes(*shapes)
    except ValueError:
        raise ShapeError(f"the arrays of an index have shapes {' and '.join(map(str, shapes))}, which cannot be "
                         "broadcast together") from None


def as_item(item, key):
    """One item of a key as an int, slice, None, Ellipsis, or numpy.ndarray of int64 or bool."""
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
    """How many axes of the array an item stands for."""
    if item is None or item is ...:
        return 0
    return item.ndim if isinstance(item, np.ndarray) and item.dtype == bool else 1


def in_range(item, axis, shape):
    """The item as a list, checked, negative numbers counted from the end. A mask becomes an array for each axis."""
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
    """Where a mask would fit: behind further items for the axes in front."""
    for behind in range(axis + 1, len(shape)):
        if mask.shape == shape[behind:behind + mask.ndim]:
            return f". For axis {behind}, write x[{':, ' * behind}mask]."
    return ""


def is_basic(key):
    """Is it a box: no array among the items?"""
    return not any(isinstance(item, np.ndarray) for item in key)


def box_of(key, shape):
    """(slices, lengths, shape of the result) of a box: an integer is a slice of length 1 whose axis is dropped."""
    slices = [slice(item, item + 1) if isinstance(item, int) else item for item in key if item is not None]
    lengths = [len(range(*s.indices(n))) for s, n in zip(slices, shape, strict=True)]
    left, result = iter(lengths), []
    for item in key:
        length = 1 if item is None else next(left)
        if not isinstance(item, int):
            result.append(length)
    return tuple(slices), tuple(lengths), tuple(result) or (() if is_np_shape() else (1,))


# -- reading ----------------------------------------------------------------------------------------------------------


def read_box(x, key):
    """The elements of a box, as a view where they are contiguous."""
    slices, lengths, shape = box_of(key, x.shape)
    part = x.buffer[(*slices, ...)]         # without the dots, NumPy gives a number where there are no axes
    if part.flags.c_contiguous:
        result = x._view(part.reshape(shape))
    else:
        result = NDArray(part.copy().reshape(shape), x.device)
    if _state.recording and tape.is_recorded(x):
        record_box(x, [bounds(item, n) for item, n in zip(slices, x.shape, strict=True)], result)
    return result


def record_box(x, box, result):
    """Put the read of a box, the slices with these bounds, on the tape behind `result`."""
    lengths = (*[len(range(*edges)) for edges in box], *x.shape[len(box):])
    op = slice_operator("slice", tuple(box))
    if lengths == result.shape:
        tape.record_op(op, (x,), (result,))
    else:
        part = result._view(result.buffer.reshape(lengths))
        tape.record_op(op, (x,), (part,))
        tape.record_op(reshape_operator(result.shape), (part,), (result,))


def bounds(item, n):
    """(start, stop, step) of an integer or slice on an axis of length n, as `range` takes them."""
    if item.__class__ is int:
        start = item % n
        return start, start + 1, 1
    edges = item.indices(n)
    return edges if len(range(*edges)) else (0, 0, 1)


@lru_cache(MAX_OPERATORS)
def slice_operator(name, box):
    """`slice` or `_slice_assign` for a box given by (start, stop, step) of each axis."""
    begin, end, step = zip(*box, strict=True) if box else ((), (), ())
    # Going down to the first element, range's stop is -1, which a slice would count from the end.
    end = [None if stop < 0 else stop for stop in end]
    return REGISTRY[name](begin=begin, end=end, step=step)


@lru_cache(MAX_OPERATORS)
def reshape_operator(shape):
    return REGISTRY["Reshape"](shape=shape)


def read_elements(x, key):
    """Advanced indexing."""
    if isinstance(x.buffer, np.ndarray) and not (_state.recording and tape.is_recorded(x)):
        return NDArray(one_axis_at_least(np.ascontiguousarray(x.buffer[key])), x.device)
    axes = [i for i, item in enumerate(key) if not (isinstance(item, slice) and item == _ALL)]
    if len(axes) == 1:
        return invoke(REGISTRY["take"](axis=axes[0]), [x, index_array(x, key[axes[0]])])
    return invoke(REGISTRY["take"](), [x.reshape((-1,)), index_array(x, flat_numbers(x, key))])


def flat_numbers(x, key):
    """The numbers of the elements that an advanced key reads, when all elements of x stand in one row."""
    return one_axis_at_least(np.arange(x.size).reshape(x.shape)[key])


def one_axis_at_least(array):
    return array.reshape(array.shape or (1,))


def index_array(x, numbers):
    """An NDArray of indices on the device of x."""
    return NDArray(backend_for(x.device).from_numpy(one_axis_at_least(numbers), x.device), x.device)


# -- writing ----------------------------------------------------------------------------------------------------------


def as_elements(x, value):
    """What NumPy can assign: a number, or an array on the device of x."""
    if isinstance(value, NDArray):
        return (value if value.device is x.device else value.as_in_context(x.device)).buffer
    given = value
    if not isinstance(value, (numbers.Number, np.ndarray)):
        try:
            value = np.asarray(value)
        except ValueError:
            raise DTypeError(f"cannot write {value!r} to an NDArray: its rows have different lengths") from None
    if isinstance(value, (np.ndarray, np.generic)) and value.dtype.kind not in "iufb":
        found = f"an array of dtype {value.dtype}" if given is value else f"{given!r} of type {type(given).__name__}"
        raise DTypeError(f"cannot write {found} to an NDArray; expected numbers")
    if isinstance(value, int) and x.buffer.dtype.kind in "iu":
        return np.array(value).astype(x.buffer.dtype)            # wraps round, where NumPy 2 would refuse
    return value


def store(target, value):
    """Assign to a NumPy view. A value may have more axes than the target as long as they have length 1."""
    target = target.reshape(1) if target.ndim == 0 else target
    try:
        target[...] = value
    except ValueError:
        raise broadcast_clash(np.shape(value), target.shape) from None


def store_elements(x, key, value):
    """Assign to the elements of an advanced key. Where one is named twice, the last value counts."""
    try:
        x.buffer[key] = value
    except ValueError:
        raise broadcast_clash(np.shape(value), x.buffer[key].shape) from None


def broadcast_clash(found, expected):
    return ShapeError(f"cannot write an array of shape {found} to a part of shape {expected}: it cannot be broadcast. "
                      "From the right, each of its axes must have the length of the part's, or 1.")


def write_tracked(x, key, value):
    """Write a value that is on the tape to an array that is not: the array goes on the tape."""
    if x._base is not None:
        raise MXNetError(
            "cannot record writing to a view: the gradient would not reach the value. Write to the array itself, "
            "x[0, 1:3] = y instead of x[0][1:3] = y, or build the result with operators such as nd.concat.")
    value = value.as_in_context(x.device).astype(x.dtype, copy=False)
    if is_basic(key):
        slices, lengths, shape = box_of(key, x.shape)
        value = broadcast_to(value, shape)
        if 0 in shape:
            return
        value = value.reshape(lengths)
        store(x.buffer[(*slices, ...)], value.buffer)
        box = tuple(bounds(item, n) for item, n in zip(slices, x.shape, strict=True))
        tape.record_op(slice_operator("_slice_assign", box), (x, value), (x,))
    else:
        where = flat_numbers(x, key)
        value = broadcast_to(value, where.shape)
        if 0 in where.shape:
            return
        before = NDArray(x.buffer.reshape(-1), x.device)
        flat = NDArray(before.buffer, x.device)
        flat.buffer[where] = value.buffer
        tape.record_op(REGISTRY["_scatter_set_nd"](shape=(x.size,)),
                       (before, value, index_array(x, where[None])), (flat,))
        tape.record_op(reshape_operator(x.shape), (flat,), (x,))
    x._count_write()


def broadcast_to(value, shape):
    """The value stretched to a shape, by operators."""
    extra = len(value.shape) - len(shape)
    if extra > 0 and math.prod(value.shape[:extra]) == 1:
        value = value.reshape(value.shape[extra:])
    try:
        fits = np.broadcast_shapes(value.shape, shape) == shape
    except ValueError:
        fits = False
    if not fits:
        raise broadcast_clash(value.shape, shape)
    if value.shape == shape:
        return value
    value = value.reshape((1,) * (len(shape) - value.ndim) + value.shape)
    return invoke(REGISTRY["broadcast_to"](shape=shape), [value])
