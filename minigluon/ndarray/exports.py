"""Conversions of NDArray to NumPy arrays and numbers, to DLPack capsules, and to the text that `print` shows."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..backend import backend_for
from ..base import ArgumentError
from ..common.array_semantics import is_np_array
from ..providers import ask
from .ndarray import LENDING, NDArray, method

__all__ = ["in_current_class", "plain_arrays"]

_NUMPY_EXPORTS_VERSIONS = tuple(map(int, np.__version__.split(".")[:2])) >= (2, 1)


@method
def asnumpy(self: NDArray) -> np.ndarray[Any, np.dtype[Any]]:
    """Returns a new numpy.ndarray with the same elements.

    >>> nd.array([1, 2]).asnumpy()
    array([1., 2.], dtype=float32)
    """
    return backend_for(self.device).to_numpy(self.buffer)


@method
def asscalar(self: NDArray) -> Any:
    """Returns the only element as a NumPy number. Raises ArgumentError unless there is exactly one element.

    >>> print(nd.array([[5]]).asscalar())
    5.0
    """
    if self.size != 1:
        raise ArgumentError(f"asscalar needs an array of one element, found shape {self.shape}. Choose one, x[0], "
                            "or reduce it, x.mean(); asnumpy() gives all.")
    return self.asnumpy().reshape(())[()]


@method
def item(self: NDArray) -> Any:
    """Returns the only element as a Python number.

    >>> nd.array([[5]]).item()
    5.0
    """
    return self.asscalar().item()


@method
def as_nd_ndarray(self: NDArray) -> NDArray:
    """Returns the array itself, because there is only one type of array.

    >>> x = nd.zeros(2)
    >>> x.as_nd_ndarray() is x
    True
    """
    return self


@method
def as_np_ndarray(self: NDArray) -> Any:
    """Returns an `mx.np` array on the same memory, with the same position on the tape.

    >>> x = nd.zeros(2)
    >>> x.as_np_ndarray()[0] = 5
    >>> print(x.asnumpy())
    [5. 0.]
    """
    return ask("np").np_view(self)


def unchanged(value: Any) -> Any:
    """Returns a result of the engine, an array or nested lists of arrays, as NDArrays, which it already consists of."""
    return value


@method
def wait_to_read(self: NDArray) -> None:
    """Waits until the elements are computed. `wait_to_write` does the same thing.

    >>> x = nd.zeros(2) + 1
    >>> x.wait_to_read()
    """
    backend_for(self.device).synchronize(self.device)


@method
@property
def writable(self) -> bool:
    """Always returns True. Only `backward` raises an error if an array that it needs has changed.

    >>> nd.zeros(2).writable
    True
    """
    return True


@method
def __dlpack__(self: NDArray, *, stream: Any = None, max_version: Any = None, dl_device: Any = None,
               copy: Any = None) -> Any:
    """Returns the array's memory as a DLPack capsule, for `from_dlpack` in other libraries."""
    options = {"max_version": max_version, "dl_device": dl_device, "copy": copy}
    if not _NUMPY_EXPORTS_VERSIONS:
        options = {}
    self._root()._is_lent = LENDING.has_begun = True
    return self.buffer.__dlpack__(stream=stream, **{k: v for k, v in options.items() if v is not None})


@method
def __dlpack_device__(self: NDArray) -> tuple[int, int]:
    return self.buffer.__dlpack_device__()


@method
def to_dlpack_for_read(self: NDArray) -> Any:
    """Returns a DLPack capsule for reading the array's memory.

    >>> print(nd.from_dlpack(nd.array([1, 2]).to_dlpack_for_read()).asnumpy())
    [1. 2.]
    """
    return self.__dlpack__()


@method
def to_dlpack_for_write(self: NDArray) -> Any:
    """Returns a DLPack capsule for writing to the array's memory. The tape counts this call as a write.

    >>> x = nd.zeros(2)
    >>> nd.from_dlpack(x.to_dlpack_for_write())[:] = 5
    >>> print(x.asnumpy())
    [5. 5.]
    """
    self._forbid_write_on_tape()
    self._overwrite(self.buffer)
    return self.__dlpack__()


@method
def __len__(self: NDArray) -> int:
    return self.shape[0]


@method
def __bool__(self: NDArray) -> bool:
    if self.size > 1:
        raise ArgumentError(f"the truth value of an array of shape {self.shape} is ambiguous: "
                            "only an array of one element is true or false. Write x.max() for 'any of them', x.min() "
                            "for 'all of them', nd.where(x, a, b) to choose for each.")
    return self.size == 1 and bool(self.asscalar())


@method
def __float__(self: NDArray) -> float:
    return float(self.asscalar())


@method
def __int__(self: NDArray) -> int:
    return int(self.asscalar())


@method
def __index__(self: NDArray) -> int:
    if self.buffer.dtype.kind not in "iub":
        raise TypeError(f"only an integer array of one element can be an index, found dtype {self.buffer.dtype}")
    return int(self.asscalar())


@method
def __repr__(self: NDArray) -> str:
    elements = self.buffer if isinstance(self.buffer, np.ndarray) else self.asnumpy()   # not copied: it may be large
    return f"\n{elements}\n<NDArray {'x'.join(map(str, self.shape))} @{self.device}>"


@method
def _repr_html_(self: NDArray) -> str:
    from ..display.arrays import array_html
    return array_html(self)


@method
def __copy__(self: NDArray) -> NDArray:
    return self.copy()


@method
def __deepcopy__(self: NDArray, memo: Any) -> NDArray:
    return self.copy()


NDArray.wait_to_write = wait_to_read
NDArray._to_own_class = staticmethod(unchanged)      # bound to no array, because the tape keeps it


def in_current_class(value: Any) -> Any:
    """Return an array, or nested lists and dicts of arrays, as NDArrays or as `mx.np` arrays, whichever are in use.

    >>> from minigluon.ndarray.exports import in_current_class
    >>> with mx.util.np_array():
    ...     in_current_class([nd.ones(2), "text"])
    [array([1., 1.]), 'text']
    """
    if not is_np_array():
        return value
    if isinstance(value, (list, tuple)):
        parts = [in_current_class(part) for part in value]
        return type(value)(*parts) if hasattr(value, "_fields") else type(value)(parts)
    if isinstance(value, dict):
        return {key: in_current_class(part) for key, part in value.items()}
    return value.as_np_ndarray() if value.__class__ is NDArray else value


def plain_arrays(value: Any) -> Any:
    """Return an array, or the arrays in a list, as NDArrays on the same memory; other objects are unchanged.

    >>> from minigluon.ndarray.exports import plain_arrays
    >>> type(plain_arrays([nd.ones(2).as_np_ndarray()])[0]).__name__
    'NDArray'
    """
    if isinstance(value, (list, tuple)):
        return [plain_arrays(part) for part in value]
    return value.as_nd_ndarray() if isinstance(value, NDArray) else value
