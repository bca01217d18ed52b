"""Sums over processes of arrays on a card, which a backend's library adds up without copies to the CPU's memory.

A backend that has such a library has an attribute `collectives`: an object or module with `available()`, `TYPES`,
`unique_id()` and `Communicator`, such as `minigluon_accel.gpu.nccl`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..backend import backend_for
from ..diagnostics import strictness
from ..ndarray import NDArray
from .agreement import Call
from .collectives import Memory, doubling
from .link import Link

__all__ = ["Cards"]


class Cards:
    """The communicators of a store. Each contains one card of each process."""

    def __init__(self, link: Link) -> None:
        self._link = link
        self._memory = Memory()
        self._communicators: dict[Any, Any] = {}        # context -> the Communicator of its card

    def take(self, arrays: Sequence[Any]) -> bool:
        """Return whether all arrays are on one card, and its backend can add them up. Warns if it lacks the library."""
        contexts = {x.context for x in arrays}
        collectives = getattr(backend_for(arrays[0].context), "collectives", None) if len(contexts) == 1 else None
        if collectives is None or any(np.dtype(x.dtype).name not in collectives.TYPES for x in arrays):
            return False
        reason = collectives.available()
        if reason is not None:
            strictness.warn(f"gradients of several processes are added up in the CPU's memory: {reason}")
        return reason is None

    def sums(self, call: Call, arrays: Sequence[Any], numbers: list[float]) -> list[NDArray]:
        """Return the sums of arrays for which all processes `take` their own.

        call: the call, on which all processes must agree. numbers: replaced with their sums.
        """
        ctx = arrays[0].context
        with self._link.call(call, tagged=True) as comm:
            totals = np.array([*numbers, 0], "float64")
            for requests in doubling(comm, totals, self._memory, self._link.tag(0)):
                for request in requests:
                    self._link.wait(request, call)
            numbers[:] = totals[:-1].tolist()
            if ctx not in self._communicators:
                self._communicators[ctx] = self._communicator(comm, call, ctx)
            buffers = [x.buffer if x.buffer.c_contiguous else x.buffer.copy() for x in arrays]
            results = self._communicators[ctx].all_reduce([[buffer] for buffer in buffers])
        return [NDArray(total, ctx) for total, in results]

    def _communicator(self, comm, call, ctx):
        """Return a new Communicator, whose address process 0 sends to the others."""
        backend: Any = backend_for(ctx)
        unique = np.zeros(128, np.uint8)
        if self._link.rank == 0:
            unique[:] = np.frombuffer(backend.collectives.unique_id(), np.uint8)
        self._link.wait(comm.Ibcast(unique, root=0), call)
        return backend.collectives.Communicator([backend.device], self._link.rank, self._link.size, unique.tobytes())
