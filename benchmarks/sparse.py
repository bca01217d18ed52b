"""Train steps of a large table of rows, Embedding(sparse_grad=True), in minigluon and in the real MXNet in turns.

    python benchmarks/sparse.py --mxnet-python PYTHON [--rounds 5] [--clock wall] [--rows 1000000] ...

PYTHON is the interpreter of an environment with mxnet==1.9.1. Each measurement is a separate process with one
thread: it makes 60 steps (forward, backward, the trainer's step), and reports the median of the last 40 and the growth
of the process in them. Prints a table as Markdown.
"""

import argparse
import datetime
import importlib
import json
import os
import pathlib
import statistics
import subprocess
import sys
import time

PEERS = ("minigluon", "mxnet")
OPTIMIZERS = {"sgd": {"learning_rate": 0.1}, "sgd, momentum": {"learning_rate": 0.1, "momentum": 0.9},
              "adam": {"learning_rate": 0.01}, "adagrad": {"learning_rate": 0.1}}
STEPS, COUNTED = 60, 40


def steps(library, optimizer, hybridized, clock, rows, width, batch):
    """Return (version, seconds of a step, growth of the process during the steps in MB)."""
    import numpy as np
    mx = importlib.import_module(library)
    net = mx.gluon.nn.HybridSequential()
    net.add(mx.gluon.nn.Embedding(rows, width, sparse_grad=True), mx.gluon.nn.Dense(1))
    net.initialize(mx.init.Normal(0.1))
    if hybridized:
        net.hybridize()
    trainer = mx.gluon.Trainer(net.collect_params(), optimizer.split(",")[0], dict(OPTIMIZERS[optimizer]))
    loss = mx.gluon.loss.L2Loss()
    rng = np.random.RandomState(0)
    batches = [(mx.nd.array(rng.randint(0, rows, batch)), mx.nd.array(rng.randn(batch))) for _ in range(STEPS)]
    seconds, before, now = [], 0, {"wall": time.perf_counter, "cpu": time.process_time}[clock]
    for number, (x, y) in enumerate(batches):
        if number == STEPS - COUNTED:
            before = resident()
        start = now()
        with mx.autograd.record():
            value = loss(net(x), y)
        value.backward()
        trainer.step(batch)
        mx.nd.waitall()
        seconds.append(now() - start)
    return mx.__version__, statistics.median(seconds[-COUNTED:]), resident() - before


def resident():
    """Return the memory of the process, in MB."""
    pages = int(pathlib.Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2 ** 20


def measure(python, *arguments):
    """Return the result of `steps` in a process of that interpreter."""
    here = pathlib.Path(__file__).resolve()
    paths = [str(here.parents[1]), os.environ.get("PYTHONPATH", "")] if arguments[0] == "minigluon" else []
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths)), "OMP_NUM_THREADS": "1",
                   "OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run([python, "-W", "ignore", str(here), "--measure", json.dumps(arguments)], env=environment,
                          check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    return json.loads(done.stdout.splitlines()[-1])


def compare(args):
    from minigluon.common import hardware as machine
    pythons = dict(zip(PEERS, (sys.executable, args.mxnet_python), strict=True))
    print(f"{datetime.date.today()}, {machine.processor()}, {machine.cores()} cores, one thread; Embedding of "
          f"{args.rows:,} x {args.width}, batch {args.batch}; medians of {args.rounds} rounds, range in brackets, "
          f"{args.clock} clock\n")
    head = "| optimizer | way | minigluon | MXNet | minigluon's time / MXNet's | memory grew by, minigluon, MXNet |"
    print(head + "\n" + "|---" * 6 + "|")
    versions = {}
    for optimizer in OPTIMIZERS:
        for hybridized in (False, True):
            found = {library: [] for library in PEERS}
            for _ in range(args.rounds):
                for library, python in pythons.items():
                    found[library].append(measure(python, library, optimizer, hybridized, args.clock, args.rows,
                                                  args.width, args.batch))
            times = {library: [row[1] for row in rows] for library, rows in found.items()}
            versions = {library: rows[0][0] for library, rows in found.items()}
            ratio = statistics.median(a / b for a, b in zip(*times.values(), strict=True))
            cells = [f"{1e3 * statistics.median(t):.2f} ms ({1e3 * min(t):.2f} to {1e3 * max(t):.2f})"
                     for t in times.values()]
            grown = ", ".join(f"{statistics.median(row[2] for row in rows):.1f} MB" for rows in found.values())
            way = "hybridized" if hybridized else "imperative"
            print(f"| {optimizer} | {way} | {' | '.join(cells)} | {ratio:.2f} | {grown} |", flush=True)
    print("\n" + ", ".join(f"{library} {version}" for library, version in versions.items()))


def main():
    if sys.argv[1:2] == ["--measure"]:
        print(json.dumps(steps(*json.loads(sys.argv[2]))))
        return
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--mxnet-python", required=True)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--clock", choices=["wall", "cpu"], default="wall", help="cpu: processor time of all threads")
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--width", type=int, default=64)
    parser.add_argument("--batch", type=int, default=1024)
    compare(parser.parse_args())


if __name__ == "__main__":
    main()
