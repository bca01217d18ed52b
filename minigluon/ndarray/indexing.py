"""Reading and writing parts of an array: `x[key]` and `x[key] = value`. `index_keys.py` defines the keys.

  * With only integers and slices, the part is a box: a view, which shares memory, if it is contiguous, otherwise a
  copy.
  * If there is an array or a mask among the items, this is NumPy's advanced indexing, which always copies.

A result of shape () has shape (1,) instead, as everywhere in MXNet; under `mx.np_shape`, a single element has shape ().

While recording, reads of an array on the tape are recorded as `slice`, `Reshape` and `take`. If a value on the tape is
written to an array that is not on the tape, `_slice_assign` or `_scatter_set_nd` records the write, and the array joins
the tape.
"""

from __future__ import annotations

import numbers
from collections.abc import Iterator
from typing import Any

import numpy as np

from .. import tape
from ..base import DTypeError, MXNetError
from ..common.memory import enough_memory
from ..common.shape_semantics import is_np_shape
from .advanced_indexing import (
    broadcast_clash,
    numbers_of,
    read_box,
    read_elements,
    record_box,
    store_elements,
    write_tracked,
)
from .index_keys import bounds, is_basic, normalize_key
from .ndarray import NDArray

__all__ = ["add_indexing"]

_state = tape.state
_BOX, _SLICES, _INTEGERS = {int, slice}, {slice}, {int}         # types of items in a key


def add_indexing() -> None:
    """Add indexing with square brackets and iteration to NDArray."""
    NDArray.__getitem__ = read
    NDArray.__setitem__ = write
    NDArray.__iter__ = rows


def rows(x: NDArray) -> Iterator[NDArray]:
    """Iterate over x[0], x[1], ...: `for row in x`."""
    return (x[i] for i in range(x.shape[0]))


def read(x: NDArray, key: Any) -> NDArray:
    """Return x[key], which is a view if the part is contiguous in memory, and otherwise a copy.

    Raises OutOfRangeError (also an IndexError), or MXNetError for an unsupported key.
    """
    part = slice_fast(x.buffer, key)
    if part is not None:
        result = x._view(part) if part.flags.c_contiguous else NDArray(_copied(part), x.device)
        if _state.recording and x.entry is not None:
            record_box(x, [bounds(item, n) for item, n in zip(key if key.__class__ is tuple else (key,), x.shape)],
                       result)
        return result
    key = normalize_key(key, x.shape)
    with enough_memory("x[key]"):
        return read_box(x, key) if is_basic(key) else read_elements(x, key)


def _copied(part):
    try:
        return part.copy()
    except MemoryError:
        raise MXNetError(f"x[key]: there is no memory for an array of shape {part.shape} and dtype "
                         f"{part.dtype}") from None


def slice_fast(data: Any, key: Any) -> Any:
    """Return part of a buffer quickly for the most common keys; return None for all other keys.

    These are i, i:j, (i, j), and tuples of integers and slices with at least one slice.
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
            except (LookupError, ValueError):       # out of range, or a step of 0; the slow path raises the error
                return None
        if len(key) == 2 == len(shape) and kinds == _INTEGERS:
            i, j = key
            if -shape[0] <= i < shape[0] and -shape[1] <= j < shape[1]:
                return as_number(data[i, j:j + 1 or shape[1]])
    return None


def as_number(part: Any) -> Any:
    """Reshape a single element from (1,) to the shape of a number."""
    return part.reshape(()) if is_np_shape() else part


def write(x: NDArray, key: Any, value: Any) -> None:
    """Implement x[key] = value for a number, NDArray, numpy.ndarray or nested lists, which is converted to x's dtype.

    Raises OutOfRangeError; ShapeError if the value cannot be broadcast; MXNetError if x is on the tape.
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


def as_elements(x: NDArray, value: Any) -> Any:
    """Return a value that NumPy can assign: a number, or an array on the device of x."""
    if isinstance(value, NDArray):
        return (value if value.device is x.device else value.as_in_context(x.device)).buffer
    source = value
    if not isinstance(value, (numbers.Number, np.ndarray)):
        try:
            value = np.asarray(value)
        except ValueError:
            raise DTypeError(f"cannot write {value!r} to an NDArray: its rows have different lengths") from None
    if isinstance(value, (np.ndarray, np.generic)) and value.dtype.kind not in "iufb":
        return numbers_of(value, source, x.buffer.dtype)
    if isinstance(value, int) and x.buffer.dtype.kind in "iu":
        return np.array(value).astype(x.buffer.dtype)            # wraps around; NumPy 2 would raise an error
    return value


def store(target: Any, value: Any) -> None:
    """Assign to a NumPy view. A value may have more axes than the target if their length is 1."""
    target = target.reshape(1) if target.ndim == 0 else target
    try:
        target[...] = value
    except ValueError:
        raise broadcast_clash(np.shape(value), target.shape) from None
