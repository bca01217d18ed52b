"""CSVIter and LibSVMIter: batches from text files."""

from __future__ import annotations

import math
from array import array
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from .. import ndarray as nd
from ..base import ArgumentError, DTypeError, FileFormatError
from ..common.docstrings import share_sentences
from ..common.types import Contexts, DType
from ..context import cpu
from .files import filled_lines
from .native import MXDataIter
from .options import dtype_option, parses_options

if TYPE_CHECKING:
    from ..ndarray import NDArray

__all__ = ["CSVIter", "LibSVMIter"]


class CSVIter(MXDataIter):
    r"""Iterator over the rows of a comma-separated file of numbers.

    data_csv, label_csv: files or folders, without a header line; several are separated by ';'. Without label_csv,
        the label of each row is one 0.
    data_shape, label_shape: the shapes of one row.
    dtype: 'float32', 'int32' or 'int64', for data and labels.
    round_batch: if True, fill the last batch from the beginning of the file, and start the next pass after these rows.
        Otherwise, the unused rows keep the content of the previous batch. In both cases `batch.pad` is the number of
        such rows.
    prefetch_buffer, ctx: accepted but ignored; the entire file is read at once.

    Raises FileFormatError with the line number, and MXNetErrors for invalid arguments.

    >>> with open("rows.csv", "w") as file:
    ...     size = file.write("1,2\n3,4\n")
    >>> batches = mx.io.CSVIter(data_csv="rows.csv", data_shape=(2,), batch_size=2)
    >>> batches.next().data[0].asnumpy().tolist()
    [[1.0, 2.0], [3.0, 4.0]]
    """

    @parses_options
    def __init__(self, *, data_csv: str, data_shape: Sequence[int], batch_size: int, label_csv: str | None = None,
                 label_shape: Sequence[int] = (1,), round_batch: bool = True, prefetch_buffer: int = 4,
                 ctx: Contexts = "gpu", dtype: DType | None = None, data_name: str = "data",
                 label_name: str = "softmax_label") -> None:
        dtype = dtype_option(dtype)
        if dtype.name not in ("float32", "int32", "int64"):
            raise DTypeError(f"CSVIter: dtype must be 'float32', 'int32' or 'int64', found {dtype.name!r}")
        data = _csv_rows(data_csv, tuple(data_shape), dtype)
        label = np.zeros((len(data), 1), dtype) if label_csv in (None, "NULL") else \
            _csv_rows(label_csv, tuple(label_shape), dtype)
        super().__init__(data, _flat(label), batch_size, "wrap" if round_batch else "stale", data_name, label_name)


class LibSVMIter(MXDataIter):
    r"""Iterator over the rows of a file in LibSVM's format, 'label index:value index:value ...', with indices from 0.
    Batches are CSRNDArrays of shape (batch_size, *data_shape).

    data_libsvm, label_libsvm: files or folders; several are separated by ';'. Without label_libsvm, a row's label is
    its
        first number; with label_libsvm, the labels are the rows of that file, CSRNDArrays of shape (batch_size,
        *label_shape). A weight in 'label:weight', 'qid:number' and anything after '#' are skipped.
    num_parts, part_index: read only part part_index of num_parts equal parts of the rows.
    round_batch, prefetch_buffer, ctx: as in CSVIter.
    dtype: 'float32'.

    >>> with open("rows.libsvm", "w") as file:
    ...     size = file.write("1 0:5 2:6\n0 1:7\n")
    >>> batch = mx.io.LibSVMIter(data_libsvm="rows.libsvm", data_shape=(3,), batch_size=2).next()
    >>> batch.data[0].asnumpy().tolist(), batch.label[0].asnumpy().tolist()
    ([[5.0, 0.0, 6.0], [0.0, 7.0, 0.0]], [1.0, 0.0])
    """

    @parses_options
    def __init__(self, *, data_libsvm: str, data_shape: Sequence[int], batch_size: int, label_libsvm: str | None = None,
                 label_shape: Sequence[int] = (1,), num_parts: int = 1, part_index: int = 0, round_batch: bool = True,
                 prefetch_buffer: int = 4, ctx: Contexts = "gpu", dtype: DType | None = None, data_name: str = "data",
                 label_name: str = "softmax_label") -> None:
        if dtype_option(dtype) != np.float32:
            raise DTypeError(f"LibSVMIter: dtype must be 'float32', found {dtype_option(dtype).name!r}")
        label, data = _libsvm_rows(data_libsvm, _width("data_shape", data_shape))
        if label_libsvm not in (None, "NULL"):
            label = _libsvm_rows(label_libsvm, _width("label_shape", label_shape))[1]
        part = part_of(len(data), num_parts, part_index)
        super().__init__(data[part], label[part], batch_size, "wrap" if round_batch else "stale", data_name,
                         label_name)

    def getdata(self) -> list[NDArray]:
        return _take_rows(self._data, self._rows)

    def getlabel(self) -> list[NDArray]:
        return _take_rows(self._label, self._rows)


