"""One command for a machine with a real card and no network: build, test, check with compute-sanitizer, measure.

    python tests/tools/gpu_suite.py OUT [--only build tests bench ...] [--packages FOLDER] [--budget 540]
    python tests/tools/gpu_suite.py OUT --emulate          the same without a card, to know that this script works

The parts, in this order; a part that fails or takes too long does not stop the others:

    packages    pip installs what is missing (NumPy, Cython, pytest, PyCUDA, NVRTC ...) from wheels and sources in
                FOLDER into OUT/site; this Python's own packages come first
    build       minigluon_accel in place, for this processor's instruction set
    info        minigluon info, and what the driver says of the card
    smoke       a sum and a training step on mx.gpu(): which of the two prints says more than a hundred failed tests
    tests       pytest tests/gpu
    memcheck    compute-sanitizer over a few tests of kernels, if that program is here: addresses
    racecheck   the same: races in shared memory
    bench       benchmarks/gpu.py

OUT/summary.json and OUT/summary.md say how each part ended, and OUT/PART.txt has what it printed. Ends with 1 if a part
failed. All in all it takes --budget seconds; what is left of it is shared out among the parts that have not run.
"""

import argparse
import contextlib
import importlib.util
import json
import os
import pathlib
import platform
import shlex
import shutil
import signal
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
ACCEL = ROOT / "minigluon_accel"
PARTS = ["packages", "build", "info", "smoke", "tests", "memcheck", "racecheck", "bench"]
SHARES = {"packages": 1, "build": 3, "info": 1, "smoke": 1.5, "tests": 6, "memcheck": 2, "racecheck": 2, "bench": 6}

GRACE = 15              # seconds that an interrupted part has to come to its end

# module -> the distribution that has it
NEEDED = {"numpy": "numpy", "Cython": "Cython", "setuptools": "setuptools", "pytest": "pytest",
          "hypothesis": "hypothesis", "rich": "rich", "pycuda": "pycuda", "nvidia.cuda_nvrtc": "nvidia-cuda-nvrtc"}
# Few tests that launch every kind of kernel: under the sanitizer each takes many times as long.
SANITIZED = ["tests/gpu/test_gpu_agreement.py", "-k", "sanitized"]
SMOKE = """
import minigluon as mx
from minigluon import autograd, gluon, nd
print(mx.num_gpus() if hasattr(mx, "num_gpus") else mx.context.num_gpus(), "GPU")
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
    environment = environment_for(args)
    end, results = time.monotonic() + args.budget, []
    for number, part in enumerate(args.only):
        left = end - time.monotonic()
        seconds = left * SHARES[part] / sum(SHARES[name] for name in args.only[number:])
        results.append(run_part(part, args, environment, max(seconds, 5)))
        write_summary(args, results)
    return int(any(result["ended"] not in ("well", "left out") for result in results))


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("out", type=pathlib.Path, metavar="OUT")
    parser.add_argument("--only", nargs="+", choices=PARTS, default=PARTS, metavar="PART")
    parser.add_argument("--packages", type=pathlib.Path, metavar="FOLDER", help="wheels and sources for pip")
    parser.add_argument("--budget", type=float, default=540, help="seconds for all parts (default: %(default)s)")
    parser.add_argument("--emulate", action="store_true", help="without a card; benchmarks with --quick")
    parser.add_argument("--tests", default="tests/gpu", help="what pytest is told to run (default: %(default)s)")
    return parser.parse_args()


def environment_for(args):
    """The environment of all parts: the checkout's packages, and those that are installed into OUT/site."""
    path = [ROOT, ACCEL, args.out / "site"]
    cuda = [folder for folder in ("/usr/local/cuda/bin",) if pathlib.Path(folder).is_dir()]
    return {**os.environ, "PYTHONPATH": os.pathsep.join([*map(str, path), os.environ.get("PYTHONPATH", "")]),
            "PATH": os.pathsep.join([os.environ.get("PATH", ""), *cuda]), "PYTHONUNBUFFERED": "1",
            "MINIGLUON_GPU": "emulate" if args.emulate else "real",
            "MINIGLUON_CACHE": os.environ.get("MINIGLUON_CACHE", str(args.out / "cache"))}


# -- the parts --------------------------------------------------------------------------------------------------------


