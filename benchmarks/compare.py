"""Time single operators in all libraries in turns, imperatively, and print medians and ratios as Markdown.

    MINIGLUON_TORCH_PYTHON=... MINIGLUON_MXNET_PYTHON=... python benchmarks/compare.py [--rounds 15]

`minigluon bench` measures whole nets, with turns in the same way.
"""

import argparse
import datetime
import pathlib
import statistics

from minigluon.common import hardware as machine
from minigluon.tools.bench.nets import SIZES
from minigluon.tools.bench.peers import interpreters, start_peers
from minigluon.tools.bench.report import median_ratio
from minigluon.tools.bench.rounds import Contender, Pace, measure
from minigluon.tools.bench.table import range_text, time_text

HERE = pathlib.Path(__file__).parent
FILES = {library: [str(HERE / f"operators_{family}.py")]
         for library, family in (("minigluon", "gluon"), ("mxnet", "gluon"), ("torch", "torch"), ("numpy", "numpy"))}
OPERATORS = ["small operator", "add, 64 x 512", "row sums, 64 x 512", "normal numbers, 64 x 512", "column x[:, 2]",
             "LayerNorm step", "BatchNorm inference", "BatchNorm step", "Conv2D 64 to 64 step", "MaxPool2D step",
             "Embedding step", "cross entropy step"]


def rows(program, times):
    """Yield Markdown rows of one program: median, range, ratio to each library."""
    own = next(seconds for (library, _), seconds in times.items() if library == "minigluon")
    for (library, _), seconds in times.items():
        versus = "" if library == "minigluon" else f"{median_ratio(own, seconds):.2f}"
        yield (f"| {program} | {library} | {time_text(statistics.median(seconds))} "
               f"| {range_text(min(seconds), max(seconds))} | {versus} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--operators", nargs="*", default=OPERATORS, choices=OPERATORS)
    args = parser.parse_args()
    with start_peers(interpreters(), SIZES, FILES) as peers:
        print(f"{datetime.date.today()}, {machine.processor()}, {machine.cores()} cores; "
              + "; ".join(p.version for p in peers))
        print(f"medians of {args.rounds} rounds\n")
        print("| program | library | median | range | minigluon's time / this |")
        print("|---|---|---|---|---|")
        for program in args.operators:
            field = [Contender(peer, peer.modes[0]) for peer in peers if program in peer.programs]
            times, refusals = measure(field, program, Pace(args.rounds, patience=20))
            for row in rows(program, times):
                print(row, flush=True)
            for (library, _), reason in refusals.items():
                print(f"| {program} | {library} | {reason} |||")


if __name__ == "__main__":
    main()
