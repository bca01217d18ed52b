"""Time and memory of every network of the model zoo beside MXNet, and of some beside PyTorch; prints Markdown.

    MINIGLUON_TORCH_PYTHON=... MINIGLUON_MXNET_PYTHON=... python benchmarks/zoo.py [--nets NAME ...] [--batch 2]

The libraries take turns, as in `minigluon bench`: minigluon hybridized, MXNet hybridized with static_alloc and
static_shape, PyTorch eager. --clock cpu measures how long processors work, which other programs on the machine disturb
less than the time of day; it wants --threads 1. Peak memory is measured as on the page README.md, in a new process for
each number.
"""

import argparse
import datetime
import statistics
from pathlib import Path

from minigluon import machine
from minigluon.bench.nets import SIZES
from minigluon.bench.peers import interpreters, resident_bytes, start_peers
from minigluon.bench.report import median_ratio
from minigluon.bench.rounds import Contender, Pace, measure
from minigluon.bench.table import time_text
from minigluon.gluon.model_zoo import vision

HERE = Path(__file__).parent
FILES = {library: [str(HERE / f"zoo_{family}.py")]
         for library, family in (("minigluon", "gluon"), ("mxnet", "gluon"), ("torch", "torch"))}
MODES = {"minigluon": "hybridized", "mxnet": "static", "torch": "eager"}
WAYS = ["forward", "train step"]


def peers_of(args, batch):
    pythons = {library: python for library, python in interpreters().items() if library in MODES}
    return start_peers(pythons, sizes_of(args, batch), FILES, args.threads)


def sizes_of(args, batch):
    return {**SIZES, "zoo_nets": args.nets, "zoo_batch": batch}


def times_of(peers, program, args):
    """{library: seconds of each round}"""
    field = [Contender(peer, MODES[peer.library]) for peer in peers if program in peer.programs]
    times, _ = measure(field, program, Pace(args.rounds, 0, 0.01, args.clock, args.patience))
    for peer in peers:
        peer.forget()
    return {library: seconds for (library, _), seconds in times.items()}


def memory_of(peer, program, args):
    """Bytes, in a process of its own."""
    if program not in peer.programs:
        return None
    return resident_bytes(peer.library, peer.python, sizes_of(args, args.batch), sizes_of(args, 1), program,
                          MODES[peer.library], args.threads, FILES)


def row(program, times, memory):
    own = times["minigluon"]
    medians = [time_text(statistics.median(times[library])) if library in times else "" for library in MODES]
    ratios = [f"{median_ratio(own, times[library]):.2f}" if library in times else "" for library in ("mxnet", "torch")]
    sizes = [f"{memory[library] / 2 ** 20:.0f} MB" if memory.get(library) else "" for library in MODES]
    return f"| {' | '.join([program, *medians, *ratios, *sizes])} |"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--nets", nargs="*", default=list(vision._MODELS), choices=list(vision._MODELS))
    parser.add_argument("--batch", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--patience", type=float, default=30, help="seconds, after which a net gets no further round")
    parser.add_argument("--threads", type=int)
    parser.add_argument("--clock", default="wall", choices=["wall", "cpu"])
    parser.add_argument("--no-memory", action="store_true")
    args = parser.parse_args()
    with peers_of(args, args.batch) as peers:
        print(f"{datetime.date.today()}, {machine.processor()}, {machine.cores()} cores; "
              + "; ".join(peer.version for peer in peers))
        print(f"batch {args.batch}, {args.clock} clock, up to {args.rounds} rounds\n")
        print(f"| program | {' | '.join(MODES)} | / mxnet | / torch | {' | '.join(f'{m}, peak' for m in MODES)} |")
        print("|" + "---|" * 9)
        for program in [f"{net} {way}" for net in args.nets for way in WAYS]:
            times = times_of(peers, program, args)
            memory = {} if args.no_memory else {peer.library: memory_of(peer, program, args) for peer in peers}
            print(row(program, times, memory), flush=True)


if __name__ == "__main__":
    main()
