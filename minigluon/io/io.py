"""The base class of data iterators, which yield `DataBatch` objects and describe their arrays in advance (`DataDesc`).

    it = mx.io.NDArrayIter(data, label, batch_size=32)
    it.provide_data                         # [DataDesc[data,(32, 784),<class 'numpy.float32'>,NCHW]]
    for batch in it:                        # one pass
        batch.data, batch.label, batch.pad
    it.reset()                              # before the next pass
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from ..base import ArgumentError, MXNetError, mx_real_t
from ..common.memory import enough_memory
from ..diagnostics.keywords import ChecksKeywords
from .options import parses_texts

if TYPE_CHECKING:
    from ..ndarray import NDArray

__all__ = ["DataBatch", "DataDesc", "DataIter", "ResizeIter"]

MOST_SAMPLES = 2 ** 31


class DataDesc(NamedTuple("DataDesc", [("name", str), ("shape", Any)])):
    """The name and shape of an array in a batch: a pair with the attributes `dtype` and `layout`.

    layout: one letter for each axis; 'N' is the axis along which a batch is split across devices.

    >>> desc = mx.io.DataDesc("data", (32, 3, 8, 8))
    >>> desc.name, desc.shape, mx.io.DataDesc.get_batch_axis("TNC")
    ('data', (32, 3, 8, 8), 1)
    >>> mx.io.DataDesc.get_list([("x", (2,))], None)[0].name
    'x'
    """

    def __new__(cls, name: Any, shape: Any, dtype: Any = mx_real_t, layout: Any = "NCHW") -> Any:
        self = super().__new__(cls, name, shape)
        self.dtype = dtype
        self.layout = layout
        return self

    def __repr__(self) -> str:
        return f"DataDesc[{self.name},{self.shape},{self.dtype},{self.layout}]"

    __str__ = __repr__

    def __reduce__(self) -> Any:
        return type(self), (self.name, self.shape, self.dtype, self.layout)

    @staticmethod
    def get_batch_axis(layout: str) -> int:
        """Return the position of the batch axis in a layout: 0 for None, -1 without an 'N'."""
        return 0 if layout is None else layout.find("N")

    @staticmethod
    def get_list(shapes: Any, types: Any) -> Any:
        """Return a list of DataDescs.

        shapes: pairs (name, shape).
        types: pairs (name, dtype), one for each name, or None for float32.
        """
        dtypes = None if types is None else dict(types)
        return [DataDesc(name, shape) if dtypes is None else DataDesc(name, shape, dtypes[name])
                for name, shape in shapes]


class DataBatch(ChecksKeywords):
    """One batch.

    data, label: lists of NDArrays, in the order of provide_data and provide_label.
    pad: the number of padding samples at the end.
    index: numpy.ndarray with the samples' indices, or None.
    bucket_key: the key of a bucket, for BucketingModule.
    provide_data, provide_label: lists of DataDescs, if they differ from the iterator's.

    >>> batch = mx.io.DataBatch([nd.ones((4, 3))], label=[nd.zeros((4,))], pad=1)
    >>> batch.data[0].shape, batch.pad
    ((4, 3), 1)
    """

    def __init__(self, data: Any, label: Any = None, pad: Any = None, index: Any = None, bucket_key: Any = None,
                 provide_data: Any = None, provide_label: Any = None) -> None:
        for what, arrays in (("data", data), ("label", label)):
            if arrays is not None and not isinstance(arrays, (list, tuple)):
                raise ArgumentError(f"DataBatch: {what} must be a list of NDArrays, found {type(arrays).__name__}. "
                                    f"Write {what}=[array].")
        self.data = data
        self.label = label
        self.pad = pad
        self.index = index
        self.bucket_key = bucket_key
        self.provide_data = provide_data
        self.provide_label = provide_label

    def __str__(self) -> str:
        labels = [x.shape for x in self.label] if self.label else None
        return f"{type(self).__name__}: data shapes: {[x.shape for x in self.data]} label shapes: {labels}"


class DataIter(ChecksKeywords):
    """Base class of data iterators.

    A subclass defines `iter_next`, which moves to the next batch and returns whether there is one, and `getdata`,
    `getlabel`, `getpad`, `getindex` for the current batch; or it defines only `next`. `reset` starts a new pass.
    An iterator has a `batch_size`, and `provide_data` and `provide_label`, which are lists of DataDescs.

    >>> class Countdown(mx.io.DataIter):
    ...     def reset(self):
    ...         self.number = 3
    ...     def iter_next(self):
    ...         self.number -= 1
    ...         return self.number >= 0
    ...     def getdata(self):
    ...         return [nd.full((1,), self.number)]
    ...     def getlabel(self):
    ...         return []
    ...     def getpad(self):
    ...         return 0
    ...     def getindex(self):
    ...         return None
    >>> batches = Countdown(batch_size=1)
    >>> batches.reset()
    >>> batches.next().data[0].item(), [batch.data[0].item() for batch in batches]
    (2.0, [1.0, 0.0])
    """

    def __init__(self, batch_size: int = 0) -> None:
        if isinstance(batch_size, int) and batch_size >= MOST_SAMPLES:
            raise ArgumentError(f"{type(self).__name__}: batch_size is {batch_size}, expected less than 2**31")
        self.batch_size = batch_size

    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> Any:
        with enough_memory(type(self).__name__):
            return self.next()

    def next(self) -> DataBatch:
        """Return the next DataBatch. Raises StopIteration at the end of the pass."""
        if not self.iter_next():
            raise StopIteration
        return DataBatch(data=self.getdata(), label=self.getlabel(), pad=self.getpad(), index=self.getindex())

    def reset(self) -> None:
        """Go back to the beginning."""

    def iter_next(self) -> bool:
        """Move to the next batch. Returns False at the end of the pass."""

    def getdata(self) -> list[NDArray]:
        """Return the batch's data, a list of NDArrays."""

    def getlabel(self) -> list[NDArray]:
        """Return the batch's labels, a list of NDArrays."""

    def getindex(self) -> Any:
        """Return the indices of the batch's samples, a numpy.ndarray, or None if unknown."""

    def getpad(self) -> int:
        """Return the number of padding samples at the end of the batch."""


