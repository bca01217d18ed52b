"""The iterator behind MXNet's DataLoader, which libraries subclass for their own loaders.

This package's DataLoader does not use it (see `gluon.data.workers`).
"""

from __future__ import annotations

import multiprocessing
import pickle
from typing import Any

__all__ = ["MultiWorkerIter"]


class MultiWorkerIter:
    """Iterator over batches that a pool's processes prefetch, in the order of the sampler.

    worker_pool: a pool whose processes run `worker_fn(indices, batchify_fn, dataset)`, which returns a batch as pickled
        bytes.
    batchify_fn: collates a list of samples. batch_sampler: yields lists of indices.
    prefetch: the number of batches in progress or waiting. timeout: the number of seconds to wait for a batch.
    pin_memory, pin_device_id: accepted and ignored. data_loader: kept alive as long as this iterator.

    A subclass can override `_push_next` to submit its own tasks. Raises a worker's error, and
    multiprocessing.TimeoutError if a batch takes too long.
    """

    def __init__(self, worker_pool: Any, batchify_fn: Any, batch_sampler: Any, pin_memory: bool = False,
                 pin_device_id: int = 0, worker_fn: Any = None, prefetch: int = 0, dataset: Any = None,
                 data_loader: Any = None, timeout: int = 120):
        self._worker_pool, self._worker_fn = worker_pool, worker_fn
        self._batchify_fn, self._batch_sampler = batchify_fn, batch_sampler
        self._pin_memory, self._pin_device_id = pin_memory, pin_device_id
        self._dataset, self._data_loader, self._timeout = dataset, data_loader, timeout
        self._iter = iter(batch_sampler)
        self._data_buffer = {}              # {index of the batch: the pool's AsyncResult}
        self._sent_idx = self._rcvd_idx = 0
        for _ in range(prefetch):
            self._push_next()

    def __len__(self) -> int:
        return len(self._batch_sampler)

    def __iter__(self) -> MultiWorkerIter:
        return self

    def _push_next(self):
        """Submits the next list of indices to the pool, if there is one."""
        indices = next(self._iter, None)
        if indices is None:
            return
        arguments = (indices, self._batchify_fn, self._dataset)
        self._data_buffer[self._sent_idx] = self._worker_pool.apply_async(self._worker_fn, arguments)
        self._sent_idx += 1

    def __next__(self) -> Any:
        self._push_next()
        if self._rcvd_idx == self._sent_idx:
            raise StopIteration
        promise = self._data_buffer.pop(self._rcvd_idx)
        try:
            batch = pickle.loads(promise.get(self._timeout))
        except multiprocessing.TimeoutError:
            raise multiprocessing.TimeoutError(f"batch {self._rcvd_idx} was not ready within {self._timeout} seconds") \
                from None
        self._rcvd_idx += 1
        return batch

    next = __next__
