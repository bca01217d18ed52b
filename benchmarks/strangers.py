"""Inference of nets that no kernel was tuned for, compared with onnxruntime and OpenVINO. Prints Markdown.

    python benchmarks/strangers.py --engines-python PYTHON [--nets NAME ...] [--minutes 30] [--results FILE]
    python benchmarks/strangers.py --list
    python benchmarks/strangers.py --kernels [--nets NAME ...]

The nets are all those of this project's model zoo, and GluonCV's for classification, segmentation and poses, if GluonCV
is installed (see tests/libraries/README.md); it runs unchanged on minigluon. Each net has random parameters and is
exported by this project; the engines run the exported file. PYTHON has onnxruntime and openvino; onnx is needed here.

Each library runs in its own processes, and they take turns; all medians are of one run. `ready` is the time until the
first result: of minigluon the first call of a hybridized net whose parameters have values, of the engines the creation
of a session and its first call. Another net was prepared before in each process, so that it is not about imports.

Families of nets take turns, so that a run with --minutes sees many kinds. With --results, each measurement is added to
a file of lines; a further run continues it, and the table has all of them. --list prints each net and, if it is never
measured, why. --kernels prints in which kinds of kernels time is lost against the limits of this machine, as
`kernel_limits.py` measures them, instead of comparing.
"""

import argparse
import datetime
import itertools
import json
import math
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import engines
import strangers_nets

ENGINES = ["minigluon", "onnxruntime", "openvino"]
FIRST = "mobilenet0.25"         # prepared first in each process
NEAR = 1.05


# -- in the process of a library --------------------------------------------------------------------------------------


def minigluon_net(name, _, batch, __):
    net, images = strangers_nets.built(name, batch)
    return lambda: net(images)


MAKERS = {"minigluon": minigluon_net, "onnxruntime": engines.onnxruntime_net, "openvino": engines.openvino_net}


def work(engine):
    """Answers questions, a line of JSON each, with a line {name: seconds} or {"error": text}.

    ["prepare", net, path, batch, threads]: makes a net and runs it once; `made` and `run`.
    ["run", count]: `seconds` of one run of this net, after one more.
    ["export", net, path, batch]: writes the net's ONNX file. ["forget"]: frees the net.
    """
    answers, runs = sys.stdout, []
    sys.stdout = sys.stderr
    for line in sys.stdin:
        question, *given = json.loads(line)
        try:
            answer = ANSWERS[question](engine, runs, *given)
        except Exception as error:          # of a library in C++, of any class
            answer = {"error": f"{type(error).__name__}: {' '.join(str(error).split())[:300]}"}
        print(json.dumps(answer), file=answers, flush=True)


def prepare(engine, runs, *what):
    runs.clear()
    start = time.perf_counter()
    run = MAKERS[engine](*what)
    made = time.perf_counter()
    run()
    done = time.perf_counter()
    runs.append(run)
    return {"made": made - start, "run": done - made}


def run_often(engine, runs, count):
    [run] = runs
    run()                                   # wakes up the threads
    start = time.perf_counter()
    for _ in range(count):
        run()
    return {"seconds": (time.perf_counter() - start) / count}


def export(engine, runs, name, path, batch):
    net, images = strangers_nets.built(name, batch)
    net.export_onnx(path, images, dynamic=False)
    return {}


def forget(engine, runs):
    runs.clear()
    return {}


ANSWERS = {"prepare": prepare, "run": run_often, "export": export, "forget": forget}


# -- the main process -------------------------------------------------------------------------------------------------


class Failed(Exception):
    """An engine's error, as text."""


