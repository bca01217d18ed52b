"""Samplers, which determine the order in which a dataset's samples are read."""

from __future__ import annotations

import numbers
import operator
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ...base import ArgumentError
from ...common import generators as rng
from ...common.memory import enough_memory
from ...diagnostics.argument_kinds import check_class
from ...diagnostics.keywords import ChecksKeywords

__all__ = ["BatchSampler", "FilterSampler", "IntervalSampler", "RandomSampler", "Sampler", "SequentialSampler"]


class Sampler(ChecksKeywords):
    """An iterable over indices, or over lists of indices, with a length.

    >>> class Backwards(gluon.data.Sampler):
    ...     def __iter__(self):
    ...         return iter([2, 1, 0])
    ...     def __len__(self):
    ...         return 3
    >>> loader = gluon.data.DataLoader(["a", "b", "c"], batch_size=3, sampler=Backwards(), batchify_fn=list)
    >>> list(loader)
    [['c', 'b', 'a']]
    """

    def __iter__(self) -> Iterator[Any]:
        raise NotImplementedError(f"{type(self).__name__} must define __iter__")

    def __len__(self) -> int:
        raise NotImplementedError(f"{type(self).__name__} must define __len__")


def _integer(sampler, name, value):
    """Return an argument as an int."""
    try:
        return operator.index(value)
    except TypeError:
        raise ArgumentError(f"{type(sampler).__name__}: {name} is {value!r}, expected an integer") from None


def _length_of(sampler, value):
    length = _integer(sampler, "length", value)
    if length < 0:
        raise ArgumentError(f"{type(sampler).__name__}: length is {length}, expected an integer, 0 or more")
    return length


class SequentialSampler(Sampler):
    """Sampler of start, start + 1, ..., start + length - 1.

    >>> list(gluon.data.SequentialSampler(3, start=5))
    [5, 6, 7]
    """

    def __init__(self, length: int, start: int = 0) -> None:
        self._length = _length_of(self, length)
        self._start = _integer(self, "start", start)

    def __iter__(self) -> Iterator[Any]:
        return iter(range(self._start, self._start + self._length))

    def __len__(self) -> int:
        return self._length


class RandomSampler(Sampler):
    """Sampler of 0 ... length - 1 in a new random order for each iteration.

    Once `mx.random.seed` has been called, its generator determines the order. Otherwise NumPy's global generator does,
    and `np.random.seed` makes the order reproducible and equal to MXNet's, which never depends on `mx.random.seed`.

    >>> sorted(gluon.data.RandomSampler(4))
    [0, 1, 2, 3]
    """

    def __init__(self, length: int) -> None:
        self._length = _length_of(self, length)

    def __iter__(self) -> Iterator[Any]:
        with enough_memory("RandomSampler"):
            indices = np.arange(self._length)
        (rng.host() if rng.seeded() else np.random).shuffle(indices)
        return iter(indices.tolist())

    def __len__(self) -> int:
        return self._length


class FilterSampler(Sampler):
    """Sampler of the indices of samples for which `fn(sample)` is true. Calls `fn` on all samples when created.

    fn: a function of a sample.
    dataset: the samples.

    >>> list(gluon.data.FilterSampler(str.isupper, ["a", "B", "c", "D"]))
    [1, 3]
    """

    def __init__(self, fn: Callable[..., Any], dataset: Any) -> None:
        if not callable(fn) or not hasattr(dataset, "__len__"):
            raise ArgumentError(f"FilterSampler: fn is {fn!r}, dataset is of type {type(dataset).__name__}, expected a "
                                "function, and something with dataset[i] and len(dataset)")
        self._indices = [i for i in range(len(dataset)) if fn(dataset[i])]

    def __iter__(self) -> Iterator[Any]:
        return iter(self._indices)

    def __len__(self) -> int:
        return len(self._indices)


class IntervalSampler(Sampler):
    """Sampler of every interval-th index: 0, interval, 2 interval, ...; with `rollover`, then starting at 1, 2, ...

    It arranges a long sequence in batches such that each batch continues the previous one, for recurrent networks.

    length: the number of samples.

    >>> list(gluon.contrib.data.IntervalSampler(7, interval=3))
    [0, 3, 6, 1, 4, 2, 5]
    """

    def __init__(self, length: int, interval: int, rollover: bool = True) -> None:
        length, interval = _length_of(self, length), _integer(self, "interval", interval)
        if not 0 < interval <= length:
            raise ArgumentError(f"IntervalSampler: interval must be in 1 ... length = {length}, found {interval}")
        self._length = length
        self._interval = interval
        self._starts = range(interval if rollover else 1)

    def __iter__(self) -> Iterator[Any]:
        for start in self._starts:
            yield from range(start, self._length, self._interval)

    def __len__(self) -> int:
        return self._length if len(self._starts) == self._interval else -(-self._length // self._interval)


class BatchSampler(Sampler):
    """Sampler of lists of `batch_size` indices from another sampler.

    last_batch: how an incomplete last batch is treated:
    'keep' yields it, 'discard' drops it, 'rollover' moves its indices to the front of the next iteration.

    >>> list(gluon.data.BatchSampler(gluon.data.SequentialSampler(5), 2))
    [[0, 1], [2, 3], [4]]
    >>> batches = gluon.data.BatchSampler(gluon.data.SequentialSampler(5), 2, "rollover")
    >>> list(batches), list(batches)
    ([[0, 1], [2, 3]], [[4, 0], [1, 2], [3, 4]])
    """

    checkpointed: tuple[str, ...] = "_left",     # see gluon.resume

    def __init__(self, sampler: Any, batch_size: int, last_batch: str = "keep") -> None:
        if not np.iterable(sampler):
            raise ArgumentError(f"BatchSampler: sampler is {sampler!r}, expected something that yields indices")
        if last_batch not in ("keep", "discard", "rollover"):
            raise ArgumentError(f"last_batch must be 'keep', 'discard' or 'rollover', found {last_batch!r}")
        if not isinstance(batch_size, numbers.Real) or batch_size < 1:
            raise ArgumentError(f"batch_size must be at least 1, found {batch_size!r}")
        if batch_size % 1 != 0:             # a list cannot have this length
            raise ArgumentError(f"batch_size must be an integer, found {batch_size!r}")
        self._sampler = sampler
        self._batch_size = int(batch_size)
        self._last_batch = last_batch
        self._left = []             # rolled over from the last iteration

    def __iter__(self) -> Iterator[Any]:
        batch, self._left = self._left, []
        for i in self._sampler:
            batch.append(i)
            if len(batch) == self._batch_size:
                yield batch
                batch = []
        if batch and self._last_batch == "keep":
            yield batch
        elif self._last_batch == "rollover":
            self._left = batch

    def __len__(self) -> int:
        count = len(self._sampler)
        if self._last_batch == "keep":
            return -(-count // self._batch_size)
        return (count + len(self._left)) // self._batch_size


for _class in IntervalSampler, BatchSampler:
    check_class(_class, but=("batch_size",))
