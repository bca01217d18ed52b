"""Sums over processes: a store's arrays are laid out in buckets, which are kept, and all buckets are added at once. The
gradients of a Trainer are sent during backward, from the third step on (see `overlap.py`).
"""

from __future__ import annotations

import contextlib
import functools
import time
from collections.abc import Callable, Sequence
from operator import is_
from typing import Any

import numpy as np

from ..context import cpu
from ..ndarray import NDArray
from . import wires
from .agreement import Call
from .buckets import Buckets, sent_dtype
from .collectives import Memory, Running, Steps, all_gather, direct, doubling, reduce_scatter, ring
from .compression import TwoBit
from .link import MAX_MESSAGES, Link
from .overlap import Round, overlap
from .rows import Rows, add_rows, gather_rows, saves_bytes

__all__ = ["Sums"]

MAX_LAYOUTS = 1024          # the maximum number of calls whose buckets are kept
MAX_KEPT_BYTES = 1 << 30    # if the buckets have more, only those of the last call are kept
GROUP_BYTES = 8 << 20       # the weights that owners send at once
SHORT_BYTES = 16 << 10      # below this size, the number of rounds matters more than the number of bytes
TRIAL_BYTES = 4 << 20       # the size of the arrays used to find the faster method
TRIALS = 3
MAX_SPOILED = 3             # after so many steps whose gradients were changed after backward, none is sent early
_FLAGS, _ORDER, _TRIALS = MAX_MESSAGES - 1, MAX_MESSAGES - 2, MAX_MESSAGES - 3      # tags

Collective = Callable[[Any, Any, Memory, int], Steps]


class Early:
    """The state of one Trainer's gradients.

    spoiled: in how many steps they were changed after they had been sent. unable: whether they cannot be sent early.
    """

    def __init__(self) -> None:
        self.round: Round | None = None
        self.spoiled = 0
        self.unable = False


