"""Arrays that share memory with NumPy and with other libraries that support DLPack."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np

from ..base import ArgumentError, CallError, MXNetError
from ..common.dtypes import as_dtype
from ..context import cpu
from .ndarray import NDArray

__all__ = ["from_dlpack", "from_numpy", "to_dlpack_for_read", "to_dlpack_for_write"]


def from_numpy(ndarray: Any, zero_copy: bool = True) -> NDArray:
    """Returns an NDArray on the CPU with the elements and the dtype of a C-contiguous numpy.ndarray.

    zero_copy: whether to share the memory, which makes the NumPy array read-only. An array that is already read-only is
        also shared, and writes to the NDArray appear in that array and in all arrays that share its memory.

    >>> a = np.arange(3)
    >>> x = nd.from_numpy(a)
    >>> x[0] = 7
    >>> print(a, x.dtype is a.dtype.type)
    [7 1 2] True
    """
    if not isinstance(ndarray, np.ndarray):
        raise MXNetError(f"from_numpy needs a numpy.ndarray, found {type(ndarray).__name__}. Use nd.array for lists.")
    as_dtype(ndarray.dtype)
    if not ndarray.flags.c_contiguous:
        raise ArgumentError("from_numpy needs a C-contiguous array. Use numpy.ascontiguousarray(x), or nd.array(x).")
    if not zero_copy:
        return NDArray(ndarray.copy(), cpu())
    shared = ndarray.view(np.ndarray) if ndarray.flags.writeable else _writable(ndarray)
    ndarray.flags.writeable = False
    return NDArray(shared, cpu())


def from_dlpack(dlpack: Any) -> NDArray:
    """Returns an NDArray that shares the memory of another library's array.

    dlpack: an object with `__dlpack__`, or its capsule.

    Raises MXNetError for memory that is not on the CPU or not contiguous.

    >>> a = np.zeros(2, np.float32)
    >>> nd.from_dlpack(a)[0] = 5
    >>> print(a)
    [5. 0.]
    """
    device = dlpack.__dlpack_device__()[0] if hasattr(dlpack, "__dlpack_device__") else _CPU
    if device != _CPU:
        raise MXNetError(f"from_dlpack: the array is on DLPack device type {device}; only CPU memory (1) can be shared")
    try:
        capsule = dlpack.__dlpack__() if hasattr(dlpack, "__dlpack__") else dlpack
        array = np.from_dlpack(_Capsule(capsule))
    except (AttributeError, BufferError, RuntimeError, TypeError, ValueError) as error:
        raise MXNetError(f"from_dlpack: cannot share the memory: {error}. Copy it with nd.array(...).") from error
    as_dtype(array.dtype)
    if not array.flags.c_contiguous:
        raise MXNetError(f"from_dlpack needs C-contiguous memory, found strides {array.strides} for shape "
                         f"{array.shape}. Make the array contiguous first.")
    return NDArray(array if array.flags.writeable else _writable(array), cpu())


def to_dlpack_for_read(data: Any) -> Any:
    """Returns a DLPack capsule for reading the memory of the NDArray `data`.

    >>> print(nd.from_dlpack(nd.to_dlpack_for_read(nd.array([1, 2]))).asnumpy())
    [1. 2.]
    """
    return _array("to_dlpack_for_read", data).to_dlpack_for_read()


def to_dlpack_for_write(data: Any) -> Any:
    """Returns a DLPack capsule for writing to the memory of the NDArray `data`.

    >>> x = nd.zeros(2)
    >>> nd.from_dlpack(nd.to_dlpack_for_write(x))[:] = 5
    >>> print(x.asnumpy())
    [5. 5.]
    """
    return _array("to_dlpack_for_write", data).to_dlpack_for_write()


def _array(name, data):
    if not isinstance(data, NDArray):
        raise CallError(f"{name}: data must be an NDArray, found {type(data).__name__}. Convert it with nd.array(...).")
    return data


_CPU = 1        # DLPack's code for the CPU


class _Capsule:
    """A wrapper for a bare capsule in CPU memory, with the interface that `numpy.from_dlpack` needs."""

    def __init__(self, capsule):
        self.capsule = capsule

    def __dlpack__(self, **kwargs):
        return self.capsule

    def __dlpack_device__(self):
        return _CPU, 0


def _writable(array):
    """Returns the same memory without the read-only flag that NumPy sets for capsules without flags."""
    memory = (ctypes.c_byte * array.nbytes).from_address(array.ctypes.data)
    memory.owner = array            # keeps the other library's memory alive as long as this view exists
    return np.frombuffer(memory, array.dtype, array.size).reshape(array.shape) if array.size else array.copy()
