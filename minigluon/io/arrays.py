"""NDArrayIter: batches from arrays in memory."""

from __future__ import annotations

import sys
from collections.abc import Hashable
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import ndarray as nd
from ..base import ArgumentError, DTypeError, MXNetError
from ..common import generators as rng
from ..common.memory import enough_memory
from ..diagnostics.strictness import refuse
from .io import DataBatch, DataDesc, DataIter
from .options import parses_texts

if TYPE_CHECKING:
    from ..ndarray import NDArray

__all__ = ["NDArrayIter"]

_ENDS = ("pad", "discard", "roll_over")


class NDArrayIter(DataIter):
    """Iterator over batches from NDArrays, numpy.ndarrays or h5py.Datasets: one array, a list, or a dict {name: array}.
    As in MXNet, batches from sparse arrays are also dense; `LibSVMIter` yields csr arrays.

    data, label: samples along axis N of `layout`. A single array is named data_name or label_name, arrays in a list
    '_0_data', '_1_data', ..., and arrays in a dict are sorted by name. Anything except an NDArray is converted to
    float32, but an h5py.Dataset stays on disk, and each batch is read from there.
    batch_size: the number of samples in a batch.
    shuffle: if True, use a new order now and after each `reset`, the same for all arrays. As in MXNet, the order is
    drawn from NumPy's global generator, or from that of `mx.random.seed` once that has been called. Shuffled arrays are
    float32.
    last_batch_handle: how an incomplete last batch is treated.
        'pad' fills it with `batch.pad` samples from the beginning.
        'discard' drops it.
        'roll_over' moves its samples to the front of the next pass, where `batch.pad` is their number.

    Raises ArgumentError, and DTypeError for data that cannot be converted to an array.

    >>> batches = mx.io.NDArrayIter(nd.arange(5), nd.arange(5) * 10, batch_size=2)
    >>> for batch in batches:
    ...     print(batch.data[0].asnumpy(), batch.label[0].asnumpy(), batch.pad)
    [0. 1.] [ 0. 10.] 0
    [2. 3.] [20. 30.] 0
    [4. 0.] [40.  0.] 1
    >>> batches.provide_data, batches.provide_label[0].name
    ([DataDesc[data,(2,),<class 'numpy.float32'>,NCHW]], 'softmax_label')
    >>> batches.hard_reset()
    """

    cursor: int
    data: list[tuple[str, Any]]
    label: list[tuple[str, Any]]

    @enough_memory("NDArrayIter")
    @parses_texts
    def __init__(self, data: Any, label: Any = None, batch_size: int = 1, shuffle: bool = False,
                 last_batch_handle: str = "pad", data_name: str = "data", label_name: str = "softmax_label",
                 layout: str = "NCHW") -> None:
        super().__init__(batch_size)
        if last_batch_handle not in _ENDS:
            refuse(ArgumentError(f"NDArrayIter: last_batch_handle must be 'pad', 'discard' or 'roll_over', found "
                                 f"{last_batch_handle!r}"))
            last_batch_handle = "discard"
        if batch_size < 1:
            raise ArgumentError(f"NDArrayIter: batch_size must be at least 1, found {batch_size}")
        if np.ndim(shuffle):
            raise ArgumentError(f"NDArrayIter: shuffle must be True or False, found {shuffle!r}")
        if "N" not in layout:
            raise ArgumentError(f"NDArrayIter: layout {layout!r} has no axis 'N', along which batches are cut")
        self._axis = layout.find("N")
        self.data = named_arrays(data, data_name, required=True)
        self.label = named_arrays(label, label_name, required=False)
        self.num_data = _length(self.data, self.label, self._axis)
        if last_batch_handle == "roll_over" and batch_size > self.num_data:
            refuse(ArgumentError(f"NDArrayIter: {self.num_data} samples never fill a batch of {batch_size} with "
                                 "last_batch_handle='roll_over'; take a smaller batch_size, or 'pad'"))
        self.idx = np.arange(self.num_data)
        self._order = self.idx.copy()   # the sample's index at each position
        self.shuffle = shuffle
        self.last_batch_handle = last_batch_handle
        self.layout = layout
        self._left = None               # (data, label) of an incomplete last batch
        self.cursor = -batch_size       # the index of the batch's first sample; negative if samples have rolled over
        self.reset()
        self.data_list: list[Any] = [x for _, x in self.data + self.label]
        self.num_source: int = len(self.data_list)

    @property
    def provide_data(self) -> list[DataDesc]:
        return self._described(self.data)

    @property
    def provide_label(self) -> list[DataDesc]:
        return self._described(self.label)

    def _described(self, sources):
        axis = self._axis
        return [DataDesc(name, (*x.shape[:axis], self.batch_size, *x.shape[axis + 1:]), _type(x), self.layout)
                for name, x in sources]

    def reset(self) -> None:
        """Start a new pass, beginning with the samples that rolled over."""
        if self.shuffle:
            self._shuffle()
        in_the_last = self.num_data - self.batch_size < self.cursor < self.num_data and self._left is not None
        rolled = self.num_data - self.cursor if in_the_last and self.last_batch_handle == "roll_over" else 0
        self.cursor = -rolled - self.batch_size

    def hard_reset(self) -> None:
        """Start a new pass without the samples that rolled over."""
        if self.shuffle:
            self._shuffle()
        self.cursor = -self.batch_size
        self._left = None

    def iter_next(self) -> bool:
        if self.cursor > -self.batch_size:      # an earlier batch has used the leftover samples
            self._left = None
        self.cursor += self.batch_size
        return self.cursor < self.num_data

    @enough_memory("NDArrayIter.next")
    def next(self) -> DataBatch:
        if not self.iter_next():
            raise StopIteration
        data, label = self.getdata(), self.getlabel()
        if data[0].shape[self._axis] != self.batch_size:
            self._left = data, label
            raise StopIteration
        return DataBatch(data=data, label=label, pad=self.getpad())

    def getdata(self) -> list[NDArray]:
        return self._batch(self.data, 0)

    def getlabel(self) -> list[NDArray]:
        return self._batch(self.label, 1)

    def getpad(self) -> int:
        if self.last_batch_handle == "pad":
            return max(0, self.cursor + self.batch_size - self.num_data)
        if self.last_batch_handle == "roll_over":
            return max(0, -self.cursor)
        return 0

    def _batch(self, sources, which):
        """Return the current batch of the data (which = 0) or of the labels (1)."""
        begin, end = self.cursor, self.cursor + self.batch_size
        if not -self.batch_size < begin < self.num_data:
            raise MXNetError("NDArrayIter: there is no current batch: call iter_next() first, or reset() after a pass")
        if begin < 0:
            return self._joined([self._left[which], self._rows(sources, 0, end)])
        if end <= self.num_data or self.last_batch_handle != "pad":
            return self._rows(sources, begin, min(end, self.num_data))
        rounds, remainder = divmod(end - self.num_data, self.num_data)
        parts = [self._rows(sources, begin, self.num_data)]
        parts += [self._rows(sources, 0, self.num_data)] * rounds
        return self._joined(parts + [self._rows(sources, 0, remainder)] * (remainder > 0))

    def _rows(self, sources, begin, end):
        """Return samples begin ... end - 1 from each source."""
        return [self._part(x, begin, end) if isinstance(x, nd.NDArray)
                else nd.array(_read(x, self._order[begin:end])) for _, x in sources]

    def _part(self, x, begin, end):
        if x.stype == "csr" and self._axis == 0:
            return x[begin:end].tostype("default")
        return nd.slice_axis(x, axis=self._axis, begin=begin, end=end)

    def _joined(self, parts):
        return [nd.concat(*arrays, dim=self._axis) for arrays in zip(*parts, strict=True)]

    def _shuffle(self):
        (rng.host() if rng.seeded() else np.random).shuffle(self.idx)
        # As in MXNet, each pass shuffles the previous order, so that equal seeds produce MXNet's order.
        self._order = self._order[self.idx]
        self.data, self.label = ([(name, self._reordered(x)) for name, x in sources]
                                 for sources in (self.data, self.label))

    def _reordered(self, x):
        if not isinstance(x, nd.NDArray):
            return x                    # shuffled when a batch is read
        if x.stype == "csr" and self._axis == 0:
            return nd.take(x, nd.array(self.idx, dtype="int64"))
        return nd.array(x.asnumpy().take(self.idx, self._axis), x.context)


