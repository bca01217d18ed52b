"""Time the programs in all libraries by turns and print medians and pairwise ratios as Markdown.

    MINIGLUON_TORCH_PYTHON=... MINIGLUON_MXNET_PYTHON=... python benchmarks/compare.py [--operators] [--rounds 15]

In each round every library runs the program for about a tenth of a second, in an order that rotates. A ratio is
the median over rounds of minigluon's time divided by the other's in the same round, so that it holds when the
machine's speed drifts.
"""

import argparse
import datetime
import os
import pathlib
import platform
import statistics
import time

from peers import Peer, available

PROGRAMS = ["small operator", "mlp forward", "lenet forward", "lenet train step", "alexnet forward",
            "alexnet train step"]
OPERATORS = ["add, 64 x 512", "row sums, 64 x 512", "normal numbers, 64 x 512", "column x[:, 2]", "LayerNorm step",
             "BatchNorm inference", "BatchNorm step", "Conv2D 64 to 64 step", "MaxPool2D step", "Embedding step",
             "cross entropy step"]
BURST = 0.1         # seconds that one library runs before the next one's turn
PATIENCE = 20       # seconds after which a program gets no further round, once it had three


def measure(peers, program, rounds):
    """{library: [seconds per run, one for each round]}."""
    peers = [p for p in peers if program in p.programs]
    counts = {}
    for peer in peers:
        slow = peer.seconds(program, 1) > BURST         # the first run makes parameters and kernels
        counts[peer.library] = 1 if slow else max(1, int(BURST / peer.seconds(program, 3)))
    times = {peer.library: [] for peer in peers}
    start = time.monotonic()
    for turn in range(rounds):
        if turn >= 3 and time.monotonic() - start > PATIENCE:
            break
        for i in range(len(peers)):
            peer = peers[(turn + i) % len(peers)]
            times[peer.library].append(peer.seconds(program, counts[peer.library]))
    return times


def rows(program, times):
    """Markdown rows of one program: median, spread, ratio to each library."""
    own = times["minigluon"]
    for library, seconds in times.items():
        ratio = statistics.median(a / b for a, b in zip(own, seconds, strict=True))
        low, high = min(seconds), max(seconds)
        versus = "" if library == "minigluon" else f"{ratio:.2f}"
        yield (f"| {program} | {library} | {_unit(statistics.median(seconds))} | {_unit(low)} to {_unit(high)} "
               f"| {versus} |")


def _unit(seconds):
    return f"{seconds * 1e3:.2f} ms" if seconds >= 1e-3 else f"{seconds * 1e6:.2f} µs"


def machine():
    """One line on the processor and the number of cores in use."""
    model = platform.processor()
    cpuinfo = pathlib.Path("/proc/cpuinfo")
    if cpuinfo.exists():
        names = [line.split(":")[1].strip() for line in cpuinfo.read_text().splitlines() if "model name" in line]
        model = names[0] if names else model
    return f"{model}, {len(os.sched_getaffinity(0))} cores, {platform.system()}, Python {platform.python_version()}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--programs", nargs="*", default=PROGRAMS, choices=PROGRAMS)
    parser.add_argument("--operators", action="store_true", help="single operators instead of programs")
    args = parser.parse_args()
    peers = [Peer(name) for name in available()]
    print(f"{datetime.date.today()}, {machine()}; " + "; ".join(p.version for p in peers))
    print(f"medians of {args.rounds} rounds\n")
    print("| program | library | median | range | minigluon's time / this |")
    print("|---|---|---|---|---|")
    for program in OPERATORS if args.operators else args.programs:
        for row in rows(program, measure(peers, program, args.rounds)):
            print(row, flush=True)
    for peer in peers:
        peer.close()


if __name__ == "__main__":
    main()