class Library(engines.Engine):
    """A process of one library, with this file's questions."""

    def __init__(self, name, python, threads):
        super().__init__(name, python, threads, __file__)

    def ask(self, *question):
        """Returns the answer; raises Failed."""
        self.process.stdin.write(json.dumps(question) + "\n")
        self.process.stdin.flush()
        answer = json.loads(self.process.stdout.readline() or '{"error": "the process ended"}')
        if "error" in answer:
            raise Failed(f"{self.name}: {answer['error']}")
        return answer

    def seconds(self, *question):
        """Returns the seconds of one run: for `engines.compare`, whose question ends with the number of runs."""
        return self.ask("run", question[-1])["seconds"]


def libraries_for(threads, args):
    return [Library(name, sys.executable if name == "minigluon" else args.engines_python, threads)
            for name in args.engines]


def exported(folder, name, batch, args):
    """Returns the path of the net's ONNX file, which is written if it is missing."""
    path = folder / f"{name}-{batch}.onnx"
    if not path.exists() and args.engines != ["minigluon"]:
        writer = Library("minigluon", sys.executable, 2)
        try:
            writer.ask("export", name, str(path), batch)
        finally:
            writer.close()
    return path


def measured(libraries, name, path, batch, threads, args):
    """Returns a line of results."""
    ready = {}
    try:
        for library in libraries:
            found = library.ask("prepare", name, str(path), batch, threads)
            ready[library.name] = found["run"] + (found["made"] if library.name != "minigluon" else 0)
            library.ask("run", 2)
        times = engines.compare(libraries, name, str(path), batch, argparse.Namespace(**vars(args), clock="wall"))
    finally:
        for library in libraries:
            library.ask("forget")
    return {"times": times, "ready": ready}


def all_measured(nets, known, folder, args):
    """Measures every net with each batch and number of threads. known: {(net, batch, threads): line}, added to."""
    groups = {}
    end = time.monotonic() + 60 * args.minutes
    for name, batch, threads in itertools.product(nets, args.batches, args.threads):
        key = name, batch, threads
        if key in known:
            continue
        if time.monotonic() > end:
            break
        try:
            if threads not in groups:
                groups[threads] = libraries_for(threads, args)
                warm_up(groups[threads], threads, folder, args)
            found = measured(groups[threads], name, exported(folder, name, batch, args), batch, threads, args)
        except Failed as error:
            found = {"error": str(error)}
        known[key] = {"net": name, "batch": batch, "threads": threads, **found}
        if args.results:
            with open(args.results, "a") as lines:
                print(json.dumps(known[key]), file=lines)
        print(row(known[key], args.engines), flush=True)
    for library in itertools.chain(*groups.values()):
        library.close()


def warm_up(libraries, threads, folder, args):
    path = exported(folder, FIRST, 1, args)
    for library in libraries:
        library.ask("prepare", FIRST, str(path), 1, threads)


def known_results(file):
    """Returns {(net, batch, threads): line} of a file of results."""
    if file is None or not Path(file).exists():
        return {}
    lines = [json.loads(line) for line in Path(file).read_text().splitlines()]
    return {(line["net"], line["batch"], line["threads"]): line for line in lines}


# -- tables -----------------------------------------------------------------------------------------------------------


def ratio_of(seconds):
    """Returns minigluon's time divided by the best of the others, or None."""
    others = [value for name, value in seconds.items() if name != "minigluon"]
    return seconds["minigluon"] / min(others) if others else None


def head(names):
    return (f"| net | batch | threads | {' | '.join(names)} | / best | ready: {' | ready: '.join(names)} | / best |\n"
            f"|---|---|---|{'---|' * (2 * len(names) + 2)}")


def row(line, names):
    """Returns a Markdown row."""
    parts = [line["net"], str(line["batch"]), str(line["threads"])]
    if "error" in line:
        return f"| {' | '.join([*parts, line['error']])} |"
    for seconds in (line["times"], line["ready"]):
        ratio = ratio_of(seconds)
        parts += [f"{1e3 * seconds[name]:.2f} ms" if name in seconds else "" for name in names]
        parts.append("" if ratio is None else f"{ratio:.2f}")
    return f"| {' | '.join(parts)} |"


