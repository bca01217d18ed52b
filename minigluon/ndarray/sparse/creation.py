"""Functions that create sparse arrays: `nd.sparse.csr_matrix`, `row_sparse_array`, `array`, `zeros` and `empty`."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...base import ArgumentError, DTypeError, FileFormatError, MXNetError, ShapeError
from ...common.dtypes import as_dtype
from ...common.memory import enough_memory
from ...common.types import Contexts, DType, Shape
from ...context import Context, current_context, parse
from ...diagnostics.strictness import refuse
from ..creation import _as_shape, from_host
from ..creation import array as dense_array
from ..creation import zeros as dense_zeros
from ..ndarray import NDArray
from .arrays import BaseSparseNDArray, CSRNDArray, RowSparseNDArray, cast_storage, check_places, require_storage
from .storage import STORAGES, CSRStorage, RowSparseStorage, wrap

__all__ = ["array", "csr_matrix", "empty", "row_sparse_array", "zeros"]


@enough_memory("csr_matrix")
def csr_matrix(arg1: Any, shape: Shape | None = None, ctx: Contexts | None = None,
               dtype: DType | None = None) -> CSRNDArray:
    """Returns a CSRNDArray from one of

    (data, indices, indptr)     the three arrays of the format
    (data, (row, col))          the elements and their positions, in any order; duplicates are added
    (M, N)                      zeros
    a CSRNDArray, a matrix of scipy.sparse, an NDArray, a numpy.ndarray or nested lists

    arg1: one of these forms.
    shape: required for the first two if the largest indices do not determine it.
    ctx: the device; the current one if None.
    dtype: None uses the dtype of the source, or float32 for lists.

    Raises ShapeError, and ArgumentError for positions that do not fit.

    >>> print(nd.sparse.csr_matrix(([5, 7], ([0, 1], [2, 0])), shape=(2, 3)).asnumpy())
    [[0. 0. 5.]
     [7. 0. 0.]]
    """
    ctx = current_context() if ctx is None else parse(ctx)
    if not isinstance(arg1, tuple):
        return _of_elements(csr_matrix, "csr", arg1, shape, ctx, dtype)
    if len(arg1) == 2 and not isinstance(arg1[1], (tuple, list)) and np.ndim(arg1[1]) == 0:
        _require_shape("csr_matrix", arg1, shape)
        return zeros("csr", arg1, ctx, dtype)
    if len(arg1) == 2:
        return _of_places(arg1[0], *arg1[1], shape, ctx, dtype)
    if len(arg1) != 3:
        raise ArgumentError(f"csr_matrix takes (data, indices, indptr), (data, (row, col)) or (M, N), found a tuple of "
                            f"length {len(arg1)}")
    values, columns, starts = _values(arg1[0], dtype), _numbers("indices", arg1[1]), _numbers("indptr", arg1[2])
    if shape is None:
        if not len(columns):
            raise ArgumentError("csr_matrix: without elements the shape does not follow; pass shape=")
        shape = (len(starts) - 1, int(columns.max()) + 1)
    return _checked(CSRStorage(_pair(shape), from_host(values, ctx), columns, starts), ctx)


def _of_places(data, rows, columns, shape, ctx, dtype):
    values, rows, columns = _values(data, dtype), _numbers("row", rows), _numbers("col", columns)
    if not len(values) == len(rows) == len(columns):
        raise ShapeError(f"csr_matrix: {len(values)} values, {len(rows)} rows and {len(columns)} columns")
    if shape is None:
        if not len(rows):
            raise ArgumentError("csr_matrix: without elements the shape does not follow; pass shape=")
        shape = (int(rows.max()) + 1, int(columns.max()) + 1)
    shape = _pair(shape)
    if any(len(numbers) and not (numbers.min() >= 0 and numbers.max() < length)
           for numbers, length in zip((rows, columns), shape, strict=True)):
        raise ArgumentError(f"csr_matrix: a place lies outside of the shape {shape}")
    keys, places = np.unique(rows * shape[1] + columns, return_inverse=True)
    summed = np.zeros(len(keys), values.dtype)
    np.add.at(summed, places, values)
    return wrap(CSRStorage.at(shape, summed, keys // shape[1], keys % shape[1], ctx), ctx)


@enough_memory("row_sparse_array")
def row_sparse_array(arg1: Any, shape: Shape | None = None, ctx: Contexts | None = None,
                     dtype: DType | None = None) -> RowSparseNDArray:
    """Returns a RowSparseNDArray from one of

    (data, indices)             data (k, *rest) and the indices (k,) of these rows, in any order
    (D0, D1, ...)               a shape: zeros
    a RowSparseNDArray, an NDArray, a numpy.ndarray or nested lists

    arg1: one of these forms.
    shape: required for the first if the last row is not among the indices.
    ctx: the device; the current one if None.
    dtype: None uses the dtype of the source, or float32 for lists.

    Raises ShapeError, and ArgumentError for rows that do not fit.

    >>> print(nd.sparse.row_sparse_array(([[5, 7]], [1]), shape=(2, 2)).asnumpy())
    [[0. 0.]
     [5. 7.]]
    """
    ctx = current_context() if ctx is None else parse(ctx)
    if not isinstance(arg1, tuple):
        return _of_elements(row_sparse_array, "row_sparse", arg1, shape, ctx, dtype)
    if len(arg1) < 2:
        raise ArgumentError(f"row_sparse_array takes (data, indices) or a shape, found a tuple of length {len(arg1)}")
    if len(arg1) > 2 or np.ndim(_host(arg1[0])) == 0:
        _require_shape("row_sparse_array", arg1, shape)
        return zeros("row_sparse", arg1, ctx, dtype)
    values, rows = _values(arg1[0], dtype), _numbers("indices", arg1[1])
    if len(values) != len(rows):
        raise ShapeError(f"row_sparse_array: there are {len(rows)} indices for {len(values)} rows of data")
    if shape is None:
        if not len(rows):
            raise ArgumentError("row_sparse_array: without rows the shape does not follow; pass shape=")
        shape = (int(rows.max()) + 1, *values.shape[1:])
    shape = _as_shape(shape)
    if shape[1:] != values.shape[1:]:
        raise ShapeError(f"row_sparse_array: rows of shape {values.shape[1:]} do not fit the shape {shape}")
    if len(np.unique(rows)) < len(rows):
        refuse(ArgumentError("row_sparse_array: an index occurs twice, and one of its rows would not count"))
        last = len(rows) - 1 - np.unique(rows[::-1], return_index=True)[1]
        values, rows = values[last], rows[last]
    order = np.argsort(rows, kind="stable")
    return _checked(RowSparseStorage(shape, from_host(values[order], ctx), rows[order]), ctx)


def array(source_array: Any, ctx: Context | None = None, dtype: DType | None = None) -> NDArray:
    """Copies a sparse NDArray, or converts a scipy.sparse matrix to a CSRNDArray. Raises ArgumentError for dense
    arrays.

    source_array: the elements.
    ctx: the device; the current one if None.
    dtype: None uses the dtype of the source.

    >>> nd.sparse.array(nd.sparse.zeros("csr", (1, 2)), dtype="int32").dtype is np.int32
    True
    """
    ctx = current_context() if ctx is None else parse(ctx)
    if isinstance(source_array, RowSparseNDArray):
        return row_sparse_array(source_array, ctx=ctx, dtype=dtype)
    if isinstance(source_array, CSRNDArray) or _is_scipy(source_array):
        return csr_matrix(source_array, ctx=ctx, dtype=dtype)
    raise ArgumentError(f"sparse.array takes sparse arrays, found {type(source_array).__name__}. Use nd.array for "
                        "dense ones, and .tostype('csr') or .tostype('row_sparse') to make them sparse.")


@enough_memory("sparse.zeros")
def zeros(stype: str, shape: Shape, ctx: Context | None = None, dtype: DType | None = None, **kwargs: Any) -> NDArray:
    """Returns an array of zeros, which stores no elements.

    stype: 'row_sparse' or 'csr'; 'default' for a dense array.
    shape: an integer or a tuple.
    ctx: the device; the current one if None.
    dtype: float32 if None.

    >>> print(nd.sparse.zeros("row_sparse", (2, 3)).data.shape)
    (0, 3)
    """
    if require_storage(stype) == "default":
        return dense_zeros(shape, ctx, dtype, **kwargs)
    ctx = current_context() if ctx is None else parse(ctx)
    shape = _pair(shape) if stype == "csr" else _as_shape(shape)
    return wrap(STORAGES[stype].zeros(shape, as_dtype(dtype), ctx), ctx)


def empty(stype: str, shape: Shape, ctx: Context | None = None, dtype: DType | None = None) -> NDArray:
    """Returns an array to be filled. It contains zeros, because nothing is stored yet.

    stype: 'row_sparse' or 'csr'; 'default' for a dense array.
    shape: an integer or a tuple.
    ctx: the device; the current one if None.
    dtype: float32 if None.

    >>> nd.sparse.empty("csr", (2, 3)).shape
    (2, 3)
    """
    return zeros(stype, shape, ctx, dtype)


def from_record(record: Any, ctx: Context) -> Any:
    """Returns the array for a file's SparseRecord. Raises FileFormatError for indices that do not fit its shape."""
    values = from_host(record.values, ctx)
    if record.stype == "row_sparse":
        rows, order = np.unique(record.places[0], return_index=True)
        storage = RowSparseStorage(record.shape, values if len(rows) == len(values) else values[order], rows)
    else:
        starts, columns = record.places
        storage = CSRStorage(record.shape, values, columns, starts)
    try:
        return _checked(storage, ctx)
    except MXNetError as error:
        raise FileFormatError(f"a {record.stype} array of shape {record.shape} in the file is damaged: {error}.") \
            from None


