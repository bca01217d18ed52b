"""PrefetchingIter: loads the next batch while the program works on the current one."""

from __future__ import annotations

import queue
import threading
import weakref
from typing import Any

from ..base import ArgumentError, MXNetError
from .io import BatchedIter, DataBatch, DataDesc

__all__ = ["PrefetchingIter"]


class PrefetchingIter(BatchedIter):
    """Wrapper that runs other iterators in threads, one batch ahead, and merges their batches.

    iters: a DataIter or a list of DataIters, with the same number and size of batches.
    rename_data, rename_label: for each iterator, a dict {its name: new name}, to avoid name conflicts.

    An iterator's error is raised when the wrapper's batch is requested. Raises MXNetError if the iterators end at
    different times or disagree on `pad`.

    >>> inner = mx.io.NDArrayIter(nd.arange(4), batch_size=2)
    >>> batches = mx.io.PrefetchingIter(inner, rename_data=[{"data": "x"}])
    >>> [batch.data[0].asnumpy().tolist() for batch in batches], batches.provide_data[0].name, batches.provide_label
    ([[0.0, 1.0], [2.0, 3.0]], 'x', [])
    """

    current_batch: DataBatch

    def __init__(self, iters: Any, rename_data: Any = None, rename_label: Any = None) -> None:
        iters = iters if isinstance(iters, list) else [iters]
        if not iters:
            raise ArgumentError("PrefetchingIter needs at least one iterator, found an empty list")
        self.iters = iters
        self.n_iter: int = len(iters)
        self.rename_data = rename_data
        self.rename_label = rename_label
        super().__init__(self.provide_data[0][1][0])
        self._ended = False
        self._readers = [_Reader(it) for it in iters]
        for reader in self._readers:
            reader.ask()

    @property
    def provide_data(self) -> list[DataDesc]:
        return _renamed([it.provide_data for it in self.iters], self.rename_data)

    @property
    def provide_label(self) -> list[DataDesc]:
        return _renamed([it.provide_label for it in self.iters], self.rename_label)

    def reset(self) -> None:
        for reader in self._readers:
            reader.drop()
        for it in self.iters:
            it.reset()
        self._ended = False
        for reader in self._readers:
            reader.ask()

    def iter_next(self) -> bool:
        if self._ended:
            return False
        self._ended = True          # cleared on success: after an error, only reset() can continue
        batches = [reader.take() for reader in self._readers]
        if None in batches:
            if any(batches):
                raise MXNetError("PrefetchingIter: its iterators end at different times: "
                                 + ", ".join(f"iterator {i} {'goes on' if b else 'is at its end'}"
                                             for i, b in enumerate(batches)))
            return False
        pads = [batch.pad for batch in batches]
        if len(set(pads)) > 1:
            raise MXNetError(f"PrefetchingIter: the batches of its iterators have different pad: {pads}")
        self.current_batch = DataBatch([x for b in batches for x in b.data], [x for b in batches for x in b.label],
                                       pads[0], batches[0].index, provide_data=self.provide_data,
                                       provide_label=self.provide_label)
        self._ended = False
        for reader in self._readers:
            reader.ask()
        return True

    def next(self) -> DataBatch:
        if not self.iter_next():
            raise StopIteration
        return self.current_batch


class _Reader:
    """A thread that reads one batch from an iterator per request."""

    def __init__(self, iterator):
        self._asked, self._answers = queue.SimpleQueue(), queue.SimpleQueue()
        self._waiting = 0           # the number of requested results that have not been taken
        # The thread refers to the iterator and the queues, not to this object, so it ends with this object.
        threading.Thread(target=_read, args=(iterator, self._asked, self._answers), daemon=True).start()
        weakref.finalize(self, self._asked.put, False)

    def ask(self):
        self._waiting += 1
        self._asked.put(True)

    def take(self):
        """Return the batch, or None at the end of the pass. Raises the iterator's error."""
        self._waiting -= 1
        batch, error = self._answers.get()
        if error is not None:
            raise error
        return batch

    def drop(self):
        """Wait for the thread and discard the batch that it has read."""
        while self._waiting:
            self._waiting -= 1
            self._answers.get()


def _read(iterator, requests, answers):
    while requests.get():
        try:
            answers.put((iterator.next(), None))
        except StopIteration:
            answers.put((None, None))
        except BaseException as error:
            answers.put((None, error))


def _renamed(described, names):
    """Return the concatenated DataDescs of all iterators. names: None, or a dict of new names for each iterator."""
    if names is None:
        return [desc for descs in described for desc in descs]
    return [DataDesc(new[desc.name], desc.shape, desc.dtype) if isinstance(desc, DataDesc) else DataDesc(*desc)
            for new, descs in zip(names, described, strict=True) for desc in descs]
