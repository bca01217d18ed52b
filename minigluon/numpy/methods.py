"""The methods of arrays of `mx.np`: functions of `mx.np` with the array as the first argument, and conversions.

Operators that are methods of NDArray but not of NumPy arrays, such as `x.exp()`, raise an AttributeError that names the
function, as in MXNet.
"""

from __future__ import annotations

import importlib
import math
from collections.abc import Callable
from typing import Any

from ..base import ArgumentError
from ..common.dtypes import as_dtype
from ..frontend.methods import METHODS
from ..ndarray.ndarray import NDArray
from ..ops import REGISTRY
from . import fallback
from .array import ndarray, run_operator
from .array_functions import build_function
from .namespace import lookup
from .table import FUNCTIONS, row_of

__all__ = ["add_methods"]

# Functions of mx.np that are also methods.
_FUNCTIONS = ["all", "any", "argmax", "argmin", "argsort", "broadcast_to", "cumsum", "diagonal", "dot", "max",
              "mean", "min", "nonzero", "prod", "ravel", "repeat", "round", "sort", "squeeze", "std", "sum", "swapaxes",
              "take", "trace", "var"]
_casts: dict[Any, Any] = {}         # element type as passed -> operator
_NOT_METHODS = {"slice_assign", "slice_assign_scalar", "split_v2", "asscalar", "broadcast_like", *METHODS}


def add_methods() -> None:
    """Add the methods to the class, and errors in place of methods that only NDArray has."""
    for name in _FUNCTIONS:
        setattr(ndarray, name, _method(name))
    own = vars(ndarray)
    for function in (clip, reshape, reshape_view, transpose, flatten, astype, item, tolist, to_device):
        setattr(ndarray, function.__name__, function)
    ndarray.__array__, ndarray.__array_namespace__ = as_type_of_numpy, namespace_of
    ndarray.T = property(lookup("transpose"), doc="The array with its axes reversed.")
    ndarray.mT = property(lookup("matrix_transpose"), doc="The matrices in the last two axes, transposed.")
    ndarray.nbytes = property(lambda self: self.size * self.dtype.itemsize, doc="The bytes of all elements.")
    ndarray.itemsize = property(lambda self: self.dtype.itemsize, doc="The bytes of an element.")
    ndarray.size = property(lambda self: math.prod(self.buffer.shape), doc="The number of elements.")
    ndarray.__bool__, ndarray.__float__, ndarray.__int__, ndarray.__index__ = truth, as_float, as_int, as_index
    for name in sorted(_NOT_METHODS - own.keys()):
        setattr(ndarray, name, _OnlyOfNDArray(name))


class _OnlyOfNDArray:
    """A method of NDArray that arrays of `mx.np` do not have."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __get__(self, array: Any, cls: Any) -> Any:
        raise AttributeError(f"an array of mx.np has no attribute {self._name!r}; NumPy's arrays have none either. Use "
                             f"the function of np or npx, or x.as_nd_ndarray().{self._name}(...)")


def _method(name):
    """Return a method; for a row, it is a function of the table with separate plans, which saves a call."""
    method = build_function(FUNCTIONS[name]) if name in FUNCTIONS else fallback.build_function(name)
    method.__qualname__ = f"ndarray.{name}"
    if name in FUNCTIONS:
        parameters = f"{', '.join(FUNCTIONS[name].signature.parameters)}: those of `np.{name}`; the first is the array."
    else:
        parameters = f"args, kwargs: those of `np.{name}` after its first."
    method.__doc__ = f"Return `np.{name}(x, ...)`.\n\n{parameters}"
    return method


def _row(name: str, any_lengths: bool = False) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Return a decorator for a method that calls a row with the same parameters as the method."""
    def enter(call: Callable[..., Any]) -> Callable[..., Any]:
        return build_function(row_of(name, call, None, any_lengths))
    return enter


@_row("clip")
def clip(F, self, min=None, max=None, out=None):
    """Return each element, limited to the bounds.

    min, max: the bounds, numbers, arrays or None.
    out: an array to write to.
    """
    return FUNCTIONS["clip"].call(F, self, min, max)


@_row("reshape")
def reshape(F, self, *shape, order="C"):
    """Return a copy in another shape; one length may be -1. The codes of `nd.reshape` are available in `npx.reshape`.

    shape: integers or a tuple.
    order: must be 'C'.
    """
    return FUNCTIONS["reshape"].call(F, self, shape[0] if len(shape) == 1 else shape, order)


