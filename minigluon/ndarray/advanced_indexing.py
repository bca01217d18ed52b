"""The less common forms of `x[key]` and `x[key] = value`: steps, new axes, array keys, and writes that are recorded."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

from .. import tape
from ..backend import backend_for
from ..base import AutogradError, DTypeError, ShapeError
from ..ops import REGISTRY
from .imperative import invoke
from .index_keys import bounds, box_of, is_basic
from .ndarray import NDArray

__all__ = ["broadcast_clash", "numbers_of", "read_box", "read_elements", "record_box", "store_elements",
           "write_tracked"]

_state = tape.state
_ALL = slice(None)
MAX_OPERATORS = 4096        # cached by key: creating an operator costs more than the rest of a read


def read_box(x, key):
    """Returns the elements of a box, as a view if they are contiguous."""
    slices, lengths, shape = box_of(key, x.shape)
    part = x.buffer[(*slices, ...)]         # without the ellipsis, NumPy returns a number if no axes are left
    if part.flags.c_contiguous:
        result = x._view(part.reshape(shape))
    else:
        result = NDArray(part.copy().reshape(shape), x.device)
    if _state.recording and x.entry is not None:
        record_box(x, [bounds(item, n) for item, n in zip(slices, x.shape, strict=True)], result)
    return result


def record_box(x, box, result):
    """Records on the tape that `result` was read from a box, which is given by slices with these bounds."""
    lengths = (*[len(range(*edges)) for edges in box], *x.shape[len(box):])
    op = slice_operator("slice", tuple(box))
    if lengths == result.shape:
        tape.record_op(op, (x,), (result,))
    else:
        part = result._view(result.buffer.reshape(lengths))
        tape.record_op(op, (x,), (part,))
        tape.record_op(reshape_operator(result.shape), (part,), (result,))


@lru_cache(MAX_OPERATORS)
def slice_operator(name, box):
    """Returns `slice` or `_slice_assign` for a box, given as (start, stop, step) for each axis."""
    begin, end, step = zip(*box, strict=True) if box else ((), (), ())
    # If a descending range ends with the first element, its stop is -1, which a slice would count from the end.
    end = [None if stop < 0 else stop for stop in end]
    return REGISTRY[name](begin=begin, end=end, step=step)


@lru_cache(MAX_OPERATORS)
def reshape_operator(shape):
    return REGISTRY["Reshape"](shape=shape)


def read_elements(x, key):
    """Reads elements by advanced indexing."""
    if isinstance(x.buffer, np.ndarray) and not (_state.recording and x.entry is not None):
        return NDArray(one_axis_at_least(np.ascontiguousarray(x.buffer[key])), x.device)
    axes = [i for i, item in enumerate(key) if not (isinstance(item, slice) and item == _ALL)]
    if len(axes) == 1:
        return invoke(REGISTRY["take"](axis=axes[0]), [x, index_array(x, key[axes[0]])])
    return invoke(REGISTRY["take"](), [x.reshape((-1,)), index_array(x, flat_numbers(x, key))])


def flat_numbers(x, key):
    """Returns the flat indices of the elements that an advanced key selects."""
    return one_axis_at_least(np.arange(x.size).reshape(x.shape)[key])


def one_axis_at_least(array):
    return array.reshape(array.shape or (1,))


def index_array(x, numbers):
    """Returns an NDArray of indices on the device of x."""
    return NDArray(backend_for(x.device).from_numpy(one_axis_at_least(numbers), x.device), x.device)


def write_tracked(x, key, value):
    """Writes a recorded value to an array that is not on the tape, and adds the array to the tape."""
    if x._base is not None:
        raise AutogradError(
            "cannot record writing to a view, such as x[0] or x.reshape(...): the gradient would not reach the value. "
            "Write to the array itself, x[0, 1:3] = y instead of x[0][1:3] = y, and reshape it afterwards; or build "
            "the result with operators such as nd.concat.")
    value = value.as_in_context(x.device).astype(x.dtype, copy=False)
    if is_basic(key):
        slices, lengths, shape = box_of(key, x.shape)
        value = broadcast_to(value, shape)
        if 0 in shape:
            return
        value = value.reshape(lengths)
        x.buffer[(*slices, ...)] = value.buffer
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


def store_elements(x, key, value):
    """Assigns to the elements that an advanced key selects.

    If an element is selected more than once, the last value is used.
    """
    try:
        x.buffer[key] = value
    except ValueError:
        raise broadcast_clash(np.shape(value), x.buffer[key].shape) from None


def broadcast_to(value, shape):
    """Stretches the value to a shape, using operators."""
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


def numbers_of(value, source, dtype):
    """Returns an array of objects or strings as numbers, converted as by `nd.array`, or raises DTypeError.

    source: the value before it was converted to an array, for the message.
    """
    if value.ndim and value.dtype.kind in "OSU":
        try:
            return value.astype(dtype)
        except (TypeError, ValueError, OverflowError):
            pass                # the message below explains this case
    text = f"an array of dtype {value.dtype}" if source is value else f"{source!r} of type {type(source).__name__}"
    raise DTypeError(f"cannot write {text} to an NDArray; expected numbers")


def broadcast_clash(actual, expected):
    return ShapeError(f"cannot write an array of shape {actual} to a part of shape {expected}: it cannot be broadcast. "
                      "From the right, each of its axes must have the length of the part's, or 1.")
