"""Datasets, from which `DataLoader` reads samples."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from ... import recordio
from ...base import ArgumentError, CallError, MXNetError
from ...common.docstrings import share_sentences
from ...diagnostics.keywords import ChecksKeywords
from ...ndarray import NDArray
from .batches import rows_of, transforms_batches
from .sampler import Sampler

__all__ = ["ArrayDataset", "Dataset", "RecordFileDataset", "SimpleDataset"]


class Dataset(ChecksKeywords):
    """A sequence of samples. Subclasses define `__getitem__` and `__len__`.

    A sample can be anything, usually a tuple (data, label). `transform` calls its function with the parts of a tuple.

    >>> class Squares(gluon.data.Dataset):
    ...     def __len__(self):
    ...         return 5
    ...     def __getitem__(self, index):
    ...         return range(5)[index] ** 2         # an IndexError behind the last one ends a loop
    >>> data = Squares()
    >>> list(data), list(data.take(3)), list(data.filter(lambda x: x % 2 == 0)), list(data.transform(lambda x: -x))
    ([0, 1, 4, 9, 16], [0, 1, 4], [0, 4, 16], [0, -1, -4, -9, -16])
    >>> list(data.shard(2, 0)), list(data.sample(gluon.contrib.data.IntervalSampler(5, 2)))
    ([0, 1, 4], [0, 4, 16, 1, 9])
    """

    if TYPE_CHECKING:       # Python can iterate with `__getitem__`, but some type checkers do not know this
        def __iter__(self) -> Iterator[Any]: ...

    def __getitem__(self, idx: int) -> Any:
        raise NotImplementedError(f"{type(self).__name__} must define __getitem__")

    def __len__(self) -> int:
        raise NotImplementedError(f"{type(self).__name__} must define __len__")

    def rows(self, indices: Any) -> None:
        """Return the batch for these indices if it can be read as a whole, otherwise None (see `batches`)."""

    def transform(self, fn: Callable[..., Any], lazy: bool = True) -> Dataset:
        """Return a dataset of `fn(sample)`, or `fn(*sample)` if a sample is a tuple.

        lazy: if True, call `fn` each time a sample is read (needed for random augmentation); if False, call it once,
            now.
        """
        if not callable(fn):
            raise CallError(f"transform: fn is {fn!r}, expected a function of a sample")
        transformed = _TransformedDataset(self, fn)
        return transformed if lazy else SimpleDataset([transformed[i] for i in range(len(transformed))])

    def transform_first(self, fn: Callable[..., Any], lazy: bool = True) -> Dataset:
        """Return the same as `transform`, but apply `fn` only to the first part of each sample: the data, not the
        label.

        fn: called with that part.

        >>> data = gluon.data.SimpleDataset([(1, "one"), (2, "two")])
        >>> list(data.transform_first(lambda x: x * 10))
        [(10, 'one'), (20, 'two')]
        """
        return self.transform(_FirstOnly(fn), lazy)

    share_sentences(transform, transform_first)

    def filter(self, fn: Callable[..., Any]) -> Dataset:
        """Return a dataset of the samples for which `fn(sample)` is true. Calls `fn` on all samples immediately."""
        return _Selection(self, [i for i in range(len(self)) if fn(self[i])])

    def shard(self, num_shards: int, index: int) -> Dataset:
        """Return part `index` of `num_shards` consecutive parts. If the division is uneven, each of the first parts
        gets one extra sample.
        """
        if not 0 <= index < num_shards:
            raise MXNetError(f"shard: index must be in 0 ... num_shards - 1, found index {index}, "
                             f"num_shards {num_shards}")
        size, more = divmod(len(self), num_shards)
        start = size * index + min(index, more)
        return _Selection(self, range(start, start + size + (index < more)))

    def take(self, count: int | None) -> Dataset:
        """Return a dataset of the first `count` samples; of all samples if `count` is None or larger than the dataset.
        """
        if count is not None and count < 0:
            raise MXNetError(f"take: count must not be negative, found {count}")
        size = len(self)
        return _Selection(self, range(size if count is None else min(count, size)))

    def sample(self, sampler: Sampler) -> Dataset:
        """Return a dataset of the samples that `sampler` selects, in its order. The sampler is read once, now."""
        if not isinstance(sampler, Sampler):
            raise TypeError(f"sample needs a gluon.data.Sampler, found {type(sampler).__name__}")
        return _Selection(self, list(sampler))


class SimpleDataset(Dataset):
    """Dataset over one sequence.

    data: a list, an array or any other object with a length and indexing.

    >>> data = gluon.data.SimpleDataset(["a", "b", "c"])
    >>> len(data), data[1]
    (3, 'b')
    """

    def __init__(self, data: Any) -> None:
        if not hasattr(data, "__getitem__"):
            raise ArgumentError(f"SimpleDataset: data is {data!r}, expected something with a length and indexing")
        self._data = data

    def __len__(self) -> int:
        return len(self._data)

    def __getitem__(self, idx: int) -> Any:
        return self._data[idx]

    def rows(self, indices: Any) -> Any:
        return rows_of(self._data, indices) if type(self).__getitem__ is SimpleDataset.__getitem__ else None


class ArrayDataset(Dataset):
    """Dataset over parallel sequences: sample i is (a[i], b[i], ...), or a[i] if there is only one sequence.

    args: the sequences. A one-dimensional NDArray (labels) is stored as a numpy.ndarray, so that its elements are
        numbers.

    Raises MXNetError if the lengths differ or there are no sequences.

    >>> data = gluon.data.ArrayDataset(["a", "b"], [1, 2])
    >>> len(data), data[1]
    (2, ('b', 2))
    """

    def __init__(self, *args: Any) -> None:
        if not args:
            raise MXNetError("ArrayDataset needs at least one array, found none")
        for i, a in enumerate(args):
            if not hasattr(a, "__len__"):
                raise CallError(f"ArrayDataset: array {i} is of type {type(a).__name__}, expected an array or a list")
        lengths = [len(a) for a in args]
        if len(set(lengths)) > 1:
            listed = ", ".join(f"array {i} has {n}" for i, n in enumerate(lengths))
            raise MXNetError(f"ArrayDataset: all arrays must have the same length, but {listed}. Shorten the longer "
                             "ones, x[:n], or check whether another axis comes first.")
        self._length = lengths[0]
        self._data = [a.asnumpy() if isinstance(a, NDArray) and a.ndim == 1 else a for a in args]

    def __len__(self) -> int:
        return self._length

    def __getitem__(self, idx: int) -> Any:
        if len(self._data) == 1:
            return self._data[0][idx]
        return tuple(a[idx] for a in self._data)

    def rows(self, indices: Any) -> Any:
        if type(self).__getitem__ is not ArrayDataset.__getitem__:
            return None
        parts = [rows_of(a, indices) for a in self._data]
        if any(part is None for part in parts):
            return None
        return parts[0] if len(parts) == 1 else parts


class _TransformedDataset(Dataset):
    """Dataset that applies `fn` to each sample as it is read."""

    def __init__(self, dataset, fn):
        self._dataset = dataset
        self._fn = fn

    def __len__(self):
        return len(self._dataset)

    def __getitem__(self, idx):
        sample = self._dataset[idx]
        return self._fn(*sample) if isinstance(sample, tuple) else self._fn(sample)

    def rows(self, indices):
        transform = self._fn._fn if isinstance(self._fn, _FirstOnly) else self._fn
        batch = self._dataset.rows(indices)
        first = batch[0] if isinstance(batch, list) else batch
        if batch is None or not transforms_batches(transform, first.ndim):
            return None
        if not isinstance(batch, list):
            return transform(batch)
        return [transform(first), *batch[1:]] if isinstance(self._fn, _FirstOnly) else None


class _FirstOnly:
    """Applies `fn` to the first part of a sample. A class rather than a closure, so that it can be sent to workers."""

    def __init__(self, fn):
        self._fn = fn

    def __call__(self, first, *rest):
        return (self._fn(first), *rest) if rest else self._fn(first)


class _Selection(Dataset):
    """Dataset of another dataset's samples at the given indices."""

    def __init__(self, dataset, indices):
        self._dataset = dataset
        self._indices = indices

    def __len__(self):
        return len(self._indices)

    def __getitem__(self, idx):
        return self._dataset[self._indices[idx]]

    def rows(self, indices):
        if min(indices) < 0 or max(indices) >= len(self):
            return None
        return self._dataset.rows([self._indices[i] for i in indices])