def named_arrays(source: dict[str, Any] | list[Any] | np.ndarray[Any, Any] | None, default_name: str,
                 required: bool) -> list[tuple[str, Any]]:
    """Return [(name, array)] from an array, a list of arrays or a dict."""
    if not isinstance(default_name, Hashable):
        raise ArgumentError(f"NDArrayIter: data_name and label_name must be strings, found {default_name!r}")
    if source is None:
        source = []
    if isinstance(source, (np.ndarray, nd.NDArray)) or _is_on_disk(source):
        source = [source]
    if isinstance(source, list):
        single = len(source) == 1
        source = {default_name if single else f"_{i}_{default_name}": x for i, x in enumerate(source)}
    if not isinstance(source, dict):
        raise DTypeError("NDArrayIter: data must be an NDArray, a numpy.ndarray, an h5py.Dataset, a list of them or a "
                         f"dict with them as values, found {type(source).__name__}")
    if required and not source:
        raise ArgumentError("NDArrayIter: there is no data; expected an array, a list or a dict of arrays")
    return [(name, _as_array(name, source[name])) for name in sorted(source)]


def _as_array(name, x):
    if isinstance(x, nd.NDArray) or _is_on_disk(x):
        return x
    try:
        return nd.array(x)
    except DTypeError:
        raise DTypeError(f"NDArrayIter: {name!r} is of type {type(x).__name__}; expected an NDArray, a numpy.ndarray "
                         "or an h5py.Dataset. Sparse matrices: give x.toarray().") from None


def _is_on_disk(x):
    h5py = sys.modules.get("h5py")          # a program that has a Dataset has already imported h5py
    return h5py is not None and isinstance(x, h5py.Dataset)


def _read(dataset, rows):
    """Return rows of an h5py.Dataset, which accepts only increasing indices."""
    order = np.argsort(rows, kind="stable")
    content = np.empty((len(rows), *dataset.shape[1:]), dataset.dtype)
    content[order] = dataset[rows[order]]
    return content


def _type(x):
    return x.dtype if isinstance(x, nd.NDArray) else x.dtype.type


def _length(data, label, axis):
    """Return the number of samples in the first array. The other arrays may have more."""
    for name, x in data + label:
        if len(x.shape) <= axis:
            raise ArgumentError(f"NDArrayIter: {name!r} of shape {x.shape} has no axis {axis}, along which the layout "
                                "has 'N'")
    length = data[0][1].shape[axis]
    for name, x in data + label:
        if x.shape[axis] < length:
            refuse(ArgumentError(f"NDArrayIter: {data[0][0]!r} has {length} samples, {name!r} only {x.shape[axis]}"))
    return length
