"""RowSparseNDArray and CSRNDArray: arrays that store only some of their elements and whose other elements are 0.

Results have the same values as those of dense arrays. If MXNet keeps a result sparse, it is also sparse here (see
`operators`); otherwise the arrays are first made dense, and the result is dense.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...backend import backend_for
from ...base import (
    ArgumentError,
    CallError,
    DTypeError,
    MXNetError,
    NotSupportedForSparseNDArray,
    OutOfRangeError,
    ShapeError,
)
from ...common.dtypes import as_dtype
from ...common.memory import enough_memory
from ...common.types import DType, Shape
from ...context import Context, parse
from ...frontend.operators import as_number
from ...ops import REGISTRY
from ..creation import from_host
from ..ndarray import NDArray
from .operators import run
from .storage import STORAGES, CSRStorage, RowSparseStorage, wrap

__all__ = ["BaseSparseNDArray", "CSRNDArray", "NotSupportedForSparseNDArray", "RowSparseNDArray", "cast_storage",
           "check_places", "with_all_rows"]


class BaseSparseNDArray(NDArray):
    """Base class of the two sparse array classes.

    `buffer` is a Storage; writing replaces its contents, so that views also change.

    >>> isinstance(nd.sparse.zeros("csr", (2, 2)), nd.sparse.BaseSparseNDArray)
    True
    """

    @property
    def stype(self) -> str:
        """'row_sparse' or 'csr'.

        >>> nd.sparse.zeros("csr", (2, 2)).stype
        'csr'
        """
        return self.buffer.stype

    @property
    def _num_aux(self):
        """The number of index arrays that specify the values' positions."""
        return 1 if self.stype == "row_sparse" else 2

    @property
    def data(self) -> NDArray:
        """A copy of the stored values.

        >>> print(nd.array([[0, 7], [0, 0]]).tostype("csr").data.asnumpy())
        [7.]
        """
        return self.buffer.values.copy()

    @enough_memory("asnumpy")
    def asnumpy(self) -> np.ndarray[Any, np.dtype[Any]]:
        """Returns all elements as a new numpy.ndarray, including zeros.

        >>> print(nd.sparse.zeros("csr", (1, 2)).asnumpy())
        [[0. 0.]]
        """
        return self.buffer.to_numpy()

    def tostype(self, stype: str) -> NDArray:
        """Returns the same elements in a given storage type: 'default' is dense. Raises ArgumentError for conversions
        between csr and row_sparse.

        >>> nd.sparse.zeros("csr", (1, 2)).tostype("default").stype
        'default'
        """
        return self if stype == self.stype else cast_storage(self, stype)

    def astype(self, dtype: DType, copy: bool = True) -> NDArray:
        """Returns the elements converted to a given type, or the array itself if copy=False and it has that type.

        >>> nd.sparse.zeros("csr", (1, 2)).astype("int32").dtype is np.int32
        True
        """
        dtype = as_dtype(dtype)
        if not copy and dtype == self.buffer.dtype:
            return self
        return wrap(self.buffer.with_values(self.buffer.values.astype(dtype)), self.device)

    def copy(self) -> NDArray:
        """Returns a copy on the same device.

        >>> nd.sparse.zeros("csr", (1, 2)).copy().stype
        'csr'
        """
        return run(REGISTRY["identity"](), [self])

    def copyto(self, other: Any) -> NDArray:
        """Copies to an NDArray of the same shape, dense or of the same storage type, or to a Context as a new array.

        >>> x = nd.array([[0, 7]]).tostype("csr")
        >>> print(x.copyto(nd.ones((1, 2))).asnumpy())
        [[0. 7.]]
        """
        if isinstance(other, NDArray) and other.stype not in ("default", self.stype):
            raise CallError(f"copyto: {self.stype} cannot be copied to {other.stype}; the target must be dense or "
                            f"{self.stype}")
        return super().copyto(other)

    def _to_context(self, ctx):
        ctx = Context(ctx)
        return wrap(self.buffer.to_context(ctx), ctx)

    def attach_grad(self, grad_req: Any = "write", stype: str | None = None) -> None:
        """Makes this array a variable. stype: the storage type of the gradient; None uses the array's storage type.

        >>> x = nd.sparse.zeros("row_sparse", (2, 2))
        >>> x.attach_grad()
        >>> x.grad.stype
        'row_sparse'
        """
        super().attach_grad(grad_req, stype or self.stype)

    def check_format(self, full_check: bool = True) -> None:
        """Raises MXNetError unless the indices of the values fit the shape.

        full_check: has no effect, because all indices are always checked.

        >>> nd.sparse.zeros("csr", (1, 2)).check_format()
        """
        check_places(self.buffer)

    # -- the same memory -----------------------------------------------------------------------------------------

    def _view(self, data):
        """Returns an array on the same storage."""
        return _linked(type(self)(data, self.device), self._root())

    def _fixed(self, buffer):
        """Returns the array on earlier storage, with its position on the tape."""
        fixed = _linked(type(self)(buffer, self.device), self._root())
        fixed.entry, fixed.output_index = self.entry, self.output_index
        return fixed

    def _twin(self):
        """Returns an array on the same storage but not on the tape, for the tape to keep."""
        return _linked(type(self)(self.buffer, self.device), self._root())

    def _replace_memory(self, buffer):
        """Adopts the contents of a storage, or of a dense array's memory."""
        self._overwrite(buffer)

    def _overwrite(self, data):
        """Replaces all elements. data: a Storage, or the memory of a dense array of the same shape."""
        if not isinstance(data, type(self.buffer)):
            dense = data if isinstance(data, np.ndarray) else backend_for(self.device).to_numpy(data)
            data = type(self.buffer).of(dense.astype(self.buffer.dtype, copy=False), self.device)
        self.buffer.take_over(data)
        self._count_write()

    # -- arithmetic ------------------------------------------------------------------------------------------------

    def _apply(self, row, other, out=None):
        if isinstance(other, NDArray):
            return run(row.array, [self, other], out)
        number = as_number(other)
        return NotImplemented if number is None else run(row.with_number(number), [self], out)

    def _apply_left(self, row, other):
        if isinstance(other, NDArray):
            return run(row.array, [other, self])
        number = as_number(other)
        return NotImplemented if number is None else run(row.with_number_left(number), [self])

    def __neg__(self) -> NDArray:
        return run(REGISTRY["negative"](), [self])

    def __abs__(self) -> NDArray:
        return run(REGISTRY["abs"](), [self])

    # -- reading and writing ---------------------------------------------------------------------------------------

    def __setitem__(self, key: Any, value: Any) -> None:
        """Implements x[:] = value for an array of x's shape, sparse or dense, or, for row_sparse arrays, a number."""
        if key is not ... and not (isinstance(key, slice) and key == slice(None)):
            raise CallError(f"{type(self).__name__} only supports [:] for assignment, found the key {key!r}")
        self._forbid_write_on_tape()
        if isinstance(value, NDArray):
            value = value.as_in_context(self.device)
        self._require_shape(value)
        if isinstance(value, BaseSparseNDArray) and value.stype == self.stype:
            values = value.buffer.values.astype(self.buffer.dtype)       # a copy
            self._overwrite(value.buffer.with_values(values))
            return
        self._overwrite(np.asarray(value.asnumpy() if isinstance(value, NDArray) else value))

    def _require_shape(self, value):
        if not isinstance(value, (NDArray, np.ndarray)):
            raise DTypeError(f"cannot write {type(value).__name__} to a {type(self).__name__}; expected an array")
        if value.shape != self.shape:
            raise ShapeError(f"cannot write an array of shape {value.shape} to a {type(self).__name__} of shape "
                             f"{self.shape}")

    def __repr__(self) -> str:
        return f"\n<{type(self).__name__} {'x'.join(map(str, self.shape))} @{self.device}>"

    def __reduce__(self) -> Any:
        storage = self.buffer
        places = {name: value for name, value in storage.__dict__.items() if name not in ("shape", "values")}
        return _unpickle, (type(storage), storage.shape, storage.values.asnumpy(), places, str(self.device))

    def reshape(self, *shape: Shape, **kwargs: Any) -> None:
        """Always raises NotSupportedForSparseNDArray."""
        raise _unsupported(self, "reshape")

    def expand_dims(self, axis: int, inplace: bool = False) -> NDArray:
        """Returns a dense copy with an axis of length 1 before `axis`."""
        return self.tostype("default").expand_dims(axis)

    def squeeze(self, axis: int | None = None, inplace: bool = False) -> NDArray:
        """Returns a dense copy without the axes of length 1, or without those in `axis`."""
        return self.tostype("default").squeeze(axis)

    def flatten(self, inplace: bool = False) -> NDArray:
        """Returns a dense copy of shape (N, product of the other axes)."""
        return self.tostype("default").flatten()

    def broadcast_to(self, shape: Shape) -> NDArray:
        """Returns a dense copy with axes of length 1 repeated."""
        return self.tostype("default").broadcast_to(shape)

    def to_dlpack_for_read(self) -> None:
        """Always raises NotSupportedForSparseNDArray."""
        raise _unsupported(self, "memory for DLPack")

    to_dlpack_for_write = __dlpack__ = to_dlpack_for_read


