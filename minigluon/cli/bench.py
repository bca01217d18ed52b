"""`minigluon bench`: time, memory and kernels of some nets, imperative and hybridized, beside other libraries."""

import json
import os

from ..bench.nets import PROGRAMS, QUICK, SIZES
from ..bench.peers import Peer, interpreters, resident_bytes, start_peers
from ..bench.report import measure_all
from ..bench.rounds import Pace
from ..formats.whole_files import replacing
from .extras import make_folder, require

__all__ = ["bench"]


def bench(args):
    """Measure, print a table, and write JSON, Markdown and a chart. args: see `minigluon bench --help`."""
    require("rich", "matplotlib", extra="bench")        # before the work, not after it
    make_folder(args.out)
    report = _measure(args)
    _write(args, report)


def _measure(args):
    from rich.console import Console
    sizes = {**(QUICK if args.quick else SIZES), **dict(args.sizes)}
    pace = Pace(3, burst=0.005, rest=0) if args.quick else Pace()
    pace = pace._replace(rounds=args.rounds or pace.rounds, clock=args.clock)
    programs = [program for net in args.nets for program in PROGRAMS[net]]
    settings = {"quick": args.quick, "nets": args.nets, "sizes": sizes, "threads": args.threads}
    pythons = interpreters(args.torch_python, args.mxnet_python)

    def weigh(peer, program, mode):
        return resident_bytes(peer.library, peer.python, sizes, QUICK, program, mode, args.threads)
    # The status is for those who wait; it is not part of the output.
    with Console(stderr=True).status("starting") as status:
        with (start_peers(pythons, sizes, threads=args.threads) as peers,
              Peer("minigluon", pythons["minigluon"], sizes) as prober):
            return measure_all(programs, peers, prober, None if args.quick else weigh, pace, settings,
                               status.update)


def _write(args, report):
    from ..bench import chart, table
    table.print_report(report)
    paths = [os.path.join(args.out, name) for name in ("bench.json", "bench.md", "bench.png")]
    texts = [json.dumps(report, indent=1) + "\n", table.markdown(report)]
    for path, text in zip(paths, texts, strict=False):
        with replacing(path) as file:
            file.write(text.encode())
    chart.write(paths[2], report)
    for what, path in zip(("all rounds", "table", "bars"), paths, strict=True):
        print(f"  {what:15} {path}")
