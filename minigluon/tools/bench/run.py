"""The entire benchmark as one function, for the command and for notebooks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ...base import ArgumentError, nearest
from ...common.optional_packages import require
from .nets import PROGRAMS, QUICK, QUICK_NETS, SIZES
from .peers import Peer, interpreters, resident_bytes, start_peers
from .report import BASE, measure_all
from .rounds import Pace

if TYPE_CHECKING:
    from .report import Report

__all__ = ["run"]


def run(nets: Any = None, quick: bool = False, rounds: Any = None, clock: str = "wall", threads: int | None = None,
        sizes: dict[str, Any] | None = None, without: Sequence[Any] = (), pythons: Any = None,
        say: Any = lambda text: None) -> Report:
    """Measure nets in all libraries and modes. Returns a `report.Report`, which notebooks show as a chart and a table.

    nets: names of the nets to measure (see `nets.PROGRAMS`); None: all or, with `quick`, those in `nets.QUICK_NETS`.
    quick: True uses small sizes and few rounds, to try it out; the numbers mean little.
    rounds: the number of turns for each contender.
    clock: "wall", or "cpu" for processor time.
    threads: the number of threads for the kernels of each library; None leaves the choice to the library.
    sizes: {name: size that replaces the default} (see `nets.SIZES`).
    without: libraries, or "library mode", to omit, such as "reference" or "torch compile".
    pythons: {library: interpreter of an environment that has the library} (see `nets.OTHERS`). say(text): called with
        the current progress.

    Raises ArgumentError for an unknown net, and if imperative minigluon, by which all times are divided, is omitted;
    MXNetError if packages of the extra `bench` are missing.

    >>> from minigluon.tools.bench.run import run
    >>> report = run(["mlp"], quick=True)                   # doctest: +SKIP
    >>> [row["mode"] for row in report["rows"]][:2]         # doctest: +SKIP
    ['imperative', 'hybridized']
    """
    require("rich", "matplotlib", extra="bench", user="bench")
    nets = list(nets or (QUICK_NETS if quick else PROGRAMS))
    for net in nets:
        if net not in PROGRAMS:
            raise ArgumentError(f"bench has no net {net!r}." + nearest(net, PROGRAMS))
    for name in without:
        if name in (BASE[0], " ".join(BASE)):
            raise ArgumentError(f"bench cannot leave out {name!r}: every time is divided by that of {' '.join(BASE)}")
    sizes = {**(QUICK if quick else SIZES), **(sizes or {})}
    pace = Pace(3, burst=0.005, rest=0) if quick else Pace()
    pace = pace._replace(rounds=rounds or pace.rounds, clock=clock)
    programs = [program for net in nets for program in PROGRAMS[net]]
    settings = {"quick": quick, "nets": nets, "sizes": sizes, "threads": threads, "without": list(without)}
    pythons = {name: python for name, python in interpreters(**(pythons or {})).items() if name not in without}

    def weigh(peer, program, mode):
        return resident_bytes(peer.library, peer.python, sizes, QUICK, program, mode, threads)
    with (start_peers(pythons, sizes, threads=threads) as peers,
          Peer("minigluon", pythons["minigluon"], sizes) as prober):
        for peer in peers:
            peer.modes = [mode for mode in peer.modes if f"{peer.library} {mode}" not in without]
        return measure_all(programs, peers, prober, None if quick else weigh, pace, settings, say)
