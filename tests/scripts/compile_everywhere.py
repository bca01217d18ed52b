"""Compile and link the plugin for other systems with zig's C compiler, and print what became of each file on each.

    pip install ziglang
    python tests/scripts/compile_everywhere.py                        # all targets: half an hour of processor time
    python tests/scripts/compile_everywhere.py --fast windows macos   # targets by parts of their names; not optimized

Nothing of it runs: it shows that the sources compile, with the options of setup.py, and that the engine links. A cell
says how many of a file's objects compiled (one for each instruction set and type of numbers) of how many. NumPy's
headers come from its wheel for the target, by pip. Python's are those of the Python that runs this: the configuration
for 64-bit Linux does for macOS, too, and for Windows there is one here. Python's names the linker takes as given.
"""

import argparse
import importlib.util
import os
import re
import runpy
import subprocess
import sys
import sysconfig
import tempfile
import zipfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from unittest import mock

CSRC = "minigluon_accel/csrc/"
PLUGIN = Path(__file__).parents[2] / "minigluon_accel"
# Names of a target: zig's, Python's, from which setup.py takes the instruction sets, and that of NumPy's wheel.
TARGETS = {
    "linux x86-64": ("x86_64-linux-gnu.2.28", "linux-x86_64", "manylinux_2_28_x86_64"),
    "linux arm64": ("aarch64-linux-gnu.2.28", "linux-aarch64", "manylinux_2_28_aarch64"),
    "musl x86-64": ("x86_64-linux-musl", "linux-x86_64", "musllinux_1_2_x86_64"),
    "musl arm64": ("aarch64-linux-musl", "linux-aarch64", "musllinux_1_2_aarch64"),
    "macos x86-64": ("x86_64-macos", "macosx-13.0-x86_64", "macosx_14_0_x86_64"),
    "macos arm64": ("aarch64-macos", "macosx-13.0-arm64", "macosx_14_0_arm64"),
    "windows x86-64": ("x86_64-windows-gnu", "win-amd64", "win_amd64"),
    "windows arm64": ("aarch64-windows-gnu", "win-arm64", "win_arm64"),
}
# Cython makes them.
ENGINE, LAUNCHER = "minigluon_accel/engine.c", "minigluon_accel/gpu/launcher.c"
ZIG = [sys.executable, "-m", "ziglang"]
# What Python's own headers ask about Windows; the file that Python brings there says more.
WINDOWS_CONFIGURATION = """
#define MS_WINDOWS
#define MS_WIN32
#define MS_WIN64
#define NT_THREADS
#define HAVE_DECLSPEC_DLL
#define Py_ENABLE_SHARED
#define HAVE_STDDEF_H 1
#define HAVE_SYS_TYPES_H 1
#define HAVE_SYS_STAT_H 1
#define SIZEOF_SHORT 2
#define SIZEOF_INT 4
#define SIZEOF_LONG 4
#define SIZEOF_LONG_LONG 8
#define SIZEOF_SIZE_T 8
#define SIZEOF_TIME_T 8
#define SIZEOF_VOID_P 8
#define SIZEOF_WCHAR_T 2
#define ALIGNOF_MAX_ALIGN_T 8
#define WITH_THREAD 1
"""


@dataclass
class Job:
    """One object. error: what the compiler said, or None."""
    source: str
    target: Path
    command: list
    error: str | None = None

    def run(self):
        done = subprocess.run(self.command, cwd=PLUGIN, capture_output=True, text=True)
        self.error = done.stderr if done.returncode else None


def setup_of(platform):
    """What setup.py defines where it builds for a platform."""
    variables = {"_PYTHON_HOST_PLATFORM": platform, "MINIGLUON_ACCEL_BUILD": "all"}
    with mock.patch.dict(os.environ, variables), mock.patch("setuptools.setup"):
        before = os.getcwd()
        os.chdir(PLUGIN)
        try:
            return runpy.run_path(str(PLUGIN / "setup.py"))
        finally:
            os.chdir(before)


def compiler_for(target):
    return [*ZIG, "cc", "-target", TARGETS[target][0]]


def jobs_of(target, folder, fast):
    """Everything that is compiled for a target."""
    found = setup_of(TARGETS[target][1])
    compiler = compiler_for(target)
    for source, name, options in found["compilations"]():
        yield job(compiler, [*found["COMMON"], *options], source, folder / f"{name}.o", fast)
    includes = [f"-I{found['CSRC']}", f"-I{numpy_headers(target, folder)}", f"-I{python_headers(target, folder)}"]
    for source in (ENGINE, LAUNCHER):
        yield job(compiler, ["-O2", "-fPIC", "-w", *includes], source, folder / f"{Path(source).stem}-python.o", fast)


