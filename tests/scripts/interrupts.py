"""Ctrl-C at random moments: is a training that was interrupted and resumed the same, bit for bit?

    python tests/scripts/interrupts.py --count 50             # of each: `minigluon train`, and an Estimator's program

Each case starts a process, sends it SIGINT at a moment that is drawn, sometimes two or three in a row so that they meet
the writing of the checkpoint, resumes it, sometimes interrupts that as well, and at last lets it end. Exit codes must
be 130, and what the training comes to must be that of a run that nobody has disturbed. One case in five interrupts
anywhere in the life of the process, the others while it trains.
"""

import argparse
import hashlib
import json
import os
import pathlib
import random
import signal
import struct
import subprocess
import sys
import tempfile
import time

import numpy as np

TESTS = pathlib.Path(__file__).resolve().parents[1]
ENVIRONMENT = {**os.environ, "OPENBLAS_NUM_THREADS": "1",
               "PYTHONPATH": os.pathsep.join([str(TESTS.parent), str(TESTS), os.environ.get("PYTHONPATH", "")])}


class Command:
    """`minigluon train` on small images."""

    begins, ends = "images to train", "epoch 12/12"

    def __init__(self, folder):
        self.data = folder / "data"
        self.data.mkdir()
        draw = np.random.RandomState(0)
        for part, count in (("train", 160), ("t10k", 32)):
            labels = draw.randint(0, 4, count).astype(np.uint8)
            images = draw.randint(0, 60, (count, 28, 28)).astype(np.uint8)
            images[np.arange(count), 7 * labels] = 255
            for name, array in ((f"{part}-images-idx3-ubyte", images), (f"{part}-labels-idx1-ubyte", labels)):
                header = struct.pack(">BBBB", 0, 0, 8, array.ndim) + struct.pack(f">{array.ndim}I", *array.shape)
                (self.data / name).write_bytes(header + array.tobytes())

    def arguments(self, folder, how, resume):
        """The process's arguments."""
        again = ["--resume"] if resume else ["--data", self.data, "--net", "mlp", "--epochs", "12", "--batch-size", "8",
                                             "--workers", how["workers"], *["--hybridize"] * how["hybridize"]]
        # A run that was interrupted before its first checkpoint begins anew, with the options that it had.
        if resume and not list(folder.glob("*.checkpoint")):
            return self.arguments(folder, how, False)
        return ["-m", "minigluon", "train", "--out", folder, *again]

    def result(self, folder, out):
        """What must be the same."""
        return {"parameters": hashlib.sha256((folder / "mlp.params").read_bytes()).hexdigest()[:16],
                "learning curve": hashlib.sha256((folder / "learning-curve.png").read_bytes()).hexdigest()[:16]}


class Program:
    """An Estimator with everything that random numbers decide: tests/helpers/resumed_training.py."""

    begins, ends = "begins", "parameters"

    def __init__(self, folder):
        pass

    def arguments(self, folder, how, resume):
        """The process's arguments."""
        return ["-m", "helpers.resumed_training", folder, how["workers"], how["hybridize"], int(resume)]

    def result(self, folder, out):
        """What must be the same."""
        return json.loads(out.splitlines()[-1])


def run(kind, folder, how, resume, presses=(), anywhere=False):
    """(exit code, output, errors, seconds of training) of a process that is sent SIGINT after so many seconds each."""
    process = subprocess.Popen([sys.executable, *map(str, kind.arguments(folder, how, resume))], env=ENVIRONMENT,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                               start_new_session=True,
                               preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler))
    lines = []
    while not anywhere and (line := process.stdout.readline()):
        lines.append(line)
        if kind.begins in line:
            break
    start = time.perf_counter()
    for wait in presses:
        time.sleep(wait)
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGINT)       # as a terminal does: the loader's workers get it, too
    seconds = 0
    while not presses and (line := process.stdout.readline()):
        lines.append(line)
        if kind.ends in line:
            seconds = time.perf_counter() - start
    out, err = process.communicate(timeout=300)
    return process.returncode, "".join(lines) + out, err, seconds


