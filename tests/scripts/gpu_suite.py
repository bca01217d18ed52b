"""The tests of the GPU and its benchmark on a machine with a card, in pieces, each of which leaves a whole result.

    python tests/scripts/gpu_suite.py OUT                     a piece: at most nine minutes; the same again goes on
    python tests/scripts/gpu_suite.py OUT --again             tests that have failed once more
    python tests/scripts/gpu_suite.py OUT --emulate           without a card, to know that this script works

A result is kept in OUT/results.jsonl when its test has ended, and what is there does not run again: a piece may be
interrupted at any moment. In this order:

    info        minigluon info, and what the driver says of the card
    smoke       a sum and a training step: which of the two prints says more than a hundred failed tests
    tests       the files of tests/gpu, several at a time, the essential ones first
    memcheck, racecheck, initcheck, synccheck    compute-sanitizer's tools, if it is there, on operators of each family
    bench       benchmarks/gpu.py
    operators   benchmarks/gpu_operators.py

Each file has a process of its own. Where one crashes, hangs, or loses its device to an error in a kernel, that is the
result of the test that ran, and a new process goes on with the next. OUT/summary.md has all results in short, and
OUT/log.txt what the processes said. Ends with 0 where all went well, 1 where something failed, 3 where there is more to
do.
"""

import argparse
import importlib.util
import os
import pathlib
import platform
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
ACCEL = ROOT / "minigluon_accel"
sys.path.append(str(ROOT))              # where minigluon is not installed

from gpu_summary import summary  # noqa: E402
from gpu_units import Piece, Unit, kill, run_units  # noqa: E402

from minigluon.tools.bench import journal  # noqa: E402

PARTS = ["info", "smoke", "tests", "memcheck", "racecheck", "initcheck", "synccheck", "bench", "operators"]
SANITIZERS = PARTS[3:7]
FIRST = ["matrix", "convolution", "graphs", "programs", "reduce", "matrix_cublas"]     # cublas: tensor cores, too
LAST = ["agreement"]
SHARES = {"tests/gpu/test_gpu_agreement.py": 8}         # a file that is long: so many processes run parts of it
SANITIZED = ["tests/gpu/test_gpu_agreement.py", "-k", "sanitized"]      # few: each takes many times as long there
DONE, FAILED, MORE = 0, 1, 3
NEEDED = ["pycuda", "pytest", "hypothesis"]
SMOKE = """
import minigluon as mx
from minigluon import autograd, gluon, nd
print((nd.ones((3, 4), ctx=mx.gpu()) + 1).sum().asscalar())
net = gluon.nn.Dense(3)
net.initialize(ctx=mx.gpu())
trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.1})
for hybridized in False, True:
    net.hybridize(hybridized)
    for _ in range(3):
        with autograd.record():
            loss = (net(nd.ones((2, 5), ctx=mx.gpu())) ** 2).sum()
        loss.backward()
        trainer.step(2)
        print(loss.asscalar())
"""


