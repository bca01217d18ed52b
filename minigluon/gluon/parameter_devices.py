"""A Parameter's arrays on its devices, and errors for missing ones."""

from __future__ import annotations

from typing import Any, cast

from .. import autograd
from .. import ndarray as nd
from ..base import ArgumentError, MXNetError
from ..context import Context, current_context
from .parameter_errors import UninitializedError

__all__ = ["ParameterDevices", "as_contexts"]

Array = Any         # an NDArray, whose methods are generated from the table of operators
Arrays = dict[Context, Array]


class ParameterDevices:
    """Mixin for Parameter that lists and moves its arrays."""

    _is_np = False          # whether programs get mx.np arrays: `is_np_array()` at its creation

    def _to_own_class(self, array: Array) -> Array:
        """Return an array as programs use it, a sparse array unchanged. The parameter and its Trainer use NDArrays."""
        return array.as_np_ndarray() if self._is_np and array.stype == "default" else array

    def row_sparse_data(self, row_id: Array) -> Array:
        """Return the rows of a row_sparse parameter with these indices, as a RowSparseNDArray on the device of row_id.

        The call is recorded, so the parameter's gradient has these rows. Raises the same errors as `data`.

        >>> w = gluon.Parameter("w", shape=(4, 2), stype="row_sparse", init=init.One())
        >>> w.initialize()
        >>> w.row_sparse_data(nd.array([1, 3])).indices.asnumpy().tolist()
        [1, 3]
        """
        if self.stype != "row_sparse":
            raise MXNetError(f"{self.described()} has storage {self.stype!r}: use data() instead.")
        return nd.sparse.retain(self.data(row_id.context), row_id)

    def list_row_sparse_data(self, row_id: Array) -> list[Array]:
        """Return `row_sparse_data` on all devices.

        row_id: the row indices.

        >>> w = gluon.Parameter("w", shape=(4, 2), stype="row_sparse", init=init.One())
        >>> w.initialize()
        >>> [rows.stype for rows in w.list_row_sparse_data(nd.array([1, 3]))]
        ['row_sparse']
        """
        return [self.row_sparse_data(row_id.as_in_context(ctx)) for ctx in self.list_ctx()]

    def _check_and_get(self, arrays: Arrays | None, ctx: Any) -> Any:
        """Return the array from `_data` or `_grad` on ctx, or all arrays for ctx=list. The name is MXNet's, for
        subclasses that override `data`. """
        if arrays is None or (ctx is not list and ctx is not None and ctx not in arrays):
            self._raise_unavailable(ctx, self._data)
        if ctx is list:
            return list(arrays.values())
        return self._on_current(arrays) if ctx is None else arrays[cast(Context, ctx)]

    def _on_current(self, arrays: Arrays) -> Array:
        if len(arrays) == 1:
            return next(iter(arrays.values()))
        ctx = current_context()
        if ctx not in arrays:
            self._raise_unavailable(ctx, arrays)
        return arrays[ctx]

    def list_data(self) -> list[Array]:
        """Return the arrays on all devices, in the order of `list_ctx()`."""
        return [self._to_own_class(x) for x in self._require_data().values()]

    def list_grad(self) -> list[Array]:
        """Return the gradients on all devices."""
        return [self._to_own_class(x) for x in self._require_grad().values()]

    def list_ctx(self) -> list[Context]:
        """Return the devices or, if initialization is deferred, the devices to be used."""
        return list(self._deferred[1]) if self._deferred is not None else list(self._require_data().keys())

    def _require_data(self) -> Arrays:
        data = self._visible()
        if data is None:
            self._raise_unavailable(None, None)
        return data

    def reset_ctx(self, ctx: Any) -> None:
        """Move to other devices.

        ctx: a device or a list of devices.

        >>> w = gluon.Parameter("w", shape=(2,))
        >>> w.initialize()
        >>> w.reset_ctx([mx.cpu(0), mx.cpu(1)])
        >>> w.list_ctx()
        [cpu(0), cpu(1)]
        """
        contexts = as_contexts(ctx)
        if self._data is not None:
            value = self._reduce()
            with autograd.pause():
                self._replace({c: value.copyto(c) for c in contexts})
        elif self._deferred is not None:
            init, _, default_init, value = self._deferred
            self._deferred = (init, contexts, default_init, value)
        else:
            raise UninitializedError(f"{self.described()} cannot be moved to {contexts[0]}: it has not been "
                                     "initialized.")


def as_contexts(ctx: Any) -> list[Context]:
    """Return a list of devices, given one device, a list, or None for the current device. Raises ArgumentError."""
    if ctx is None:
        return [current_context()]
    contexts = list(cast("list[Any]", ctx)) if isinstance(ctx, (list, tuple)) else [ctx]
    for device in contexts:
        if not isinstance(device, Context):
            raise ArgumentError(f"ctx must be a Context such as mx.cpu(), or a list of them, found {device!r}")
    return contexts