def python_headers(target, folder):
    """A folder with Python's headers, of which one tells the configuration."""
    headers = Path(sysconfig.get_path("include"))
    if not target.startswith("windows"):
        return headers
    changed = folder / "python"
    changed.mkdir()
    for path in headers.iterdir():
        if path.name != "pyconfig.h":
            (changed / path.name).symlink_to(path)
    (changed / "pyconfig.h").write_text(WINDOWS_CONFIGURATION)
    return changed


def numpy_headers(target, folder):
    """A folder with the headers of NumPy's wheel for a target."""
    subprocess.run([sys.executable, "-m", "pip", "-q", "download", "--no-deps", "--only-binary", ":all:", "--platform",
                    TARGETS[target][2], "--dest", str(folder), "numpy"], check=True, stderr=subprocess.DEVNULL)
    with zipfile.ZipFile(next(folder.glob("numpy-*.whl"))) as wheel:
        wheel.extractall(folder, [name for name in wheel.namelist() if name.startswith("numpy/_core/include/")])
    return folder / "numpy" / "_core" / "include"


def job(compiler, options, source, target, fast):
    if fast:
        options = [*["-O0" if option.startswith("-O") else option for option in options], "-fno-sanitize=undefined"]
    return Job(str(source), target, [*compiler, *options, "-c", str(source), "-o", str(target)])


def linked(target, folder, jobs):
    """None where the engine links as a library, with a file that stands for Python; else why not.

    Linkers name some of what is missing at a time: the file gets those, as long as they are Python's own names.
    """
    missing = sum(job.error is not None for job in jobs)
    if missing:
        return f"{missing} objects are missing"
    python, names = folder / "python.c", set()
    command = [*compiler_for(target), "-shared", "-pthread", "-O1", "-o", str(folder / "engine.library"), str(python),
               *[str(job.target) for job in jobs if job.source != LAUNCHER]]
    if target.startswith(("linux", "musl")):
        command.append("-Wl,-z,defs")
    while True:
        python.write_text("".join(f"int {name};\n" for name in sorted(names)))
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode == 0:
            return None
        found = {name.removeprefix("_") if target.startswith("macos") else name
                 for name in re.findall(r"undefined symbol: (?:__declspec\(dllimport\) )?(\w+)", done.stderr)}
        if not found - names or not all(re.match("_?Py", name) for name in found):
            return done.stderr[-4000:]
        names |= found


def table(results):
    """Lines: files, and what became of each for each target."""
    files = sorted({job.source for jobs, _ in results.values() for job in jobs})
    wide = max(len(file.replace(CSRC, "")) for file in files)
    yield " ".join([f"{'file':{wide}}", *[f"{target:>14}" for target in results]])
    for file in files:
        cells = []
        for jobs, _ in results.values():
            own = [job for job in jobs if job.source == file]
            cells.append(f"{sum(job.error is None for job in own)} of {len(own)}")
        yield " ".join([f"{file.replace(CSRC, ''):{wide}}", *[f"{cell:>14}" for cell in cells]])
    yield " ".join([f"{'linked':{wide}}", *[f"{'no' if why else 'yes':>14}" for _, why in results.values()]])


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("targets", nargs="*", help=f"parts of names of targets (default: all): {', '.join(TARGETS)}")
    parser.add_argument("--fast", action="store_true", help="do not optimize")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="compilers at a time (default: %(default)s)")
    options = parser.parse_args()
    if importlib.util.find_spec("ziglang") is None:
        parser.error("there is no zig: pip install ziglang")
    chosen = [name for name in TARGETS if not options.targets or any(part in name for part in options.targets)]
    if not chosen:
        parser.error(f"no target has {' or '.join(options.targets)} in its name, there are {', '.join(TARGETS)}")
    subprocess.run([sys.executable, "-m", "cython", "-3", *[name.replace(".c", ".pyx") for name in (ENGINE, LAUNCHER)]],
                   cwd=PLUGIN, check=True)
    results = {}
    for target in chosen:
        with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(options.jobs) as threads:
            jobs = list(jobs_of(target, Path(folder), options.fast))
            list(threads.map(Job.run, jobs))
            results[target] = jobs, linked(target, Path(folder), jobs)
        done = sum(job.error is None for job in jobs)
        print(f"{target}: {done} of {len(jobs)} objects, {'not linked' if results[target][1] else 'linked'}",
              file=sys.stderr, flush=True)
    print("\n".join(table(results)))
    failed = [f"\n{target}, {what}:\n{error}" for target, (jobs, why) in results.items()
              for what, error in [*[(job.source, job.error) for job in jobs], ("linked", why)] if error]
    print("\n".join(failed), end="\n" * bool(failed))
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main())
