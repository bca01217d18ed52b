"""The order of runs, in which all libraries and modes take turns, so that a drift in the machine's speed affects all of
them equally.
"""

from __future__ import annotations

import time
from typing import Any, NamedTuple

from .nets import runs_in
from .peers import ProgramError

__all__ = ["Contender", "Pace", "contenders", "measure", "prepare", "take_turns"]


class Pace(NamedTuple):
    """The number and length of each contender's turns."""

    rounds: int = 15
    burst: float = 0.1          # how many seconds a contender runs before the next one's turn
    rest: float = 0.05          # seconds to wait before a turn: the previous contender's threads spin before they sleep
    clock: str = "wall"         # or "cpu", the processor time of all threads
    patience: float = 20        # no more rounds start after this many seconds, once there have been three


class Contender(NamedTuple):
    """One library in one mode."""

    peer: object
    mode: str

    @property
    def name(self):
        return self.peer.library, self.mode


def contenders(peers: Any, program: str) -> list[Contender]:
    """Return all contenders that can run a program."""
    return [Contender(peer, mode) for peer in peers if program in peer.programs for mode in peer.modes
            if runs_in(mode, program)]


def measure(field: Any, program: str, pace: float,
            own: str = "minigluon") -> tuple[dict[Any, list[Any]], dict[Any, Any]]:
    """Return ({(library, mode): [seconds per run, one for each round]}, {(library, mode): why it is left out}).

    field: Contenders. The order of turns rotates from round to round. A library that cannot run the program is left
    out. Raises ProgramError if that library is `own`.
    """
    counts, refusals = prepare(field, program, pace, own)
    return take_turns(counts, program, pace), refusals


def prepare(field: Any, program: str, pace: float, own: str = "minigluon") -> tuple[dict[Any, Any], dict[Any, Any]]:
    """Return ({Contender: runs per turn}, {(library, mode): why it is left out}), after each contender's first runs."""
    counts, refusals = {}, {}
    for contender in field:
        try:
            counts[contender] = _runs_in_a_burst(contender, program, pace)
        except ProgramError as error:
            if contender.peer.library == own:
                raise ProgramError(f"{own} {contender.mode} cannot run {program}: {error}") from error
            refusals[contender.name] = str(error)
    return counts, refusals


def take_turns(counts: Any, program: str, pace: float) -> dict[Any, list[Any]]:
    """Return {(library, mode): [seconds per run, one for each round]}. counts: see `prepare`."""
    field = list(counts)
    times = {contender.name: [] for contender in field}
    start = time.monotonic()
    for turn in range(pace.rounds):
        if turn >= 3 and time.monotonic() - start > pace.patience:
            break
        for i in range(len(field)):
            contender = field[(turn + i) % len(field)]
            time.sleep(pace.rest)
            times[contender.name].append(contender.peer.seconds(program, contender.mode, counts[contender],
                                                                      pace.clock))
    return times


def _runs_in_a_burst(contender, program, pace):
    def seconds(count):
        return contender.peer.seconds(program, contender.mode, count, pace.clock)
    seconds(1)                          # the first run creates kernels, traces and compiles
    if seconds(1) > pace.burst:
        return 1
    return max(1, int(pace.burst / seconds(3)))