def drawn_presses(draw, seconds):
    """Waits before SIGINT: one, or a few that come quickly."""
    more = draw.choice([0, 0, 1, 2])
    return [draw.uniform(0, seconds), *(draw.choice([0.0005, 0.003, 0.02]) for _ in range(more))]


def one_case(kind, folder, draw, expected):
    """(how it was, what went wrong or None)."""
    how = {"workers": draw.choice([0, 0, 2]), "hybridize": draw.choice([0, 1])}
    wanted, seconds = expected[tuple(how.values())]
    resume, told = False, []
    for _ in range(draw.choice([1, 1, 2, 3])):
        anywhere = draw.random() < 0.2
        presses = drawn_presses(draw, seconds + (2 if anywhere else 0))
        code, out, err, _ = run(kind, folder, how, resume, presses, anywhere)
        places = sorted(path.name.removesuffix(".checkpoint") for path in folder.glob("*.checkpoint"))
        told.append(f"{len(presses)} x SIGINT -> {code}, {places[-1] if places else 'no checkpoint'}")
        if code == 0:           # it was over before
            return how, told, None if kind.result(folder, out) == wanted else "differs though it was not interrupted"
        # While Python imports and when it ends, Ctrl-C is its own; a program of one's own ends when `fit` has raised.
        ends = isinstance(kind, Program) or anywhere or places[-1].startswith("epoch0012")
        starts = anywhere and "KeyboardInterrupt" in err and not places
        if code != 130 and not (code == -signal.SIGINT and ends) and not (code == 1 and starts):
            return how, told, f"ended with {code}: {err[-1500:]}"
        resume = True
    code, out, err, _ = run(kind, folder, how, True)
    if code != 0:
        return how, told, f"the resumed run ended with {code}: {err[-1500:]}"
    found = kind.result(folder, out)
    differs = [name for name in wanted if found[name] != wanted[name]]
    return how, told, f"these differ: {', '.join(differs)}" if differs else None


def main():
    """Run the cases, and print what differs."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--count", type=int, default=50)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", choices=["command", "program"])
    parser.add_argument("--again", type=int, nargs="+", metavar="CASE", help="these cases alone")
    args = parser.parse_args()
    failures = 0
    for name, cls in (("command", Command), ("program", Program)):
        if args.only in (None, name):
            with tempfile.TemporaryDirectory() as top:
                failures += cases(name, cls(pathlib.Path(top)), pathlib.Path(top), args)
    return bool(failures)


def cases(name, kind, top, args):
    """The cases of one kind. Returns how many failed."""
    expected = {}
    for workers in (0, 2):
        for hybridize in (0, 1):
            folder = top / f"undisturbed{workers}{hybridize}"
            folder.mkdir()
            code, out, err, seconds = run(kind, folder, {"workers": workers, "hybridize": hybridize}, False)
            if code != 0:
                raise SystemExit(err)
            expected[workers, hybridize] = kind.result(folder, out), seconds
            print(f"{name}: undisturbed, {workers} workers, hybridize={hybridize}: {seconds:.1f} s", flush=True)
    failed = 0
    numbers = args.again or range(args.count)
    for number in numbers:
        folder = top / f"case{number}"
        folder.mkdir()
        how, told, problem = one_case(kind, folder, random.Random(1000 * args.seed + number), expected)
        failed += problem is not None
        print(f"{name} {number}: {how['workers']} workers, hybridize={how['hybridize']}; {'; '.join(told)}: "
              f"{problem or 'the same'}", flush=True)
    print(f"{name}: {len(numbers) - failed} of {len(numbers)} the same, bit for bit", flush=True)
    return failed


if __name__ == "__main__":
    sys.exit(main())