class RowSparseNDArray(BaseSparseNDArray):
    """An array that stores only some rows: `data` (k, *rest), and their sorted `indices` (k,).

    >>> x = nd.sparse.row_sparse_array(([[1, 2]], [2]), shape=(3, 2))
    >>> isinstance(x, nd.sparse.RowSparseNDArray)
    True
    >>> print(x.data.asnumpy(), x.indices.asnumpy())
    [[1. 2.]] [2]
    """

    @property
    def indices(self) -> NDArray:
        """A copy of the indices of the stored rows, int64.

        >>> print(nd.array([[0], [7]]).tostype("row_sparse").indices.asnumpy())
        [1]
        """
        return from_host(self.buffer.rows.astype(np.int64), self.device)

    def retain(self, *args: Any, **kwargs: Any) -> RowSparseNDArray:
        """Returns the result of `nd.sparse.retain`: only the rows with these indices.

        >>> x = nd.array([[5], [7]]).tostype("row_sparse")
        >>> print(x.retain(nd.array([1])).asnumpy())
        [[0.]
         [7.]]
        """
        return run(REGISTRY["_sparse_retain"](), [self, *args, *kwargs.values()])

    def __getitem__(self, key: Any) -> Any:
        """Implements x[:], which is x itself. Indexing individual rows raises CallError."""
        if key is ... or (isinstance(key, slice) and key == slice(None)):
            return self
        raise CallError(f"a RowSparseNDArray is read as a whole, x[:], found the key {key!r}. Choose rows with "
                        "x.retain(numbers), or make it dense: x.tostype('default').")

    def __setitem__(self, key: Any, value: Any) -> None:
        """Implements x[:] = value for an array of x's shape, sparse or dense, or a number."""
        number = as_number(value)
        if number == 0:
            value = wrap(RowSparseStorage.zeros(self.shape, self.buffer.dtype, self.device), self.device)
        elif number is not None:
            value = np.full(self.shape, number, self.dtype)
        super().__setitem__(key, value)


