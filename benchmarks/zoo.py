"""Time and memory of every network of the model zoo, compared with MXNet and PyTorch; prints Markdown.

    MINIGLUON_TORCH_PYTHON=... MINIGLUON_MXNET_PYTHON=... python benchmarks/zoo.py [--nets NAME ...] [--batch 2]
    ... python benchmarks/zoo.py --memory

The libraries take turns, as in `minigluon bench`: minigluon hybridized, MXNet hybridized with static_alloc and
static_shape, PyTorch eager. --clock cpu measures processor time, which other programs on the machine disturb less than
elapsed time; use it with --threads 1. Peak memory, with --memory, is measured as on the page README.md, in a new
process for each number; other programs do not disturb it.
"""

import argparse
import datetime
import statistics
from pathlib import Path

from minigluon.common import hardware as machine
from minigluon.gluon.model_zoo import vision
from minigluon.tools.bench.nets import SIZES
from minigluon.tools.bench.peers import interpreters, resident_bytes, start_peers
from minigluon.tools.bench.report import median_ratio
from minigluon.tools.bench.rounds import Contender, Pace, measure
from minigluon.tools.bench.table import time_text

HERE = Path(__file__).parent
FILES = {library: [str(HERE / f"zoo_{family}.py")]
         for library, family in (("minigluon", "gluon"), ("mxnet", "gluon"), ("torch", "torch"))}
MODES = {"minigluon": "hybridized", "mxnet": "static", "torch": "eager"}
WAYS = ["forward", "train step"]
ONE_CALL = "one call"               # minigluon's train step as a gluon.TrainStep, in the table of memory


def peers_of(args, batch):
    pythons = interpreters()
    return start_peers({library: pythons[library] for library in args.libraries}, sizes_of(args, batch), FILES,
                       args.threads)


def sizes_of(args, batch):
    return {**SIZES, "zoo_nets": args.nets, "zoo_batch": batch}


def times_of(peers, program, args):
    """Return {library: seconds of each round}."""
    field = [Contender(peer, MODES[peer.library]) for peer in peers if program in peer.programs]
    times, _ = measure(field, program, Pace(args.rounds, 0, 0.01, args.clock, args.patience))
    for peer in peers:
        peer.forget()
    return {library: seconds for (library, _), seconds in times.items()}


def time_row(program, peers, args):
    """Return a Markdown row: the median of each library, and minigluon's time divided by the others'."""
    times = times_of(peers, program, args)
    medians = [time_text(statistics.median(times[peer.library])) if peer.library in times else "" for peer in peers]
    ratios = [f"{median_ratio(times['minigluon'], times[peer.library]):.2f}" if peer.library in times else ""
              for peer in peers[1:]]
    return [program, *medians, *ratios]


def memory_row(program, peers, args):
    """Return a Markdown row: the peak of each library, and minigluon's divided by PyTorch's."""
    modes = [(peer, mode) for peer in peers for mode in memory_modes(peer.library)]
    sizes = [memory_of(peer, program, mode, args) for peer, mode in modes]
    torch = next((size for (peer, _), size in zip(modes, sizes, strict=True) if peer.library == "torch"), None)
    ratios = ["" if size is None or torch is None else f"{size / torch:.2f}"
              for (peer, _), size in zip(modes, sizes, strict=True) if peer.library == "minigluon"]
    return [program, *["" if size is None else f"{size / 2 ** 20:.0f} MB" for size in sizes], *ratios]


def memory_modes(library):
    return ["hybridized", ONE_CALL] if library == "minigluon" else [MODES[library]]


def memory_columns(libraries):
    columns = [ONE_CALL if mode == ONE_CALL else library for library in libraries for mode in memory_modes(library)]
    return [*columns, *(["/ torch", f"{ONE_CALL} / torch"] if "minigluon" in libraries else [])]


def memory_of(peer, program, mode, args):
    """Return the bytes, from a separate process; None if this library does not have the net in this mode."""
    if program not in peer.programs or (mode == ONE_CALL and not program.endswith("train step")):
        return None
    return resident_bytes(peer.library, peer.python, sizes_of(args, args.batch), sizes_of(args, 1), program,
                          mode, args.threads, FILES)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--nets", nargs="*", default=list(vision._MODELS), choices=list(vision._MODELS))
    parser.add_argument("--libraries", nargs="*", default=[name for name in MODES if name in interpreters()],
                        choices=list(MODES), help="default: those whose interpreter is known")
    parser.add_argument("--batch", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--patience", type=float, default=30, help="seconds after which a net gets no more rounds")
    parser.add_argument("--threads", type=int)
    parser.add_argument("--clock", default="wall", choices=["wall", "cpu"])
    parser.add_argument("--memory", action="store_true", help="peak memory instead of times")
    parser.add_argument("--ways", nargs="*", default=WAYS, choices=WAYS)
    args = parser.parse_args()
    if "minigluon" not in args.libraries and not args.memory:
        parser.error("times compare minigluon with others: name it among --libraries")
    for library in set(args.libraries) - set(interpreters()):
        parser.error(f"no Python with {library} is known: set MINIGLUON_{library.upper()}_PYTHON")
    with peers_of(args, args.batch) as peers:
        print(f"{datetime.date.today()}, {machine.processor()}, {machine.cores()} cores; "
              + "; ".join(peer.version for peer in peers))
        libraries = [peer.library for peer in peers]
        if args.memory:
            make, columns = memory_row, memory_columns(libraries)
        else:
            print(f"batch {args.batch}, {args.clock} clock, up to {args.rounds} rounds")
            make, columns = time_row, [*libraries, *[f"/ {library}" for library in libraries[1:]]]
        print(f"\n| program | {' | '.join(columns)} |\n{'|---' * (1 + len(columns))}|")
        for program in [f"{net} {way}" for net in args.nets for way in args.ways]:
            print(f"| {' | '.join(make(program, peers, args))} |", flush=True)


if __name__ == "__main__":
    main()
