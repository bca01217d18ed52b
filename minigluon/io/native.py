"""MXDataIter: iterators that MXNet implements in C++. They read a file on creation and yield its rows."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import ndarray as nd
from ..base import ArgumentError, FileFormatError
from .io import DataBatch, DataDesc, DataIter

if TYPE_CHECKING:
    from ..ndarray import NDArray

__all__ = ["MXDataIter"]


class MXDataIter(DataIter):
    """Base class of CSVIter, LibSVMIter and MNISTIter: an iterator over rows in memory; subclasses read the file.

    data (N, ...), label (N, ...): numpy.ndarrays. Labels with one value have shape (batch_size,).
    last_batch: how final rows that do not fill a batch are treated. 'wrap' adds rows from the beginning, after which
    the next pass starts; 'stale' keeps the previous batch's content in the unused rows; 'drop' drops them.
    batch_size: the number of rows in a batch.
    data_name, label_name: names in `provide_data` and `provide_label`.
    knows_index: whether `getindex` returns row numbers instead of zeros.

    `getdata` and `getlabel` return an array, not a list, as in MXNet.

    >>> data, label = np.eye(2, dtype="float32"), np.array([5, 6], "float32")
    >>> rows = mx.io.MXDataIter(data, label, batch_size=1, last_batch="drop")
    >>> rows.debug_skip_load()
    >>> rows.next().label[0].asnumpy().tolist(), rows.next().label[0].asnumpy().tolist()
    ([5.0], [5.0])
    """

    provide_label: list[Any]

    def __init__(self, data: Any, label: Any, batch_size: int, last_batch: str, data_name: str = "data",
                 label_name: str = "softmax_label", knows_index: bool = True) -> None:
        super().__init__(batch_size)
        name = type(self).__name__
        if batch_size < 1:
            raise ArgumentError(f"{name}: batch_size must be at least 1, found {batch_size}")
        if len(label) != len(data):
            raise FileFormatError(f"{name}: there are {len(data)} rows of data, but {len(label)} labels")
        if len(data) < (batch_size if last_batch == "drop" else 1):
            raise ArgumentError(f"{name}: there are {len(data)} rows, which do not fill a batch of {batch_size}")
        self._data, self._label = data, label
        self._last_batch = last_batch
        self._knows_index = knows_index
        self._debug_skip_load = False
        self._begin = self._end = 0     # the rows of the current batch, possibly beyond the last row
        self._rows = np.arange(batch_size) % len(data)
        self.provide_data: list[Any] = [DataDesc(data_name, (batch_size, *data.shape[1:]), np.dtype(data.dtype).type)]
        self.provide_label = [DataDesc(label_name, (batch_size, *label.shape[1:]), np.dtype(label.dtype).type)]

    def debug_skip_load(self) -> None:
        """Repeat the same batch from now on, to measure a program without its data loading."""
        self._debug_skip_load = True
        logging.info("Set debug_skip_load to be true, will simply return first batch")

    def reset(self) -> None:
        over = max(0, self._end - len(self._data)) if self._last_batch == "wrap" else 0
        self._begin = self._end = over

    def iter_next(self) -> bool:
        if self._debug_skip_load and self._end:
            return True
        count, size = len(self._data), self.batch_size
        if self._end >= count or self._last_batch == "drop" and self._end + size > count:
            return False
        self._begin, self._end = self._end, self._end + size
        rows = np.arange(self._begin, self._end)
        if self._last_batch == "stale":
            rows = np.where(rows < count, rows, self._rows)
        self._rows = rows % count
        return True

    def next(self) -> DataBatch:
        if not self.iter_next():
            raise StopIteration
        return DataBatch([self.getdata()], [self.getlabel()], self.getpad(), self.getindex())

    def getdata(self) -> list[NDArray]:
        return nd.array(self._data[self._rows], dtype=self._data.dtype)

    def getlabel(self) -> list[NDArray]:
        return nd.array(self._label[self._rows], dtype=self._label.dtype)

    def getindex(self) -> Any:
        return self._rows.astype(np.uint64) if self._knows_index else np.zeros(self.batch_size, np.uint64)

    def getpad(self) -> int:
        return max(0, self._end - len(self._data))
