"""Waiting for other processes: without blocking, and not forever. A process that waits long tells the others where it
waits, so those that wait at different calls learn that, and one that gives up can name those who did not answer.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np

from ..base import MXNetError
from .agreement import Call, processes
from .notices import ENDED, GAVE_UP, WAITS, Notices

__all__ = ["Differs", "Waiting"]

_SPIN_SECONDS = 0.002           # the waiting time without sleeping, in which short messages arrive
_SLEEP_SECONDS, _MAX_SLEEP_SECONDS = 0.0001, 0.001
_SLEEP_SHARE = 0.05             # of the time since values have arrived
_LOOK_SECONDS = 0.002           # the time between two checks for notices
_NOTICE_SECONDS = 1.0           # the waiting time after which a process tells the others where it waits
_GRACE_SECONDS = 3.0            # how long a process that gives up waits for others to report that they also wait


class Differs(Exception):
    """Raised in a process that learns that processes wait at different calls."""


class Waiting:
    """Mixin for Link that waits."""

    limit: Any
    rank: Any
    size: Any
    begun: int
    progress: int       # a number that changes when values arrive
    _mpi: Any
    _notices: Notices
    _places: Any        # the pid and host of each process: uint8, (processes, 64); None before the first call
    _exchange: int      # the number of exchanges that have begun, the same in all processes
    _header_call: Call
    _header_number: int
    _told: bool         # whether the other processes were told about the current exchange
    _naming: bool       # whether the difference between the calls is known, and is being described
    _abandoned: list[Any]

    def _wait(self, requests: list[Any], call: Call) -> None:
        """Wait for requests. If it fails, MPI may still complete them, so their memory stays allocated."""
        try:
            self.until(lambda: self._mpi.Request.Testall(requests), call)
        except BaseException:
            self._abandoned += requests
            raise

    def until(self, is_done: Callable[[], bool], call: Call) -> None:
        """Call `is_done` until it returns True. It must call MPI.

        Raises MXNetError on a timeout or if a process has exited, and Differs if processes wait at different calls.
        """
        begin = last_progress = last_look = time.perf_counter()
        progress = self.progress
        while not is_done():
            now = time.perf_counter()
            if self.progress != progress:
                progress, last_progress = self.progress, now
            if now - last_look > _LOOK_SECONDS:
                self._look(call, now - begin)
                last_look = now
            idle = now - last_progress
            if idle > _SPIN_SECONDS:
                time.sleep(min(max(_SLEEP_SHARE * idle, _SLEEP_SECONDS), _MAX_SLEEP_SECONDS))

    def header(self, kind: int) -> tuple[Any, ...]:
        """Return a HEADER about the current call."""
        text, digest = self._header_call.text.encode(), self._header_call.digest
        return kind, self.rank, len(text), self._header_number, self._exchange, digest

    def _tell(self):
        """Tell the others, once per exchange, at which call this process waits."""
        if not self._told:
            self._told = True
            self._abandoned = [request for request in self._abandoned if not request.Test()]
            self._abandoned += self._notices.send(self.header(WAITS))

    def _here(self):
        """Return, for each process, whether its last notice is about the current exchange: bool, (processes,)."""
        seen = self._notices.poll()
        here = (seen["kind"] == WAITS) & (seen["exchange"] == self._exchange)
        here[self.rank] = True
        return here

    def _look(self, call, waited):
        """Look at the notices, and send one after a while."""
        seen = self._notices.poll()
        ended = (seen["kind"] == ENDED) & (seen["exchange"] < self._exchange)
        if ended.any():
            raise self._ended_error(np.flatnonzero(ended), call)
        if waited > _NOTICE_SECONDS:
            self._tell()
        if self._told and not self._naming and self._here().all() and self._differ(seen):
            raise Differs
        gave_up = seen["kind"] == GAVE_UP
        if gave_up.any() or (self.limit and waited > self.limit):
            self._give_up(call, waited, gave_up)

    def _differ(self, seen):
        others = np.arange(self.size) != self.rank
        *_, number, _, digest = self.header(WAITS)
        digests = seen["digest"][others].tobytes()
        return (seen["number"][others] != number).any() or digests != digest * (self.size - 1)

    def _give_up(self, call, waited, gave_up):
        """Raise an error that names the processes that do not report in time that they also wait."""
        self._abandoned += self._notices.send(self.header(GAVE_UP))
        end = time.perf_counter() + _GRACE_SECONDS
        while True:
            seen = self._notices.poll()
            missing = (seen["kind"] == 0) | ((seen["kind"] == WAITS) & (seen["exchange"] < self._exchange))
            missing[self.rank] = False
            if not missing.any() or time.perf_counter() > end:
                break
            time.sleep(_SLEEP_SECONDS)
        if gave_up.any() and not missing.any():
            raise MXNetError(f"{processes(np.flatnonzero(gave_up))} of {self.size} gave up waiting before process "
                             f"{self.rank} came to its call {self.begun}: {call}.")
        raise self.missing_error(np.flatnonzero(missing), call, waited)

    def _ended_error(self, ranks, call):
        return MXNetError(
            f"{processes(ranks)} of {self.size} {'have' if len(ranks) > 1 else 'has'} ended, while process "
            f"{self.rank} waits, in its call {self.begun}: {call}. All processes must make the same number of "
            "steps: give them equal numbers of batches.")

    def missing_error(self, ranks: Any, call: Call, waited: float) -> MXNetError:
        """Return the error for processes that have not answered; without ranks, for the network."""
        places = [] if self._places is None else [
            self._places[rank].tobytes().rstrip(b"\0").decode() for rank in ranks]
        who = (f"{processes(ranks)} of {self.size}{''.join(f' ({place})' for place in places)}" if len(ranks) else
               "the network")
        return MXNetError(
            f"process {self.rank} has waited {waited:.0f} s for {who}, in its call {self.begun}: {call}. It "
            "hangs, or takes longer than MINIGLUON_MPI_TIMEOUT, the limit in seconds; 0 is no limit.")
