"""Rules for operators that select, join or convert rows, and for the gradient of a table with only some rows read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ... import tape
from ...base import ArgumentError
from ...ops import REGISTRY
from ..creation import from_host
from ..imperative import invoke
from ..ndarray import _stand_in
from .operators import is_sparse, rule
from .storage import STORAGES, CSRStorage, RowSparseStorage, host, wrap

if TYPE_CHECKING:
    from ...common.types import DType
    from ...ops.op import Op
    from ..ndarray import NDArray

__all__ = ["distinct_rows", "rows_gradient"]


def distinct_rows(indices: Any) -> np.ndarray[Any, Any]:
    """Converts an NDArray of row indices, in any order, to sorted distinct int64 values."""
    return np.unique(indices.asnumpy().astype(np.int64))


@rule("cast_storage")
def cast_storage(op: Op, inputs: Sequence[Any]) -> Any:
    """Converts from dense to any storage type, and from any storage type to dense."""
    x = inputs[0]
    if not is_sparse(x):
        return STORAGES[op.stype].of(host(x), x.device) if op.stype in STORAGES else None
    if op.stype == x.stype:
        return x.buffer.with_values(x.buffer.values.copy())
    if op.stype != "default":
        raise ArgumentError(f"cast_storage from {x.stype} to {op.stype} is not supported. Go through a dense array: "
                            f".tostype('default').tostype({op.stype!r}).")
    return invoke(REGISTRY["identity"](), [x.buffer.dense()]) if x.stype == "row_sparse" else x.buffer.dense()


@rule("_sparse_retain")
def retain(op: Op, inputs: Any) -> RowSparseStorage:
    """Returns the rows with these indices, all of which are stored; the indices may be in any order."""
    if not isinstance(inputs[0].buffer, RowSparseStorage):
        raise ArgumentError(f"retain takes a row_sparse array, found storage {inputs[0].stype!r}")
    rows = distinct_rows(inputs[1])
    if len(rows) and not (rows[0] >= 0 and rows[-1] < inputs[0].shape[0]):
        raise ArgumentError(f"retain: the row numbers lie in {rows[0]} ... {rows[-1]}, but the array has "
                            f"{inputs[0].shape[0]} rows")
    return inputs[0].buffer.retained(rows)


@rule("_sparse_retain_grad")
def retained_gradient(op: Op, inputs: Any) -> RowSparseStorage | None:
    """Returns these rows of the gradient, which are stored even if they are 0."""
    grad, rows = inputs[0], distinct_rows(inputs[2])
    if isinstance(grad.buffer, RowSparseStorage):
        return grad.buffer.retained(rows)
    return None if is_sparse(grad) else RowSparseStorage(grad.shape, grad[rows], rows) if len(rows) else \
        RowSparseStorage.zeros(grad.shape, grad.dtype, grad.device)


@rule("slice")
def part(op: Op, inputs: Sequence[Any]) -> CSRStorage | None:
    """Returns a range of the rows or columns of a csr matrix."""
    storage = inputs[0].buffer
    if not isinstance(storage, CSRStorage) or any(step not in (None, 1) for step in op.step or ()):
        return None
    edges = [slice(*pair).indices(n)[:2] for pair, n in zip(zip(op.begin, op.end, strict=True), storage.shape,
                                                            strict=False)]
    begin, end = edges[0]
    storage = storage.rows_from(begin, max(begin, end))
    if len(edges) == 1:
        return storage
    begin, end = edges[1]
    places = np.flatnonzero((storage.columns >= begin) & (storage.columns < end))
    return CSRStorage.at((storage.shape[0], max(end - begin, 0)), host(storage.values)[places], storage.row_of[places],
                         storage.columns[places] - begin, storage.values.device)


@rule("_square_sum")
def squared_rows(op: Op, inputs: Any) -> RowSparseStorage | NDArray | None:
    """Returns the sum of the squares of each row: dense, or row_sparse with keepdims=True."""
    table = inputs[0].buffer
    if not isinstance(table, RowSparseStorage) or len(table.shape) != 2 or op.axis not in (1, (1,)) or op.exclude:
        return None
    sums = host(invoke(op, [table.values])) if len(table.rows) else np.zeros((0, 1)[:1 + op.keepdims], table.dtype)
    if op.keepdims:
        return RowSparseStorage((table.shape[0], 1), from_host(sums, table.values.device), table.rows)
    out = np.zeros(table.shape[0], table.dtype)
    out[table.rows] = sums
    return from_host(out, table.values.device)


@rule("_spread_like")
def spread_rows(op: Op, inputs: Any) -> RowSparseStorage | None:
    """Stretches a row_sparse column over the columns of a matrix, as in the gradient of a sum of rows."""
    column, like = inputs[0].buffer, inputs[1]
    if not isinstance(column, RowSparseStorage) or not op.keepdims or column.shape != (like.shape[0], 1) \
            or len(like.shape) != 2 or op.axis not in (1, (1,)) or op.exclude:
        return None
    wide = _stand_in(((len(column.rows), like.shape[1]), column.dtype, column.values.device))
    return RowSparseStorage(like.shape, invoke(op, [column.values, wide]), column.rows)


@rule("take")
def take(op: Op, inputs: Sequence[Any]) -> CSRStorage | None:
    """Takes rows from a csr matrix."""
    storage, indices = inputs[0].buffer, inputs[1]
    if not isinstance(storage, CSRStorage) or op.axis != 0 or len(indices.shape) != 1 or op.mode == "raise":
        return None
    count = storage.shape[0]
    numbers = indices.asnumpy().astype(np.int64)
    numbers = numbers % max(count, 1) if op.mode == "wrap" else np.clip(numbers, 0, max(count - 1, 0))
    lengths = np.diff(storage.starts)[numbers]
    rows = np.repeat(np.arange(len(numbers)), lengths)
    chosen = np.arange(len(rows)) + np.repeat(storage.starts[numbers] - np.cumsum(lengths) + lengths, lengths)
    return CSRStorage.at((len(numbers), storage.shape[1]), host(storage.values)[chosen], rows, storage.columns[chosen],
                         storage.values.device)


@rule(REGISTRY["Concat"].name)
def joined(op: Op, inputs: Any) -> CSRStorage | None:
    """Joins csr matrices vertically."""
    storages = [x.buffer for x in inputs]
    if op.dim != 0 or not all(isinstance(s, CSRStorage) and s.dtype == storages[0].dtype
                              and s.shape[1] == storages[0].shape[1] for s in storages):
        return None
    above = np.cumsum([0, *[s.shape[0] for s in storages]])
    rows = np.concatenate([s.row_of + first for s, first in zip(storages, above, strict=False)])
    return CSRStorage.at((int(above[-1]), storages[0].shape[1]), np.concatenate([host(s.values) for s in storages]),
                         rows, np.concatenate([s.columns for s in storages]), storages[0].values.device)


@rule("Embedding")
def looked_up(op: Op, inputs: Any) -> NDArray | None:
    """Returns rows of a row_sparse table; missing rows are 0."""
    data, weight = inputs
    table = weight.buffer
    if not isinstance(table, RowSparseStorage) or is_sparse(data) or table.is_full or not len(table.rows):
        return None
    numbers = np.clip(data.asnumpy().astype(np.int64), 0, op.input_dim - 1)
    places, present = table.places(numbers.ravel())
    rows = table.values[places].asnumpy()
    rows[~present] = 0
    return from_host(rows.reshape(*data.shape, op.output_dim), data.device)


def rows_gradient(grad: Any, data: Any, weight: Any, input_dim: Any, output_dim: Any, dtype: DType) -> Any:
    """Returns the gradient of `Embedding`'s weight as a RowSparseNDArray with the rows that data selects.

    grad (*data's shape, output_dim) | data (any shape) | weight (input_dim, output_dim), only its shape is used. It is
    computed as the dense gradient of a small table with the distinct rows. If gradients are recorded, the result is
    dense, because a sparse result would not have a gradient.
    """
    name, sizes = "_Embedding_grad", {"output_dim": output_dim, "dtype": dtype}
    if tape.state.recording or is_sparse(grad):
        return invoke(REGISTRY[name](input_dim=input_dim, **sizes), [_plain(grad), data, _plain(weight)])
    numbers = np.clip(data.asnumpy().ravel().astype(np.int64), 0, max(input_dim - 1, 0))
    rows, places = np.unique(numbers, return_inverse=True)
    table = _stand_in(((len(rows), output_dim), grad.buffer.dtype, grad.device))
    values = invoke(REGISTRY[name](input_dim=len(rows), **sizes),
                    [grad, from_host(places.reshape(data.shape), grad.device), table])
    return wrap(RowSparseStorage((input_dim, output_dim), values, rows), grad.device)


def _plain(x):
    return x.tostype("default") if is_sparse(x) else x
