"""DataLoader: loads batches from a dataset in this thread, in other threads or in processes."""

from __future__ import annotations

import collections
import concurrent.futures
import numbers
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from ...base import ArgumentError, CallError, MXNetError
from ...common import generators as rng
from ...diagnostics.argument_kinds import check_class
from ...diagnostics.keywords import ChecksKeywords
from ...ndarray.exports import in_current_class
from .batches import read_batch
from .batchify import default_batchify_fn, default_mp_batchify_fn
from .sampler import BatchSampler, RandomSampler, SequentialSampler
from .workers import ProcessWorkers, ThreadWorkers

if TYPE_CHECKING:
    from ...ndarray import NDArray

__all__ = ["DataLoader", "default_batchify_fn", "default_mp_batchify_fn"]


class DataLoader(ChecksKeywords):
    """Iterable over batches from a dataset. Each `for` loop starts a new pass.

    batch_size, shuffle, last_batch ('keep', 'discard', 'rollover'; see BatchSampler): the common options;
    sampler: determines the order instead of `shuffle`. batch_sampler: yields lists of indices and replaces all of these
    options.
    batchify_fn: a function that collates a list of samples; by default `default_batchify_fn`.
    num_workers: 0 loads batches in this process on demand. Otherwise, this many processes (or threads, with
    thread_pool=True) prefetch batches. Threads avoid copying, and help if samples come from files or large NumPy calls.
    Batches keep their order. Random choices that a dataset makes in a process (augmentation with `random`, `np.random`
    or `nd.random`) depend on the seed and the batch, not on the number of processes.
    prefetch: the number of batches in progress or waiting; by default 2 * num_workers.
    timeout: seconds to wait for a batch from a worker.
    pin_memory, pin_device_id, auto_reload, try_nopython: accepted but ignored.

    Raises ArgumentError for contradictory arguments, and MXNetError if a worker dies or is too slow. An error in a
    worker is re-raised here, with the worker's traceback as its cause.

    >>> data = gluon.data.ArrayDataset(nd.arange(5), nd.arange(5) * 10)
    >>> for x, y in gluon.data.DataLoader(data, batch_size=2):
    ...     print(x.asnumpy(), y.asnumpy())
    [0. 1.] [ 0. 10.]
    [2. 3.] [20. 30.]
    [4.] [40.]
    >>> len(gluon.data.DataLoader(data, batch_size=2, shuffle=True, last_batch="discard"))
    2
    """

    _first = 0          # the index of the first batch, which is not 0 in a resumed pass

    def __init__(self, dataset: Any, batch_size: int | None = None, shuffle: bool = False, sampler: Any = None,
                 last_batch: str | None = None, batch_sampler: Any = None,
                 batchify_fn: Callable[..., Any] | None = None, num_workers: int = 0, pin_memory: bool = False,
                 pin_device_id: Any = 0, prefetch: int | None = None, thread_pool: bool = False, timeout: float = 120,
                 auto_reload: bool = False, try_nopython: Any = None) -> None:
        if timeout <= 0:
            raise ArgumentError(f"DataLoader: timeout must be positive, found {timeout}")
        if not hasattr(dataset, "__getitem__") or isinstance(dataset, np.generic):
            raise CallError(f"DataLoader: dataset is of type {type(dataset).__name__}, expected something with "
                            "dataset[i] and len(dataset), such as ArrayDataset(x, y) or a list of samples")
        for name, value in ("sampler", sampler), ("batch_sampler", batch_sampler):
            if not (value is None or hasattr(value, "__iter__") or hasattr(value, "__getitem__")):
                raise CallError(f"DataLoader: {name} is of type {type(value).__name__}, expected something that yields "
                                "indices, such as a Sampler")
        if not (batchify_fn is None or callable(batchify_fn)):
            raise CallError(f"DataLoader: batchify_fn is {batchify_fn!r}, expected a function of a list of samples")
        if not isinstance(num_workers, numbers.Integral):
            raise CallError(f"DataLoader: num_workers is {num_workers!r}, expected an integer")
        self._dataset = dataset
        self._batch_sampler = _batch_sampler(len(dataset) if batch_sampler is None and sampler is None else 0,
                                             batch_size, shuffle, sampler, last_batch, batch_sampler)
        self._batchify_fn = default_batchify_fn if batchify_fn is None else batchify_fn
        self._num_workers = max(0, num_workers)
        self._prefetch = max(1, 2 * self._num_workers if prefetch is None else prefetch)
        self._thread_pool = thread_pool
        self._timeout = timeout

    def __len__(self) -> int:
        """Return the number of batches."""
        return len(self._batch_sampler)

    # A batch is an array or a list of arrays. Type checkers infer the same types for `for X, y in loader` and
    # `batch[0]` in both cases.
    def __iter__(self) -> Iterator[NDArray]:
        if self._num_workers == 0:
            return self._batches_here()
        return self._batches_ahead()

    def _batches_here(self):
        for indices in self._batch_sampler:
            yield read_batch(self._dataset, indices, self._batchify_fn)

    def _batches_ahead(self):
        """Yield batches from workers, which stop when the iteration ends, even if it is abandoned halfway."""
        kind = ThreadWorkers if self._thread_pool else ProcessWorkers
        with kind(self._num_workers, self._dataset, self._batchify_fn) as workers:
            base = _draw_seed() if workers.seeded else 0
            numbered = enumerate(self._batch_sampler, self._first)
            tasks = ((number, base + number, indices) for number, indices in numbered)
            under_way = collections.deque(workers.submit(task) for _, task in zip(range(self._prefetch), tasks))
            count = self._first
            while under_way:
                try:
                    batch = under_way[0].result(self._timeout)
                except concurrent.futures.TimeoutError:
                    if under_way[0].done():         # a TimeoutError raised by the dataset
                        raise
                    raise MXNetError(
                        f"DataLoader: batch {count} was not ready within timeout={self._timeout} seconds. "
                        "Reading a batch is slow or hangs: try num_workers=0 to see where, a smaller batch_size, "
                        "or a larger timeout.") from None
                under_way.popleft()
                count += 1
                for task in tasks:
                    under_way.append(workers.submit(task))
                    break
                yield in_current_class(batch)        # the class depends on this thread's NumPy switch


def _batch_sampler(length, batch_size, shuffle, sampler, last_batch, batch_sampler):
    """Return the sampler that yields lists of indices, as described by the arguments."""
    if batch_sampler is not None:
        if batch_size is not None or shuffle or sampler is not None or last_batch is not None:
            raise ArgumentError("DataLoader: batch_sampler decides everything; omit batch_size, shuffle, sampler "
                                "and last_batch")
        return batch_sampler
    if batch_size is None:
        raise ArgumentError("DataLoader needs a batch_size (or a batch_sampler)")
    if sampler is None:
        sampler = RandomSampler(length) if shuffle else SequentialSampler(length)
    elif shuffle:
        raise ArgumentError("DataLoader: the sampler decides the order; omit shuffle")
    return BatchSampler(sampler, batch_size, last_batch or "keep")


def _draw_seed():
    """Return the seed for the workers' random choices in one pass."""
    return int(rng.host().integers(2**31)) if rng.seeded() else int(np.random.randint(2**31))


check_class(DataLoader, but=("batch_size", "num_workers"))
