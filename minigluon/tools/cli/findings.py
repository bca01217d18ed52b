"""Checks for the ten most common problems. Each check reports whether this machine has the problem, and the remedy."""

from __future__ import annotations

import filecmp
import importlib
import os
import pathlib
import platform
import shutil
import sys
import sysconfig
from collections.abc import Iterator
from difflib import get_close_matches
from importlib.metadata import entry_points
from typing import Any, NamedTuple

import numpy as np

from ... import backend, context
from ...base import MXNetError, data_dir
from ...common import hardware as machine
from ...common.version import __version__

__all__ = ["CHECKS", "VARIABLES", "Finding", "caches"]

PACKAGE = pathlib.Path(__file__).parents[2]
INSTALL = "pip install ./minigluon_accel"
FREE = 10 ** 9          # the number of bytes that a data set or a GPU's kernels may need

# The environment variables of both packages.
VARIABLES = [f"MINIGLUON_{name}" for name in (
    "ACCEL_BUILD", "ACCEL_CFLAGS", "ACCEL_ISA", "BACKEND", "CACHE", "CHECK_PASSES", "CUBLAS", "CUBLASLT", "CUDNN",
    "DEBUG", "GPU", "GPU_CHECK", "GPU_CONTRACT", "GPU_COUNT", "GPU_FAIL", "GPU_GRAPHS", "GPU_MEMORY", "GPU_OPTIMIZE",
    "GPU_ORDER", "GPU_SEED", "LANG", "LENIENT", "MAX_IMAGE_PIXELS", "MPI_CHECK", "MPI_TIMEOUT", "MXNET_PYTHON",
    "NCCL", "SCREENSHOTS", "SEED", "TF32", "TORCH_PYTHON", "TRACEBACK")]
THREADS = ["OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"]


class Finding(NamedTuple):
    """The result of a check: a sentence, and a remedy if there is one."""

    text: str
    remedy: str = ""
    wrong: bool = False         # whether it causes errors or poor performance; if not, the remedy is optional

    @property
    def state(self):
        return "WRONG" if self.wrong else "note" if self.remedy else "OK"


def versions() -> Finding:
    """Check that NumPy is new enough. (Python always is, because pip requires 3.10.)"""
    text = f"Python {platform.python_version()}, NumPy {np.__version__}"
    if np.lib.NumpyVersion(np.__version__) < "1.26.0":
        return Finding(f"{text}: NumPy is older than 1.26", 'pip install "numpy>=1.26"', True)
    return Finding(text)


def hidden_modules() -> Finding:
    """Check that no file in the current folder shadows a module."""
    names = {*sys.stdlib_module_names, "numpy", "mxnet", "minigluon_accel"}
    here = pathlib.Path.cwd()
    hiding = sorted(path.name for path in here.glob("*.py") if path.stem in names)
    if hiding:
        return Finding(f"{', '.join(hiding)} in this folder: programs here import it instead of the module of that "
                       "name", "rename it", True)
    package = here / "minigluon"
    if (package / "__init__.py").is_file() and package.resolve() != PACKAGE.resolve():
        if (differing := _differing(package)) is None:
            return Finding(f"programs in this folder import {package}, which has the same files as {PACKAGE}")
        return Finding(f"programs in this folder import {package}, not {PACKAGE}, and {differing} differs",
                       "work in another folder, or pip install -e .", True)
    return Finding("no file in this folder hides a module")


def _differing(package):
    """Return the first Python file of a checkout that differs from the installed one, or None."""
    for folder, other in (package, PACKAGE), (PACKAGE, package):
        for path in sorted(folder.rglob("*.py")):
            name = path.relative_to(folder)
            if not (other / name).is_file() or not filecmp.cmp(path, other / name, shallow=False):
                return name
    return None


def plugin() -> Finding:
    """Check that minigluon-accel is installed, can be loaded, and has the same version."""
    if not entry_points(group="minigluon.backends"):
        return Finding("minigluon-accel is not installed: NumPy runs everything, more slowly", INSTALL)
    if os.environ.get("MINIGLUON_BACKEND") == "numpy":
        return Finding("MINIGLUON_BACKEND=numpy: NumPy runs everything, more slowly", "unset MINIGLUON_BACKEND")
    try:
        backends = backend.available()
    except MXNetError as error:
        return Finding(str(error), f"{INSTALL} --force-reinstall --no-deps", True)
    accel = sys.modules.get("minigluon_accel")
    if accel is not None and accel.__version__ != __version__:
        return Finding(f"minigluon-accel is {accel.__version__}, minigluon is {__version__}",
                       f"{INSTALL} --force-reinstall --no-deps", True)
    return Finding(f"backends: {', '.join(backends)}")


def environment() -> Finding:
    """Check that variables are spelled correctly, have valid values, and do not slow programs down."""
    names = [name for name in os.environ if name.startswith("MINIGLUON_")]
    for name in names:
        if name not in VARIABLES:
            hint = "".join(f" Did you mean {near}?" for near in get_close_matches(name, VARIABLES, 1, 0.9))
            return Finding(f"{name} is set, but nothing reads it.{hint}", f"unset {name}", True)
    try:
        backend.backend_for(context.cpu())
    except MXNetError as error:
        if "MINIGLUON_BACKEND" in names:
            return Finding(str(error), "unset MINIGLUON_BACKEND", True)
    if os.environ.get("MINIGLUON_DEBUG", "0") not in ("", "0"):
        return Finding("MINIGLUON_DEBUG is set: every result is checked, so programs are slow", "unset MINIGLUON_DEBUG")
    return Finding(f"set: {', '.join(sorted(names))}" if names else "no variable of minigluon is set")


