"""Rules for elementwise operators, which use only the stored values if zeros remain zeros."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ...ops import REGISTRY
from ..creation import zeros
from ..imperative import invoke
from .operators import is_sparse, rule
from .storage import CSRStorage, RowSparseStorage, host

if TYPE_CHECKING:
    from ...ops.op import Op

__all__ = []

_KEEPING = (
    "abs", "arcsin", "arcsinh", "arctan", "arctanh", "cbrt", "ceil", "degrees", "expm1", "fix", "floor", "log1p",
    "negative", "radians", "relu", "rint", "round", "sign", "sin", "sinh", "sqrt", "square", "tan", "tanh", "trunc",
    "identity", "BlockGrad", "make_loss", "zeros_like", "_mul_scalar", "_div_scalar")
_KEEPING_IF_ZERO_IS_ZERO = (
    "_plus_scalar", "_minus_scalar", "clip", "_equal_scalar", "_not_equal_scalar", "_greater_scalar",
    "_greater_equal_scalar", "_lesser_scalar", "_lesser_equal_scalar")


def _canonical(names):
    return {REGISTRY[name].name for name in names}


@rule(*_canonical(_KEEPING))
def on_values(op: Op, inputs: Any) -> Any:
    """Applies f to the stored values, at the same positions."""
    storage = inputs[0].buffer
    return storage.with_values(invoke(op, (storage.values,)))


@rule(*_canonical(_KEEPING_IF_ZERO_IS_ZERO))
def on_values_if_zero_is_zero(op: Op, inputs: Any) -> Any:
    """Applies f as `on_values` does if f(0) = 0 for the operator's attributes."""
    if op.forward(np.zeros(1, inputs[0].buffer.dtype))[0] != 0:
        return None
    return on_values(op, inputs)


@rule("elemwise_add", "elemwise_sub", "broadcast_add", "broadcast_sub")
def sums(op: Op, inputs: Any) -> RowSparseStorage | CSRStorage | None:
    """Adds two arrays of the same storage type and shape.

    The result has the same type, with the positions of both arrays.
    """
    a, b = (x.buffer for x in inputs)
    if type(a) is not type(b) or a.shape != b.shape or a.dtype != b.dtype:
        return None
    sign = 1 if op.name.endswith("add") else -1
    return _add_rows([a, b], sign) if isinstance(a, RowSparseStorage) else _add_places(a, b, sign)


@rule("add_n")
def sums_of_many(op: Op, inputs: Any) -> RowSparseStorage | None:
    """Adds any number of row_sparse arrays of the same type."""
    storages = [x.buffer for x in inputs]
    if not all(isinstance(s, RowSparseStorage) and s.dtype == storages[0].dtype for s in storages):
        return None
    return _add_rows(storages, 1)


def _add_rows(storages, sign):
    """Adds each of the other arrays, multiplied by `sign`, to the first array."""
    first = storages[0]
    if all(np.array_equal(s.rows, first.rows) for s in storages):
        rows, values = first.rows, first.values.copy()
        for other in storages[1:]:
            values += other.values if sign > 0 else -other.values
        return RowSparseStorage(first.shape, values, rows)
    rows = np.unique(np.concatenate([s.rows for s in storages]))
    values = zeros((len(rows), *first.shape[1:]), first.values.device, first.dtype)
    for number, s in enumerate(storages):
        if len(s.rows):
            places = np.searchsorted(rows, s.rows)
            values[places] = values[places] + (s.values if sign > 0 or number == 0 else -s.values)
    return RowSparseStorage(first.shape, values, rows)


def _keys(storage):
    """Returns a key for each position of a csr matrix, increasing by rows, then columns."""
    return storage.row_of * storage.shape[1] + storage.columns


def _from_keys(shape, keys, values, ctx):
    return CSRStorage.at(shape, values, keys // max(shape[1], 1), keys % max(shape[1], 1), ctx)


def _add_places(a, b, sign):
    keys, places = np.unique(np.concatenate([_keys(a), _keys(b)]), return_inverse=True)
    values = np.zeros(len(keys), a.dtype)
    np.add.at(values, places, np.concatenate([host(a.values), sign * host(b.values)]))
    return _from_keys(a.shape, keys, values, a.values.device)


@rule("elemwise_mul", "broadcast_mul")
def products(op: Op, inputs: Any) -> RowSparseStorage | CSRStorage | None:
    """Multiplies two sparse arrays of the same type, or a sparse and a dense array (elemwise_mul: in either order)."""
    (a, b), (x, y) = [x.buffer for x in inputs], inputs
    if a.dtype != b.dtype:
        return None
    if type(a) is type(b) and a.shape == b.shape:
        return _multiply_rows(a, b) if isinstance(a, RowSparseStorage) else _multiply_places(a, b)
    if op.name == "elemwise_mul":
        (a, y) = (a, y) if is_sparse(x) else (b, x)
        if is_sparse(y) or a.shape != y.shape:
            return None
        if isinstance(a, RowSparseStorage):
            return _scaled_rows(a, y)
        return _scaled(a, host(y), np.multiply)
    if is_sparse(y):
        return None
    if isinstance(a, RowSparseStorage):
        return _scaled_rows(a, y)
    return _scaled(a, host(y), np.multiply) if isinstance(a, CSRStorage) else None


@rule("broadcast_div")
def quotients(op: Op, inputs: Any) -> CSRStorage | None:
    """Divides csr by dense. If the divisor is 0 and the element is not stored, the result is 0, as in MXNet."""
    a, y = inputs[0].buffer, inputs[1]
    return _scaled(a, host(y), np.divide) if isinstance(a, CSRStorage) and not is_sparse(y) else None


def _scaled_rows(a, y):
    """Returns row_sparse times a dense array of the same shape; None if the shapes differ."""
    if a.shape != y.shape:
        return None
    return a.with_values(a.values * y[a.rows]) if len(a.rows) else a.with_values(a.values.copy())


def _scaled(a, other, function):
    """Combines each csr value with the dense element at its position; None if the dense array has a larger shape."""
    if other.dtype != a.dtype or len(other.shape) > 2 or np.broadcast_shapes(a.shape, other.shape) != a.shape:
        return None
    chosen = np.broadcast_to(other, a.shape)[a.row_of, a.columns]
    with np.errstate(all="ignore"):
        values = function(host(a.values), chosen)
    return CSRStorage.at(a.shape, values, a.row_of, a.columns, a.values.device)


def _multiply_rows(a, b):
    rows, at, bt = np.intersect1d(a.rows, b.rows, assume_unique=True, return_indices=True)
    return RowSparseStorage(a.shape, a.values[at] * b.values[bt], rows) if len(rows) else \
        RowSparseStorage.zeros(a.shape, a.dtype, a.values.device)


def _multiply_places(a, b):
    keys, at, bt = np.intersect1d(_keys(a), _keys(b), return_indices=True)
    return _from_keys(a.shape, keys, host(a.values)[at] * host(b.values)[bt], a.values.device)
