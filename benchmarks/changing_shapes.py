"""Check whether a program of docs/programs with changing shapes is ever slower hybridized than imperative.

    python benchmarks/changing_shapes.py [NAME ...]         whole programs: some ten minutes for all
    python benchmarks/changing_shapes.py --small            in their small form, as the tests run them
    python benchmarks/changing_shapes.py --processor        a busy machine: only processor time decides

A program runs unchanged, and with a `hybridize()` that does nothing, in turns, each time in a separate process. A first
run, which is not timed, counts the shapes of the calls of hybridized blocks and TrainSteps: the last batch of an epoch,
a whole test set, a text or cache that grows. A program whose blocks see only one shape is named but not timed.

There is no warm-up: tracing, plans and kernels for each new shape are part of a program's time. Imports are not: all
modules that the first run has loaded, including the backend, are loaded before the clock starts. Processor time is that
of all threads. The minimum of all rounds counts, because other load on a machine only adds time. Prints Markdown, and
exits with 1 if a program is slower hybridized by more than 5 %, in elapsed time or in processor time.
"""

import argparse
import contextlib
import datetime
import importlib
import io
import json
import os
import runpy
import subprocess
import sys
import time
from collections import defaultdict
from pathlib import Path

from minigluon import gluon
from minigluon.backend import backend_for
from minigluon.common import hardware as machine
from minigluon.common.nest import flatten
from minigluon.context import cpu

FOLDER = Path(__file__).parents[1] / "docs" / "programs"
NAMES = sorted(path.stem for path in FOLDER.glob("*.py"))
NOISE = 1.05            # hybridized / imperative, at most


# -- in the program's process ---------------------------------------------------------------------------------------

def without_hybridize():
    """Keep all blocks imperative from now on."""
    for method in ("hybridize", "activate"):
        setattr(gluon.HybridBlock, method, lambda self, *args, **flags: None)


def counted_shapes():
    """Return {block: shapes that it is called with, hybridized or by a TrainStep}, which later calls fill."""
    seen = defaultdict(set)
    run_graph, train_step = gluon.HybridBlock._run_graph, gluon.TrainStep.__call__

    def note(block, args):
        seen[block].add(tuple(x.shape for x in flatten(args)[0] if hasattr(x, "shape")))

    def watched_graph(block, x, args):
        note(block, (x, args))
        return run_graph(block, x, args)

    def watched_step(step, data, *others):
        note(step.net, data)        # the net's own call is part of the step's plan, if there is one
        return train_step(step, data, *others)

    gluon.HybridBlock._run_graph, gluon.TrainStep.__call__ = watched_graph, watched_step
    return seen


def imported(before):
    """Return the newly loaded modules, in order."""
    return [name for name, module in sys.modules.items()
            if name not in before and getattr(getattr(module, "__spec__", None), "name", None) == name]


def work(mode, path, modules, options):
    """Run a program, and print [elapsed seconds, processor seconds, most shapes of a block, modules it imports]."""
    before = set(sys.modules)
    for name in modules:
        importlib.import_module(name)
    seen = {}
    if mode == "imperative":
        without_hybridize()
    elif mode == "count":
        seen = counted_shapes()
    sys.argv = [path, *options]
    with contextlib.redirect_stdout(io.StringIO()):
        wall, processors = time.perf_counter(), time.process_time()
        runpy.run_path(path, run_name="__main__")
        found = [time.perf_counter() - wall, time.process_time() - processors]
    print(json.dumps([*found, max(map(len, seen.values()), default=0), imported(before)]))


# -- in the process that compares -----------------------------------------------------------------------------------

def run(mode, name, options, modules=()):
    """Return the output of `work` from a separate process, in which modules are imported before the clock starts."""
    command = [sys.executable, __file__, "--work", mode, str(FOLDER / f"{name}.py"), json.dumps(modules), *options]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True)
    if done.returncode:
        sys.exit(f"{name}, {mode}: ended with {done.returncode}, see above; it must run before it can be timed")
    return json.loads(done.stdout.splitlines()[-1])


def least(name, options, modules, rounds):
    """Return {mode: (elapsed seconds, processor seconds)}, the minimum of each; modes take turns to start a round."""
    modes = ["imperative", "hybridized"]
    found = {mode: [] for mode in modes}
    for number in range(rounds):
        for mode in modes[::1 if number % 2 == 0 else -1]:
            found[mode].append(run(mode, name, options, modules)[:2])
    return {mode: [min(column) for column in zip(*times, strict=True)] for mode, times in found.items()}


def row(name, shapes, times):
    """Return (a line of the table, its two ratios)."""
    ratios = [fast / slow for fast, slow in zip(times["hybridized"], times["imperative"], strict=True)]
    cells = [f"{number:.2f}" for column in zip(times["imperative"], times["hybridized"], ratios, strict=True)
             for number in column]
    return f"| {name} | {shapes} | {' | '.join(cells)} |", ratios


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(NAMES)}; all without")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--small", action="store_true", help="the small form, seconds in which plans cost most")
    parser.add_argument("--processor", action="store_true", help="only the ratio of processor times decides")
    args = parser.parse_args()
    if unknown := set(args.names) - set(NAMES):
        parser.error(f"unknown programs {', '.join(sorted(unknown))}; expected some of {', '.join(NAMES)}")
    options = ["--small"] if args.small else []
    print(f"{datetime.date.today()}, {machine.processor()}, {machine.cores()} cores, backend "
          f"{backend_for(cpu()).name}, the least of {args.rounds} rounds, load {os.getloadavg()[0]:.1f} before\n")
    print("| program | shapes | imperative, s | hybridized, s | ratio | processors: imperative | hybridized | ratio |\n"
          "|---|---|---|---|---|---|---|---|")
    slower, same = [], []
    for name in args.names or NAMES:
        *_, shapes, modules = run("count", name, options)
        if shapes < 2:
            same.append(name)
            continue
        line, ratios = row(name, shapes, least(name, options, modules, args.rounds))
        print(line, flush=True)
        slower += [name] * (max(ratios[args.processor:]) > NOISE)
    print(f"\nOne shape or no hybridized block: {', '.join(same) or 'none'}. "
          f"Slower hybridized: {', '.join(slower) or 'none'}.")
    return int(bool(slower))


if __name__ == "__main__":
    if sys.argv[1:2] == ["--work"]:
        work(sys.argv[2], sys.argv[3], json.loads(sys.argv[4]), sys.argv[5:])
    else:
        sys.exit(main())
