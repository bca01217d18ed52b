"""One pass over MNIST through the DataLoader, in minigluon and in the real MXNet in turns.

    python benchmarks/data_loader.py FOLDER --mxnet-python PYTHON [--rounds 5] [--workers 0 2] [--batches 64 256]

FOLDER contains MNIST's four original *-ubyte.gz files. PYTHON is the interpreter of an environment with mxnet==1.9.1.
Each measurement is a separate process that makes two passes in random order and reports the second, because the first
also reads the files. Prints a table as Markdown.
"""

import argparse
import datetime
import importlib
import os
import pathlib
import statistics
import subprocess
import sys
import time

PEERS = ("minigluon", "mxnet")


def one_pass(library, folder, batch, workers):
    """Return the seconds of a pass over the 60,000 images, written as in textbooks."""
    mx = importlib.import_module(library)
    data = mx.gluon.data
    train = data.vision.MNIST(root=folder, train=True).transform_first(data.vision.transforms.ToTensor())
    loader = data.DataLoader(train, batch, shuffle=True, num_workers=workers)
    for _ in range(2):
        start, seen = time.perf_counter(), 0
        for images, _ in loader:
            seen += len(images)
        images.wait_to_read()
        seconds = time.perf_counter() - start
    if seen != 60_000:
        raise SystemExit(f"{library} gave {seen} images")
    return seconds


def measure(python, *arguments):
    """Return the result of `one_pass` in a process of that interpreter."""
    here = pathlib.Path(__file__).resolve()
    paths = [str(here.parents[1]), os.environ.get("PYTHONPATH", "")] if arguments[0] == "minigluon" else []
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths))}
    done = subprocess.run([python, "-W", "ignore", str(here), "--measure", *map(str, arguments)], env=environment,
                          check=True, stdout=subprocess.PIPE, text=True)
    return float(done.stdout.split()[-1])


def compare(args):
    from minigluon.common import hardware as machine
    print(f"{datetime.date.today()}, {machine.processor()}, {machine.cores()} cores; medians of {args.rounds} rounds, "
          "range in brackets\n")
    print("| batch | workers | minigluon | MXNet 1.9.1 | MXNet's time / minigluon's |\n|---|---|---|---|---|")
    pythons = dict(zip(PEERS, (sys.executable, args.mxnet_python), strict=True))
    for batch in args.batches:
        for workers in args.workers:
            times = {library: [] for library in PEERS}
            for _ in range(args.rounds):
                for library, python in pythons.items():
                    times[library].append(measure(python, library, args.folder, batch, workers))
            ratio = statistics.median(b / a for a, b in zip(*times.values(), strict=True))
            cells = [f"{statistics.median(t):.2f} s ({min(t):.2f} to {max(t):.2f})" for t in times.values()]
            print(f"| {batch} | {workers} | {' | '.join(cells)} | {ratio:.1f} |", flush=True)


def main():
    if sys.argv[1:2] == ["--measure"]:
        library, folder, batch, workers = sys.argv[2:]
        print(one_pass(library, folder, int(batch), int(workers)))
        return
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder")
    parser.add_argument("--mxnet-python", required=True)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--workers", type=int, nargs="+", default=[0, 2])
    parser.add_argument("--batches", type=int, nargs="+", default=[64, 256])
    compare(parser.parse_args())


if __name__ == "__main__":
    main()
