"""Notices between the processes of a job: 'waits at this call', 'has ended', 'gives up'. They are sent only if
something is slow or wrong, so a step that goes well has none.
"""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["ENDED", "GAVE_UP", "HEADER", "NOTICES", "WAITS", "Notices"]

# kind, the sender's rank, the length of its call's text, the number of store calls that it has begun, its exchange, and
# the digest of its call
HEADER = np.dtype([("kind", "i4"), ("rank", "i4"), ("length", "i8"), ("number", "i8"), ("exchange", "i8"),
                   ("digest", "V16")])
WAITS, ENDED, GAVE_UP = 1, 2, 3         # the kinds of notices
NOTICES = 0                             # their tag


class Notices:
    """The last notice of each process.

    seen: an array of HEADER with an element for each process; kind 0 stands for none.
    """

    def __init__(self, mpi: Any, comm: Any) -> None:
        self._mpi, self._comm = mpi, comm
        self._others = [rank for rank in range(comm.Get_size()) if rank != comm.Get_rank()]
        self.seen: Any = np.zeros(comm.Get_size(), HEADER)
        self._inbox = np.zeros(1, HEADER)
        self._receive = comm.Recv_init([self._inbox.view(np.uint8), mpi.BYTE], source=mpi.ANY_SOURCE, tag=NOTICES)
        self._receive.Start()

    def send(self, header: Any) -> list[Any]:
        """Send a header to all others. Returns the requests, whose memory must stay allocated."""
        message = np.array([header], HEADER)
        return [self._comm.Isend([message.view(np.uint8), self._mpi.BYTE], dest=other, tag=NOTICES)
                for other in self._others]

    def poll(self) -> Any:
        """Receive what has arrived. Returns `seen`."""
        while self._receive.Test():
            self.seen[self._inbox["rank"][0]] = self._inbox[0]
            self._receive.Start()
        return self.seen

    def close(self) -> None:
        """Stop receiving."""
        self._receive.Cancel()
        self._receive.Wait()
