"""The memory of sparse arrays: values on a device, and on the host the numbers that say where they belong.

    RowSparseStorage    values (k, *rest), rows (k,): row rows[i] of the array is values[i], all others are 0
    CSRStorage          values (k,), columns (k,), starts (n + 1,): row i has values[starts[i]:starts[i + 1]]

It is what an NDArray has as its `buffer`: shape and dtype are there, and `take_over` writes. Rows are sorted and
each occurs once. `flags` says that it is not one piece of memory, so that nobody takes it for one.
"""

import math
from types import SimpleNamespace

import numpy as np

from ...base import ShapeError
from ..creation import from_host
from ..creation import zeros as dense_zeros
from ..ndarray import NDArray

__all__ = ["STORAGES", "CSRStorage", "RowSparseStorage", "host", "wrap"]


def host(x):
    """The elements of a dense NDArray as a numpy.ndarray: its own memory where that is NumPy's."""
    return x.buffer if isinstance(x.buffer, np.ndarray) else x.asnumpy()


class Storage:
    """What both share. shape: of the array. values: an NDArray."""

    flags = SimpleNamespace(c_contiguous=False)
    stype = "default"
    array_class = NDArray       # of the arrays on it; `arrays` says which

    @property
    def dtype(self):
        return self.values.buffer.dtype

    @property
    def size(self):
        return math.prod(self.shape)

    def with_values(self, values):
        """Other values in the same places."""
        raise NotImplementedError

    def take_over(self, other):
        """Take what is in another storage of the same shape."""
        self.__dict__.update(other.__dict__)

    def to_context(self, ctx):
        """A copy on a device."""
        return self.with_values(self.values.copyto(ctx))

    def to_numpy(self):
        """All elements, as a numpy.ndarray."""
        raise NotImplementedError

    def __array__(self, dtype=None, copy=None):
        return self.to_numpy().astype(dtype or self.dtype, copy=False)      # what is assigned to a dense array


class RowSparseStorage(Storage):
    """Some rows of an array. See the module."""

    stype = "row_sparse"

    def __init__(self, shape, values, rows, whole=False):
        self.shape, self.values, self.rows = tuple(shape), values, rows
        self.whole = whole          # are all rows to be stored, whatever is written?

    @property
    def is_full(self):
        """Are all rows there?"""
        return len(self.rows) == self.shape[0]

    def with_values(self, values):
        return RowSparseStorage(self.shape, values, self.rows, self.whole)

    def to_numpy(self):
        if self.is_full:
            return self.values.asnumpy()
        out = np.zeros(self.shape, self.dtype)
        out[self.rows] = host(self.values)
        return out

    def dense(self):
        """A dense NDArray with the elements. It shares the values' memory where all rows are there."""
        if self.is_full:
            return NDArray(self.values.buffer, self.values.device)
        out = dense_zeros(self.shape, self.values.device, self.dtype)
        if len(self.rows):
            out[self.rows] = self.values
        return out

    def take_over(self, other):
        if self.whole and not other.is_full:
            other = RowSparseStorage(self.shape, other.dense(), np.arange(self.shape[0]))
        self.values, self.rows = other.values, other.rows

    def arrays_of_file(self):
        """values and rows, as a file holds them."""
        return [self.values.asnumpy(), self.rows]

    def places(self, rows):
        """(places, found): where in `values` the rows with these numbers are, and for each whether it is there."""
        places = np.searchsorted(self.rows, rows)
        places[places == len(self.rows)] = 0
        return places, self.rows[places] == rows if len(self.rows) else np.zeros(len(rows), bool)

    def retained(self, rows):
        """The rows with these numbers, sorted and distinct, as a storage that has all of them."""
        places, found = self.places(rows)
        values = dense_zeros((len(rows), *self.shape[1:]), self.values.device, self.dtype)
        if found.any():
            values[np.flatnonzero(found)] = self.values[places[found]]
        return RowSparseStorage(self.shape, values, rows)

    @classmethod
    def of(cls, array, ctx):
        """Those rows of a numpy.ndarray that are not all 0."""
        if not array.ndim:
            raise ShapeError("an array without axes has no rows to be row_sparse")
        flat = array.reshape(len(array), -1) if array.size else array.reshape(len(array), 0)
        rows = np.flatnonzero((flat != 0).any(1))
        return cls(array.shape, from_host(array[rows], ctx), rows)

    @classmethod
    def zeros(cls, shape, dtype, ctx):
        return cls(shape, dense_zeros((0, *shape[1:]), ctx, dtype), np.zeros(0, np.int64))


class CSRStorage(Storage):
    """The elements of a matrix that are not 0, row by row. See the module."""

    stype = "csr"

    def __init__(self, shape, values, columns, starts):
        self.shape, self.values, self.columns, self.starts = tuple(shape), values, columns, starts

    def with_values(self, values):
        return CSRStorage(self.shape, values, self.columns, self.starts)

    @property
    def row_of(self):
        """The row of each value."""
        return np.repeat(np.arange(self.shape[0]), np.diff(self.starts))

    def to_numpy(self):
        out = np.zeros(self.shape, self.dtype)
        np.add.at(out, (self.row_of, self.columns), host(self.values))      # what is named twice adds up
        return out

    def dense(self):
        """A dense NDArray with the elements."""
        return from_host(self.to_numpy(), self.values.device)

    def arrays_of_file(self):
        """values, starts and columns, as a file holds them."""
        return [self.values.asnumpy(), self.starts, self.columns]

    def rows_from(self, begin, end):
        """Rows begin ... end - 1."""
        first, last = self.starts[begin], self.starts[end]
        return CSRStorage((end - begin, self.shape[1]), self.values[first:last].copy(), self.columns[first:last],
                          self.starts[begin:end + 1] - first)

    @classmethod
    def of(cls, array, ctx):
        """The elements of a numpy.ndarray that are not 0."""
        if array.ndim != 2:
            raise ShapeError(f"csr arrays have two axes, found shape {array.shape}. 'row_sparse' arrays have any "
                             "number.")
        rows, columns = array.nonzero()
        return cls.at(array.shape, array[rows, columns], rows, columns, ctx)

    @classmethod
    def at(cls, shape, values, rows, columns, ctx):
        """Values at places that are sorted by row. values: a numpy.ndarray."""
        starts = np.zeros(shape[0] + 1, np.int64)
        np.cumsum(np.bincount(rows, minlength=shape[0]), out=starts[1:])
        return cls(shape, from_host(values, ctx), columns.astype(np.int64), starts)

    @classmethod
    def zeros(cls, shape, dtype, ctx):
        return cls(shape, dense_zeros((0,), ctx, dtype), np.zeros(0, np.int64), np.zeros(shape[0] + 1, np.int64))


STORAGES = {"row_sparse": RowSparseStorage, "csr": CSRStorage}


def wrap(storage, ctx):
    """The array on a Storage."""
    return storage.array_class(storage, ctx)