def _of_elements(function, stype, source, shape, ctx, dtype):
    """Creates the array from a sparse array, or from all elements."""
    if isinstance(source, BaseSparseNDArray):
        if source.stype != stype:
            raise ArgumentError(f"{function.__name__} takes no {source.stype} array. Make it dense first: "
                                ".tostype('default').")
        result = wrap(source.buffer.to_context(ctx), ctx)
        result = result if dtype is None else result.astype(dtype)
    elif _is_scipy(source):
        if stype != "csr":
            raise ArgumentError(f"{function.__name__} takes no {type(source).__name__}. Make it dense: .toarray().")
        source = source.tocsr()
        source.sum_duplicates()
        result = csr_matrix((source.data, source.indices, source.indptr), source.shape, ctx, dtype)
    else:
        dtype = getattr(source, "dtype", None) if dtype is None else dtype
        result = cast_storage(dense_array(source, ctx, dtype), stype)
    _require_shape(function.__name__, result.shape, shape)
    return result


def _is_scipy(source):
    """Returns whether an object is from scipy.sparse. The module is not imported here, because such an object can only
    exist if it has already been imported.
    """
    return type(source).__module__.startswith("scipy.sparse")


def _checked(storage, ctx):
    check_places(storage)
    return wrap(storage, ctx)


def _host(a):
    return a.asnumpy() if isinstance(a, NDArray) else a


def _values(data, dtype):
    """Returns values as a numpy.ndarray, with dtype float32 for lists."""
    data = _host(data)
    dtype = (data.dtype if isinstance(data, np.ndarray) else None) if dtype is None else dtype
    return np.asarray(data, as_dtype(dtype))


def _numbers(name, numbers):
    """Returns indices as int64. Raises DTypeError unless they are integers."""
    array = np.asarray(_host(numbers))
    if array.ndim != 1:
        raise ShapeError(f"{name} must have one axis, found shape {array.shape}")
    whole = array.astype(np.int64)
    if array.dtype.kind not in "iuf" or (whole != array).any():
        raise DTypeError(f"{name} must be integers, found {array.dtype}")
    return whole


def _pair(shape):
    shape = _as_shape(shape)
    if len(shape) != 2:
        raise ShapeError(f"csr arrays have two axes, found shape {shape}. 'row_sparse' arrays have any number.")
    return shape


def _require_shape(name, actual, shape):
    if shape is not None and _as_shape(shape) != tuple(actual):
        raise ShapeError(f"{name}: the source has shape {tuple(actual)}, but shape={_as_shape(shape)}")
