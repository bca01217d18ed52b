"""Functions that make arrays, and a few others that are not operators. `dlpack.py` has those that share memory."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence
from operator import index
from typing import Any, TypeVar, cast

import numpy as np

from ..backend import backend_for
from ..base import ArgumentError, DTypeError, MXNetError, ShapeError, integer_types
from ..common.dtypes import as_dtype
from ..common.types import DType, Number, Shape
from ..context import Context, current_context, device_waiters, parse
from ..diagnostics.strictness import refuse
from ..ops import REGISTRY
from ..providers import ask
from .ndarray import NDArray, invoke
from .register import make_function

__all__ = ["arange", "array", "concatenate", "empty", "eye", "full", "histogram", "linspace", "moveaxis", "ones",
           "onehot_encode", "split_v2", "waitall", "zeros"]

_eye = make_function(REGISTRY["_eye"], "eye")


_Function = TypeVar("_Function", bound=Callable[..., Any])


def _refusing(function: _Function) -> _Function:
    """Decorator: NumPy's errors become MXNetErrors that name the function and what it was given."""
    @functools.wraps(function)
    def call(*args, **kwargs):
        try:
            return function(*args, **kwargs)
        except MXNetError:
            raise
        except (ArithmeticError, AttributeError, LookupError, MemoryError, TypeError, ValueError) as error:
            try:
                given = inspect.signature(function).bind(*args, **kwargs).arguments
            except TypeError as mismatch:
                raise TypeError(f"{function.__name__}: {mismatch}") from None
            listed = ", ".join(f"{name}={_excerpt(value)}" for name, value in given.items())
            raise MXNetError(f"{function.__name__}: {error}. Found {listed}.") from None
    return cast(_Function, call)


def array(source_array: Any, ctx: Any = None, dtype: Any = None) -> NDArray:
    """An NDArray with the elements of an NDArray, a numpy.ndarray, nested lists or a number.

    source_array: the elements. A sparse array, or a matrix of scipy.sparse, stays sparse: see `nd.sparse.array`.
    ctx: the device, the current one if None.
    dtype: that of the source if it is an NDArray, otherwise float32, for a NumPy array, too.

    Raises ArgumentError for an integer that dtype cannot hold; it wraps round in a lenient run. Raises DTypeError for
    what is no number, and for lists of unequal lengths.

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


def _elements(name, source, dtype):
    """A NumPy array of the numbers in `source`. Integers that dtype cannot hold are refused."""
    try:
        return np.asarray(source, dtype)
    except OverflowError as error:
        overflow = str(error)
    # Not inside the handler, so that the error is not chained to NumPy's.
    refuse(ArgumentError(f"{name}: {overflow}. Give a wider dtype, or numbers in its range."))
    return np.asarray(source).astype(dtype)


def zeros(shape: Any, ctx: Any = None, dtype: Any = None, stype: str | None = None,
          out: NDArray | None = None) -> NDArray:
    """An array of zeros.

    shape: an integer or a tuple.
    ctx: the device, the current one if None.
    dtype: float32 if None.
    stype: storage, as of `nd.sparse`; dense if None.
    out: an array to fill instead of a new one.

    >>> print(nd.zeros((2, 3)).asnumpy())
    [[0. 0. 0.]
     [0. 0. 0.]]
    """
    if stype not in (None, "default"):
        return ask("nd.sparse").zeros(stype, shape, ctx, dtype)
    return full(shape, 0, ctx, dtype, out)


def ones(shape: Shape, ctx: Context | None = None, dtype: DType | None = None, out: NDArray | None = None) -> NDArray:
    """An array of ones.

    shape: an integer or a tuple.
    ctx: the device, the current one if None.
    dtype: float32 if None.
    out: an array to fill instead of a new one.

    >>> print(nd.ones(3, dtype="int32").asnumpy())
    [1 1 1]
    """
    return full(shape, 1, ctx, dtype, out)


def _sparse_array(source, ctx, dtype):
    return ask("nd.sparse").array(source, ctx, dtype)


@_refusing
def full(shape: Shape, val: Number, ctx: Context | None = None, dtype: DType | None = None,
         out: NDArray | None = None) -> NDArray:
    """An array filled with one value.

    shape: an integer or a tuple.
    val: the value.
    ctx: the device, the current one if None.
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
        pass                            # and on, outside of the handler, as in _elements
    return NDArray(backend.full(shape, _elements("full", val, dtype), dtype, ctx), ctx)


