"""Functions of `mx.np` that create arrays. The default type is float32, even for integers and booleans.

NumPy arrays and scalars keep their type: `np.array(numpy.ones(2))` is float64, `np.array([1, 2])` float32.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as onp

from ..backend import backend_for
from ..base import ArgumentError, CallError, DTypeError, MXNetError
from ..common.dtypes import as_dtype
from ..context import current_context, parse
from ..ndarray import creation as nd_creation
from ..ndarray import dlpack
from ..ndarray.creation import _as_shape, from_host
from ..ndarray.ndarray import NDArray
from ..ops import REGISTRY
from .array import ndarray, own_array, refuse_mixture
from .errors import named_errors
from .namespace import lookup
from .promotion import DEFAULT

__all__ = ["arange", "array", "asarray", "blackman", "empty", "empty_like", "eye", "from_dlpack", "full", "full_like",
           "hamming", "hanning", "identity", "indices", "linspace", "logspace", "meshgrid", "ones", "ones_like", "tri",
           "zeros", "zeros_like"]

_NUMBERS = {int, float}
Maker = TypeVar("Maker", bound=Callable[..., Any])
_COMMON = """dtype: the element type, float32 if None.
    ctx: the device, the current one if None."""


def _maker(function: Maker) -> Maker:
    """Decorator that documents the common parameters in the docstring, before the example."""
    text, _, example = (function.__doc__ or "").rstrip().partition("\n\n    >>> ")
    function.__doc__ = f"{text}\n    {_COMMON}\n\n    >>> {example}\n    "
    return function


def _require_order(name, order):
    if order not in ("C", "K", "A", None):
        raise ArgumentError(f"np.{name}: order must be 'C', found {order!r}")


def array(object: Any, dtype: Any = None, ctx: Any = None) -> Any:
    """Return an array with the elements of an array of `mx.np`, a numpy.ndarray, nested lists or a number.

    object: the elements; the lists may contain arrays of `mx.np`.
    dtype: by default, the type of an array or of NumPy's numbers, otherwise float32.
    ctx: the device, the current one if None.

    Raises CallError for an NDArray, and DTypeError for elements that are not numbers.

    >>> from minigluon import np
    >>> np.array([[1, 2], [3, 4]])
    array([[1., 2.],
           [3., 4.]])
    """
    if object.__class__ is ndarray:
        dtype = object.dtype if dtype is None else dtype
        copied = object.copy() if ctx is None or object.ctx == ctx else object.as_in_ctx(ctx)
        return copied if as_dtype(dtype) == object.dtype else copied.astype(dtype)
    if isinstance(object, NDArray):
        raise CallError("np.array: x.as_np_ndarray() makes an array of mx.np from an NDArray, on the same memory")
    if isinstance(object, (onp.ndarray, onp.generic)):
        dtype = object.dtype if dtype is None else dtype
    return from_host(_elements(object, DEFAULT if dtype is None else as_dtype(dtype)), ctx, ndarray)


def _elements(object, dtype):
    """Return a new numpy.ndarray with the elements."""
    if isinstance(object, (list, tuple)) and object and isinstance(object[0], (list, tuple, NDArray)):
        object = _without_arrays(object)
    try:
        elements = onp.array(object, dtype)
    except (TypeError, ValueError, OverflowError) as error:
        reason = str(error)
    else:
        return elements
    raise DTypeError(f"np.array: cannot make an array of {dtype} from {str(object)[:60]}: {reason}")


def _without_arrays(items):
    return [_without_arrays(x) if isinstance(x, (list, tuple)) else x.asnumpy() if isinstance(x, NDArray) else x
            for x in items]


def asarray(object: Any, dtype: Any = None, ctx: Any = None, *, copy: bool | None = None) -> Any:
    """Return an array, which is the object itself if it is an array with this type and device.

    MXNet 1.9.1 does not have this function.

    object: the elements, as for `array`.
    dtype: as for `array`.
    ctx: the device; by default that of an array, or the current one.
    copy: True always copies, False raises an error if a copy is needed, None copies only if needed.

    Raises ArgumentError.

    >>> x = np.array([1, 2])
    >>> np.asarray(x) is x
    True
    """
    if object.__class__ is ndarray and (dtype is None or as_dtype(dtype) == object.dtype) and \
            (ctx is None or object.ctx == ctx) and not copy:
        return object
    if copy is False:
        raise ArgumentError(f"np.asarray: copy=False, but {type(object).__name__} must be copied to be an array of "
                            "mx.np of this dtype and device")
    return array(object, dtype, ctx)


def from_dlpack(x: Any) -> Any:
    """Return an array that shares the memory of another library's array on the CPU.

    MXNet 1.9.1 does not have this function.

    x: an object with `__dlpack__`, or a capsule.

    >>> import numpy
    >>> np.from_dlpack(numpy.ones(2))
    array([1., 1.], dtype=float64)
    """
    return own_array(dlpack.from_dlpack(x))


def _filled(shape, value, ctx, dtype):
    """Return an array filled with a number, without the NDArray that `nd.full` creates."""
    device = current_context() if ctx is None else parse(ctx)
    backend = backend_for(device)
    try:
        kind, lengths = as_dtype(dtype), _as_shape(shape)
        if value.__class__ is int and value == 0:
            return ndarray(backend.zeros(lengths, kind, device), device)
        if value.__class__ in _NUMBERS:
            return ndarray(backend.full(lengths, value, kind, device), device)
    except (ArithmeticError, MemoryError, TypeError, ValueError, MXNetError):
        pass                            # `nd.full` raises the error
    return own_array(nd_creation.full(shape, value, ctx, dtype))


@_maker
def zeros(shape: Any, dtype: Any = None, order: str = "C", ctx: Any = None) -> Any:
    """Return an array of zeros.

    shape: an integer or a tuple.
    order: must be 'C'.

    >>> np.zeros((2, 3), dtype="int32")
    array([[0, 0, 0],
           [0, 0, 0]], dtype=int32)
    """
    if order != "C":
        _require_order("zeros", order)
    return _filled(shape, 0, ctx, dtype)


@_maker
def ones(shape: Any, dtype: Any = None, order: str = "C", ctx: Any = None) -> Any:
    """Return an array of ones.

    shape: an integer or a tuple.
    order: must be 'C'.

    >>> np.ones((2, 3))
    array([[1., 1., 1.],
           [1., 1., 1.]])
    """
    if order != "C":
        _require_order("ones", order)
    return _filled(shape, 1, ctx, dtype)


@_maker
def empty(shape: Any, dtype: Any = None, order: str = "C", ctx: Any = None) -> Any:
    """Return an uninitialized array, for code that overwrites all elements.

    shape: an integer or a tuple.
    order: must be 'C'.

    >>> np.empty((2, 3)).shape
    (2, 3)
    """
    if order != "C":
        _require_order("empty", order)
    return own_array(nd_creation.empty(shape, ctx, dtype))


@_maker
def full(shape: Any, fill_value: Any, dtype: Any = None, order: str = "C", ctx: Any = None, out: Any = None) -> Any:
    """Return an array filled with one value.

    shape: an integer or a tuple.
    fill_value: the value, a number or an array that broadcasts.
    order: must be 'C'.
    out: an array to fill instead of a new one.

    >>> np.full((2, 2), np.array([1, 7]))
    array([[1., 7.],
           [1., 7.]])
    """
    if order != "C":
        _require_order("full", order)
    if fill_value.__class__ not in _NUMBERS and isinstance(fill_value, NDArray):
        made = empty(shape, dtype=fill_value.dtype if dtype is None else dtype, ctx=ctx or fill_value.ctx)
        made[...] = fill_value
        return made
    if out is None:
        return _filled(shape, fill_value, ctx, dtype)
    if out.__class__ is not ndarray:
        raise refuse_mixture("np.full: out", out)
    out[...] = fill_value
    return out


def _like(name: str, fill: Any, doc: str, example: str = "") -> Callable[..., Any]:
    op = REGISTRY[name]() if name in ("zeros_like", "ones_like") else None

    def function(a: Any, dtype: Any = None, order: str = "C", ctx: Any = None, out: Any = None) -> Any:
        if a.__class__ is not ndarray:
            raise refuse_mixture(f"np.{name}", a)
        if dtype is None and ctx is None and out is None and op is not None:
            return a._run(op, (a,))
        _require_order(name, order)
        return full(a.shape, fill, dtype=a.dtype if dtype is None else dtype, ctx=ctx or a.ctx, out=out)
    function.__name__ = function.__qualname__ = name
    function.__doc__ = (f"Return {doc} in the shape of an array.\n\na: the array.\ndtype: that of a if None.\n"
                        "order: must be 'C'.\nctx: the device, that of a if None.\nout: an array to fill.\n\n"
                        f">>> np.{name}(np.array([1, 2], dtype='int32')){example}\n")
    return function


zeros_like = _like("zeros_like", 0, "zeros", "\narray([0, 0], dtype=int32)")
ones_like = _like("ones_like", 1, "ones", "\narray([1, 1], dtype=int32)")


def empty_like(prototype: Any, dtype: Any = None, order: str = "C", subok: bool = False, shape: Any = None,
               ctx: Any = None) -> Any:
    """Return an array for code that overwrites all elements, in the shape of an array.

    prototype: the array.
    dtype: that of the prototype if None.
    order: must be 'C'.
    subok: has no effect.
    shape: another shape.
    ctx: the device, that of the prototype if None.

    >>> np.empty_like(np.array([1, 2], dtype="int32")).shape
    (2,)
    """
    if prototype.__class__ is not ndarray:
        raise refuse_mixture("np.empty_like", prototype)
    return zeros(prototype.shape if shape is None else shape, prototype.dtype if dtype is None else dtype, order,
                 ctx or prototype.ctx)


def full_like(a: Any, fill_value: Any, dtype: Any = None, order: str = "C", ctx: Any = None, out: Any = None) -> Any:
    """Return an array filled with one value, with the same shape as another array.

    a: the array.
    fill_value: the value.
    dtype: that of a if None.
    order: must be 'C'.
    ctx: the device, that of a if None.
    out: an array to fill.

    >>> np.full_like(np.array([1, 2], dtype="int32"), 7)
    array([7, 7], dtype=int32)
    """
    return _like("full_like", fill_value, "")(a, dtype, order, ctx, out)


def _made(numpys, args, dtype, ctx):
    """Return an array with the values that a NumPy function returns, in float32 unless a type is given."""
    with named_errors(f"np.{numpys.__name__}", args):
        values = onp.asarray(numpys(*args)).astype(DEFAULT if dtype is None else as_dtype(dtype))
    return from_host(values, ctx, ndarray)


@_maker
def arange(start: Any, stop: Any = None, step: Any = 1, dtype: Any = None, ctx: Any = None) -> Any:
    """Return start, start + step, ... below stop; a single number is the stop, and start is then 0.

    start, stop, step: numbers.

    >>> np.arange(3), np.arange(1, 7, 2)
    (array([0., 1., 2.]), array([1., 3., 5.]))
    """
    return _made(onp.arange, (start,) if stop is None and step == 1 else (0, start, step) if stop is None
                 else (start, stop, step), dtype, ctx)


@_maker
def linspace(start: Any, stop: Any, num: int = 50, endpoint: bool = True, retstep: bool = False, dtype: Any = None,
             axis: int = 0, ctx: Any = None) -> Any:
    """Return `num` evenly spaced numbers from start to stop.

    start, stop: the first and last numbers; without `endpoint`, stop is the number that would follow.
    num: the number of values.
    endpoint: whether `stop` is included.
    retstep: True also returns the distance between values.
    axis: must be 0, because start and stop are numbers.

    >>> np.linspace(0, 1, 5), np.linspace(0, 1, 4, endpoint=False)
    (array([0.  , 0.25, 0.5 , 0.75, 1.  ]), array([0.  , 0.25, 0.5 , 0.75]))
    """
    made = _made(onp.linspace, (start, stop, num, endpoint), dtype, ctx)
    return (made, (stop - start) / max(num - bool(endpoint), 1)) if retstep else made


@_maker
def logspace(start: Any, stop: Any, num: int = 50, endpoint: bool = True, base: float = 10.0, dtype: Any = None,
             axis: int = 0, ctx: Any = None) -> Any:
    """Return `num` numbers whose logarithms are evenly spaced.

    start, stop: the exponents of the first and last numbers.
    num: the number of values.
    endpoint: whether the last number is included.
    base: the base of the powers.
    axis: must be 0, because start and stop are numbers.

    >>> np.logspace(0, 2, 3)
    array([  1.,  10., 100.])
    """
    return _made(onp.logspace, (start, stop, num, endpoint, base), dtype, ctx)


@_maker
def eye(N: int, M: int | None = None, k: int = 0, dtype: Any = None, ctx: Any = None) -> Any:
    """Return a matrix with ones on the k-th diagonal, and zeros elsewhere.

    N, M: the numbers of rows and columns; M is N if None.
    k: the index of the diagonal.

    >>> np.eye(2, 3, k=1)
    array([[0., 1., 0.],
           [0., 0., 1.]])
    """
    return _made(onp.eye, (N, M, k), dtype, ctx)


@_maker
def identity(n: int, dtype: Any = None, ctx: Any = None) -> Any:
    """Return the identity matrix.

    n: the number of rows.

    >>> np.identity(2)
    array([[1., 0.],
           [0., 1.]])
    """
    return _made(onp.identity, (n,), dtype, ctx)


@_maker
def tri(N: int, M: int | None = None, k: int = 0, dtype: Any = None, ctx: Any = None) -> Any:
    """Return a matrix with ones at and below the k-th diagonal. MXNet 1.9.1 does not have this function.

    N, M: the numbers of rows and columns; M is N if None.
    k: the index of the diagonal.

    >>> np.tri(2, 3)
    array([[1., 0., 0.],
           [1., 1., 0.]])
    """
    return _made(onp.tri, (N, M, k), dtype, ctx)


@_maker
def indices(dimensions: Sequence[int], dtype: Any = "int32", ctx: Any = None) -> Any:
    """Return, for each axis of a grid, the index of each point: int32, of shape (axes, *dimensions).

    dimensions: the lengths of the grid.

    >>> np.indices((2, 3))[1]
    array([[0, 1, 2],
           [0, 1, 2]], dtype=int32)
    """
    return _made(onp.indices, (dimensions,), dtype, ctx)


def _window(name: str, doc: str, printed: str) -> Callable[..., Any]:
    def function(M: int, dtype: Any = None, ctx: Any = None) -> Any:
        return _made(getattr(onp, name), (M,), dtype, ctx)
    function.__name__ = function.__qualname__ = name
    function.__doc__ = (f"Return the {doc} window, a vector of weights that decrease towards both ends.\n\n"
                        "M: the number of points.\ndtype: float32 if None.\n"
                        "ctx: the device, the current one if None.\n\n"
                        f">>> np.{name}(5)[1:4].round(2)\n{printed}\n")
    return function


blackman = _window("blackman", "Blackman", "array([0.34, 1.  , 0.34])")
hamming = _window("hamming", "Hamming", "array([0.54, 1.  , 0.54])")
hanning = _window("hanning", "Hann", "array([0.5, 1. , 0.5])")


def meshgrid(*xi: Any, indexing: str = "xy", copy: bool = True, sparse: bool = False) -> list[Any]:
    """Return the coordinates of a grid: for each vector, an array with the vector's element at each point.

    xi: vectors, arrays of `mx.np`.
    indexing: 'xy' or 'ij', as in NumPy.
    copy: no effect, because the results are copies.
    sparse: True returns arrays that can be broadcast to the grid.

    >>> from minigluon import np
    >>> [x.shape for x in np.meshgrid(np.arange(2), np.arange(3))]
    [(3, 2), (3, 2)]
    """
    for x in xi:
        if x.__class__ is not ndarray:
            raise refuse_mixture("np.meshgrid", x)
    grids = open_grids(xi, indexing)
    return grids if sparse else lookup("broadcast_arrays")(*grids)


def open_grids(vectors: Sequence[Any], indexing: str) -> list[Any]:
    """Return the vectors, arrays or symbols, each along its own axis. Raises ArgumentError for another indexing.

    indexing: 'xy' or 'ij'.
    """
    if indexing not in ("xy", "ij"):
        raise ArgumentError(f"np.meshgrid: indexing is {indexing!r}, expected 'xy' or 'ij'")
    order = list(range(len(vectors)))
    if indexing == "xy" and len(vectors) > 1:
        order[0], order[1] = 1, 0
    return [x.reshape([-1 if order[i] == axis else 1 for axis in range(len(vectors))])
            for i, x in enumerate(vectors)]
