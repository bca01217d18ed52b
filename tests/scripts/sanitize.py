"""Build minigluon_accel with AddressSanitizer and UBSan in a folder of its own, and run something with it.

    python tests/scripts/sanitize.py                                  # all tests in tests/accel
    python tests/scripts/sanitize.py tests/ops -k hostile             # arguments of pytest
    python tests/scripts/sanitize.py --isas tests/campaign operators --minutes 10 --folder /tmp/found

A first argument `tests/campaign` runs the campaign. --isas runs it all once for each instruction set that the machine
has; the campaign's folder then has a folder for each. --build FOLDER keeps what is compiled, for the next time.
MINIGLUON_ACCEL_BUILD=avx2 builds that instruction set alone; otherwise all are built.
"""

import argparse
import os
import pathlib
import shlex
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).parents[2]
FLAGS = ["-fsanitize=address,undefined", "-fno-sanitize=alignment", "-fno-sanitize-recover=undefined",
         "-fno-omit-frame-pointer", "-g1", "-O1"]


def build(folder):
    """The plugin's sources in a folder, compiled there; returns the path for PYTHONPATH."""
    plugin = folder / "minigluon_accel"
    shutil.copytree(ROOT / "minigluon_accel", plugin, dirs_exist_ok=True, ignore=shutil.ignore_patterns(
        "build", "*.so", "engine.c", "__pycache__", "*.egg-info"))
    # Python itself does not know the sanitizer's functions: they come with LD_PRELOAD when the engine is loaded.
    subprocess.run([sys.executable, "-W", "ignore", "setup.py", "-q", "egg_info", "build_ext", "--inplace"], cwd=plugin,
                   check=True, env={"MINIGLUON_ACCEL_BUILD": "all", **os.environ,
                                    "MINIGLUON_ACCEL_CFLAGS": " ".join(FLAGS)})
    return plugin


def library(name):
    """The full path of a library of the compiler's."""
    compiler = shlex.split(os.environ.get("CC", "gcc"))
    found = subprocess.run([*compiler, f"-print-file-name={name}"], capture_output=True, text=True, check=True)
    return str(pathlib.Path(found.stdout.strip()).resolve())


def environment(plugin):
    """That of a process which loads the plugin built there."""
    return {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), str(plugin)]),
            "LD_PRELOAD": f"{library('libasan.so')} {library('libstdc++.so.6')}",
            # Python keeps memory until its end, and tests ask for more than there is.
            "ASAN_OPTIONS": "detect_leaks=0:allocator_may_return_null=1:abort_on_error=1",
            "UBSAN_OPTIONS": "print_stacktrace=1", "PYTHONMALLOC": "malloc"}


def instruction_sets(variables):
    """Those that are built and that this processor has, the simplest first."""
    code = ("from minigluon_accel import engine\n"
            "print(*[name for name, (built, has) in engine.isas().items() if built and has])")
    return subprocess.run([sys.executable, "-c", code], env=variables, capture_output=True, text=True,
                          check=True).stdout.split()


def command(arguments, isa):
    """What runs with these arguments: the campaign, or pytest."""
    if arguments[:1] == ["tests/campaign"]:
        folder = argparse.ArgumentParser(add_help=False)
        folder.add_argument("--folder", default=".campaign")
        known, rest = folder.parse_known_args(arguments)
        return [sys.executable, *rest, "--folder", str(pathlib.Path(known.folder) / isa)]
    # Tests that start other processes limit their memory, which the sanitizer's shadow does not fit in.
    chosen = arguments or ["-k", "not no_memory and not leave_nothing and not fork and not loader", "tests/accel"]
    return [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *chosen]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--isas", action="store_true")
    parser.add_argument("--build", type=pathlib.Path)
    options, arguments = parser.parse_known_args()
    with tempfile.TemporaryDirectory() as folder:
        variables = environment(build(options.build or pathlib.Path(folder)))
        status = 0
        for isa in instruction_sets(variables) if options.isas else [os.environ.get("MINIGLUON_ACCEL_ISA", "")]:
            print(isa, flush=True, end="\n" if isa else "")
            status |= subprocess.run(command(arguments, isa), cwd=ROOT,
                                     env={**variables, "MINIGLUON_ACCEL_ISA": isa}).returncode
    return status


if __name__ == "__main__":
    sys.exit(main())