def part_of(count: int, num_parts: int, part_index: int) -> slice:
    """Return the slice of `count` rows for part `part_index` of `num_parts`. Raises ArgumentError."""
    if not 0 <= part_index < num_parts:
        raise ArgumentError(f"part_index must be in 0 ... num_parts - 1, found {part_index} of {num_parts} parts")
    return slice(count * part_index // num_parts, count * (part_index + 1) // num_parts)


def _width(name, shape):
    """Return the length of a row, which in the LibSVM format has one axis."""
    shape = tuple(shape)
    if len(shape) != 1:
        raise ArgumentError(f"LibSVMIter: {name} is {shape}, expected one axis: batches are matrices in csr")
    return shape[0]


def _take_rows(rows, numbers):
    return nd.take(rows, nd.array(numbers, dtype="int64")) if isinstance(rows, nd.NDArray) else nd.array(rows[numbers])


def _flat(label):
    return label[:, 0] if label.shape[1:] == (1,) else label


def _csv_rows(path, shape, dtype):
    """Return the numbers in the file as an array (N, *shape)."""
    width = math.prod(shape)
    is_long = dtype == np.int64
    number_of, numbers = (_long, array("q")) if is_long else (float, array("d"))       # all values, 8 bytes each
    for file, number, line in filled_lines(path, "a CSV file: rows of numbers, separated by commas"):
        fields = line.split(",")
        if len(fields) == width + 1 and not fields[-1].strip():         # a trailing comma
            fields.pop()
        if len(fields) != width:
            raise FileFormatError(f"{file!r}, line {number}: {len(fields)} numbers, but the shape {shape} needs "
                                  f"{width}")
        try:
            numbers.extend(map(number_of, fields))
        except OverflowError:
            raise _too_large(path, dtype) from None
        except ValueError:
            raise FileFormatError(f"{file!r}, line {number}: {line.strip()!r} is not a row of numbers") from None
    rows = np.frombuffer(numbers, dtype if is_long else np.float64).reshape(-1, *shape)
    if is_long:
        return rows.copy()
    if dtype.kind == "i" and not (np.abs(rows) < 2.0 ** (8 * dtype.itemsize - 1)).all():
        raise _too_large(path, dtype)
    with np.errstate(over="ignore"):
        return rows.astype(dtype)


def _too_large(path, dtype):
    return FileFormatError(f"{path!r} holds a number that {dtype.name} cannot represent: NaN, infinite or too large")


def _long(text):
    """Return the number in a field, truncated to an integer, without using float64, which has only 53 bits. Raises
    OverflowError."""
    try:
        return int(text)
    except ValueError:
        number = float(text)
        if math.isnan(number):
            raise OverflowError from None
        return int(number)


def _libsvm_rows(path, width):
    """Return (labels (N,) in float32, data (N, width) as a CSRNDArray on the CPU). Raises FileFormatError."""
    labels, values, columns, starts = array("f"), array("f"), array("q"), array("q", [0])
    for file, number, line in filled_lines(path, "a LibSVM file: lines such as '1 0:0.5 7:2'"):
        first, *fields = line.partition("#")[0].split() or [""]
        if not first:                           # only a comment
            continue
        try:
            label, _, weight = first.partition(":")
            labels.append(float(label))
            float(weight or 1)
            for field in fields:
                index, value = field.split(":")
                if index == "qid":
                    continue
                index = int(index)
                if not 0 <= index < width:
                    raise FileFormatError(f"{file!r}, line {number}: index {index} is outside the shape {(width,)}"
                                          "; indices start at 0")
                columns.append(index)
                values.append(float(value))
        except ValueError:
            raise FileFormatError(f"{file!r}, line {number}: {line.strip()!r} is not of the form "
                                  "'label index:value ...'") from None
        starts.append(len(columns))
    arrays = [np.array(a) for a in (values, columns, starts)]
    return np.array(labels), nd.sparse.csr_matrix(tuple(arrays), (len(labels), width), cpu(), "float32")


share_sentences(MXDataIter, CSVIter, LibSVMIter)