@_refusing
def empty(shape: Shape, ctx: Context | None = None, dtype: DType | None = None, stype: str | None = None) -> NDArray:
    """An array with arbitrary elements, for what overwrites them all.

    shape: an integer or a tuple.
    ctx: the device, the current one if None.
    dtype: float32 if None.
    stype: storage, as of `nd.sparse`; dense if None.

    >>> nd.empty((2, 3)).shape
    (2, 3)
    """
    if stype not in (None, "default"):
        return ask("nd.sparse").empty(stype, shape, ctx, dtype)
    ctx = current_context() if ctx is None else parse(ctx)
    return NDArray(backend_for(ctx).empty(_as_shape(shape), as_dtype(dtype), ctx), ctx)


@_refusing
def arange(start: Number, stop: Number | None = None, step: Number = 1.0, repeat: int = 1,
           infer_range: bool | None = None, ctx: Context | None = None, dtype: DType | None = None) -> NDArray:
    """start, start + step, ... below stop, each `repeat` times. With one number, from 0 up to it.

    start: the first number.
    stop: the bound, which is not among them.
    step: the difference of neighbours; may be negative, and not 0.
    repeat: how often each number stands.
    infer_range: accepted for old programs, without meaning here: the length must follow from the arguments.
    ctx: the device, the current one if None.
    dtype: float32 if None. An integer type cuts start and step off, but not when the numbers are counted.

    >>> print(nd.arange(3).asnumpy(), nd.arange(2, 8, 3, repeat=2).asnumpy())
    [0. 1. 2.] [2. 2. 5. 5.]
    """
    if stop is None:
        start, stop = 0, start
    if step == 0:
        raise MXNetError("arange: step must not be 0")
    dtype = as_dtype(dtype)
    values = np.arange(start, stop, step)
    if dtype.kind in "iu" and values.dtype.kind == "f":
        values = int(start) + np.arange(len(values)) * int(step)
    values = values if repeat == 1 else np.repeat(values, repeat)
    return from_host(values.astype(dtype), ctx)


@_refusing
def linspace(start: Number, stop: Number, num: int, endpoint: bool = True, ctx: Context | None = None,
             dtype: DType | None = None) -> NDArray:
    """Numbers evenly spaced.

    start: the first number.
    stop: the last one, if `endpoint`; otherwise the one that would follow.
    num: how many there are.
    endpoint: is `stop` one of them?
    ctx: the device, the current one if None.
    dtype: float32 if None.

    >>> print(nd.linspace(0, 1, 5).asnumpy())
    [0.   0.25 0.5  0.75 1.  ]
    """
    return from_host(np.linspace(start, stop, num, endpoint).astype(as_dtype(dtype)), ctx)


def eye(N: int, M: int = 0, k: int = 0, ctx: Context | None = None, dtype: DType | None = None,
        **kwargs: Any) -> NDArray:
    """(N, M) with ones on a diagonal, and zeros elsewhere.

    N: the number of rows.
    M: the number of columns; 0 is N.
    k: which diagonal, counted from the main one to the upper right.
    ctx: the device, the current one if None.
    dtype: float32 if None.
    kwargs: `out`, an array to fill instead of a new one.

    >>> print(nd.eye(2, 3, k=1).asnumpy())
    [[0. 1. 0.]
     [0. 0. 1.]]
    """
    return _eye(N=N, M=M or 0, k=k, ctx=ctx, dtype=as_dtype(dtype).name, **kwargs)


@_refusing
def concatenate(arrays: Sequence[NDArray], axis: int = 0, always_copy: bool = True) -> NDArray:
    """Arrays joined along an axis.

    arrays: a list; their lengths are equal along the other axes.
    axis: along which they are joined.
    always_copy: False returns a single array as it is.

    >>> print(nd.concatenate([nd.array([[1, 2]]), nd.array([[3, 4]])]).asnumpy())
    [[1. 2.]
     [3. 4.]]
    """
    if len(arrays) == 1 and not always_copy:
        return arrays[0]
    return invoke(REGISTRY["Concat"](num_args=len(arrays), dim=axis), list(arrays))


