"""The methods of arrays of `mx.np`: functions of `mx.np` with the array as first argument, and conversions.

Operators that are methods of NDArray but not of NumPy's arrays, such as `x.exp()`, raise an AttributeError that names
the function, as in MXNet.
"""

from __future__ import annotations

from typing import Any

import numpy as onp

from ..base import ArgumentError
from ..common.dtypes import as_dtype
from ..frontend.methods import METHODS
from ..ndarray.ndarray import NDArray
from .array import adopt, ndarray
from .namespace import lookup

__all__ = ["add_methods"]

# Functions of mx.np that are also methods.
_FUNCTIONS = ["all", "any", "argmax", "argmin", "argsort", "broadcast_to", "cumsum", "diagonal", "dot", "max",
              "mean", "min", "nonzero", "prod", "ravel", "repeat", "round", "std", "sum", "swapaxes", "take", "trace",
              "var"]
_NOT_METHODS = {"slice_assign", "slice_assign_scalar", "split_v2", "asscalar", "reshape_view", "broadcast_like",
                *METHODS}


def add_methods() -> None:
    """Add the methods to the class, and errors in place of those that only NDArray has."""
    for name in _FUNCTIONS:
        setattr(ndarray, name, _method(name))
    own = vars(ndarray)
    for function in (clip, reshape, transpose, flatten, squeeze, sort, astype, item, tolist, as_type_of_numpy):
        setattr(ndarray, "__array__" if function is as_type_of_numpy else function.__name__, function)
    ndarray.T = property(lambda self: lookup("transpose")(self), doc="The array with its axes reversed.")
    ndarray.nbytes = property(lambda self: self.size * self.dtype.itemsize, doc="The bytes of all elements.")
    ndarray.itemsize = property(lambda self: self.dtype.itemsize, doc="The bytes of an element.")
    ndarray.size = property(lambda self: int(onp.prod(self.buffer.shape)), doc="The number of elements.")
    ndarray.__bool__, ndarray.__float__, ndarray.__int__ = truth, as_float, as_int
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
    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        return lookup(name)(self, *args, **kwargs)
    method.__name__ = name
    method.__qualname__ = f"ndarray.{name}"
    method.__doc__ = f"Return `np.{name}(x, ...)`.\n\nargs, kwargs: those of `np.{name}` after its first."
    return method


def clip(self: Any, min: Any = None, max: Any = None, out: Any = None) -> Any:
    """Return each element, or the bound that it is beyond.

    min, max: the bounds, numbers, arrays or None.
    out: an array to write to.
    """
    return lookup("clip")(self, min, max, out=out)


def reshape(self: Any, *shape: Any, order: str = "C") -> Any:
    """Return a copy in another shape; one length may be -1. The codes of `nd.reshape` are those of `npx.reshape`.

    shape: integers or a tuple.
    order: must be 'C'.
    """
    return lookup("reshape")(self, shape[0] if len(shape) == 1 else shape, order)


def transpose(self: Any, *axes: Any) -> Any:
    """Return a copy with its axes in another order, by default reversed.

    axes: integers or a tuple.
    """
    if len(axes) == 1 and (axes[0] is None or isinstance(axes[0], (tuple, list))):
        axes = axes[0]
    return lookup("transpose")(self, axes or None)


def flatten(self: Any, order: str = "C") -> Any:
    """Return a copy with one axis.

    order: must be 'C'.
    """
    return lookup("ravel")(self, order)


def squeeze(self: Any, axis: Any = None) -> Any:
    """Return a copy without the axes of length 1, or without those in `axis`."""
    return lookup("squeeze")(self, axis)


def sort(self: Any, axis: int = -1, kind: Any = None, order: Any = None) -> Any:
    """Return a sorted copy; NumPy would sort the array itself.

    axis, kind, order: as for `np.sort`.
    """
    return lookup("sort")(self, axis, kind, order)


def astype(self: Any, dtype: Any, order: str = "K", casting: str = "unsafe", subok: bool = True,
           copy: bool = True) -> Any:
    """Return the elements converted to `dtype`; the array itself if copy=False and nothing changes.

    order: must be 'K', 'C' or 'A'.
    casting: must be 'unsafe'.
    subok: must be True.

    Raises ArgumentError for other values.
    """
    if order not in ("K", "C", "A") or casting != "unsafe" or not subok:
        raise ArgumentError("astype: expected order 'K', 'A' or 'C', casting 'unsafe' and subok True, found "
                            f"{order!r}, {casting!r}, {subok!r}")
    dtype = as_dtype(dtype)
    if dtype == self.dtype and not copy:
        return self
    return adopt(self.as_nd_ndarray().astype(dtype))


def item(self: Any, *args: Any) -> Any:
    """Return an element as a Python number: the only one, or that with a flat index, or with an index for each axis.

    Raises ValueError without an index, if there is not exactly one element.
    """
    if not args and self.size != 1:
        raise ArgumentError(f"item() needs an array of one element, found shape {self.shape}; give an index")
    return self.asnumpy().item(*args)


def tolist(self: Any) -> Any:
    """Return the elements as nested lists; a number for an array without axes."""
    return self.asnumpy().tolist()


def as_type_of_numpy(self: Any, dtype: Any = None, copy: bool | None = None) -> Any:
    """Implement `numpy.asarray(x)`: read-only memory of an array on the CPU; a copy if `numpy.array(x)` needs one."""
    return NDArray.__array__(self, dtype, copy)


def truth(self: Any) -> bool:
    """Implement bool(x): whether the only element is not 0; False without elements.

    Raises ValueError for several elements.
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


def _only(x):
    if x.size != 1:
        raise TypeError(f"only size-1 arrays can be converted to Python scalars, found shape {x.shape}")
    return x.asnumpy().item()