@_row("transpose", any_lengths=True)
def transpose(F, self, *axes):
    """Return a copy with its axes in another order, by default reversed.

    axes: integers or a tuple.
    """
    if len(axes) == 1 and (axes[0] is None or isinstance(axes[0], (tuple, list))):
        axes = axes[0]
    return FUNCTIONS["transpose"].call(F, self, axes or None)


def reshape_view(self: Any, *shape: Any, **kwargs: Any) -> Any:
    """Return a view of the array in another shape, as `NDArray.reshape` does, whereas `x.reshape(...)` copies.

    shape, kwargs: those of `NDArray.reshape`.

    >>> x = np.zeros((2, 2))
    >>> x.reshape_view(-1)[3] = 5
    >>> x
    array([[0., 0.],
           [0., 5.]])
    """
    return self.as_nd_ndarray().reshape(*shape, **kwargs).as_np_ndarray()


@_row("flatten")
def flatten(F, self, order="C"):
    """Return a copy with one axis.

    order: must be 'C'.
    """
    return FUNCTIONS["ravel"].call(F, self, order)


def astype(self: Any, dtype: Any, order: str = "K", casting: str = "unsafe", subok: bool = True,
           copy: bool = True) -> Any:
    """Return the elements converted to `dtype`, or the array itself if copy=False and no conversion is needed.

    order: must be 'K', 'C' or 'A'.
    casting: must be 'unsafe'.
    subok: must be True.

    Raises ArgumentError for other values.
    """
    if order not in ("K", "C", "A") or casting != "unsafe" or not subok:
        raise ArgumentError("astype: expected order 'K', 'A' or 'C', casting 'unsafe' and subok True, found "
                            f"{order!r}, {casting!r}, {subok!r}")
    op = _casts.get(dtype)
    if op is None:
        op = _casts[dtype] = REGISTRY["Cast"](dtype=as_dtype(dtype).name)
    if not copy and as_dtype(dtype) == self.dtype:
        return self
    return run_operator(op, (self,))


def item(self: Any, *args: Any) -> Any:
    """Return an element as a Python number: the only one, or the one with a flat index or an index for each axis.

    Raises ValueError if there is no index and not exactly one element.
    """
    if not args and self.size != 1:
        raise ArgumentError(f"item() needs an array of one element, found shape {self.shape}; give an index")
    return self.asnumpy().item(*args)


def to_device(self: Any, device: Any) -> Any:
    """Return the array on a device: `as_in_ctx` under the name that the array API standard uses.

    device: a Context.

    >>> np.array([1, 2]).to_device(mx.cpu())
    array([1., 2.])
    """
    return self.as_in_ctx(device)


def namespace_of(self: Any, /, *, api_version: str | None = None) -> Any:
    """Return `mx.np`, for programs that are written for the array API standard.

    api_version: of the standard, has no effect.
    """
    return importlib.import_module(__package__)


def tolist(self: Any) -> Any:
    """Return the elements as nested lists, or as a number for an array without axes."""
    return self.asnumpy().tolist()


def as_type_of_numpy(self: Any, dtype: Any = None, copy: bool | None = None) -> Any:
    """Implement `numpy.asarray(x)`: read-only memory of an array on the CPU; a copy if `numpy.array(x)` needs one."""
    return NDArray.__array__(self, dtype, copy)


def truth(self: Any) -> bool:
    """Implement bool(x): whether the only element is not 0; False if there are no elements.

    Raises ValueError if there are several elements.
    """
    if self.size > 1:
        raise ValueError(f"The truth value of an ndarray with multiple elements is ambiguous: the shape is "
                         f"{self.shape}. Write x.any(), x.all(), or np.where(x, a, b) to choose for each element.")
    return bool(self.size) and bool(self.asnumpy().item())


def as_float(self: Any) -> float:
    """Implement float(x). Raises TypeError unless there is exactly one element."""
    return float(_only(self))


def as_int(self: Any) -> int:
    """Implement int(x). Raises TypeError unless there is exactly one element."""
    return int(_only(self))


def as_index(self: Any) -> int:
    """Implement range(x) and list[x]. Raises TypeError unless x is an integer array without axes."""
    if self.shape or self.dtype.kind not in "iub":
        raise TypeError("only integer scalar arrays can be converted to a scalar index, found shape "
                        f"{self.shape} and dtype {self.dtype}")
    return int(self.asnumpy())


def _only(x):
    if x.size != 1:
        raise TypeError(f"only size-1 arrays can be converted to Python scalars, found shape {x.shape}")
    return x.asnumpy().item()
