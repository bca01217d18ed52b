"""Replacing a Parameter's value with `set_data`, from a file or a pickle, or by a cast."""

from __future__ import annotations

import itertools
from typing import Any, cast

import numpy as np

from .. import autograd
from .. import ndarray as nd
from ..backend import backend_for
from ..base import ArgumentError, MXNetError
from ..common.dtypes import as_dtype
from ..context import cpu
from ..tape import state as tape_state
from . import parameter_snapshots as snapshots
from .parameter_devices import Array, Arrays, as_contexts

__all__ = ["ParameterLoading"]

_numbers = itertools.count(1)       # next() is atomic across threads


class ParameterLoading:
    """Mixin for Parameter that replaces its value."""

    # Changes whenever a parameter's arrays or their memory change. A Trainer that has cached its arrays looks them up
    # again after a change. This takes one comparison per call rather than one per parameter.
    replacements: int = 0

    def _replace(self, arrays: Arrays | None) -> None:
        """Replace the arrays, with new gradients."""
        if self._data is None and not snapshots.scopes:
            self._take(arrays)
        else:
            snapshots.replace(self, arrays)         # so that other threads see either all arrays replaced or none

    def _take(self, arrays: Arrays | None) -> None:
        if arrays is not None:
            self._attach_grad(arrays)
            for x in arrays.values():
                x._prepare_to_replace()
        self._data = arrays
        self._plain = None if self.computes_data else self._data
        self._count_replacement()                    # only now that the new arrays are visible

    def __getstate__(self) -> dict[str, Any]:
        """Return the state for copies and pickles, without the block and the trainer."""
        return {**self.__dict__, "_owner": None, "_trainer": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        if self._data is not None:
            self._take(self._data)

    @staticmethod
    def _count_replacement() -> None:
        """Notify Trainers that a parameter's arrays or their memory have changed."""
        ParameterLoading.replacements = next(_numbers)

    def set_data(self, data: Any) -> None:
        """Replace the value on all devices, atomically for other threads: see `parameter_snapshots.py`.

        data: an NDArray or numpy.ndarray of the same shape (which sets unknown dimensions), converted to the
            parameter's dtype.

        >>> w = gluon.Parameter("w", shape=(2,))
        >>> w.initialize()
        >>> w.set_data(nd.array([5, 6]))
        >>> w.data().asnumpy().tolist()
        [5.0, 6.0]
        """
        if not hasattr(data, "shape"):
            raise ArgumentError(f"{self.described()}: set_data needs an NDArray, found {type(data).__name__}. Convert "
                                "it with nd.array(...).")
        if isinstance(data, nd.NDArray):
            data = data.as_nd_ndarray()
        with snapshots.replace_together():
            snapshots.remember(self)
            self.shape = data.shape
            if self._data is not None:
                for x in self._data.values():
                    _set(x, data)
                self._count_replacement()
                return
            if self._deferred is None:
                self._raise_unavailable(None, None)
            with autograd.pause():
                value = data.astype(self._dtype, copy=False) if isinstance(data, nd.NDArray) else \
                    nd.array(data, ctx=cpu(), dtype=self._dtype)
            self._deferred = (*self._deferred[:3], value)
            self._finish_deferred_init()

    def cast(self, dtype: Any) -> None:
        """Convert the value and the gradient to another dtype.

        dtype: the new dtype, such as 'float16'.

        >>> w = gluon.Parameter("w", shape=(2,))
        >>> w.initialize()
        >>> w.cast("float64")
        >>> w.data().dtype
        <class 'numpy.float64'>
        """
        converted = as_dtype(dtype)
        if self._data is None:
            self._dtype = converted
            return
        with snapshots.replace_together(), autograd.pause():
            snapshots.remember(self)
            self._dtype = converted
            self._replace({ctx: x.astype(dtype) for ctx, x in self._data.items()})

    def _reduce(self) -> Array:
        """Return one array to write to a file: the mean over the devices."""
        arrays: list[Array] = [x.copyto(cpu()) for x in self._require_data().values()]
        with autograd.pause():
            return arrays[0] if len(arrays) == 1 else cast(Array, nd.add_n(*arrays)) / len(arrays)

    def _load_init(self, data: Array, ctx: Any, cast_dtype: bool = False, dtype_source: str = "current") -> None:
        """Set the value from a file, whether or not the parameter is initialized."""
        if dtype_source not in ("current", "saved"):
            raise MXNetError(f"dtype_source is {dtype_source!r}, expected 'current' or 'saved'")
        with snapshots.replace_together():
            snapshots.remember(self)
            self._load(data.as_nd_ndarray(), ctx, cast_dtype, dtype_source)

    def _takes_shape(self, shape: tuple[int, ...]) -> bool:
        """Return whether a value of this parameter may have this shape."""
        return self._shape is None or len(self._shape) == len(shape) and all(
            own is None or own == new for own, new in zip(self._shape, shape, strict=True))

    def _load(self, data: Array, ctx: Any, cast_dtype: bool, dtype_source: str) -> None:
        if not self._takes_shape(data.shape):
            raise MXNetError(f"{self.described()} has shape {self.shape}, but the loaded array has shape {data.shape}.")
        self._shape = data.shape
        if data.dtype != self.dtype:
            if not cast_dtype:
                raise MXNetError(f"{self.described()} has dtype {self._dtype}, but the loaded array has dtype "
                                 f"{np.dtype(data.dtype)}. Pass cast_dtype=True to convert it.")
            if dtype_source == "saved":
                self.cast(data.dtype)
            else:
                data = data.astype(self.dtype)
        if self._data is not None and ctx is not None and set(as_contexts(ctx)) != self._data.keys():
            self.reset_ctx(ctx)
        if self._data is not None:
            self.set_data(data)
            return
        contexts = self._deferred[1] if self._deferred is not None and ctx is None else as_contexts(ctx)
        self._deferred = None
        self._initialize_now(None, contexts, None, data)


def _set(array: Array, value: Any) -> None:
    """Perform array[:] = value for a value of the same shape that does not share memory with the array."""
    if tape_state.recording and getattr(value, "entry", None) is not None:
        array[:] = value            # records the array
        return
    array._forbid_write_on_tape()
    if array.stype != "default":
        array[:] = value
        return
    buffer = backend_for(array.device).empty(array.shape, array.buffer.dtype, array.device)
    new: Array = nd.NDArray(buffer, array.device)
    new[:] = value
    array._replace_memory(buffer)
