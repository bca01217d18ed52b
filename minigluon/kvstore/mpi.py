"""The store for several processes, 'dist_sync', which computes sums by MPI: `mpirun -n 4 python program.py`.

Every process works on its part of the data. Pushed values are summed first over the process's own devices and then over
all processes (all-reduce), so all processes have the same sums and apply the same updates; there is no server.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any

import numpy as np

from .. import autograd
from .. import optimizer as opt
from ..ndarray.sparse import row_sparse_array
from .agreement import Call
from .buckets import Buckets
from .cards import Cards
from .job import join, require_mpi
from .kvstore import KVStore
from .overlap import overlap
from .sums import Sums

__all__ = ["DistributedStore"]

MAX_BYTES = 1 << 30     # the maximum length of a message
MAX_CALLS = 1024        # the maximum number of cached call descriptions


class DistributedStore(KVStore):
    """A store for all processes started by mpirun; without mpirun, for this process only.

    All processes must make the same calls with the same keys, dtypes and shapes in the same order; they compare calls
    before they exchange values, and raise MXNetError if they differ. If a process has an uncaught error, exits, or
    makes others wait longer than MINIGLUON_MPI_TIMEOUT seconds, the job ends with a message. See `job.py`.
    """

    _sends_early = True
    _numbers = itertools.count(1)

    def __init__(self, name: str = "dist_sync"):
        super().__init__(name)
        self._link = join()
        self._number = next(self._numbers)
        self._calls = {}
        self._copied = False            # whether values were added up over devices since the last exchange
        self._sums = Sums(self._link, require_mpi())
        self._cards = Cards(self._link)
        self.shards_states = False      # whether each process keeps the optimizer states of a part of the parameters

    @property
    def rank(self):
        return self._link.rank

    @property
    def num_workers(self):
        return self._link.size

    # -- calls, counted by the link: one that fails in a single process is detected at the next call -----------------

    def init(self, key: Any, value: Any) -> None:
        self._link.begun += 1
        super().init(key, value)

    def push(self, key: Any, value: Any, priority: int = 0) -> None:
        self._link.begun += 1
        super().push(key, value, priority)

    def pushpull(self, key: Any, value: Any, out: Any = None, priority: int = 0) -> None:
        self._link.begun += 1
        super().pushpull(key, value, out, priority)

    def sum_over_processes(self, numbers: Sequence[float], what: str = "numbers") -> list[float]:
        self._link.begun += 1
        return super().sum_over_processes(numbers, what)

    def barrier(self) -> None:
        """Wait until all processes have made this call."""
        self._link.begun += 1
        if self.num_workers > 1:
            call = self._described("barrier", {})
            with self._link.call(call) as comm:
                self._link.wait(comm.Ibarrier(), call)

    def shard_optimizer_states(self) -> None:
        self.shards_states = self.num_workers > 1

    def _send_early(self, grads):
        overlap.send(grads)

    def accumulate(self) -> AbstractContextManager[None]:
        return overlap.paused()

    # -- numbers ------------------------------------------------------------------------------------------------

    def _from_first(self, caller, arrays):
        if self.num_workers > 1:
            self._exchange(self._described(caller, arrays), list(arrays.values()),
                           lambda comm, buffer: comm.Ibcast(buffer, root=0))

    def _sum(self, key, arrays):
        """Return the sum over this process's devices, compressed once, as in MXNet."""
        if self.num_workers == 1:
            return super()._sum(key, arrays)
        self._copied |= len(arrays) > 1
        total = arrays[0] if len(arrays) == 1 else arrays[0].copy()
        for x in arrays[1:]:
            total += x.as_in_context(total.context)
        return self._compression(key, 0, total) if self._compresses(key) else total

    def _over_processes(self, caller, arrays):
        if self.num_workers == 1:
            return arrays
        sparse = {key: x for key, x in arrays.items() if x.stype == "row_sparse" and not self._compresses(key)}
        totals = self._sums_of_rows(caller, sparse) if sparse else {}
        dense = {key: x.tostype("default") for key, x in arrays.items() if key not in sparse}
        if not dense and self._stepping is None:
            return totals
        owners = self._owners and [rank for key, rank in zip(arrays, self._owners, strict=True) if key in dense]
        compressed = [self._compresses(key) for key in dense]
        values = list(dense.values())
        on_cards = values and not owners and not any(compressed) and self._cards.take(values)
        call = self._described(f"{caller} on cards" if on_cards else caller, dense)
        if on_cards:
            sums = self._cards.sums(call, values, self._companions)
        elif self._stepping is None:
            sums = self._sums.of_values(call, values, compressed, self._compression)
        else:
            own = not self._copied and all(isinstance(arrays[key].buffer, np.ndarray) for key in dense)
            sums = self._sums.of_gradients(call, values, compressed, self._compression, self._companions, own,
                                           owners)
        self._copied = False
        for key, total in zip(dense, sums, strict=True):
            x = arrays[key]
            if x is not dense[key]:
                total = _like(x, total)
            elif self._updater is not None:         # it may keep or change what it receives
                total = total.copy()
            totals[key] = total
        return totals

    def _sums_of_rows(self, caller, arrays):
        """Return the sums of row_sparse arrays, {key: NDArray}. Only the rows that a process has are sent."""
        found = self._sums.of_rows(self._described(f"{caller} of rows", arrays), list(arrays.values()))
        whole = {key: x.tostype("default")
                 for (key, x), rows in zip(arrays.items(), found, strict=True) if rows is None}
        sums = [] if not whole else self._sums.of_values(
            self._described(f"{caller} of many rows", whole), list(whole.values()), [False] * len(whole), None)
        totals = {key: _like(arrays[key], total) for key, total in zip(whole, sums, strict=True)}
        for (key, x), rows in zip(arrays.items(), found, strict=True):
            if rows is not None:
                indices, values = rows
                totals[key] = row_sparse_array((values.astype(x.dtype, copy=False), indices), shape=x.shape,
                                               ctx=x.context, dtype=x.dtype)
        return totals

    def from_owners(self, what: str, arrays: Mapping[Any, Any], owners: Sequence[int]) -> None:
        """Overwrite each array, {key: NDArray}, with that of its owner, a rank. what: a noun, for messages."""
        self._link.begun += 1
        with autograd.pause():
            self._sums.from_owners(self._described(what, arrays), list(arrays.values()), owners)

    def gather_bytes(self, what: str, content: bytes, wanted: bool) -> list[bytes]:
        """Return the bytes of each process, in rank order, in the processes that want them; in others, an empty list.

        All processes must make this call. what: a noun for the bytes, for messages.
        """
        numbers, rank, size = [0] * (2 * self.num_workers), self.rank, self.num_workers
        numbers[rank], numbers[size + rank] = len(content), int(wanted)
        totals = list(map(int, self.sum_over_processes(numbers, f"lengths of {what}")))
        parts = [np.empty(length if wanted else 0, np.uint8) for length in totals[:size]]
        sent, call = np.frombuffer(content, np.uint8), Call(what)
        with self._link.call(call) as comm:
            requests, tag = [], self._link.tag(0)
            for other in range(size):
                if other != rank and totals[size + other]:
                    requests += [comm.Isend(part, dest=other, tag=tag) for part in _slices(sent)]
                if other != rank and wanted:
                    requests += [comm.Irecv(part, source=other, tag=tag) for part in _slices(parts[other])]
            for request in requests:
                self._link.wait(request, call)
        return [content if other == rank else part.tobytes() for other, part in enumerate(parts)] if wanted else []

    def _described(self, caller, arrays):
        """Return the Call of arrays, {key: NDArray}."""
        updater = self._updater
        in_store = updater.optimizer if isinstance(updater, opt.Updater) else None
        action = (caller, updater if in_store is None else None, _step_of(in_store), _step_of(self._stepping),
                  self._compression.described() if any(map(self._compresses, arrays)) else None, len(self._companions))
        signature = (action, tuple([(key, x.dtype, x.shape) for key, x in arrays.items()]))
        call = self._calls.get(signature)
        if call is None:
            if len(self._calls) >= MAX_CALLS:
                self._calls.clear()
            call = self._calls[signature] = Call(
                self._worded(*action), [(key, np.dtype(x.dtype).name, x.shape) for key, x in arrays.items()])
        return call

    def _worded(self, caller, updater, in_store, on_devices, compressed, numbers):
        """Describe a call in words, including how the store uses pushed values, which must also agree."""
        words = caller + (f" to store {self._number}" if self._number > 1 else "")
        if caller.removesuffix(" on cards") in ("push", "pushpull"):
            words += "" if updater is None else f" for steps of {getattr(updater, '__name__', 'an updater')}"
            words += "" if in_store is None else " for steps of {} ({}, rescale_grad {})".format(*in_store)
            words += "" if on_devices is None else " for steps of {} on the devices ({}, rescale_grad {})".format(
                *on_devices)
            words += "" if compressed is None else f" in {compressed}"
            words += f" with {numbers} numbers" if numbers else ""
        return words

    def _exchange(self, call, arrays, start):
        """Send arrays of the same dtype together: one message costs less than many small ones."""
        with self._link.call(call) as comm:
            for bucket in Buckets([(x.dtype, x.shape, False) for x in arrays]).buckets:
                for index, view in zip(bucket.members, bucket.views, strict=True):
                    view[...] = arrays[index].asnumpy()
                self._link.wait(start(comm, bucket.flat), call)
                for index, view in zip(bucket.members, bucket.views, strict=True):
                    with autograd.pause():
                        arrays[index][:] = view.astype(arrays[index].dtype, copy=False)


def _slices(flat):
    """Return parts of an array of bytes that MPI can count."""
    return [flat[begin:begin + MAX_BYTES] for begin in range(0, flat.size, MAX_BYTES)]


def _like(x, total):
    """Return a sum with the storage of x."""
    copy = x.copy()
    copy[:] = total
    return copy


def _step_of(optimizer):
    """Return (kind, learning rate, rescale_grad) of an optimizer; these must be the same in all processes.

    A scheduler is not called, because calling it may change its state.
    """
    if optimizer is None:
        return None
    schedule = optimizer.lr_scheduler
    rate = f"learning rate {optimizer.lr}" if schedule is None else type(schedule).__name__
    return type(optimizer).__name__, rate, optimizer.rescale_grad