def summary(lines):
    """Yields lines of text: for each batch and number of threads, how many nets are at most as slow as the best."""
    for what, title in (("times", "calls"), ("ready", "until the first result")):
        for key in sorted({(line["batch"], line["threads"]) for line in lines}):
            ratios = {line["net"]: ratio_of(line[what]) for line in lines
                      if "error" not in line and (line["batch"], line["threads"]) == key}
            ratios = {name: ratio for name, ratio in ratios.items() if ratio is not None}
            if not ratios:
                continue
            mean = math.exp(sum(map(math.log, ratios.values())) / len(ratios))
            behind = sorted(((ratio, name) for name, ratio in ratios.items() if ratio > 1), reverse=True)
            yield (f"{title}, batch {key[0]}, threads: {key[1]}: {len(ratios)} nets, geometric mean {mean:.2f}, "
                   f"{len(ratios) - len(behind)} at most 1.00, {sum(ratio > NEAR for ratio, _ in behind)} above {NEAR}"
                   + (": " + ", ".join(f"{name} {ratio:.2f}" for ratio, name in behind) if behind else ""))


def versions(args):
    """Returns the versions of all libraries as a line."""
    import minigluon as mx
    line = f"minigluon {mx.__version__} ({mx.backend.backend_for(mx.cpu()).name})"
    if args.engines_python:
        code = "import onnxruntime, openvino; print('onnxruntime', onnxruntime.__version__ + ',', 'OpenVINO', " \
               "openvino.__version__.partition('-')[0])"
        line += ", " + subprocess.run([args.engines_python, "-c", code], capture_output=True, text=True,
                                      check=True).stdout.strip()
    return line


def print_list(nets):
    """Prints every net, and the reason for each that is left out."""
    print("| net | |\n|---|---|")
    for name, reason in strangers_nets.reasons().items():
        left = reason or ("" if name in nets else "not among --nets")
        print(f"| {name} | {left and 'left out: ' + left} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--nets", nargs="+")
    parser.add_argument("--batches", nargs="+", type=int, default=[1, 8])
    parser.add_argument("--threads", nargs="+", type=int, default=[2, 1])
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--minutes", type=float, default=math.inf)
    parser.add_argument("--engines", nargs="+", choices=ENGINES, default=ENGINES)
    parser.add_argument("--engines-python", help="an interpreter with onnxruntime and openvino")
    parser.add_argument("--models", help="folder of the ONNX files; missing ones are written")
    parser.add_argument("--export", action="store_true", help="only write the missing ONNX files to --models")
    parser.add_argument("--results", help="a file of results, which a further run continues")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--kernels", action="store_true")
    parser.add_argument("--work", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.work:
        work(args.work)
        return
    nets = args.nets or strangers_nets.nets_in_turn()
    if args.list:
        print_list(nets)
    elif args.kernels:
        import strangers_kernels
        strangers_kernels.print_kinds(nets, args)
    elif args.export:
        for name, batch in itertools.product(nets, args.batches):
            exported(Path(args.models), name, batch, args)
    else:
        compare(nets, args)


def compare(nets, args):
    from minigluon.common import hardware
    print(f"{datetime.date.today()}, {hardware.processor()}, {hardware.cores()} cores; {versions(args)}; medians of "
          f"{args.rounds} rounds\n")
    known = known_results(args.results)
    print(head(args.engines))
    for line in known.values():
        print(row(line, args.engines))
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(args.models or temporary)
        folder.mkdir(exist_ok=True)
        all_measured(nets, known, folder, args)
    print()
    for text in summary(list(known.values())):
        print(text)
    wanted = set(itertools.product(nets, args.batches, args.threads))
    missing = [name for name in nets if any(key[0] == name for key in wanted - set(known))]
    if missing:
        print(f"not reached in the time given: {', '.join(missing)}")


if __name__ == "__main__":
    main()
