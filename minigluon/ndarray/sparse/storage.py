"""The memory of sparse arrays: values on a device, and their indices on the host.

    RowSparseStorage    values (k, *rest), rows (k,): row rows[i] of the array is values[i], all others are 0
    CSRStorage          values (k,), columns (k,), starts (n + 1,): row i has values[starts[i]:starts[i + 1]]

A storage is the `buffer` of a sparse NDArray: it has shape and dtype, and is written to by `take_over`. Rows are sorted
and distinct. `flags` indicates that the memory is not contiguous, so that no code treats it as dense memory.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np

from ...base import ShapeError
from ..creation import from_host
from ..creation import zeros as dense_zeros
from ..ndarray import NDArray

if TYPE_CHECKING:
    from ...common.types import DType
    from ...context import Context

__all__ = ["STORAGES", "CSRStorage", "RowSparseStorage", "host", "wrap"]


def host(x: NDArray) -> np.ndarray[Any, Any]:
    """Returns the elements of a dense NDArray as a numpy.ndarray, without a copy if its memory is NumPy's."""
    return x.buffer if isinstance(x.buffer, np.ndarray) else x.asnumpy()


class Storage:
    """Base class of the two storage classes. shape: the shape of the array. values: an NDArray."""

    flags: SimpleNamespace = SimpleNamespace(c_contiguous=False)
    stype = "default"
    array_class = NDArray       # the class of the arrays that use this storage, set by `arrays`

    @property
    def dtype(self):
        return self.values.buffer.dtype

    @property
    def size(self):
        return math.prod(self.shape)

    def with_values(self, values: Any) -> Any:
        """Returns a storage with other values at the same positions."""
        raise NotImplementedError

    def take_over(self, other: Any) -> None:
        """Adopts the contents of a storage of the same shape."""
        self.__dict__.update(other.__dict__)

    def to_context(self, ctx: Context) -> Any:
        """Returns a copy on a device."""
        return self.with_values(self.values.copyto(ctx))

    def to_numpy(self) -> Any:
        """Returns all elements as a numpy.ndarray."""
        raise NotImplementedError

    def __array__(self, dtype: DType | None = None, copy: Any = None) -> Any:
        return self.to_numpy().astype(dtype or self.dtype, copy=False)      # for assignment to a dense array


class RowSparseStorage(Storage):
    """The stored rows of an array. See the module docstring."""

    shape: tuple[int, ...]
    rows: Any
    values: Any

    stype = "row_sparse"

    def __init__(self, shape: Sequence[int], values: Any, rows: Any, whole: bool = False):
        self.shape, self.values, self.rows = tuple(shape), values, rows
        self.whole: bool = whole          # if True, all rows stay stored after writes

    @property
    def is_full(self):
        """Returns whether all rows are stored."""
        return len(self.rows) == self.shape[0]

    def with_values(self, values: Any) -> RowSparseStorage:
        return RowSparseStorage(self.shape, values, self.rows, self.whole)

    def to_numpy(self) -> Any:
        if self.is_full:
            return self.values.asnumpy()
        out = np.zeros(self.shape, self.dtype)
        out[self.rows] = host(self.values)
        return out

    def dense(self) -> NDArray:
        """Returns a dense NDArray with the elements. It shares the values' memory if all rows are stored."""
        if self.is_full:
            return NDArray(self.values.buffer, self.values.device)
        out = dense_zeros(self.shape, self.values.device, self.dtype)
        if len(self.rows):
            out[self.rows] = self.values
        return out

    def take_over(self, other: Any) -> None:
        if self.whole and not other.is_full:
            other = RowSparseStorage(self.shape, other.dense(), np.arange(self.shape[0]))
        self.values, self.rows = other.values, other.rows

    def arrays_of_file(self) -> list[Any]:
        """Returns values and rows in the form used in files."""
        return [self.values.asnumpy(), self.rows]

    def places(self, rows: Any) -> tuple[Any, Any]:
        """Returns (positions in `values` of the rows with these indices, whether each of them exists)."""
        places = np.searchsorted(self.rows, rows)
        places[places == len(self.rows)] = 0
        return places, self.rows[places] == rows if len(self.rows) else np.zeros(len(rows), bool)

    def retained(self, rows: Any) -> RowSparseStorage:
        """Returns the rows with these indices, sorted and distinct, as a storage that contains all of them."""
        places, present = self.places(rows)
        values = dense_zeros((len(rows), *self.shape[1:]), self.values.device, self.dtype)
        if present.any():
            values[np.flatnonzero(present)] = self.values[places[present]]
        return RowSparseStorage(self.shape, values, rows)

    @classmethod
    def of(cls, array: Any, ctx: Context) -> RowSparseStorage:
        """Returns the rows of a numpy.ndarray that are not all 0."""
        if not array.ndim:
            raise ShapeError("an array without axes has no rows to be row_sparse")
        flat = array.reshape(len(array), -1) if array.size else array.reshape(len(array), 0)
        rows = np.flatnonzero((flat != 0).any(1))
        return cls(array.shape, from_host(array[rows], ctx), rows)

    @classmethod
    def zeros(cls, shape: Sequence[int], dtype: DType, ctx: Context) -> RowSparseStorage:
        return cls(shape, dense_zeros((0, *shape[1:]), ctx, dtype), np.zeros(0, np.int64))


