"""`mx.contrib.io`: a DataLoader as an iterator for Module."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .. import ndarray as nd
from ..base import ArgumentError
from ..io import DataDesc, DataIter

if TYPE_CHECKING:
    pass

__all__ = ["DataLoaderIter"]


class DataLoaderIter(DataIter):
    """Iterator over the batches of a gluon DataLoader, for `Module.fit`.

    loader: a DataLoader whose batches are pairs (data, label).
    data_name, label_name: names for Module.
    dtype: the dtype of data and label. The first batch determines the batch size. A smaller last batch is padded with
        `getpad` zeros.

    >>> loader = gluon.data.DataLoader(gluon.data.ArrayDataset(nd.arange(4), nd.arange(4)), batch_size=2)
    >>> batches = mx.contrib.io.DataLoaderIter(loader)
    >>> [batch.data[0].asnumpy().tolist() for batch in batches]
    [[0.0, 1.0], [2.0, 3.0]]
    """

    dtype: str

    def __init__(self, loader: Any, data_name: str = "data", label_name: str = "softmax_label", dtype: str = "float32"):
        super().__init__()
        self._loader, self.dtype = loader, dtype
        first = next(iter(loader), None)
        if first is None or len(first) != 2:
            raise ArgumentError("DataLoaderIter: the loader gives "
                                f"{'no batch' if first is None else f'batches of {len(first)} arrays'}, expected "
                                "batches of two, data and label")
        data, label = first
        self.batch_size: Any = data.shape[0]
        self.provide_data: list[Any] = [DataDesc(data_name, data.shape, dtype)]
        self.provide_label: list[Any] = [DataDesc(label_name, label.shape, dtype)]
        self.reset()

    def reset(self) -> None:
        """Start a new pass over the data."""
        self._batches, self._current = iter(self._loader), None

    def iter_next(self) -> bool:
        """Move to the next batch. Returns whether there is one."""
        self._current = next(self._batches, None)
        return self._current is not None

    def getdata(self) -> list[Any]:
        """Return [data of this batch]."""
        return [self._filled(self._current[0])]

    def getlabel(self) -> list[Any]:
        """Return [labels of this batch]."""
        return [self._filled(self._current[1])]

    def getpad(self) -> Any:
        """Return the number of padding samples at the end of the batch."""
        return self.batch_size - self._current[0].shape[0]

    def getindex(self) -> None:
        """Return None, because a loader does not reveal its samples' indices."""

    def _filled(self, array):
        array = array.astype(self.dtype, copy=False)
        if self.getpad() == 0:
            return array
        return nd.concat(array, nd.zeros((self.getpad(), *array.shape[1:]), array.context, self.dtype), dim=0)
