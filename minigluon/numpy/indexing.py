"""`x[key]` and `x[key] = value` for arrays of `mx.np`: the engine's indexing, with results in NumPy's shapes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as onp

from .. import tape
from ..common.shape_scopes import np_shape
from ..common.shape_semantics import is_np_shape
from ..ndarray import indexing as nd_indexing
from ..ndarray.advanced_indexing import record_box
from ..ndarray.imperative import SMALL
from ..ndarray.index_keys import bounds
from ..ndarray.ndarray import NDArray
from ..ops import REGISTRY
from .array import adopt, ndarray
from .fast_paths import taken
from .namespace import lookup

__all__ = ["add_indexing"]

_state, _MASK = tape.state, REGISTRY["_contrib_boolean_mask"]()
_BOX, _INTEGER = frozenset([int, slice]), {int}         # types of items in a key


def add_indexing() -> None:
    """Add square brackets, iteration, `in` and a length to arrays of `mx.np`."""
    ndarray.__getitem__ = read
    ndarray.__setitem__ = write
    ndarray.__iter__ = rows
    ndarray.__contains__ = contains
    ndarray.__len__ = length


def length(self: Any) -> int:
    """Implement len(x). Raises TypeError for an array without axes."""
    shape = self.buffer.shape
    if not shape:
        raise TypeError("len() of unsized object")
    return shape[0]


def rows(self: Any) -> Iterator[Any]:
    """Iterate over x[0], x[1], ...; an array without axes raises TypeError."""
    return (self[i] for i in range(len(self)))


def contains(self: Any, value: Any) -> bool:
    """Implement `value in x`."""
    return bool((self == value).any())


def read(self: Any, key: Any) -> Any:
    """Return x[key]: a view if the part is contiguous in memory, otherwise a copy.

    Raises OutOfRangeError (also an IndexError), or MXNetError for an unsupported key.
    """
    part = _basic(self, key)
    if part is not None:
        if _state.recording and self.entry is not None:
            items = key if key.__class__ is tuple else (key,)
            record_box(self, [bounds(item, n) for item, n in zip(items, self.buffer.shape, strict=False)], part)
        return part
    if key.__class__ is list and set(map(type, key)) == _INTEGER:
        key = ndarray(onp.array(key), self.device)
    part = _selected(self, key) if key.__class__ is ndarray and key.shape else None
    if part is not None:
        return part
    if not is_np_shape():
        with np_shape():
            return read(self, key)
    if _is_truth(key):
        return read(lookup("expand_dims")(self, 0), [bool(key)])
    x = self.as_nd_ndarray() if _state.recording else self
    key = _prepared(key)
    result = adopt(nd_indexing.read(x, key))
    if result.shape == (1,) and _is_number(key, self.shape):
        return result.reshape(())
    return result


def write(self: Any, key: Any, value: Any) -> None:
    """Implement x[key] = value for a number, an array, or nested lists, which are converted to x's dtype.

    Raises OutOfRangeError; ShapeError if the value cannot be broadcast; MXNetError if x is on the tape.
    """
    if self.entry is None and _stored(self, key, value):
        self._count_write()
        return
    if not is_np_shape():
        with np_shape():
            return write(self, key, value)
    if _is_truth(key):
        if not key:
            return
        key = ...
    if value.__class__ is ndarray:
        value = value.as_nd_ndarray()
    nd_indexing.write(self, _prepared(key), value)


def _part(buffer, key):
    """Return part of a NumPy buffer, selected by integers and slices; None for other keys and indices out of range."""
    if key.__class__ is int or key.__class__ is slice:
        full = (key, ...)
    elif key.__class__ is tuple and _BOX.issuperset(map(type, key)):
        full = (*key, ...)
    else:
        return None
    try:
        return buffer[full]
    except (IndexError, TypeError, ValueError):         # the slow path raises the error
        return None


def _basic(x, key):
    """Return x[key] on the CPU for integers and slices, not yet on the tape; None for other keys."""
    buffer = x.buffer
    part = _part(buffer, key) if buffer.__class__ is onp.ndarray and x._sharers is None else None
    if part is None or not part.flags.c_contiguous:
        return None if part is None else ndarray(part.copy(), x.device)
    return x._view(part)


def _selected(x, key):
    """Return x[key] on the CPU for a small x and an array of indices or a mask; None for others, and out of range."""
    data, mask = x.buffer, key.buffer
    if mask.dtype.kind != "b":
        return taken(x, key)
    if data.__class__ is not onp.ndarray or data.size > SMALL or key.device is not x.device or \
            mask.shape != data.shape[:mask.ndim]:
        return None
    if mask.ndim > 1 and data.size and _state.recording and x.entry is not None:
        return read(x.reshape((-1, *data.shape[mask.ndim:])), key.reshape(-1))
    result = ndarray(data[mask], x.device)
    if _state.recording:                # the tape keeps a copy, so that the program may overwrite the mask
        tape.record_op(_MASK, (x, NDArray(mask.copy(), x.device)), (result,))
    return result


def _stored(x, key, value):
    """Store a number or an array in a part of a floating-point array on the CPU. Returns False for other values."""
    buffer = x.buffer
    if buffer.__class__ is not onp.ndarray or buffer.dtype.kind != "f":
        return False
    if value.__class__ is ndarray:
        if value.device is not x.device or _state.recording and value.entry is not None:
            return False
        value = value.buffer
    elif value.__class__ is not float and value.__class__ is not int:
        return False
    part = _part(buffer, key)
    if part is None:
        return False
    try:
        part[...] = value
    except (ValueError, OverflowError):         # the slow path raises the error
        return False
    return True


def _is_truth(key):
    """Return whether a key is a mask without axes or a bool, which selects everything or nothing."""
    return isinstance(key, (bool, onp.bool_)) or key.__class__ is ndarray and not key.shape and key.dtype.kind == "b"


def _prepared(key: Any) -> Any:
    """Return a key in which integer arrays without axes are converted to integers."""
    if isinstance(key, tuple):
        return tuple([_prepared(item) for item in key])
    if isinstance(key, NDArray) and not key.shape and key.dtype.kind != "b":
        return int(key.item())
    return key


def _is_number(key, shape):
    """Return whether an advanced key yields shape (): `nd` returns (1,) in this case."""
    items = [item.asnumpy() if isinstance(item, NDArray) else item for item in (
        key if isinstance(key, tuple) else (key,))]
    if not any(isinstance(item, (list, onp.ndarray)) for item in items):
        return False
    probe = onp.broadcast_to(onp.zeros((), bool), shape)
    return probe[tuple(onp.asarray(item).astype("int64") if isinstance(item, onp.ndarray) and item.dtype.kind == "f"
                       else item for item in items)].shape == ()
