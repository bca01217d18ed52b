"""Run the programs of docs/programs in full size, one by one, and print the time of each as Markdown.

    python benchmarks/programs.py [--data FOLDER] [--names vae dcgan ...]

A program ends with an assert that fails if it has not learned; then this script exits with 1. The times are of whole
processes, from start to end. --data: the folder with Fashion-MNIST's files, for resnet18; without it, it uses digits.
"""

import argparse
import datetime
import os
import resource
import subprocess
import sys
import time
from pathlib import Path

from minigluon.backend import backend_for
from minigluon.common import hardware as machine
from minigluon.context import cpu

FOLDER = Path(__file__).parents[1] / "docs" / "programs"
NAMES = sorted(path.stem for path in FOLDER.glob("*.py"))
PROCESSES = {"data_parallel_mpi": ["mpirun", "-n", "2"]}        # commands for programs with several processes


def run(name, arguments):
    """Return (elapsed seconds, processor seconds, exit code, last line of the output)."""
    before, begin = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    done = subprocess.run([*PROCESSES.get(name, []), sys.executable, str(FOLDER / f"{name}.py"), *arguments],
                          stdout=subprocess.PIPE, text=True)
    wall, after = time.perf_counter() - begin, resource.getrusage(resource.RUSAGE_CHILDREN)
    worked = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return wall, worked, done.returncode, (done.stdout.strip().splitlines() or [""])[-1].strip()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", metavar="FOLDER")
    parser.add_argument("--names", nargs="+", choices=NAMES, default=NAMES, metavar="NAME")
    args = parser.parse_args()
    print(f"{datetime.date.today()}, {machine.processor()}, {machine.cores()} cores, "
          f"backend {backend_for(cpu()).name}, load {os.getloadavg()[0]:.1f} before\n")
    print("| program | seconds | of processors | what it says at last |\n|---|---|---|---|")
    failed = False
    for name in args.names:
        wall, worked, code, last = run(name, ["--data", args.data] if args.data and name == "resnet18" else [])
        failed |= code != 0
        print(f"| {name} | {wall:.1f} | {worked:.1f} | {last if code == 0 else f'**ended with {code}**'} |", flush=True)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