class CSRNDArray(BaseSparseNDArray):
    """A matrix in compressed rows, in which row i has `data[indptr[i]:indptr[i + 1]]` in the columns `indices[...]`.

    >>> x = nd.sparse.csr_matrix([[0, 5, 6], [0, 0, 7]])
    >>> isinstance(x, nd.sparse.CSRNDArray)
    True
    >>> print(x.data.asnumpy(), x.indices.asnumpy(), x.indptr.asnumpy())
    [5. 6. 7.] [1 2 2] [0 2 3]
    """

    @property
    def indices(self) -> NDArray:
        """A copy of the column of each value, int64.

        >>> print(nd.sparse.csr_matrix([[0, 5, 6]]).indices.asnumpy())
        [1 2]
        """
        return from_host(self.buffer.columns.astype(np.int64), self.device)

    @property
    def indptr(self) -> NDArray:
        """A copy of the positions at which the rows begin and the last row ends, int64.

        >>> print(nd.sparse.csr_matrix([[0, 5, 6]]).indptr.asnumpy())
        [0 2]
        """
        return from_host(self.buffer.starts.astype(np.int64), self.device)

    def asscipy(self) -> Any:
        """Returns a scipy.sparse.csr_matrix with the same elements. Raises MXNetError if SciPy is not installed.

        >>> nd.sparse.csr_matrix([[0, 5]]).asscipy().toarray()
        array([[0., 5.]], dtype=float32)
        """
        from ...common.optional_packages import require
        require("scipy", extra="sparse", user="asscipy")
        from scipy.sparse import csr_matrix
        storage = self.buffer
        return csr_matrix((storage.values.asnumpy(), storage.columns.copy(), storage.starts.copy()), storage.shape)

    def __getitem__(self, key: Any) -> Any:
        """Implements x[i], a matrix with one row, and x[i:j], a matrix with several rows; both are csr copies."""
        if isinstance(key, (int, np.integer)):
            if not -self.shape[0] <= key < self.shape[0]:
                raise OutOfRangeError(f"index {key} is out of bounds for axis 0 with size {self.shape[0]}")
            begin = key % self.shape[0]
            return self.slice(begin=(begin,), end=(begin + 1,))
        if isinstance(key, slice):
            if key.step not in (None, 1):
                raise ArgumentError(f"a CSRNDArray is sliced without a step, found {key.step}")
            if key == slice(None):
                return self
            begin, end, _ = key.indices(self.shape[0])
            return self.slice(begin=(begin,), end=(max(begin, end),))
        raise ArgumentError(f"a CSRNDArray is indexed by a row number or a slice of rows, found {key!r}. For others "
                            "make it dense: x.tostype('default').")


