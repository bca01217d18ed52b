"""Allocation of the arrays of `simple_bind`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ... import autograd
from ... import ndarray as nd
from ...base import ArgumentError, ContextError, DTypeError, MXNetError, ShapeError, nearest
from ...common.dtypes import as_dtype
from ...ops.shapes import size_of

if TYPE_CHECKING:
    from ...context import Context
    from ...ndarray import NDArray

__all__ = ["Memory", "part_of", "zeros"]


class Memory:
    """Allocator of zeros that reuses the arrays of another executor and those of a buffer shared by several executors.

    device_of: {name of a variable: its device}.
    """

    buffer: dict[Any, Any] | None
    device_of: dict[str, Context]
    executor: Any

    def __init__(self, device_of: dict[str, Context], executor: Any, names: Sequence[str], buffer: Any):
        if names is not None and not isinstance(names, (list, tuple)):
            raise ArgumentError(f"simple_bind: shared_arg_names must be a list, found {type(names).__name__}")
        if buffer is not None and not isinstance(buffer, dict):
            raise ArgumentError(f"simple_bind: shared_buffer must be a dict, found {type(buffer).__name__}")
        self.device_of, self.executor, self.buffer = device_of, executor, buffer
        self.names: set[Any] = set(names or ()) if executor is not None else set()

    def argument(self, name: str, shape: Sequence[int], dtype: type[Any], stype: str) -> Any:
        if name in self.names:
            return self._shared("argument", self.executor.arg_dict, name, shape, dtype)
        if stype != "default":
            return self._sparse(name, shape, dtype, stype)
        if self.buffer is None:
            return self._new(name, shape, dtype)
        size = size_of(shape)
        stored = self.buffer.get(name)
        if stored is None or stored.size < size or stored.dtype != dtype or stored.context is not self.device_of[name]:
            stored = self.buffer[name] = self._new(name, shape, dtype)
        return part_of(stored, shape)

    def gradient(self, name: str, shape: Sequence[int], dtype: type[Any], stype: str) -> Any:
        if name in self.names and self.executor.grad_dict.get(name) is not None:
            return self._shared("gradient", self.executor.grad_dict, name, shape, dtype)
        if stype == "default":
            return self._new(name, shape, dtype)
        return nd.zeros(shape, self.device_of[name], dtype, stype)

    def _sparse(self, name, shape, dtype, stype):
        """Return an argument of zeros. A row_sparse argument stores all rows, because any of them may be looked up."""
        if stype == "row_sparse":
            return nd.sparse.with_all_rows(self._new(name, shape, dtype))
        return nd.zeros(shape, self.device_of[name], dtype, stype)

    def state(self, name: str, shape: Sequence[int], dtype: type[Any]) -> Any:
        state = self.executor.aux_dict.get(name) if self.executor is not None else None
        if state is not None and state.shape == shape and state.dtype == dtype:
            return state
        return self._new(name, shape, dtype)

    def _shared(self, kind, arrays, name, shape, dtype):
        if name not in arrays:
            raise ArgumentError(f"simple_bind: shared_exec has no {kind} {name!r} to share.{nearest(name, arrays)}")
        array = arrays[name]
        if array.shape != shape:
            raise ShapeError(f"simple_bind: {kind} {name!r} of shared_exec has shape {array.shape}, expected {shape}")
        if array.dtype != dtype:
            raise DTypeError(f"simple_bind: {kind} {name!r} of shared_exec has dtype {as_dtype(array.dtype).name}, "
                             f"expected {as_dtype(dtype).name}")
        return array

    def _new(self, name, shape, dtype):
        return zeros(f"variable {name!r}", shape, self.device_of[name], dtype)


def zeros(owner: str, shape: Sequence[int], ctx: Context, dtype: type[Any]) -> NDArray:
    """Return an array of zeros.

    owner: the name in the error message if the array is impossible or does not fit in memory.
    """
    try:
        return nd.zeros(shape, ctx, dtype)
    except ContextError:        # the device does not exist
        raise
    except MXNetError:
        raise MXNetError(f"{owner} cannot have an array of shape {shape} and dtype {as_dtype(dtype).name}: a length "
                         "is negative, or the memory does not suffice") from None


def part_of(array: NDArray, shape: Sequence[int]) -> NDArray:
    """Return a view of the first elements of an array, with a different shape."""
    if array.shape == shape:
        return array
    with autograd.pause():
        return array.reshape((array.size,))[:size_of(shape)].reshape(shape)