@_refusing
def moveaxis(tensor: NDArray, source: Shape, destination: Shape) -> NDArray:
    """Axes moved to other positions; the others keep their order.

    tensor: the array.
    source: an axis, or a tuple of axes.
    destination: where they stand in the result.

    >>> nd.moveaxis(nd.zeros((2, 3, 4)), 0, -1).shape
    (3, 4, 2)
    """
    source, destination = [(a,) if isinstance(a, integer_types) else tuple(a) for a in (source, destination)]
    if len(source) != len(destination):
        raise ArgumentError(f"moveaxis: {len(source)} axes to move, but {len(destination)} positions")
    ndim = tensor.ndim
    for axis in (*source, *destination):
        if not -ndim <= axis < ndim:
            raise ShapeError(f"moveaxis: axis {axis} is out of range for {ndim} dimensions")
    source, destination = [[axis % ndim for axis in axes] for axes in (source, destination)]
    if len({*source}) < len(source) or len({*destination}) < len(destination):
        raise ArgumentError("moveaxis: an axis is named twice")
    order = [axis for axis in range(ndim) if axis not in source]
    for position, axis in sorted(zip(destination, source, strict=True)):
        order.insert(position, axis)
    return tensor.transpose(order)


@_refusing
def onehot_encode(indices: NDArray, out: NDArray) -> NDArray:
    """Write the one-hot rows of `indices` (n,) to `out` (n, classes). `nd.one_hot` is the newer form.

    >>> print(nd.onehot_encode(nd.array([2, 0]), out=nd.zeros((2, 3))).asnumpy())
    [[0. 0. 1.]
     [1. 0. 0.]]
    """
    out[:] = invoke(REGISTRY["one_hot"](depth=out.shape[1]), [indices])
    return out


@_refusing
def split_v2(ary: NDArray, indices_or_sections: Shape, axis: int = 0, squeeze_axis: bool = False) -> list[NDArray]:
    """A list of parts along an axis.

    ary: the array.
    indices_or_sections: an integer, so many equal parts; a tuple, cut before each of these indices.
    axis: along which it is cut.
    squeeze_axis: True takes the axis out of parts that have length 1 along it.

    Raises ShapeError where the parts would not be equal.

    >>> [part.asnumpy().tolist() for part in nd.split_v2(nd.arange(5), (1, 3))]
    [[0.0], [1.0, 2.0], [3.0, 4.0]]
    """
    length = ary.shape[axis]
    if isinstance(indices_or_sections, integer_types):
        sections = indices_or_sections
        if sections < 1 or length % sections:
            raise ShapeError(f"split_v2: axis {axis} of length {length} cannot be split into {sections} equal parts")
        begins = [length // sections * i for i in range(sections)]
    else:
        begins = [0, *indices_or_sections]
    parts = invoke(REGISTRY["_split_v2"](indices=begins, axis=axis, squeeze_axis=squeeze_axis), [ary])
    return parts if isinstance(parts, list) else [parts]


@_refusing
def histogram(a: NDArray, bins: NDArray | int = 10, range: tuple[float, float] | None = None) -> list[NDArray]:
    """[counts, edges]: how many elements there are in each bin.

    a: the array.
    bins: how many there are, or their edges as an array.
    range: (low, high), by default from the least element to the greatest.

    >>> counts, edges = nd.histogram(nd.array([0, 1, 1, 4]), bins=2, range=(0, 4))
    >>> print(counts.asnumpy(), edges.asnumpy())
    [3 1] [0. 2. 4.]
    """
    if isinstance(bins, NDArray):
        return list(invoke(REGISTRY["_histogram"](), [a, bins]))
    if range is not None:
        return list(invoke(REGISTRY["_histogram"](bin_cnt=bins, range=range), [a]))
    # MXNet counts in integers only when it is told where the edges are, and answers in float32 for every type of a.
    return [from_host(part.astype("float32"), a.context) for part in np.histogram(a.asnumpy(), bins)]


def waitall() -> None:
    """Wait until all devices have finished their work.

    >>> nd.waitall()
    """
    for ctx in list(Context._interned.values()):
        if ctx.kernels:
            backend_for(ctx).synchronize(ctx)
    for wait in device_waiters:
        wait()


def from_host(a, ctx):
    """A new NDArray with the elements of a NumPy array, on a device (None: the current one)."""
    ctx = current_context() if ctx is None else parse(ctx)
    return NDArray(_buffer(a, ctx), ctx)


MAX_STAND_INS = 4096        # of a device


def _stand_in(spec: Any) -> Any:
    """An array with shape, dtype and device, but no elements: gradients get it for an input that is shape-only."""
    shape, dtype, ctx = spec
    found = ctx.stand_ins.get(spec)
    if found is None:
        if len(ctx.stand_ins) >= MAX_STAND_INS:
            ctx.stand_ins.clear()
        found = ctx.stand_ins[spec] = NDArray(backend_for(ctx).view(None, 0, shape, dtype), ctx)
    return found


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