class RecordFileDataset(Dataset):
    """Dataset of the records in a file, as bytes (see `mx.recordio`). The index of `name.rec` is stored in `name.idx`.

    filename: the path of the file.

    Raises MXNetError if one of the files is missing.

    >>> with mx.recordio.MXIndexedRecordIO("data.idx", "data.rec", "w") as file:
    ...     file.write_idx(0, b"first"), file.write_idx(1, b"second")
    (None, None)
    >>> list(gluon.data.RecordFileDataset("data.rec"))
    [b'first', b'second']
    """

    def __init__(self, filename: str) -> None:
        if not isinstance(filename, (str, bytes, os.PathLike)):
            raise ArgumentError(f"RecordFileDataset: filename is {filename!r}, expected a path")
        self.filename: str = os.fspath(filename)
        self.idx_file: str = os.path.splitext(self.filename)[0] + ".idx"
        if os.path.exists(self.filename) and not os.path.exists(self.idx_file):
            raise MXNetError(f"RecordFileDataset: {self.filename} has no index {self.idx_file}. Create one with: "
                             f"minigluon im2rec --index {self.filename}")
        self._record = recordio.MXIndexedRecordIO(self.idx_file, self.filename, "r")

    def __len__(self) -> int:
        return len(self._record.keys)

    def __getitem__(self, idx: int) -> Any:
        return self._record.read_idx(self._record.keys[idx])