class CSRStorage(Storage):
    """The elements of a matrix that are not 0, row by row. See the module docstring."""

    shape: tuple[int, ...]
    values: NDArray

    stype = "csr"

    def __init__(self, shape: Sequence[int], values: NDArray, columns: np.ndarray[Any, Any],
                 starts: np.ndarray[Any, Any]):
        self.shape, self.values, self.columns, self.starts = tuple(shape), values, columns, starts

    def with_values(self, values: Any) -> CSRStorage:
        return CSRStorage(self.shape, values, self.columns, self.starts)

    @property
    def row_of(self):
        """Returns the row of each value."""
        return np.repeat(np.arange(self.shape[0]), np.diff(self.starts))

    def to_numpy(self) -> np.ndarray[Any, Any]:
        out = np.zeros(self.shape, self.dtype)
        np.add.at(out, (self.row_of, self.columns), host(self.values))      # repeated elements are summed
        return out

    def dense(self) -> NDArray:
        """Returns a dense NDArray with the elements."""
        return from_host(self.to_numpy(), self.values.device)

    def arrays_of_file(self) -> list[np.ndarray[Any, Any]]:
        """Returns values, starts and columns in the form used in files."""
        return [self.values.asnumpy(), self.starts, self.columns]

    def rows_from(self, begin: int, end: int) -> CSRStorage:
        """Returns the rows begin ... end - 1."""
        first, last = self.starts[begin], self.starts[end]
        return CSRStorage((end - begin, self.shape[1]), self.values[first:last].copy(), self.columns[first:last],
                          self.starts[begin:end + 1] - first)

    @classmethod
    def of(cls, array: np.ndarray[Any, Any], ctx: Context) -> CSRStorage:
        """Returns the elements of a numpy.ndarray that are not 0."""
        if array.ndim != 2:
            raise ShapeError(f"csr arrays have two axes, found shape {array.shape}. 'row_sparse' arrays have any "
                             "number.")
        rows, columns = array.nonzero()
        return cls.at(array.shape, array[rows, columns], rows, columns, ctx)

    @classmethod
    def at(cls, shape: Sequence[int], values: np.ndarray[Any, Any], rows: np.ndarray[Any, Any],
           columns: np.ndarray[Any, Any], ctx: Context) -> CSRStorage:
        """Returns the storage of values at positions sorted by row. values: a numpy.ndarray."""
        starts = np.zeros(shape[0] + 1, np.int64)
        np.cumsum(np.bincount(rows, minlength=shape[0]), out=starts[1:])
        return cls(shape, from_host(values, ctx), columns.astype(np.int64), starts)

    @classmethod
    def zeros(cls, shape: Sequence[int], dtype: DType, ctx: Context) -> CSRStorage:
        return cls(shape, dense_zeros((0,), ctx, dtype), np.zeros(0, np.int64), np.zeros(shape[0] + 1, np.int64))


STORAGES = {"row_sparse": RowSparseStorage, "csr": CSRStorage}


def wrap(storage: CSRStorage, ctx: Context) -> Any:
    """Returns the array for a Storage."""
    return storage.array_class(storage, ctx)
