"""Print how many processor seconds each file of the plugin takes to compile, by instruction set.

    python tests/scripts/compile_times.py                       # as setup.py compiles it: several minutes
    python tests/scripts/compile_times.py --isa avx512 -k convolution
    python tests/scripts/compile_times.py --out times.json --jobs 2

Processor seconds are those of the compiler's processes, so other programs hardly change them. Each file parses vector.h
here, which setup.py precompiles for GCC. Needs setuptools, Cython and NumPy, and a compiler, which CC names.
"""

import argparse
import json
import os
import runpy
import shlex
import sys
import tempfile
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from unittest import mock

PLUGIN = Path(__file__).parents[2] / "minigluon_accel"


def setup_py():
    """The names of setup.py, which is run without building anything."""
    before = os.getcwd()
    os.chdir(PLUGIN)
    try:
        with mock.patch("setuptools.setup"), \
                mock.patch.dict(os.environ, {"MINIGLUON_ACCEL_BUILD": os.environ.get("MINIGLUON_ACCEL_BUILD", "all")}):
            return runpy.run_path("setup.py")
    finally:
        os.chdir(before)


def seconds_of(command):
    """Run a command in the plugin's folder; return its processor seconds."""
    pid = os.posix_spawnp(command[0], command, os.environ)
    _, status, usage = os.wait4(pid, 0)
    if status:
        sys.exit(f"{shlex.join(command)} failed")
    return usage.ru_utime + usage.ru_stime


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--isa", help="only this instruction set")
    parser.add_argument("-k", metavar="WORD", default="", help="only files with this word in their paths")
    parser.add_argument("--jobs", type=int, default=1, help="compilers at a time (default: %(default)s)")
    parser.add_argument("--out", type=Path, help="also write {object: seconds} as JSON")
    options = parser.parse_args()
    names = setup_py()
    os.chdir(PLUGIN)
    compiler = shlex.split(os.environ.get("CC", "gcc"))
    chosen = [row for row in names["compilations"]() if options.k in str(row[0])
              and options.isa in (None, row[1].partition("-")[0])]
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(options.jobs) as threads:
        commands = [[*compiler, *names["COMMON"], *flags, "-c", str(source), "-o", f"{folder}/{name}.o"]
                    for source, name, flags in chosen]
        seconds = list(threads.map(seconds_of, commands))
        sizes = [os.path.getsize(command[-1]) for command in commands]
    report(chosen, seconds, sizes)
    if options.out:
        options.out.write_text(json.dumps(dict(zip((name for _, name, _ in chosen), seconds, strict=True)), indent=1))


def report(chosen, seconds, sizes):
    """Print a row for each file, the slowest first, and sums."""
    rows, columns = defaultdict(lambda: defaultdict(float)), defaultdict(float)
    for (source, name, _), took in zip(chosen, seconds, strict=True):
        isa = name.partition("-")[0] if "-" in name else "once"
        rows[str(source)][isa] += took
        columns[isa] += took
    heads = sorted(columns)
    print(f"{'file':72}" + "".join(f"{isa:>10}" for isa in heads) + f"{'sum':>10}")
    for source, row in sorted(rows.items(), key=lambda item: -sum(item[1].values())):
        print(f"{source:72}" + "".join(f"{row[isa]:10.1f}" for isa in heads) + f"{sum(row.values()):10.1f}")
    print(f"{f'{len(chosen)} objects, {sum(sizes) / 1e6:.1f} MB':72}"
          + "".join(f"{columns[isa]:10.1f}" for isa in heads) + f"{sum(seconds):10.1f}")


if __name__ == "__main__":
    main()
