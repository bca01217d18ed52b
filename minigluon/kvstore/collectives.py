"""All-reduce over processes, written with MPI's sends and receives: each function is a generator that starts messages,
yields the requests to wait for, and continues when they are complete, so that several run at once.

`direct` and `ring` send 2 (N - 1) / N of the array, `direct` in 2 rounds with N - 1 messages each, `ring` in 2 (N - 1)
rounds with one neighbor. Both add in the same order, so their sums have the same bits. `doubling` takes log2(N) rounds
of the whole array, which is best for short ones. All processes end with the same bits.

`reduce_scatter` and `all_gather` are the halves of `direct`, for pieces of any length.

Sends start before receives: if a receive is waiting, Open MPI over TCP moves long messages in one direction at a time.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from typing import Any

import numpy as np

__all__ = ["Memory", "Running", "all_gather", "direct", "doubling", "others_of", "pieces_of",
           "reduce_scatter", "ring"]

Steps = Generator[list[Any], None, None]


class Memory:
    """Scratch memory, kept from step to step."""

    def __init__(self) -> None:
        self._kept: dict[str, Any] = {}

    def get(self, name: str, size: int, dtype: Any) -> Any:
        """Return uninitialized memory. It is the same at each call with this name and size."""
        kept = self._kept.get(name)
        if kept is None or kept.size < size or kept.dtype != dtype:
            kept = self._kept[name] = np.empty(size, dtype)
        return kept[:size]

    def arrays(self) -> list[Any]:
        """Return all arrays that it contains."""
        return list(self._kept.values())


class Running:
    """A collective operation that has begun."""

    def __init__(self, mpi: Any, steps: Steps) -> None:
        self._mpi, self._steps = mpi, steps
        self._error: BaseException | None = None        # perhaps of the thread in `overlap.py`
        self.requests: list[Any] | None = next(steps, None)

    def advance(self) -> bool:
        """Do what can be done without waiting. Returns whether values have arrived.

        An error, which may occur in another thread, is raised at each later call as well.
        """
        if self._error is not None:
            raise self._error
        advanced = False
        try:
            while self.requests is not None and self._mpi.Request.Testall(self.requests):
                self.requests, advanced = next(self._steps, None), True
        except BaseException as error:
            self._error = error
            raise
        return advanced


def pieces_of(flat: Any, count: int) -> list[Any]:
    """Return views of consecutive parts of a flat array, whose lengths differ by at most 1."""
    ends = [flat.size * k // count for k in range(count + 1)]
    return [flat[begin:end] for begin, end in zip(ends, ends[1:], strict=False)]


def direct(comm: Any, flat: Any, memory: Memory, tag: int) -> Steps:
    """Send every piece to the process that adds it up, which returns the sum to all.

    comm: a communicator of MPI.
    flat: the array, which the sum overwrites.
    memory: scratch memory of this operation.
    tag: the tag of its messages.
    """
    pieces = pieces_of(flat, comm.Get_size())
    yield from reduce_scatter(comm, flat, memory, tag, pieces)
    yield from all_gather(comm, pieces, range(comm.Get_size()), tag)


def reduce_scatter(comm: Any, flat: Any, memory: Memory, tag: int, pieces: Sequence[Any]) -> Steps:
    """Add up only this process's piece; the others keep its own values. pieces: consecutive parts of `flat`, one for
    each process."""
    others, own = others_of(comm), pieces[comm.Get_rank()]
    arrived = pieces_of(memory.get("arrived", own.size * len(others), flat.dtype), len(others))
    yield ([comm.Isend(pieces[other], dest=other, tag=tag) for other in others]
           + [comm.Irecv(part, source=other, tag=tag) for other, part in zip(others, arrived, strict=True)])
    total = arrived[0]
    for part in arrived[1:]:
        np.add(total, part, out=total)
    np.add(total, own, out=own)


def all_gather(comm: Any, arrays: Sequence[Any], owners: Sequence[int], tag: int) -> Steps:
    """Overwrite each array with that of the process to which it belongs. owners: its rank, for each array."""
    rank, others = comm.Get_rank(), others_of(comm)
    messages = [(np.ascontiguousarray(x).reshape(-1).view(np.uint8) if owner == rank else x.reshape(-1).view(np.uint8),
                 owner) for x, owner in zip(arrays, owners, strict=True) if x.size]
    yield ([comm.Isend(x, dest=other, tag=tag) for x, owner in messages if owner == rank for other in others]
           + [comm.Irecv(x, source=owner, tag=tag) for x, owner in messages if owner != rank])


def others_of(comm: Any) -> list[int]:
    """Return the other processes, in another order for each, so that not all send to the same one at once."""
    rank, size = comm.Get_rank(), comm.Get_size()
    return [(rank + distance) % size for distance in range(1, size)]


def ring(comm: Any, flat: Any, memory: Memory, tag: int) -> Steps:
    """Pass sums of pieces around a ring, then the totals. The parameters are those of `direct`."""
    rank, size = comm.Get_rank(), comm.Get_size()
    above, below = (rank + 1) % size, (rank - 1) % size
    pieces = pieces_of(flat, size)
    for number in range(1, size):
        piece = pieces[(rank - number - 1) % size]
        arrived = memory.get("arrived", piece.size, flat.dtype)
        yield [comm.Isend(pieces[(rank - number) % size], dest=above, tag=tag),
               comm.Irecv(arrived, source=below, tag=tag)]
        np.add(arrived, piece, out=piece)
    for number in range(size - 1):
        yield [comm.Isend(pieces[(rank - number) % size], dest=above, tag=tag),
               comm.Irecv(pieces[(rank - number - 1) % size], source=below, tag=tag)]


def doubling(comm: Any, flat: Any, memory: Memory, tag: int) -> Steps:
    """Exchange the whole array with a process at distance 1, 2, 4 ... The parameters are those of `direct`.

    The processes beyond the largest power of 2 give their values to one below it, which returns the sum.
    """
    rank, size = comm.Get_rank(), comm.Get_size()
    arrived = memory.get("arrived", flat.size, flat.dtype)
    power = 1 << (size.bit_length() - 1)
    if rank >= power:
        yield [comm.Isend(flat, dest=rank - power, tag=tag)]
        yield [comm.Irecv(flat, source=rank - power, tag=tag)]
        return
    if rank + power < size:
        yield [comm.Irecv(arrived, source=rank + power, tag=tag)]
        np.add(flat, arrived, out=flat)
    distance = 1
    while distance < power:
        other = rank ^ distance
        yield [comm.Isend(flat, dest=other, tag=tag), comm.Irecv(arrived, source=other, tag=tag)]
        np.add(flat, arrived, out=flat)
        distance *= 2
    if rank + power < size:
        yield [comm.Isend(flat, dest=rank + power, tag=tag)]
