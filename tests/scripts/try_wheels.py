"""Install wheels in a new environment where no compiler is found, train there, and print how long each step took.

    .ci/build_wheels FOLDER && python tests/scripts/try_wheels.py FOLDER/dist

pip may take nothing but wheels (`--only-binary :all:`), and PATH has the environment's own programs and no others, so
that nothing can be compiled. NumPy and matplotlib come from where pip takes its packages.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
import venv
from pathlib import Path

COMPILERS = ("cc", "gcc", "g++", "clang", "c++", "nvcc", "cl")


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("dist", type=Path, help="folder with the two wheels")
    parser.add_argument("--epochs", type=int, default=1, help="of the training (default: %(default)s)")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        started = time.monotonic()
        timed("python -m venv", lambda: venv.create(place / "venv", with_pip=True))
        programs = place / "venv" / ("Scripts" if os.name == "nt" else "bin")
        found = [name for name in COMPILERS if shutil.which(name, path=str(programs))]
        if found:
            sys.exit(f"the environment has {', '.join(found)}")
        run = runner(place, programs)
        install = ["pip", "install", "--quiet", "--only-binary", ":all:", "--find-links", options.dist.resolve(),
                   "minigluon[demo]", "minigluon-accel"]
        timed("pip install", lambda: run(*install))
        kernels = run("python", "-c", "import minigluon_accel.engine as e; print(e.__file__)")
        print(f"kernels: {Path(kernels.strip()).name}")
        trained = timed("minigluon train", lambda: run("minigluon", "train", "--epochs", str(options.epochs)))
        print(trained.strip().splitlines()[-1])
        print(f"from nothing to the end of epoch {options.epochs}: {time.monotonic() - started:.1f} s")


def runner(place, programs):
    """A function that runs a program of the environment with nothing else on PATH, and returns what it prints."""
    environment = {"PATH": str(programs), "HOME": str(place), "MINIGLUON_CACHE": str(place / "cache")}
    environment |= {name: value for name, value in os.environ.items() if name.startswith(("PIP_", "SYSTEMROOT"))}

    def run(*command):
        done = subprocess.run([str(programs / command[0]), *map(str, command[1:])], env=environment, cwd=place,
                              text=True, capture_output=True)
        if done.returncode:
            sys.exit(f"{' '.join(map(str, command))} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
        return done.stdout
    return run


def timed(name, call):
    started = time.monotonic()
    result = call()
    print(f"{name}: {time.monotonic() - started:.1f} s")
    return result


if __name__ == "__main__":
    main()
