"""Time train steps of recurrent nets in all libraries in turns, and print medians and ratios as Markdown.

    MINIGLUON_TORCH_PYTHON=... MINIGLUON_MXNET_PYTHON=... python benchmarks/recurrent.py [--threads 1 --clock cpu]

The programs are the same as in `minigluon bench`, which measures every mode of every library, and memory. Here each
library runs in its best mode for such nets, so that more rounds fit in a few minutes.
"""

import argparse
import datetime
import os
import statistics

from minigluon.common import hardware as machine
from minigluon.tools.bench.nets import SIZES
from minigluon.tools.bench.peers import interpreters, start_peers
from minigluon.tools.bench.report import median_ratio
from minigluon.tools.bench.rounds import Contender, Pace, measure
from minigluon.tools.bench.table import range_text, time_text

PROGRAMS = ["lstm train step", "gru train step", "lstm layers train step", "gru layers train step"]
MODES = {"minigluon": "hybridized", "reference": "hybridized", "torch": "eager", "mxnet": "static"}


def rows(program, times):
    """Yield Markdown rows of one program: median, range, ratio to each library."""
    own = times["minigluon", MODES["minigluon"]]
    for (library, mode), seconds in times.items():
        versus = "" if library == "minigluon" else f"{median_ratio(own, seconds):.2f}"
        yield (f"| {program} | {library} {mode} | {time_text(statistics.median(seconds))} "
               f"| {range_text(min(seconds), max(seconds))} | {versus} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--threads", type=int)
    parser.add_argument("--clock", choices=["wall", "cpu"], default="wall")
    parser.add_argument("--programs", nargs="*", default=PROGRAMS, choices=PROGRAMS)
    args = parser.parse_args()
    pythons = {library: python for library, python in interpreters().items() if library in MODES}
    with start_peers(pythons, SIZES, threads=args.threads) as peers:
        load = os.getloadavg()[0]
        print(f"{datetime.date.today()}, {machine.processor()}, {machine.cores()} cores, load {load:.1f}; "
              + "; ".join(peer.version for peer in peers))
        print(f"medians of {args.rounds} rounds, {args.clock} clock\n")
        print("| program | library | median | range | minigluon's time / this |")
        print("|---|---|---|---|---|")
        for program in args.programs:
            field = [Contender(peer, MODES[peer.library]) for peer in peers]
            times, refusals = measure(field, program, Pace(args.rounds, rest=0.2, clock=args.clock, patience=600))
            for row in rows(program, times):
                print(row, flush=True)
            for (library, mode), reason in refusals.items():
                print(f"| {program} | {library} {mode} | {reason} |||", flush=True)
            for peer in peers:
                peer.forget()


if __name__ == "__main__":
    main()
