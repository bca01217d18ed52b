"""Helpers for the rows: conversion to a common type, scalars, axes."""

from __future__ import annotations

import functools
import numbers
import operator
from collections import namedtuple
from collections.abc import Sequence
from typing import Any

import numpy as onp

from ...base import ArgumentError, OutOfRangeError, ShapeError
from ..promotion import DEFAULT, result_type

__all__ = ["AxisError", "as_float", "as_type", "axis_of", "device_of", "dtype_of", "is_number", "named_results",
           "promoted", "scalar", "shaped", "zeros"]


@functools.lru_cache(64)
def named_results(*fields: str) -> Any:
    """Return a class of tuples whose items also have names. They are printed without these, as in MXNet."""
    cls = namedtuple("Results", fields)
    cls.__repr__ = tuple.__repr__           # type: ignore[method-assign]
    cls.__reduce__ = lambda self: (tuple, (tuple(self),))       # type: ignore[method-assign]
    return cls


class AxisError(ShapeError, OutOfRangeError):
    """The error for an axis out of range, which is a ValueError and an IndexError, as in NumPy."""


def is_number(x: Any) -> bool:
    """Return whether an operand is a Python or NumPy number, and not an array."""
    return isinstance(x, (numbers.Real, onp.bool_))


def dtype_of(x: Any) -> onp.dtype[Any]:
    """Return the element type of an array or symbol."""
    buffer = getattr(x, "buffer", None)
    return onp.dtype(x.dtype) if buffer is None else buffer.dtype


def as_type(F: Any, x: Any, dtype: Any) -> Any:
    """Return an array converted to an element type, or the array itself if it has that type. None keeps the type."""
    if dtype is None or dtype_of(x) == onp.dtype(dtype):
        return x
    return F.cast(x, dtype=onp.dtype(dtype).name)


def as_float(F: Any, x: Any) -> Any:
    """Return an array with a floating-point type: integers and booleans become float32."""
    return x if dtype_of(x).kind == "f" else as_type(F, x, DEFAULT)


def promoted(F: Any, *arrays: Any) -> list[Any]:
    """Return the arrays in their common type."""
    dtype = result_type(*[dtype_of(x) for x in arrays])
    return [as_type(F, x, dtype) for x in arrays]


def scalar(F: Any, x: Any) -> Any:
    """Return an array with one element, reshaped to ()."""
    return F.reshape(x, shape=())


def device_of(x: Any) -> dict[str, Any]:
    """Return the keyword argument that creates an array on the device of x; none in a graph."""
    return {"ctx": x.device} if hasattr(x, "buffer") else {}


def zeros(F: Any, like: Any, shape: Sequence[int]) -> Any:
    """Return zeros with the type and device of an array. If one of the two is empty, the zeros are computed from the
    array, both on the tape and in a graph, so that they have a gradient, which is 0.
    """
    made = F.zeros(tuple(shape), dtype=dtype_of(like).name, **device_of(like))
    if dtype_of(like).kind != "f" or like.size and 0 not in shape:
        return made
    nothing = F.sum(like) if not like.size else F.multiply(F.sum(like), 0)
    return F.broadcast_add(made, F.reshape(nothing, shape=(1,) * len(shape)))


def shaped(F: Any, x: Any, shape: Sequence[int]) -> Any:
    """Return an array reshaped to a shape whose lengths are all known, where 0 is a length."""
    shape = tuple(shape)
    if tuple(x.shape) == shape:
        return x
    if 0 in shape:                      # `reshape` reads 0 as 'the length of the input'
        return zeros(F, x, shape)
    return F.reshape(x, shape=shape)


def axis_of(name: str, axis: Any, ndim: int) -> int:
    """Return a non-negative axis. Raises AxisError, or ArgumentError if axis is not an integer."""
    try:
        position = operator.index(axis)
    except TypeError:
        raise ArgumentError(f"np.{name}: axis must be an integer, found {axis!r}") from None
    if not -ndim <= position < ndim:
        raise AxisError(f"np.{name}: axis {axis} is out of range for {ndim} dimensions")
    return position % ndim
