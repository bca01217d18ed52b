"""The link between the processes of a job: before they exchange values, each announces its next call to all others.
So no process sums unrelated arrays, or waits forever for a process that makes a different call, has exited, or hangs.

The announcement is a *header* with a fixed size of 32 bytes, so that it arrives whatever the other processes do. Values
follow if all headers are equal. A process that exits sends a last header that announces this.
"""

from __future__ import annotations

import contextlib
import os
import socket
import threading
import time
from typing import Any

import numpy as np

from ..base import MXNetError
from ..common.version import __version__
from .agreement import Call, difference, processes

__all__ = ["Link"]

_HEADER = np.dtype([("kind", "i4"), ("length", "i4"), ("number", "i8"), ("digest", "V16")])
_CALL, _ENDED, _GAVE_UP = 1, 2, 3       # the kinds of headers
_HEADERS, _TEXTS = 7031, 7032           # tags

_SPIN_SECONDS = 0.002   # how long to wait at first without sleeping, during which most headers and sums arrive
_SLEEP_SECONDS = 0.0002
_GRACE_SECONDS = 3.0    # how long a process that gives up waits for others to report that they were also waiting


class Link:
    """The link of one process. `with link.call(call) as comm:` runs its body once all processes are at the same call.

    limit: seconds that a process waits for others; 0 for no limit. check: 'always', or 'never' to omit call headers.
    begun: the number of store calls that this process has begun, counted by the stores.
    """

    check: Any
    limit: Any
    rank: Any
    size: Any
    failure: str | None
    begun: int

    def __init__(self, mpi: Any, limit: Any, check: Any):
        self._mpi, self.limit, self.check = mpi, limit, check
        self.rank, self.size = mpi.COMM_WORLD.Get_rank(), mpi.COMM_WORLD.Get_size()
        self.begun = 0
        self.failure = None             # why nothing can be exchanged anymore
        self._others = [rank for rank in range(self.size) if rank != self.rank]
        self._lock = threading.Lock()
        self._threads = threading.local()
        self._process = os.getpid()
        self._private = False           # whether it has its own communicators, separate from the program's messages
        self._done = 0                  # number of calls whose data has arrived completely
        self._abandoned = []            # requests that MPI may still complete, whose memory must stay allocated
        self._open(mpi.COMM_WORLD)

    # -- calls --------------------------------------------------------------------------------------------------

    @contextlib.contextmanager
    def call(self, call):
        """Agree on a call; the body then exchanges values with `wait`. Yields the communicator for the exchange.

        Raises MXNetError in all processes if they have reached different calls; nothing was exchanged then, and a
        program that catches the error can continue. After other errors, nothing can be exchanged anymore.
        """
        self._require_usable()
        with self._lock:
            if self.failure is not None:
                raise MXNetError(self.failure)
            self._threads.called = True
            try:
                if not self._private:
                    self._connect(call)
                if self.check == "always":
                    self._agree(call, call, self.begun)
            except _Disagreement as error:
                raise MXNetError(str(error)) from None
            except BaseException as error:
                self._fail(error)
                raise
            try:
                yield self._comm
            except BaseException as error:
                self._fail(error)       # other processes wait for values from this process
                raise
            self._done += 1

    def wait(self, request: Any, call: Call) -> None:
        """Wait for a request in the body of `call`. Raises MXNetError on a timeout or if a process has exited."""
        self._wait([request], call, self._look_for_numbers)

    def called_in_this_thread(self) -> Any:
        """Return whether the current thread has made a call."""
        return self._process == os.getpid() and getattr(self._threads, "called", False)

    def leave(self) -> str | None:
        """Notify the other processes that this process exits. Returns None, or the reason why they cannot continue."""
        if self._process != os.getpid() or self._mpi.Is_finalized():
            return None
        if not self._lock.acquire(timeout=_GRACE_SECONDS):
            return "one of its threads is still in a store call"
        if self.failure is not None:
            return self.failure
        self._abandoned += self._send_to_all(_ENDED, self._done)
        self._close()
        return None

    def _require_usable(self):
        if os.getpid() != self._process:
            raise MXNetError("this process is a fork of one that mpirun has started, and the store belongs to that "
                             "one. Use the store in the process that created it.")
        if (threading.current_thread() is not threading.main_thread()
                and self._mpi.Query_thread() < self._mpi.THREAD_SERIALIZED):
            raise MXNetError("this MPI library supports only the main thread, but the store was called in "
                             "another. Call it in the main thread.")

    def _fail(self, error):
        self.failure = f"the store cannot be used any more, after {type(error).__name__}: {error}"

    # -- headers ------------------------------------------------------------------------------------------------

    def _open(self, comm):
        """Duplicate a communicator for headers and values."""
        self._comm = comm
        self._outbox, self._inbox = np.zeros(1, _HEADER), np.zeros(self.size, _HEADER)
        byte = self._mpi.BYTE
        self._sends = [comm.Send_init([self._outbox.view(np.uint8), byte], dest=other, tag=_HEADERS)
                       for other in self._others]
        self._receives = [comm.Recv_init([self._inbox[other:other + 1].view(np.uint8), byte], source=other,
                                         tag=_HEADERS) for other in self._others]
        self._mpi.Prequest.Startall(self._receives)     # buffers for the next header of each process

    def _close(self):
        for receive in self._receives:
            receive.Cancel()
            receive.Wait()

    def _connect(self, call):
        """Connect to the other processes before the first call. Raises MXNetError if their version or their `check`
        differs."""
        start = Call(f"start of minigluon {__version__}, MINIGLUON_MPI_CHECK={self.check}")
        try:
            self._agree(start, call, 0)
        except _Disagreement as error:
            raise MXNetError(str(error)) from None
        private, request = self._comm.Idup()
        self.wait(request, call)
        self._close()
        self._open(private)
        self._private = True
        self._places = np.zeros((self.size, 64), np.uint8)
        place = f"pid {os.getpid()} on {socket.gethostname()}".encode()[:64]
        self._places[self.rank, :len(place)] = np.frombuffer(place, np.uint8)
        self.wait(private.Iallgather(self._mpi.IN_PLACE, self._places), call)

    def _agree(self, header, call, number):
        """Exchange headers of a Call. Raises _Disagreement in all processes if they differ.

        header: the Call that the headers describe. call: the store call for which they are exchanged.
        """
        text = header.text.encode()
        self._outbox[0] = (_CALL, len(text), number, header.digest)
        self._inbox[self.rank] = self._outbox[0]
        self._mpi.Prequest.Startall(self._sends)
        self._wait(self._sends + self._receives, call, self._look_for_headers)
        if self._inbox.tobytes() == self._outbox.tobytes() * self.size:
            self._mpi.Prequest.Startall(self._receives)
            return
        headers = self._inbox.copy()
        self._refuse_ended(headers["kind"] == _ENDED, call)
        if (headers["kind"] == _GAVE_UP).any():
            raise self._gave_up_error(headers["kind"] == _GAVE_UP, call)
        self._mpi.Prequest.Startall(self._receives)
        self.begun = max(self.begun, int(headers["number"].max()))        # from here on, their counts agree again
        raise _Disagreement(
            f"the processes are not at the same call of their store: {self._described(text, headers, call)}. All "
            "processes must make the same calls, with the same keys, types and shapes, in the same order.")

    def _described(self, text, headers, call):
        """Describe how the calls differ, given the texts of all processes."""
        texts = [np.zeros(length, np.uint8) for length in headers["length"]]
        texts[self.rank][:] = np.frombuffer(text, np.uint8)
        requests = [self._comm.Isend(texts[self.rank], dest=other, tag=_TEXTS) for other in self._others]
        requests += [self._comm.Irecv(texts[other], source=other, tag=_TEXTS) for other in self._others]
        self._wait(requests, call, self._look_for_numbers)
        return difference([one.tobytes().decode() for one in texts], headers["number"].tolist())

    def _send_to_all(self, kind, number):
        header = np.zeros(1, _HEADER)
        header[0] = (kind, 0, number, b"")
        return [self._comm.Isend([header.view(np.uint8), self._mpi.BYTE], dest=other, tag=_HEADERS)
                for other in self._others]

    # -- waiting ------------------------------------------------------------------------------------------------

    def _wait(self, requests, call, look):
        """Wait for requests without blocking the processor. look: called periodically, with the time waited."""
        begin = time.perf_counter()
        try:
            while not self._mpi.Request.Testall(requests):
                waited = time.perf_counter() - begin
                if waited > _SPIN_SECONDS:
                    look(call, waited)
                    time.sleep(_SLEEP_SECONDS)
        except BaseException:
            self._abandoned += requests
            raise

    def _arrived(self):
        """Return, for each process, whether its next header has arrived: bool, (processes,)."""
        arrived = np.ones(self.size, bool)
        for other, receive in zip(self._others, self._receives, strict=True):
            arrived[other] = receive.Test()
        return arrived

    def _look_for_headers(self, call, waited):
        arrived = self._arrived()
        self._refuse_ended(arrived & (self._inbox["kind"] == _ENDED), call)
        gave_up = arrived & (self._inbox["kind"] == _GAVE_UP)
        if gave_up.any() and waited > 2 * _GRACE_SECONDS:       # by then, it has ended the job with a message
            raise self._gave_up_error(gave_up, call)
        if self.limit and waited > self.limit:
            raise self._missing(~arrived, call, waited)

    def _look_for_numbers(self, call, waited):
        arrived = self._arrived()
        early = self._inbox["number"] <= self._done             # it has not received the values of this call
        self._refuse_ended(arrived & (self._inbox["kind"] == _ENDED) & early, call)
        if (arrived & (self._inbox["kind"] == _GAVE_UP)).any() or (self.limit and waited > self.limit):
            self._abandoned += self._send_to_all(_GAVE_UP, self._done)
            end = time.perf_counter() + _GRACE_SECONDS
            while not arrived.all() and time.perf_counter() < end:
                time.sleep(_SLEEP_SECONDS)
                arrived = self._arrived()
            raise self._missing(~arrived, call, waited)

    # -- messages -----------------------------------------------------------------------------------------------

    def _refuse_ended(self, ended, call):
        if ended.any():
            ranks = np.flatnonzero(ended)
            raise MXNetError(
                f"{processes(ranks)} of {self.size} {'have' if len(ranks) > 1 else 'has'} ended, while process "
                f"{self.rank} waits, in its call {self.begun}: {call}. All processes must make the same number of "
                "steps: give them equal numbers of batches.")

    def _gave_up_error(self, gave_up, call):
        return MXNetError(f"{processes(np.flatnonzero(gave_up))} of {self.size} gave up waiting before process "
                          f"{self.rank} came to its call {self.begun}: {call}.")

    def _missing(self, missing, call, waited):
        ranks = np.flatnonzero(missing)
        places = [self._places[rank].tobytes().rstrip(b"\0").decode() for rank in ranks] if self._private else []
        who = (f"{processes(ranks)} of {self.size}{''.join(f' ({place})' for place in places)}" if len(ranks) else
               "the network")
        return MXNetError(
            f"process {self.rank} has waited {waited:.0f} s for {who}, in its call {self.begun}: {call}. It "
            "hangs, or takes longer than MINIGLUON_MPI_TIMEOUT, the limit in seconds; 0 is no limit.")


class _Disagreement(Exception):
    """Raised in all processes if they have reached different calls."""