def main():
    args = arguments()
    args.out = args.out.resolve()
    args.out.mkdir(parents=True, exist_ok=True)
    piece = Piece(args.out / "results.jsonl", args.out / "log.txt", time.monotonic() + args.seconds, args.patience,
                  args.again, environment_for(args), args.sources and str(args.sources.resolve()))
    journal.mend(piece.journal)
    journal.add(piece.journal, {"piece": {"date": time.strftime("%Y-%m-%dT%H:%M:%S%z"), "emulated": args.emulate,
                                          "python": platform.python_version(), "cores": os.cpu_count(),
                                          "seconds": args.seconds}})
    text, failed, done, there = "", False, [], images()
    for number, part in enumerate(args.only, 1):
        done.append(run_part(part, args, piece))
        complete = all(done) and number == len(args.only)
        text, failed = summary(journal.rows(piece.journal), complete)
        (args.out / "summary.md").write_text(text, encoding="utf-8")
    print(text)
    print(f"{len(there)} compiled kernels were there, {len(images() - there)} are new")
    return FAILED if failed else DONE if all(done) else MORE


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("out", type=pathlib.Path, metavar="OUT")
    parser.add_argument("--only", nargs="+", choices=PARTS, default=PARTS, metavar="PART", help=", ".join(PARTS))
    parser.add_argument("--files", nargs="+", metavar="FILE", help="of tests, instead of those in tests/gpu")
    parser.add_argument("--seconds", type=float, default=530, help="for this piece (default: %(default)s)")
    parser.add_argument("--patience", type=float, default=150, help="seconds for one test (default: %(default)s)")
    parser.add_argument("--workers", type=int, default=max(1, min(8, (os.cpu_count() or 1) // 2)),
                        help="files at a time (default here: %(default)s)")
    parser.add_argument("--again", action="store_true", help="run again what has failed")
    parser.add_argument("--emulate", action="store_true", help="without a card; benchmarks with --quick")
    parser.add_argument("--sources", type=pathlib.Path, metavar="FOLDER", help="write down the kernels' sources there")
    parser.add_argument("--bench", nargs=argparse.REMAINDER, default=[], help="what follows is for benchmarks/gpu.py")
    return parser.parse_args()


def images():
    """Names of the compiled kernels in the cache folder, where MINIGLUON_CACHE says which it is."""
    folder = os.environ.get("MINIGLUON_CACHE")
    return {path.name for path in pathlib.Path(folder, "kernels").glob("*.image")} if folder else set()


def environment_for(args):
    """The environment of all processes. Where the packages are not installed they are those of the checkout."""
    missing = [name for name in NEEDED if importlib.util.find_spec(name) is None]
    more = [str(ROOT / "tests" / "scripts")]
    found = importlib.util.find_spec("minigluon_accel")         # a folder of the checkout, or the package
    if found is None or found.origin is None:
        more += [str(ROOT), str(ACCEL)]
        missing += [] if list((ACCEL / "minigluon_accel").glob("engine*.so")) else ["minigluon_accel"]
    if missing:
        sys.exit(f"gpu_suite.py: {', '.join(missing)} cannot be imported. In {ROOT}: pip install '.[test]' "
                 "./minigluon_accel && python -m minigluon_accel.gpu.install")
    return {**os.environ, "PYTHONPATH": os.pathsep.join([*more, *filter(None, [os.environ.get("PYTHONPATH")])]),
            "PYTHONUNBUFFERED": "1", "OPENBLAS_NUM_THREADS": "1", "MINIGLUON_GPU_REQUIRED": "1",
            "PYTEST_ADDOPTS": "",           # such as those that ask for several processes
            "MINIGLUON_GPU": "emulate" if args.emulate else "real"}


# -- the parts --------------------------------------------------------------------------------------------------------


def run_part(part, args, piece):
    """Do what is left of a part. Is it complete?"""
    if piece.left() <= 0:
        return False
    if part in ("info", "smoke"):
        return run_step(part, piece, commands_of(part, args))
    if part in ("bench", "operators"):
        quick = ["--quick"] if args.emulate else []
        command = {"bench": ["benchmarks/gpu.py", str(args.out), *quick, *args.bench],
                   "operators": ["benchmarks/gpu_operators.py", str(args.out / "operators.jsonl"), *quick]}[part]
        return measured(part, command, piece)
    if part == "tests":
        return run_units(units_of(args), args.workers, piece)
    program = shutil.which("compute-sanitizer", path=os.pathsep.join([piece.environment.get("PATH", ""),
                                                                      "/usr/local/cuda/bin"]))
    if program is None or args.emulate:
        why = "it needs a card" if args.emulate else "it is not here"
        return left_out(part, piece, f"compute-sanitizer: {why}")
    command = [program, "--tool", part, "--error-exitcode", "9", "--print-limit", "20"]
    unit = Unit(SANITIZED[0], more=tuple(SANITIZED[1:]), tool=part, command=tuple(command))
    return run_units([unit], 1, piece)


def commands_of(part, args):
    python = sys.executable
    if part == "smoke":
        return [[python, "-W", "error", "-c", SMOKE]]
    card = [["nvidia-smi"]] if shutil.which("nvidia-smi") and not args.emulate else []
    return [*card, [python, "-m", "minigluon", "info"]]


def name_of(file):
    """Such as matrix_cublas, of tests/gpu/nn/test_gpu_matrix_cublas.py."""
    return pathlib.PurePosixPath(file).stem.removeprefix("test_gpu_")


def units_of(args):
    """The files, in order. On a card those that test the emulator are left out."""
    files = sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / "tests" / "gpu").rglob("test_gpu_*.py"))
    places = {name: place for place, name in enumerate(FIRST)} | dict.fromkeys(LAST, len(files))
    chosen = args.files or sorted((file for file in files if "test_gpu_emulator" not in file or args.emulate),
                                  key=lambda file: places.get(name_of(file), len(FIRST)))
    return [Unit(file, part, SHARES.get(file, 1)) for file in chosen for part in range(SHARES.get(file, 1))]


def run_step(part, piece, commands):
    """Commands, one after the other, as one result."""
    if any(row.get("step") == part and row["outcome"] == "passed" for row in journal.rows(piece.journal)):
        return True
    start, said, code = time.monotonic(), [], 0
    for command in commands:
        try:
            done = subprocess.run(command, cwd=ROOT, env=piece.environment, stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, text=True, errors="replace", timeout=max(piece.left(), 1))
        except subprocess.TimeoutExpired:
            return False
        said.append(done.stdout)
        code = code or done.returncode
    keep_step(part, piece, "failed" if code else "passed", "".join(said), time.monotonic() - start)
    return True


def left_out(part, piece, why):
    if not any(row.get("step") == part for row in journal.rows(piece.journal)):
        keep_step(part, piece, "left out", why, 0)
    return True


def keep_step(part, piece, outcome, text, seconds):
    journal.add(piece.journal, {"step": part, "outcome": outcome, "seconds": round(seconds, 1), "text": text[-8000:]})
    print(f"{part}: {outcome}", flush=True)


def measured(part, command, piece):
    """A script of benchmarks/, which keeps its own rows and goes on where it was."""
    with tempfile.TemporaryFile("w+", errors="replace") as output:
        process = piece.start([sys.executable, *command, "--seconds", str(int(piece.left()))], output)
        try:
            code = process.wait(max(piece.left(), 1) + 20)
        except subprocess.TimeoutExpired:
            kill(process)
            code = MORE
        output.seek(0)
        text = output.read()
    keep_step(part, piece, {0: "passed", MORE: "interrupted"}.get(code, "failed"), text, 0)
    return code != MORE


if __name__ == "__main__":
    sys.exit(main())
