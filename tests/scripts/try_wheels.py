"""Install wheels in new environments where no compiler is found, train there, and print how long each step took.

    .ci/build_wheels FOLDER && python tests/scripts/try_wheels.py FOLDER/dist
    python tests/scripts/try_wheels.py FOLDER/dist --python python3.10 --python python3.13        # prints a table

pip may take nothing but wheels (`--only-binary :all:`), and PATH has the environment's own programs and no others, so
that nothing can be compiled. NumPy and matplotlib come from where pip takes its packages. With --python, each Python is
tried with the oldest NumPy that minigluon allows and that has a wheel for it, and with the newest.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

COMPILERS = ("cc", "gcc", "g++", "clang", "c++", "nvcc", "cl")
OLDEST = {"3.10": "1.26.0", "3.11": "1.26.0", "3.12": "1.26.0"}       # setup.cfg: numpy>=1.26
FIRST_FOR_NEWER = {"3.13": "2.1.0", "3.14": "2.3.2", "3.15": "2.5.5"}
SMOKE = Path(__file__).with_name("smoke.py")


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("dist", type=Path, help="folder with the wheels")
    parser.add_argument("--epochs", type=int, default=1, help="of the training (default: %(default)s)")
    parser.add_argument("--python", action="append", metavar="PYTHON", help="an interpreter to try; may be repeated")
    options = parser.parse_args()
    if not options.python:
        try_one(options.dist.resolve(), sys.executable, options.epochs)
        return
    print("| Python | NumPy | pip install | smoke test | `minigluon train`, epoch 1 |", flush=True)
    print("|---|---|---|---|---|", flush=True)
    for python in options.python:
        for numpy in numpys_for(python):
            print(row(options.dist.resolve(), python, numpy), flush=True)


def numpys_for(python):
    """The oldest NumPy for an interpreter, and '' for the newest."""
    version = said(python, "-c", "import sys; print('%d.%d' % sys.version_info[:2])")
    return (OLDEST | FIRST_FOR_NEWER)[version], ""


def said(*command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout.strip()


def row(dist, python, numpy):
    """A row of the table: versions, seconds, and what the smoke test and the training said."""
    with tempfile.TemporaryDirectory() as folder:
        run = environment(Path(folder), python)
        wanted = ["minigluon[demo]", "minigluon-accel", f"numpy=={numpy}" if numpy else "numpy"]
        install, _ = timed(lambda: run("pip", "install", "--quiet", "--only-binary", ":all:", "--find-links", dist,
                                       *wanted))
        versions = run("python", "-c", "import sys, numpy; print(sys.version.split()[0], numpy.__version__)").split()
        smoke = run("python", "-W", "error", SMOKE).strip().splitlines()[-1]
        train, printed = timed(lambda: run("minigluon", "train", "--epochs", "1"))
        accuracy = re.findall(r"test accuracy ([\d.]+%)", printed)[-1]
        return f"| {versions[0]} | {versions[1]} | {install:.0f} s | {smoke} | {train:.0f} s, {accuracy} |"


def try_one(dist, python, epochs):
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        started = time.monotonic()
        took, run = timed(lambda: environment(place, python))
        print(f"python -m venv: {took:.1f} s")
        took, _ = timed(lambda: run("pip", "install", "--quiet", "--only-binary", ":all:", "--find-links", dist,
                                    "minigluon[demo]", "minigluon-accel"))
        print(f"pip install: {took:.1f} s")
        kernels = run("python", "-c", "import minigluon_accel.engine as e; print(e.__file__)")
        print(f"kernels: {Path(kernels.strip()).name}")
        took, trained = timed(lambda: run("minigluon", "train", "--epochs", str(epochs)))
        print(f"minigluon train: {took:.1f} s")
        print(trained.strip().splitlines()[-1])
        print(f"from nothing to the end of epoch {epochs}: {time.monotonic() - started:.1f} s")


def environment(place, python):
    """A new virtual environment; returns a function that runs a program of it with nothing else on PATH, and returns
    what it prints."""
    said(python, "-m", "venv", place / "venv")
    programs = place / "venv" / ("Scripts" if os.name == "nt" else "bin")
    found = [name for name in COMPILERS if shutil.which(name, path=str(programs))]
    if found:
        sys.exit(f"the environment has {', '.join(found)}")
    variables = {"PATH": str(programs), "HOME": str(place), "MINIGLUON_CACHE": str(place / "cache")}
    variables |= {name: value for name, value in os.environ.items() if name.startswith(("PIP_", "SYSTEMROOT"))}

    def run(*command):
        done = subprocess.run([str(programs / command[0]), *map(str, command[1:])], env=variables, cwd=place,
                              text=True, capture_output=True)
        if done.returncode:
            sys.exit(f"{' '.join(map(str, command))} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
        return done.stdout
    return run


def timed(call):
    """(seconds, what the call returns)."""
    started = time.monotonic()
    result = call()
    return time.monotonic() - started, result


if __name__ == "__main__":
    main()
