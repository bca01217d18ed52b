"""Build minigluon_accel with AddressSanitizer and UBSan in a folder of its own, and run the tests of its kernels there.

    python tests/tools/sanitize.py [arguments of pytest]

Without arguments: all tests in tests/accel. MINIGLUON_ACCEL_ISA=avx2 builds that instruction set alone.
"""

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
    shutil.copytree(ROOT / "minigluon_accel", plugin, ignore=shutil.ignore_patterns("build", "*.so", "engine.c",
                                                                                    "__pycache__", "*.egg-info"))
    # Python itself does not know the sanitizer's functions: they come with LD_PRELOAD when the engine is loaded.
    subprocess.run([sys.executable, "-W", "ignore", "setup.py", "-q", "egg_info", "build_ext", "--inplace"], cwd=plugin,
                   check=True, env={**os.environ, "MINIGLUON_ACCEL_CFLAGS": " ".join(FLAGS)})
    return plugin


def library(name):
    """The full path of a library of the compiler's."""
    compiler = shlex.split(os.environ.get("CC", "gcc"))
    found = subprocess.run([*compiler, f"-print-file-name={name}"], capture_output=True, text=True, check=True)
    return str(pathlib.Path(found.stdout.strip()).resolve())


def main(arguments):
    with tempfile.TemporaryDirectory() as folder:
        plugin = build(pathlib.Path(folder))
        environment = {
            **os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), str(plugin)]),
            "LD_PRELOAD": f"{library('libasan.so')} {library('libstdc++.so.6')}",
            # Python keeps memory until its end, and tests ask for more than there is.
            "ASAN_OPTIONS": "detect_leaks=0:allocator_may_return_null=1:abort_on_error=1",
            "UBSAN_OPTIONS": "print_stacktrace=1", "PYTHONMALLOC": "malloc", "CI": "1"}
        # Tests that start other processes limit their memory, which the sanitizer's shadow does not fit in.
        chosen = arguments or [
            "-k", "not no_memory and not leave_nothing and not fork and not loader", "tests/accel"]
        done = subprocess.run([sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *chosen], cwd=ROOT,
                              env=environment)
    return done.returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