class BatchedIter(DataIter):
    """An iterator whose `iter_next` sets `current_batch`, a complete DataBatch."""

    current_batch = None

    def getdata(self) -> list[NDArray]:
        return self.current_batch.data

    def getlabel(self) -> list[NDArray]:
        return self.current_batch.label

    def getindex(self) -> Any:
        return self.current_batch.index

    def getpad(self) -> int:
        return self.current_batch.pad


class ResizeIter(BatchedIter):
    """Wrapper that limits a pass of another iterator to `size` batches, restarting the iterator if it has fewer.

    data_iter: the other iterator.
    size: the number of batches in a pass.
    reset_internal: whether `reset` also resets the other iterator; otherwise, a pass continues where the last one
    ended.

    >>> batches = mx.io.ResizeIter(mx.io.NDArrayIter(nd.arange(4), batch_size=2), size=3)
    >>> [batch.data[0].asnumpy().tolist() for batch in batches]
    [[0.0, 1.0], [2.0, 3.0], [0.0, 1.0]]
    """

    current_batch: Any
    cur: int

    @parses_texts
    def __init__(self, data_iter: Any, size: int, reset_internal: bool = True) -> None:
        super().__init__(data_iter.batch_size)
        self.data_iter = data_iter
        self.size = size
        self.reset_internal = reset_internal
        self.cur = 0
        self.provide_data: Any = data_iter.provide_data
        self.provide_label: Any = data_iter.provide_label
        if hasattr(data_iter, "default_bucket_key"):
            self.default_bucket_key: Any = data_iter.default_bucket_key

    def reset(self) -> None:
        self.cur = 0
        if self.reset_internal:
            self.data_iter.reset()

    def iter_next(self) -> bool:
        if self.cur == self.size:
            return False
        try:
            self.current_batch = self.data_iter.next()
        except StopIteration:
            self.data_iter.reset()
            self.current_batch = self._first_batch()
        self.cur += 1
        return True

    def _first_batch(self):
        try:
            return self.data_iter.next()
        except StopIteration:       # this must not end this iterator's pass
            raise MXNetError(f"ResizeIter: {type(self.data_iter).__name__} has no batch at all, not even after "
                             "reset(); check its data and batch_size") from None