RowSparseStorage.array_class = RowSparseNDArray
CSRStorage.array_class = CSRNDArray


def cast_storage(data: Any, stype: str) -> NDArray:
    """Returns a copy of an array in a given storage type.

    data: an array of any storage type.
    stype: 'default', 'row_sparse' or 'csr'.

    Raises ArgumentError for other names, and for conversions between csr and row_sparse.

    >>> print(nd.cast_storage(nd.array([[0, 7]]), "csr").indices.asnumpy())
    [1]
    """
    return run(REGISTRY["cast_storage"](stype=require_storage(stype)), [data])


def require_storage(stype: Any) -> str:
    """Returns the name of a storage type, which must be 'default', 'row_sparse' or 'csr'. Raises ArgumentError."""
    if isinstance(stype, str) and (stype == "default" or stype in STORAGES):
        return stype
    actual = repr(stype) if isinstance(stype, str) else f"of type {type(stype).__name__}"
    raise ArgumentError(f"unknown storage type {actual}; there are 'default', 'row_sparse' and 'csr'")


def with_all_rows(x: Any) -> Any:
    """Returns a RowSparseNDArray that stores every row of x, including zeros, and continues to do so after writes.
    It shares x's memory if x is dense.
    """
    dense = x.tostype("default")
    values = NDArray(dense.buffer, dense.device)
    return wrap(RowSparseStorage(x.shape, values, np.arange(x.shape[0]), whole=True), x.device)


def check_places(storage: Any) -> None:
    """Raises MXNetError unless rows, columns and starts fit the shape."""
    if isinstance(storage, RowSparseStorage):
        if len(storage.rows) != len(storage.values):
            raise ShapeError(f"there are {len(storage.rows)} indices for {len(storage.values)} rows of data")
        _check_sorted("indices", storage.rows, storage.shape[0])
    elif isinstance(storage, CSRStorage):
        starts, count = storage.starts, len(storage.values)
        if len(starts) != storage.shape[0] + 1 or starts[0] != 0 or starts[-1] != count or (np.diff(starts) < 0).any():
            raise MXNetError(f"csr of shape {storage.shape}: indptr must have {storage.shape[0] + 1} numbers that rise "
                             f"from 0 to {count}, the number of values, found {_excerpt(starts)}")
        outside = (storage.columns < 0) | (storage.columns >= storage.shape[1])
        if len(storage.columns) != count or outside.any():
            raise MXNetError(f"csr of shape {storage.shape}: indices must have {count} numbers from 0 to "
                             f"{storage.shape[1] - 1}, a column for each value, found {_excerpt(storage.columns)}")


def _check_sorted(name, numbers, count):
    if len(numbers) and (numbers[0] < 0 or numbers[-1] >= count or (np.diff(numbers) <= 0).any()):
        raise MXNetError(f"{name} must be distinct, in rising order, from 0 to {count - 1}, found {_excerpt(numbers)}")


def _excerpt(numbers):
    """Returns numbers for messages: all of them if there are few, otherwise the count and the first few."""
    few = numbers[:6].tolist()
    return few if len(numbers) <= 6 else f"{len(numbers)} numbers that begin with {few}"


def _unsupported(x, name):
    return NotSupportedForSparseNDArray(
        f"{type(x).__name__} has no {name}: it would need all elements in one piece of memory. Make it dense first: "
        "x.tostype('default').")


def _linked(x, root):
    x._base = root
    return x


def _unpickle(cls, shape, values, places, ctx):
    ctx = parse(ctx)
    return wrap(cls(shape, from_host(values, ctx), **places), ctx)
