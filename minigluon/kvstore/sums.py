"""Sums over processes: a store's arrays are laid out in buckets, which are kept, and all buckets are added at once."""

from __future__ import annotations

import functools
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..context import cpu
from ..ndarray import NDArray
from . import wires
from .agreement import Call
from .buckets import Buckets
from .collectives import Memory, Running, Steps, direct, doubling, ring
from .compression import TwoBit
from .link import MAX_MESSAGES, Link

__all__ = ["Sums"]

MAX_LAYOUTS = 1024          # the maximum number of calls whose buckets are kept
SHORT_BYTES = 16 << 10      # below this size, the number of rounds matters more than the number of bytes
TRIAL_BYTES = 4 << 20       # the size of the arrays with which the faster way is found
TRIALS = 3

Collective = Callable[[Any, Any, Memory, int], Steps]


class Sums:
    """The sums of a store.

    link: the link to the other processes.
    mpi: the module mpi4py.MPI.
    """

    def __init__(self, link: Link, mpi: Any) -> None:
        self._link, self._mpi = link, mpi
        self._layouts: dict[Any, Buckets] = {}

    def over_processes(self, call: Call, arrays: Sequence[Any], compressed: Sequence[bool],
                       compression: Any) -> list[NDArray]:
        """Return the sums of arrays over all processes, which are valid until the next call.

        call: the call, on which all processes must agree.
        compressed: for each array, whether `compression` applies.
        compression: None, or an object such as `TwoBit`.
        """
        layout = self._layout(arrays, compressed)
        try:
            with self._link.call(call, tagged=True) as comm:
                running: list[Running] = []
                for number, bucket in enumerate(layout.buckets):
                    for index, view in zip(bucket.members, bucket.views, strict=True):
                        buffer = arrays[index].buffer
                        view[...] = buffer if isinstance(buffer, np.ndarray) else arrays[index].asnumpy()
                    collective = self._collective(comm, call, bucket, compression)
                    running.append(Running(self._mpi, collective(comm, bucket.flat, bucket.memory,
                                                                 self._link.tag(number))))
                    self._advance(running)
                self._finish(running, call)
        except BaseException:
            self._layouts.clear()           # messages may still arrive in this memory
            raise
        return [NDArray(_as(layout.views[index], x.dtype), cpu()) for index, x in enumerate(arrays)]

    def _layout(self, arrays, compressed):
        key = tuple([(x.dtype, x.shape, small) for x, small in zip(arrays, compressed, strict=True)])
        layout = self._layouts.get(key)
        if layout is None:
            if len(self._layouts) >= MAX_LAYOUTS:
                self._layouts.clear()
            layout = self._layouts[key] = Buckets(key)
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

    def _collective(self, comm, call, bucket, compression):
        """Return the function that adds a bucket up."""
        if bucket.compressed and isinstance(compression, TwoBit):
            return functools.partial(wires.two_bits, threshold=compression.threshold)
        if bucket.compressed:
            return wires.float16
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
            self._finish([Running(self._mpi, collective(comm, flat, memory, self._link.tag(MAX_MESSAGES - 1)))], call)
            return time.perf_counter() - begin

        memory, flat = Memory(), np.zeros(size, np.uint8)
        totals = np.array([min(seconds(collective, flat) for _ in range(TRIALS)) for collective in (direct, ring)])
        seconds(doubling, totals)
        return direct if totals[0] <= totals[1] else ring


def _as(values, dtype):
    return values if values.dtype == dtype else values.astype(dtype)
