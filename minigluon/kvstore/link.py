"""The link between the processes of a job: they agree on a call before they exchange values. So no process sums
unrelated arrays, or waits forever for a process that makes a different call, has exited, or hangs.

To agree, each process sends a *header* of fixed size to one other, in log2(N) rounds. A call on which all have agreed
before needs no headers: the tags of its messages contain the call, so messages of different calls never match, and
those that wait in vain tell each other where they wait (see `waiting.py`).
"""

from __future__ import annotations

import contextlib
import os
import socket
import threading
import zlib
from collections.abc import Iterator
from typing import Any

import numpy as np

from ..base import MXNetError
from ..common.version import __version__
from .agreement import Call, difference
from .notices import ENDED, HEADER, WAITS, Notices
from .waiting import Differs, Waiting

__all__ = ["MAX_MESSAGES", "Link"]

_AGREES, _DIFFERS = 1, 2            # the kinds of headers
_TEXTS = 1                          # the tags of texts, headers and values
_HEADERS, _ROUNDS = 64, 32          # _ROUNDS tags for each exchange
_VALUES, MAX_MESSAGES = 32768, 256  # MAX_MESSAGES tags for each call
_MIN_CALLS = 4096                   # if MPI has tags for fewer calls, processes agree on every call
_LEAVE_SECONDS = 3.0


