"""Copies of elements between a program and buffers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ...base import MXNetError

if TYPE_CHECKING:
    from ...common.types import DType
    from ...context import Context

__all__ = ["NumpyTransfers", "no_memory"]


class NumpyTransfers:
    """The methods of `ReferenceBackend` that fill and copy buffers."""

    def zeros(self, shape: Sequence[int], dtype: DType, ctx: Context) -> np.ndarray[Any, Any]:
        return self._new(np.zeros, shape, dtype)

    def full(self, shape: Sequence[int], value: int, dtype: np.dtype[Any], ctx: Context) -> np.ndarray[Any, Any]:
        buffer = self.empty(shape, dtype, ctx)
        if dtype.kind == "f" and value.__class__ in (int, float):
            buffer.fill(value)          # five times faster, in the common case
        else:
            np.copyto(buffer, value, casting="unsafe")
        return buffer

    def from_numpy(self, array: Any, ctx: Context) -> np.ndarray[Any, Any]:
        try:
            return np.array(array, order="C")
        except MemoryError:
            raise no_memory(np.shape(array), np.asarray(array).dtype) from None

    def to_numpy(self, buffer: np.ndarray[Any, Any]) -> Any:
        try:
            return buffer.copy()
        except MemoryError:
            raise no_memory(buffer.shape, buffer.dtype) from None

    def synchronize(self, ctx: Context) -> None:
        """Returns immediately, because a kernel returns only when its results are complete."""


def no_memory(shape: Any, dtype: Any) -> MXNetError:
    """Return the error for an array that does not fit in memory."""
    return MXNetError(f"there is no memory for an array of shape {shape} and dtype {dtype}")