class Sums:
    """The sums of a store.

    link: the link to the other processes.
    mpi: the module mpi4py.MPI.
    """

    def __init__(self, link: Link, mpi: Any) -> None:
        self._link, self._mpi = link, mpi
        self._layouts: dict[Any, Buckets] = {}
        self._early: dict[Any, Early] = {}
        self._memory = Memory()

    def of_values(self, call: Call, arrays: Sequence[Any], compressed: Sequence[bool],
                  compression: Any) -> list[NDArray]:
        """Return the sums of arrays over all processes, which are valid until the next call.

        call: the call, on which all processes must agree.
        compressed: for each array, whether `compression` applies.
        compression: None, or an object such as `TwoBit`.
        """
        with self._in_call(call) as comm:
            return self._fresh(comm, call, arrays, (_signature(arrays, compressed), None), compression)

    def of_gradients(self, call: Call, arrays: Sequence[Any], compressed: Sequence[bool], compression: Any,
                     numbers: list[float], own: bool, owners: Sequence[int] | None = None) -> list[NDArray]:
        """Return the sums of a Trainer's gradients like `of_values`, which may have been sent during backward.

        numbers: numbers, which are replaced with their sums.
        own: whether the arrays are those in which backward stores gradients.
        owners: the rank that needs the sum of each array; None if all need all.
        """
        key = _signature(arrays, compressed), owners and (self._link.size, tuple(owners))
        early = self._early.setdefault(key, Early())
        with self._in_call(call) as comm:
            sent = None if early.round is None or early.round.layout is None else early.round
            spoiled = sent is not None and (sent.close() or not all(map(is_, sent.grads, arrays)))
            # The thread of `overlap.py` calls MPI while this one does.
            unable = not own or isinstance(compression, TwoBit) or self._mpi.Query_thread() < self._mpi.THREAD_MULTIPLE
            flags = np.array([*numbers, spoiled, unable], "float64")
            adding = Running(self._mpi, doubling(comm, flags, self._memory, self._link.tag(_FLAGS)))
            self._finish([adding, *(sent.running if sent else [])], call)
            numbers[:] = flags[:-2].tolist()
            early.spoiled += flags[-2] > 0
            early.unable |= flags[-1] > 0
            if sent is None or flags[-2]:
                sums = self._fresh(comm, call, arrays, key, compression)
            else:
                sums = _results(sent.layout, arrays)
            self._prepare(comm, call, early, arrays, key, compression)
            return sums

    def from_owners(self, call: Call, arrays: Sequence[Any], owners: Sequence[int]) -> None:
        """Overwrite each array with that of its owner, a rank."""
        with self._in_call(call) as comm:
            for start, end in _groups(arrays):
                sent = [x.asnumpy() if rank == self._link.rank else np.empty(x.shape, x.dtype)
                        for x, rank in zip(arrays[start:end], owners[start:end], strict=True)]
                sending = all_gather(comm, sent, owners[start:end], self._link.tag(0))
                self._finish([Running(self._mpi, sending)], call)
                for x, rank, value in zip(arrays[start:end], owners[start:end], sent, strict=True):
                    if rank != self._link.rank:
                        x[:] = value

    def of_rows(self, call: Call, arrays: Sequence[Any]) -> list[Rows | None]:
        """Return the sums of row_sparse arrays as rows; None for an array of which a dense sum takes fewer bytes."""
        link, own = self._link, []
        for x in arrays:
            indices, values = x.indices.asnumpy().astype("int64"), x.data.asnumpy()
            own.append((indices, values.astype(sent_dtype(values.dtype), copy=False)))
        counts = np.zeros((link.size, len(arrays)))
        counts[link.rank] = [len(indices) for indices, _ in own]
        with self._in_call(call) as comm:
            adding = doubling(comm, counts.reshape(-1), Memory(), link.tag(_ORDER))
            self._finish([Running(self._mpi, adding)], call)
            chosen = [number for number, (x, (_, values)) in enumerate(zip(arrays, own, strict=True))
                      if saves_bytes(counts[:, number], x.shape, values.itemsize)]
            parts = [[own[number] if rank == link.rank else (
                np.empty(int(counts[rank, number]), "int64"),
                np.empty((int(counts[rank, number]), *arrays[number].shape[1:]), own[number][1].dtype))
                for number in chosen] for rank in range(link.size)]
            gathering = gather_rows(comm, [own[number] for number in chosen], parts, link.tag(0))
            self._finish([Running(self._mpi, gathering)], call)
        sums: list[Rows | None] = [None] * len(arrays)
        for number, of_ranks in zip(chosen, zip(*parts, strict=True), strict=True):
            sums[number] = add_rows(of_ranks, of_ranks[0][1].dtype)
        return sums

    @contextlib.contextmanager
    def _in_call(self, call):
        """Context manager for the exchange of values. If it fails, messages may still arrive in the buckets."""
        try:
            with self._link.call(call, tagged=True) as comm:
                yield comm
        except BaseException:
            self._layouts.clear()
            self._memory = Memory()
            raise

    def _fresh(self, comm, call, arrays, key, compression):
        """Return the sums of arrays that are sent now."""
        layout = self._layout(key)
        running: list[Running] = []
        for number, bucket in enumerate(layout.buckets):
            for index, view in zip(bucket.members, bucket.views, strict=True):
                buffer = arrays[index].buffer
                view[...] = buffer if isinstance(buffer, np.ndarray) else arrays[index].asnumpy()
            collective = self._collective(comm, call, bucket, compression)
            running.append(Running(self._mpi, collective(comm, bucket.flat, bucket.memory, self._link.tag(number))))
            self._advance(running)
        self._finish(running, call)
        return _results(layout, arrays)

    def _layout(self, key):
        """Return the buckets of a call. key: (the `_signature` of its arrays, their owners as for Buckets)."""
        layout = self._layouts.get(key)
        if layout is None:
            kept = sum(bucket.flat.nbytes for one in self._layouts.values() for bucket in one.buckets)
            if len(self._layouts) >= MAX_LAYOUTS or kept > MAX_KEPT_BYTES:
                self._layouts.clear()
            layout = self._layouts[key] = Buckets(key[0], owners=key[1])
        return layout

    def _advance(self, running):
        """Return whether all operations are complete, after doing what can be done without waiting."""
        for operation in running:
            if operation.requests is not None and operation.advance():
                self._link.progress += 1
        return all(operation.requests is None for operation in running)

    def _finish(self, running, call):
        try:
            self._link.until(lambda: self._advance(running), call)
        except BaseException:
            for operation in running:
                self._link.abandon(operation.requests or [])
            raise

    # -- gradients that are sent early --------------------------------------------------------------------------

    def _prepare(self, comm, call, early, arrays, key, compression):
        """Create the round for the next gradients: the first one observes in which order they become final."""
        before = early.round
        overlap.forget(before)
        early.round = None
        if early.unable or early.spoiled >= MAX_SPOILED:
            return
        if before is None:
            early.round = Round(self, arrays)
        else:
            layout = before.layout
            if layout is None:
                order = self._order_of_first(comm, call, before)
                specs, owners = key
                layout = Buckets([specs[index] for index in order], order,
                                 owners and (owners[0], [owners[1][index] for index in order]))
                self._layouts.pop(key, None)
            ways = [self._collective(comm, call, bucket, compression) for bucket in layout.buckets]
            tags, mpi = self._link.later_tags(), self._mpi
            later = self._link.comm         # perhaps a new one
            early.round = Round(self, arrays, layout, lambda bucket, number: Running(
                mpi, ways[number](later, bucket.flat, bucket.memory, tags + number)))
        overlap.watch(early.round)

    def _order_of_first(self, comm, call, watched):
        """Return the order in which gradients became final in process 0; those that did not come last."""
        count = len(watched.grads)
        order = [*watched.order, *(index for index in reversed(range(count)) if index not in set(watched.order))]
        numbers = np.array(order if self._link.rank == 0 else [0] * count, "float64")
        self._finish([Running(self._mpi, doubling(comm, numbers, Memory(), self._link.tag(_ORDER)))], call)
        return [int(index) for index in numbers]

    # -- ways to add up -----------------------------------------------------------------------------------------

    def _collective(self, comm, call, bucket, compression) -> Collective:
        """Return the function that adds a bucket up."""
        if bucket.compressed and isinstance(compression, TwoBit):
            return functools.partial(wires.two_bits, threshold=compression.threshold)
        if bucket.compressed:
            return wires.NARROW[compression.dtype]
        if bucket.pieces is not None:
            return functools.partial(reduce_scatter, pieces=bucket.pieces)
        if bucket.flat.nbytes <= SHORT_BYTES:
            return doubling
        if self._link.size == 2:            # both do the same thing
            return direct
        kind = min(bucket.flat.nbytes, TRIAL_BYTES).bit_length()
        if kind not in self._link.faster:
            self._link.faster[kind] = self._faster(comm, call, min(bucket.flat.nbytes, TRIAL_BYTES))
        return self._link.faster[kind]

    def _faster(self, comm, call, size):
        """Return the function that adds arrays of a size in bytes up in less time, the same in all processes."""
        def seconds(collective, flat):
            begin = time.perf_counter()
            self._finish([Running(self._mpi, collective(comm, flat, memory, self._link.tag(_TRIALS)))], call)
            return time.perf_counter() - begin

        memory, flat = Memory(), np.zeros(size, np.uint8)
        totals = np.array([min(seconds(collective, flat) for _ in range(TRIALS)) for collective in (direct, ring)])
        seconds(doubling, totals)
        return direct if totals[0] <= totals[1] else ring


def _groups(arrays):
    """Return [(first, last + 1)]: groups of arrays that are sent at once, so that their copies take little memory."""
    ends, size = [0], 0
    for number, x in enumerate(arrays, 1):
        size += x.size * np.dtype(x.dtype).itemsize
        if size >= GROUP_BYTES or number == len(arrays):
            ends.append(number)
            size = 0
    return list(zip(ends, ends[1:], strict=False))


def _signature(arrays, compressed):
    return tuple([(x.dtype, x.shape, small) for x, small in zip(arrays, compressed, strict=True)])


def _results(layout, arrays):
    """Return the contents of buckets as arrays."""
    results = []
    for index, x in enumerate(arrays):
        view = layout.views[index]
        results.append(NDArray(view if view.dtype == x.dtype else view.astype(x.dtype), cpu()))
    return results