class Link(Waiting):
    """The link of one process. `with link.call(call) as comm:` runs its body once all processes are at the same call.

    limit: seconds that a process waits for others; 0 for no limit. check: 'always', or 'never' to omit headers.
    begun: the number of store calls that this process has begun, counted by the stores.
    comm: the communicator of all messages. A new one replaces it after an error, see `_renew`.
    faster: see `Sums`.
    """

    check: Any
    failure: str | None
    comm: Any
    faster: dict[int, Any]

    def __init__(self, mpi: Any, limit: Any, check: Any):
        self._mpi, self.limit, self.check = mpi, limit, check
        self.rank, self.size = mpi.COMM_WORLD.Get_rank(), mpi.COMM_WORLD.Get_size()
        self.begun = self.progress = 0
        self.failure = None             # why nothing can be exchanged anymore
        self._lock = threading.Lock()
        self._threads = threading.local()
        self._process = os.getpid()
        self.faster = {}
        self._places = self._origin = None
        self._exchange = self._later = 0
        self._told = self._naming = False
        self._abandoned = []
        self._has_left = False
        self._known = set()             # digests of the calls on which all processes have agreed
        self._calls = (mpi.COMM_WORLD.Get_attr(mpi.TAG_UB) - _VALUES) // MAX_MESSAGES
        self._open(mpi.COMM_WORLD)

    # -- calls --------------------------------------------------------------------------------------------------

    @contextlib.contextmanager
    def call(self, call: Call, tagged: bool = False) -> Iterator[Any]:
        """Agree on a call; the body then exchanges values with `wait` or `until`. Yields the communicator for the
        exchange.

        tagged: whether all messages of the body have tags from `tag`, and no process can leave the body before all
            are in it. Then processes that have agreed on such a call before do not agree again.

        Raises MXNetError in all processes if they have reached different calls; nothing was exchanged then, and a
        program that catches the error can continue. After other errors, nothing can be exchanged anymore.
        """
        self.require_usable()
        with self._lock:
            if self.failure is not None:
                raise MXNetError(self.failure)
            self.mark_thread()
            try:
                if self._places is None:
                    self._connect(call)
                self._begin(call, tagged)
                try:
                    yield self.comm
                except Differs:
                    raise _Disagreement(self._difference(call)) from None
            except _Disagreement as error:
                raise MXNetError(str(error)) from None
            except BaseException as error:
                self._fail(error)       # other processes wait for values from this process
                raise

    def tag(self, number: int) -> int:
        """Return the tag of a message in the body of `call`, equal in all processes that are at the same call, and
        different with near certainty if they are not.

        number: below MAX_MESSAGES.
        """
        text = self._header_call.digest + f"{self._exchange} {self._header_number}".encode()
        return _VALUES + MAX_MESSAGES * (zlib.crc32(text) % max(1, self._calls // 2)) + number

    def later_tags(self) -> int:
        """Return the first of MAX_MESSAGES tags for messages after this call, which no call has.

        All processes must call this in the same calls.
        """
        self._later += 1
        if self._later % max(1, self._calls // 2) == 0:     # the tags begin again
            self._renew(self._header_call)
        return _VALUES + MAX_MESSAGES * (self._calls // 2 + self._later % max(1, self._calls // 2))

    def wait(self, request: Any, call: Call) -> None:
        """Wait for a request in the body of `call`. Raises MXNetError on a timeout or if a process has exited."""
        self._wait([request], call)

    def abandon(self, requests: list[Any]) -> None:
        """Keep the memory of requests that will not be waited for."""
        self._abandoned += requests

    def mark_thread(self) -> None:
        """Let an error in the current thread end the job."""
        self._threads.called = True

    def called_in_this_thread(self) -> Any:
        """Return whether the current thread has made a call."""
        return self._process == os.getpid() and getattr(self._threads, "called", False)

    def leave(self) -> str | None:
        """Notify the other processes that this process exits. Returns None, or the reason why they cannot continue."""
        if self._process != os.getpid() or self._mpi.Is_finalized() or self._has_left:
            return None
        if not self._lock.acquire(timeout=_LEAVE_SECONDS):
            return "one of its threads is still in a store call"
        if self.failure is not None:
            return self.failure
        self._header_call, self._header_number = Call("end"), self.begun
        self._abandoned += self._notices.send(self.header(ENDED))
        self._notices.close()
        self._has_left = True
        return None

    def require_usable(self) -> None:
        """Raise MXNetError if this process or thread may not call MPI."""
        if os.getpid() != self._process:
            raise MXNetError("this process is a fork of one that mpirun has started, and the store belongs to that "
                             "one. Use the store in the process that created it.")
        if (threading.current_thread() is not threading.main_thread()
                and self._mpi.Query_thread() < self._mpi.THREAD_SERIALIZED):
            raise MXNetError("this MPI library supports only the main thread, but the store was called in "
                             "another. Call it in the main thread.")

    def _fail(self, error):
        self.failure = f"the store cannot be used any more, after {type(error).__name__}: {error}"

    # -- agreement ----------------------------------------------------------------------------------------------

    def _open(self, comm):
        """Use a communicator for all messages."""
        self.comm = comm
        self._notices = Notices(self._mpi, comm)

    def _renew(self, call):
        """Continue with a new communicator, in all processes: a message that was sent before and that nobody has
        received never matches a later one."""
        fresh, request = self._origin.Idup()
        self._wait([request], call)
        self._notices.close()
        self._open(fresh)

    def _connect(self, call):
        """Connect to the other processes before the first call. Raises _Disagreement if their version or their `check`
        differs."""
        self._agree(Call(f"start of minigluon {__version__}, MINIGLUON_MPI_CHECK={self.check}"), 0, call)
        self._origin, request = self.comm.Idup()    # separate from the program's messages
        self.wait(request, call)
        self._renew(call)
        places = np.zeros((self.size, 64), np.uint8)
        host = socket.gethostname()
        place = f"pid {os.getpid()} on {host}".encode()[:64]
        places[self.rank, :len(place)] = np.frombuffer(place, np.uint8)
        self.wait(self.comm.Iallgather(self._mpi.IN_PLACE, places), call)
        self._places = places

    def _begin(self, call, tagged):
        """Begin an exchange. Raises _Disagreement in all processes if their calls differ."""
        if self.check == "always" and not (tagged and self._calls >= _MIN_CALLS and call.digest in self._known):
            self._agree(call, self.begun, call)
        else:
            self._enter(call, self.begun)
        if tagged:
            self._known.add(call.digest)

    def _enter(self, header, number):
        self._header_call, self._header_number = header, number
        self._exchange += 1
        self._told = self._naming = False

    def _agree(self, header, number, call):
        """Exchange headers of a Call. Raises _Disagreement in all processes if they differ.

        header: the Call that the headers describe. number: of store calls. call: the store call for which they are
            exchanged.

        In round k every process sends what it knows to the one 2^k ranks above, so in the end it has heard, directly
        or through others, from all.
        """
        self._enter(header, number)
        mine, other = np.array([self.header(_AGREES)], HEADER), np.zeros(1, HEADER)
        tag, distance = _HEADERS + self._exchange % ((_VALUES - _HEADERS) // _ROUNDS) * _ROUNDS, 1
        while distance < self.size:
            above, below = (self.rank + distance) % self.size, (self.rank - distance) % self.size
            try:
                self._wait([self.comm.Isend([mine.view(np.uint8), self._mpi.BYTE], dest=above, tag=tag),
                            self.comm.Irecv([other.view(np.uint8), self._mpi.BYTE], source=below, tag=tag)], call)
            except Differs:
                raise _Disagreement(self._difference(call)) from None
            other["rank"] = self.rank
            if mine.tobytes() != other.tobytes():
                mine["kind"] = _DIFFERS
            tag, distance = tag + 1, 2 * distance
        if mine["kind"] == _DIFFERS:
            raise _Disagreement(self._difference(call))

    def _difference(self, call):
        """Return a message with the calls of all processes, which all call this. Their next messages are separate from
        those of these calls, some of which nobody receives."""
        self._naming = True
        self._tell()
        self.until(lambda: self._here().all(), call)
        seen = self._notices.seen.copy()
        seen[self.rank] = self.header(WAITS)
        texts = [np.zeros(length, np.uint8) for length in seen["length"]]
        texts[self.rank][:] = np.frombuffer(self._header_call.text.encode(), np.uint8)
        others = [rank for rank in range(self.size) if rank != self.rank]
        requests = [self.comm.Isend(texts[self.rank], dest=other, tag=_TEXTS) for other in others]
        requests += [self.comm.Irecv(texts[other], source=other, tag=_TEXTS) for other in others]
        self._wait(requests, call)
        self.begun = max(self.begun, int(seen["number"].max()))         # from here on, their counts agree again
        if self._origin is not None:
            self._renew(call)
        described = difference([one.tobytes().decode() for one in texts], seen["number"].tolist())
        return (f"the processes are not at the same call of their store: {described}. All processes must make the same "
                "calls, with the same keys, types and shapes, in the same order.")


class _Disagreement(Exception):
    """Raised in all processes if they have reached different calls."""