def commands_of(part, args, environment):
    """The commands of a part, or a text: why it is left out."""
    python = sys.executable
    if part == "packages":
        missing = [name for module, name in NEEDED.items() if not importable(module, args)]
        if args.emulate and "nvidia-cuda-nvrtc" in missing:
            missing.remove("nvidia-cuda-nvrtc")
        if not missing or args.packages is None:
            return f"missing: {', '.join(missing) or 'nothing'}" + ("" if args.packages else "; no --packages FOLDER")
        return [[python, "-m", "pip", "install", "-q", "--no-index", "--find-links", str(args.packages), "--target",
                 str(args.out / "site"), name] for name in missing]
    if part == "build":
        return [[python, "-W", "ignore", "setup.py", "-q", "egg_info", "build_ext", "--inplace"]]
    if part == "info":
        card = [["nvidia-smi"]] if shutil.which("nvidia-smi") and not args.emulate else []
        return [*card, [python, "-m", "minigluon", "info"]]
    if part == "smoke":
        return [[python, "-W", "error", "-c", SMOKE]]
    if part == "tests":
        workers = ["-n", str(min(os.cpu_count(), 8))] if importable("xdist", args) else []
        return [[python, "-m", "pytest", "-q", "--tb=short", "--durations=15", "-p", "no:cacheprovider", *workers,
                 *shlex.split(args.tests)]]
    if part == "bench":
        quick = ["--quick", "--nets", "mlp", "--precisions", "float32"] if args.emulate else []
        return [[python, "benchmarks/gpu.py", str(args.out), *quick]]
    sanitizer = shutil.which("compute-sanitizer", path=environment["PATH"])
    if sanitizer is None or args.emulate:
        return "compute-sanitizer is not here" if sanitizer is None else "compute-sanitizer needs a card"
    return [[sanitizer, "--tool", part, "--error-exitcode", "9", "--print-limit", "20", python, "-m", "pytest", "-q",
             "-p", "no:cacheprovider", *SANITIZED]]


def importable(module, args):
    """Can the parts import it?"""
    sys.path[:0] = [str(args.out / "site")]
    try:
        return importlib.util.find_spec(module) is not None
    except ModuleNotFoundError:         # the package that it would be in
        return False
    finally:
        del sys.path[0]


def run_part(part, args, environment, seconds):
    """{"part", "ended": "well", "failed", "too late" or "left out", "seconds", "code", "tail"}."""
    start, result = time.monotonic(), {"part": part, "ended": "well", "code": 0}
    commands, log = commands_of(part, args, environment), args.out / f"{part}.txt"
    with open(log, "w", encoding="utf-8") as file:
        if isinstance(commands, str):
            file.write(commands + "\n")
            result["ended"], commands = "left out", []
        more = {"MINIGLUON_ACCEL_ISA": isa()} if part == "build" else {}
        if part in ("memcheck", "racecheck"):
            more["MINIGLUON_GPU_GRAPHS"] = "0"          # so that the sanitizer sees each launch
        for command in commands:
            file.write(f"$ {' '.join(command)}\n"[:2000])
            file.flush()
            left = seconds - (time.monotonic() - start)
            code = finished(command, ACCEL if part == "build" else ROOT, {**environment, **more}, file,
                            max(left - GRACE, left / 2, 1))
            if code != 0:
                result["ended"], result["code"] = ("too late" if code is None else "failed"), code
                break
    result["seconds"] = round(time.monotonic() - start, 1)
    result["tail"] = log.read_text(encoding="utf-8", errors="replace").splitlines()[-5:]
    print(f"{part:10} {result['ended']:8} {result['seconds']:6} s  {(result['tail'] or [''])[-1][:100]}", flush=True)
    return result


def finished(command, folder, environment, file, seconds):
    """The exit status of a command, or None: it took too long and was ended, with all that it had started."""
    try:
        process = subprocess.Popen(command, cwd=folder, env=environment, stdout=file, stderr=subprocess.STDOUT,
                                   start_new_session=True)
    except OSError as error:
        file.write(f"{error}\n")
        return 127
    try:
        return process.wait(seconds)
    except subprocess.TimeoutExpired:
        os.kill(process.pid, signal.SIGINT)         # pytest then tells of the failures that it had
    try:
        process.wait(GRACE)
    except subprocess.TimeoutExpired:
        pass
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    return None


def isa():
    """The best instruction set of this processor that minigluon_accel is built for: one is built faster than three."""
    try:
        flags = set(pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8").split())
    except OSError:
        return "baseline"
    return "avx512" if {"avx512f", "avx512vl", "avx512dq", "avx512bw"} <= flags else (
        "avx2" if {"avx2", "fma", "f16c", "bmi2"} <= flags else "baseline")


def write_summary(args, results):
    facts = {"date": time.strftime("%Y-%m-%dT%H:%M:%S%z"), "emulated": args.emulate,
             "python": platform.python_version(), "processor": platform.machine(), "cores": os.cpu_count()}
    (args.out / "summary.json").write_text(json.dumps({**facts, "parts": results}, indent=1) + "\n", encoding="utf-8")
    lines = [", ".join(f"{name} {value}" for name, value in facts.items()), "",
             "| part | ended | seconds | last line |", "|---|---|---|---|"]
    lines += [f"| {r['part']} | {r['ended']} | {r['seconds']} | {(r['tail'] or [''])[-1][:150]} |" for r in results]
    (args.out / "summary.md").write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
