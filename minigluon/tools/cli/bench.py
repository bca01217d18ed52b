"""`minigluon bench`: time, memory and kernels of nets, imperative and hybridized, compared with other libraries."""

from __future__ import annotations

import json
import os
from argparse import Namespace

from ...base import MXNetError
from ...serialization.atomic_write import replacing
from .extras import make_folder, require

__all__ = ["bench"]


def bench(args: Namespace) -> None:
    """Measure, print a table, and write JSON, Markdown and a chart. args: see `minigluon bench --help`."""
    require("rich", "matplotlib", extra="bench")        # check before the work, not after it
    make_folder(args.out)
    report = _read(args.merge) if args.merge else _measure(args)
    _write(args, report)


def _read(paths):
    from ..bench.merge import merged
    reports = []
    for path in paths:
        try:
            with open(path, encoding="utf-8") as file:
                reports.append(json.load(file))
        except (OSError, ValueError) as error:
            raise MXNetError(f"--merge {path}: this is not a readable bench.json ({error})") from error
    return merged(reports)


def _measure(args):
    from rich.console import Console

    from ..bench.nets import OTHERS
    from ..bench.run import run
    # The status is for people who are waiting; it is not part of the output.
    with Console(stderr=True).status("starting") as status:
        pythons = {name: getattr(args, f"{name}_python") for name in OTHERS}
        return run(args.nets, args.quick, args.rounds, args.clock, args.threads, dict(args.sizes), args.without,
                   pythons, status.update)


def _write(args, report):
    from ..bench import chart, table
    table.print_report(report)
    paths = [os.path.join(args.out, name) for name in ("bench.json", "bench.md", "bench.png")]
    texts = [json.dumps(report, indent=1) + "\n", table.markdown(report)]
    for path, text in zip(paths, texts, strict=False):
        with replacing(path) as file:
            file.write(text.encode())
    charts = chart.write(paths[2], report)
    for what, path in zip(("all rounds", "table", *["bars"] * len(charts)), [*paths[:2], *charts], strict=True):
        print(f"  {what:15} {path}")