def compilers() -> Finding:
    """Check that there is a compiler if anything must be compiled."""
    emulated = os.environ.get("MINIGLUON_GPU") == "emulate"
    if emulated and not shutil.which("g++"):
        return Finding("there is no g++, which is needed to compile kernels for the emulated GPU",
                       "apt-get install g++", True)
    if entry_points(group="minigluon.backends"):
        return Finding("a plugin is installed, compiled")
    if not any(map(shutil.which, ("cc", "gcc", "clang"))):
        return Finding("there is no C compiler, which is needed to build minigluon-accel",
                       "apt-get install gcc python3-dev")
    header = pathlib.Path(sysconfig.get_path("include")) / "Python.h"
    if not header.exists():
        return Finding(f"there is no {header}, which is needed to build minigluon-accel", "apt-get install python3-dev")
    return Finding("a compiler and Python's headers are installed")


def threads() -> Finding:
    """Check that this process does not have more threads than processors, because threads would then wait for each
    other.
    """
    cores, limit = machine.cores(), machine.cpu_limit()
    most = cores if limit is None else max(1, min(cores, int(limit)))
    settings = {name: os.environ[name] for name in THREADS if name in os.environ}
    for name, text in settings.items():
        first = text.split(",")[0].strip()
        if first.isdecimal() and int(first) > most:
            return Finding(f"{name}={text} on {most} cores: threads wait for each other", f"export {name}={most}", True)
    if most < cores and not settings:
        return Finding(f"this container may use {limit:g} of {cores} cores, but libraries start {cores} threads",
                       f"export OMP_NUM_THREADS={most} OPENBLAS_NUM_THREADS={most}", True)
    return Finding(f"{most} core{'s' if most > 1 else ''}, " + (", ".join(f"{n}={v}" for n, v in settings.items())
                                                               or "and no variable limits the threads"))


def folders() -> Finding:
    """Check that the caches are writable and that their disks have enough space."""
    for what, path, variable in caches():
        there = next(folder for folder in (path, *path.parents) if folder.exists())
        if not os.access(there, os.W_OK):
            return Finding(f"{path}, for {what}, cannot be written to", f"export {variable}=FOLDER, one of yours", True)
        if shutil.disk_usage(there).free < FREE:
            return Finding(f"the disk of {path}, for {what}, is almost full", f"make room, or export {variable}=FOLDER "
                           "on another disk", True)
    return Finding("all caches can be written to, and their disks have room")


def caches() -> Iterator[Any]:
    """Yield (contents, folder, variable that names another folder) for each cache."""
    yield "data sets and models", pathlib.Path(data_dir()), "MXNET_HOME"
    if importlib.util.find_spec("minigluon_accel"):
        paths = importlib.import_module("minigluon_accel.gpu.paths")
        yield "GPU kernels", paths.cache_folder(), "MINIGLUON_CACHE"


def gpu() -> Finding:
    """Check that the machine's GPU, if it has one, can be used."""
    setting = os.environ.get("MINIGLUON_GPU")
    if setting == "off":
        return Finding("MINIGLUON_GPU=off: GPUs are switched off", "unset MINIGLUON_GPU")
    card = any(pathlib.Path("/dev").glob("nvidia[0-9]*")) or shutil.which("nvidia-smi") is not None
    if not card and setting != "emulate":
        return Finding("there is no NVIDIA card here; minigluon-accel runs its kernels on the CPU with "
                       "MINIGLUON_GPU=emulate")
    if not entry_points(group="minigluon.backends"):
        return Finding("minigluon-accel, which is needed to use GPUs, is not installed",
                       f"{INSTALL} && python -m minigluon_accel.gpu.install", setting == "emulate")
    try:
        count = context.num_gpus()
        context.gpu_memory_info(0)
    except MXNetError as error:
        return Finding(str(error), "python -m minigluon_accel.gpu.install"
                       + (" --emulate" if setting == "emulate" else ""), True)
    if setting == "emulate":
        return Finding("MINIGLUON_GPU=emulate: kernels run on the CPU, slowly", "unset MINIGLUON_GPU for a real GPU")
    return Finding(f"mx.gpu() can be used; GPUs: {count}")


def mxnet() -> Finding:
    """Check that `import mxnet` works if another MXNet is installed."""
    from ...interop.mxnet.alias import real_mxnet
    folder = real_mxnet()
    if folder is None:
        return Finding("no other MXNet is installed; `minigluon run` starts programs that use `import mxnet`")
    text = f"`import mxnet` imports the MXNet in {folder}"
    if np.lib.NumpyVersion(np.__version__) < "1.24.0":
        return Finding(f"{text}; with `minigluon run`, it imports minigluon")
    return Finding(f"{text}, which fails with NumPy {np.__version__}", "minigluon run PROGRAM; or pip uninstall mxnet, "
                   "and minigluon install-as-mxnet", True)


def output() -> Finding:
    """Check that the terminal can print the characters of tables and messages."""
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    try:
        "µ→中".encode(encoding)
    except UnicodeEncodeError:
        return Finding(f"the output encoding is {encoding}, which lacks characters of tables and of the course: "
                       "UnicodeEncodeError", "export PYTHONUTF8=1", True)
    return Finding(f"the output encoding is {encoding}")


# The problems, in users' words. One problem may hide later ones.
CHECKS = {"versions": versions, "hidden modules": hidden_modules, "slow kernels": plugin, "environment": environment,
          "compiler": compilers, "threads": threads, "caches": folders, "GPU": gpu, "import mxnet": mxnet,
          "output": output}
