"""On a machine with a card and without a network: unpack what gpu_parcel.py made, and run gpu_suite.py with it.

    python3 tests/scripts/gpu_first_run.py PARCEL OUT [--seconds 560] [what follows is for gpu_suite.py]

Runs with Python's own modules. The Python that starts it takes part in the benchmark with its PyTorch, and lends its
NVRTC and other libraries of NVIDIA's. Results of before, which lie in PARCEL/results, are taken over into OUT; so the
same command goes on where the last one ended, on a new machine as well. OUT has at most eight files.
"""

import argparse
import os
import pathlib
import shlex
import shutil
import subprocess
import sys
import tarfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
PARTS = ["python", "site", "images"]
MODULES = "import ctypes, hashlib, lzma, bz2, ssl, sqlite3, zlib, decimal, uuid, numpy, pytest"


def main():
    started = time.monotonic()
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("parcel", type=pathlib.Path, metavar="PARCEL")
    parser.add_argument("out", type=pathlib.Path, metavar="OUT")
    parser.add_argument("--seconds", type=float, default=560, help="for all of it (default: %(default)s)")
    parser.add_argument("--work", type=pathlib.Path, default=pathlib.Path("/tmp/minigluon-card"), metavar="FOLDER",
                        help="where it is unpacked (default: %(default)s)")
    args, suite = parser.parse_known_args()
    args.work = args.work.resolve()
    args.out.mkdir(parents=True, exist_ok=True)
    for path in (args.parcel / "results").glob("*.jsonl"):
        if not (args.out / path.name).exists():
            shutil.copy2(path, args.out)
    unpack(args)
    environment = environment_for(args, "--emulate" in suite)
    program = next((args.work / "python" / "bin").glob("python3.*"))
    left = args.seconds - (time.monotonic() - started)
    print(f"unpacked in {time.monotonic() - started:.0f} s", flush=True)
    # In the place of this process, so that whoever ends this one ends the suite.
    os.execve(program, [str(program), str(ROOT / "tests" / "scripts" / "gpu_suite.py"), str(args.out.resolve()),
                        "--seconds", str(int(left)), *suite], environment)


def unpack(args):
    """Archives into the working folder, each once."""
    args.work.mkdir(parents=True, exist_ok=True)
    for name in PARTS:
        path, mark = args.parcel / f"{name}.tar.xz", args.work / f"{name}.unpacked"
        if path.exists() and not mark.exists():
            with tarfile.open(path) as archive:
                archive.extractall(args.work)
            mark.touch()


def environment_for(args, emulated):
    """The variables with which the carried Python finds what was carried, and what this Python has of NVIDIA's."""
    site, folder = args.work / "site", nvidia_folder()
    if folder is not None and not (site / "nvidia").exists():
        (site / "nvidia").symlink_to(folder)
    environment = {**os.environ, "PYTHONPATH": str(site), "MINIGLUON_CACHE": str(args.work / "images"),
                   "PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": str(args.work / "bytecode"),
                   "PATH": os.pathsep.join([os.environ.get("PATH", ""), "/usr/local/cuda/bin"])}
    environment.pop("PYTHONHOME", None)
    if not emulated and can_import("torch"):
        environment.setdefault("MINIGLUON_TORCH_PYTHON", str(torch_python(args)))
    program, own = next((args.work / "python" / "bin").glob("python3.*")), args.work / "python"
    for libraries in [own / "lib"], [own / "lib", own / "libraries"]:       # the machine's own come first
        paths = [*map(str, libraries), *filter(None, [os.environ.get("LD_LIBRARY_PATH")])]
        tried = {**environment, "LD_LIBRARY_PATH": os.pathsep.join(paths)}
        done = subprocess.run([str(program), "-c", MODULES], env=tried, capture_output=True, text=True)
        if done.returncode == 0:
            return tried
    sys.exit(f"gpu_first_run.py: the carried Python does not run here:\n{done.stderr}")


def torch_python(args):
    """A program that starts this Python without the carried libraries."""
    program, before = args.work / "torch-python", os.environ.get("LD_LIBRARY_PATH", "")
    program.write_text(f"#!/bin/sh\nLD_LIBRARY_PATH={shlex.quote(before)} exec {shlex.quote(sys.executable)} \"$@\"\n")
    program.chmod(0o755)
    return program


def nvidia_folder():
    """The folder `nvidia` of this Python's packages, with NVRTC and the like, or None."""
    for base in map(pathlib.Path, sys.path):
        if any(base.glob("nvidia/*/lib")):
            return base / "nvidia"
    return None


def can_import(name):
    return subprocess.run([sys.executable, "-c", f"import {name}"], capture_output=True).returncode == 0


if __name__ == "__main__":
    main()
