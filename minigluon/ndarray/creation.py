"""Functions that create arrays: `array`, `zeros`, `ones`, `full`, `empty`.

`ranges.py` has `arange` and similar functions, and `dlpack.py` has functions that share memory.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from operator import index
from typing import Any, TypeVar, cast

import numpy as np

from ..backend import backend_for
from ..base import ArgumentError, DTypeError, MXNetError, ShapeError
from ..common.dtypes import as_dtype
from ..common.memory import enough_memory
from ..common.types import DType, Number, Shape
from ..context import Context, current_context, parse
from ..diagnostics.strictness import refuse
from ..providers import ask
from .ndarray import NDArray

__all__ = ["array", "empty", "full", "ones", "zeros"]

_Function = TypeVar("_Function", bound=Callable[..., Any])


def refusing(function: _Function) -> _Function:
    """Decorator that converts NumPy's errors to MXNetErrors that name the function and its arguments."""
    @functools.wraps(function)
    def call(*args, **kwargs):
        try:
            return function(*args, **kwargs)
        except MXNetError:
            raise
        except (ArithmeticError, AttributeError, LookupError, MemoryError, TypeError, ValueError) as error:
            try:
                arguments = inspect.signature(function).bind(*args, **kwargs).arguments
            except TypeError as mismatch:
                raise TypeError(f"{function.__name__}: {mismatch}") from None
            listed = ", ".join(f"{name}={_excerpt(value)}" for name, value in arguments.items())
            raise MXNetError(f"{function.__name__}: {error}. Found {listed}.") from None
    return cast(_Function, call)


def array(source_array: Any, ctx: Any = None, dtype: Any = None) -> NDArray:
    """Return an NDArray with the elements of an NDArray, a numpy.ndarray, nested lists or a number.

    source_array: the elements. A sparse array, or a scipy.sparse matrix, stays sparse (see `nd.sparse.array`).
    ctx: the device; the current one if None.
    dtype: the element type; None uses the dtype of an NDArray source, otherwise float32, even for a NumPy array.

    Raises ArgumentError for an integer that dtype cannot hold; in lenient mode, it wraps around. Raises DTypeError for
    elements that are not numbers, and for lists of unequal lengths.

    >>> nd.array([[1, 2], [3, 4]]).asnumpy()
    array([[1., 2.],
           [3., 4.]], dtype=float32)
    """
    if isinstance(source_array, NDArray):
        if source_array.stype != "default":
            return _sparse_array(source_array, ctx, dtype)
        dtype = source_array.dtype if dtype is None else dtype
        source_array = source_array.asnumpy()
    dtype = as_dtype(dtype)
    try:
        source = _elements("array", source_array, dtype)
    except MXNetError:
        raise
    except (TypeError, ValueError):
        if type(source_array).__module__.startswith("scipy.sparse"):
            return _sparse_array(source_array, ctx, dtype)
        raise DTypeError(f"array: cannot make an array of {dtype.name} from {_excerpt(source_array)}. "
                         "Expected numbers in nested lists of equal lengths, or a numpy.ndarray.") from None
    return from_host(source, ctx)


@enough_memory("nd.array")
def _elements(name, source, dtype):
    """Return the numbers in `source` as a NumPy array. Integers that dtype cannot hold raise an error."""
    try:
        return np.asarray(source, dtype)
    except OverflowError as error:
        overflow = str(error)
    # This is raised outside the handler so that the error is not chained to NumPy's error.
    refuse(ArgumentError(f"{name}: {overflow}. Give a wider dtype, or numbers in its range."))
    return np.asarray(source).astype(dtype)


def zeros(shape: Any, ctx: Any = None, dtype: Any = None, stype: str | None = None,
          out: NDArray | None = None) -> NDArray:
    """Return an array of zeros.

    shape: an integer or a tuple.
    ctx: the device; the current one if None.
    dtype: float32 if None.
    stype: the storage type (see `nd.sparse`); dense if None.
    out: an array to fill instead of a new one.

    >>> print(nd.zeros((2, 3)).asnumpy())
    [[0. 0. 0.]
     [0. 0. 0.]]
    """
    if not (stype is None or isinstance(stype, str) and stype == "default"):
        return ask("nd.sparse").zeros(stype, shape, ctx, dtype)
    return full(shape, 0, ctx, dtype, out)


def ones(shape: Shape, ctx: Context | None = None, dtype: DType | None = None, out: NDArray | None = None) -> NDArray:
    """Return an array of ones.

    shape: an integer or a tuple.
    ctx: the device; the current one if None.
    dtype: float32 if None.
    out: an array to fill instead of a new one.

    >>> print(nd.ones(3, dtype="int32").asnumpy())
    [1 1 1]
    """
    return full(shape, 1, ctx, dtype, out)


def _sparse_array(source, ctx, dtype):
    return ask("nd.sparse").array(source, ctx, dtype)


@refusing
def full(shape: Shape, val: Number, ctx: Context | None = None, dtype: DType | None = None,
         out: NDArray | None = None) -> NDArray:
    """Return an array filled with one value.

    shape: an integer or a tuple.
    val: the value.
    ctx: the device; the current one if None.
    dtype: float32 if None.
    out: an array to fill instead of a new one.

    >>> print(nd.full((1, 2), 7).asnumpy())
    [[7. 7.]]
    """
    if out is not None:
        out[:] = val
        return out
    ctx = current_context() if ctx is None else parse(ctx)
    shape, dtype = _as_shape(shape), as_dtype(dtype)
    backend = backend_for(ctx)
    if val.__class__ is int and val == 0:
        return NDArray(backend.zeros(shape, dtype, ctx), ctx)
    try:
        return NDArray(backend.full(shape, val, dtype, ctx), ctx)
    except OverflowError:
        pass                            # the error is raised outside the handler, as in _elements
    return NDArray(backend.full(shape, _elements("full", val, dtype), dtype, ctx), ctx)


@refusing
def empty(shape: Shape, ctx: Context | None = None, dtype: DType | None = None, stype: str | None = None) -> NDArray:
    """Return an array with arbitrary elements, for code that overwrites all of them.

    shape: an integer or a tuple.
    ctx: the device; the current one if None.
    dtype: float32 if None.
    stype: the storage type (see `nd.sparse`); dense if None.

    >>> nd.empty((2, 3)).shape
    (2, 3)
    """
    if stype not in (None, "default"):
        return ask("nd.sparse").empty(stype, shape, ctx, dtype)
    ctx = current_context() if ctx is None else parse(ctx)
    return NDArray(backend_for(ctx).empty(_as_shape(shape), as_dtype(dtype), ctx), ctx)


def from_host(a, ctx, cls=NDArray):
    """Return a new array of a class with the elements of a NumPy array on a device (None: the current one)."""
    ctx = current_context() if ctx is None else parse(ctx)
    return cls(_buffer(a, ctx), ctx)


def _buffer(a, ctx):
    return backend_for(ctx).from_numpy(a, ctx)


def _as_shape(shape):
    try:
        is_number = shape.__class__ is not tuple and np.ndim(shape) == 0
        shape = (index(shape),) if is_number else tuple(map(index, shape))
    except (TypeError, ValueError):
        raise MXNetError(f"shape is {shape!r}, expected an integer or a tuple of integers") from None
    if shape and min(shape) < 0:
        raise ShapeError(f"shape {shape} has a negative length")
    return shape


def _excerpt(value):
    text = f"NDArray of shape {value.shape}" if isinstance(value, NDArray) else repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
