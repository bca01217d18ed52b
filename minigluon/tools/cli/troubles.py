"""The ten troubles that are met most often. Each check looks whether this machine has it, and knows the remedy."""

from __future__ import annotations

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
FREE = 10 ** 9          # bytes that a data set or the kernels of a GPU may need

# Environment variables of both packages.
VARIABLES = [f"MINIGLUON_{name}" for name in (
    "ACCEL_CFLAGS", "ACCEL_ISA", "BACKEND", "CACHE", "CHECK_PASSES", "CUBLAS", "CUBLASLT", "CUDNN", "DEBUG", "GPU",
    "GPU_CHECK", "GPU_CONTRACT", "GPU_COUNT", "GPU_FAIL", "GPU_GRAPHS", "GPU_MEMORY", "GPU_OPTIMIZE", "GPU_ORDER",
    "GPU_SEED", "LANG", "LENIENT", "MAX_IMAGE_PIXELS", "MPI_CHECK", "MPI_TIMEOUT", "MXNET_PYTHON", "SCREENSHOTS",
    "SEED", "TF32", "TORCH_PYTHON", "TRACEBACK")]
THREADS = ["OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"]


class Finding(NamedTuple):
    """What a check has found: a sentence, and what to do where something is not as it should be."""

    text: str
    remedy: str = ""
    wrong: bool = False         # does it give errors or wrong speed? Otherwise a remedy is an offer

    @property
    def state(self):
        return "WRONG" if self.wrong else "note" if self.remedy else "OK"


def versions() -> Finding:
    """NumPy is new enough. Python is: pip asks for 3.10 or newer."""
    text = f"Python {platform.python_version()}, NumPy {np.__version__}"
    if np.lib.NumpyVersion(np.__version__) < "1.26.0":
        return Finding(f"{text}: NumPy is older than 1.26", 'pip install "numpy>=1.26"', True)
    return Finding(text)


def hidden_modules() -> Finding:
    """No file of the current folder takes the place of a module."""
    names = {*sys.stdlib_module_names, "numpy", "mxnet", "minigluon_accel"}
    here = pathlib.Path.cwd()
    hiding = sorted(path.name for path in here.glob("*.py") if path.stem in names)
    if hiding:
        return Finding(f"{', '.join(hiding)} in this folder: programs here import it in place of the module of that "
                       "name", "rename it", True)
    package = here / "minigluon"
    if (package / "__init__.py").is_file() and package.resolve() != PACKAGE.resolve():
        return Finding(f"programs in this folder import {package}, and not {PACKAGE}", "work in another folder, or "
                       "pip install -e .", True)
    return Finding("no file in this folder hides a module")


def plugin() -> Finding:
    """minigluon-accel is there, can be loaded, and is of this version."""
    if not entry_points(group="minigluon.backends"):
        return Finding("minigluon-accel is not installed: NumPy runs everything, slower", INSTALL)
    if os.environ.get("MINIGLUON_BACKEND") == "numpy":
        return Finding("MINIGLUON_BACKEND=numpy: NumPy runs everything, slower", "unset MINIGLUON_BACKEND")
    try:
        found = backend.available()
    except MXNetError as error:
        return Finding(str(error), f"{INSTALL} --force-reinstall --no-deps", True)
    accel = sys.modules.get("minigluon_accel")
    if accel is not None and accel.__version__ != __version__:
        return Finding(f"minigluon-accel is {accel.__version__}, minigluon is {__version__}",
                       f"{INSTALL} --force-reinstall --no-deps", True)
    return Finding(f"backends: {', '.join(found)}")


def environment() -> Finding:
    """Variables are spelled right, name what is there, and none is left over that makes programs slow."""
    given = [name for name in os.environ if name.startswith("MINIGLUON_")]
    for name in given:
        if name not in VARIABLES:
            meant = "".join(f" Did you mean {near}?" for near in get_close_matches(name, VARIABLES, 1, 0.9))
            return Finding(f"{name} is set, and nothing reads it.{meant}", f"unset {name}", True)
    try:
        backend.backend_for(context.cpu())
    except MXNetError as error:
        if "MINIGLUON_BACKEND" in given:
            return Finding(str(error), "unset MINIGLUON_BACKEND", True)
    if os.environ.get("MINIGLUON_DEBUG", "0") not in ("", "0"):
        return Finding("MINIGLUON_DEBUG is set: each result is checked, and programs are slow", "unset MINIGLUON_DEBUG")
    return Finding(f"set: {', '.join(sorted(given))}" if given else "no variable of minigluon is set")


def compilers() -> Finding:
    """Where something is to be compiled, there is a compiler."""
    emulated = os.environ.get("MINIGLUON_GPU") == "emulate"
    if emulated and not shutil.which("g++"):
        return Finding("there is no g++, which compiles kernels for the emulated GPU", "apt-get install g++", True)
    if entry_points(group="minigluon.backends"):
        return Finding("a plugin is installed, compiled")
    if not any(map(shutil.which, ("cc", "gcc", "clang"))):
        return Finding("there is no C compiler, which minigluon-accel is built with", "apt-get install gcc python3-dev")
    header = pathlib.Path(sysconfig.get_path("include")) / "Python.h"
    if not header.exists():
        return Finding(f"there is no {header}, which minigluon-accel is built with", "apt-get install python3-dev")
    return Finding("a compiler and Python's headers are here")


def threads() -> Finding:
    """No more threads than this process has processors: more wait for each other."""
    cores, limit = machine.cores(), machine.cpu_limit()
    most = cores if limit is None else max(1, min(cores, int(limit)))
    asked = {name: os.environ[name] for name in THREADS if name in os.environ}
    for name, text in asked.items():
        first = text.split(",")[0].strip()
        if first.isdecimal() and int(first) > most:
            return Finding(f"{name}={text} on {most} cores: threads wait for each other", f"export {name}={most}", True)
    if most < cores and not asked:
        return Finding(f"this container may use {limit:g} of {cores} cores, and libraries start {cores} threads",
                       f"export OMP_NUM_THREADS={most} OPENBLAS_NUM_THREADS={most}", True)
    return Finding(f"{most} core{'s' if most > 1 else ''}, " + (", ".join(f"{n}={v}" for n, v in asked.items())
                                                               or "and no variable limits the threads"))


def folders() -> Finding:
    """What keeps files can be written to."""
    for what, path, variable in caches():
        there = next(folder for folder in (path, *path.parents) if folder.exists())
        if not os.access(there, os.W_OK):
            return Finding(f"{path}, for {what}, cannot be written to", f"export {variable}=FOLDER, one of yours", True)
        if shutil.disk_usage(there).free < FREE:
            return Finding(f"the disk of {path}, for {what}, is almost full", f"make room, or export {variable}=FOLDER "
                           "on another disk", True)
    return Finding("all caches can be written to, and their disks have room")


def caches() -> Iterator[Any]:
    """(what is kept, its folder, the variable that names another one) of each cache."""
    yield "data sets and models", pathlib.Path(data_dir()), "MXNET_HOME"
    if importlib.util.find_spec("minigluon_accel"):
        paths = importlib.import_module("minigluon_accel.gpu.paths")
        yield "a GPU's kernels", paths.cache_folder(), "MINIGLUON_CACHE"


def gpu() -> Finding:
    """A card that is in the machine can be used."""
    asked = os.environ.get("MINIGLUON_GPU")
    if asked == "off":
        return Finding("MINIGLUON_GPU=off: GPUs are switched off", "unset MINIGLUON_GPU")
    card = any(pathlib.Path("/dev").glob("nvidia[0-9]*")) or shutil.which("nvidia-smi") is not None
    if not card and asked != "emulate":
        return Finding("there is no NVIDIA card here; minigluon-accel runs its kernels on the CPU with "
                       "MINIGLUON_GPU=emulate")
    if not entry_points(group="minigluon.backends"):
        return Finding("there is no minigluon-accel, which uses GPUs",
                       f"{INSTALL} && python -m minigluon_accel.gpu.install", asked == "emulate")
    try:
        count = context.num_gpus()
        context.gpu_memory_info(0)
    except MXNetError as error:
        return Finding(str(error), "python -m minigluon_accel.gpu.install"
                       + (" --emulate" if asked == "emulate" else ""), True)
    if asked == "emulate":
        return Finding("MINIGLUON_GPU=emulate: kernels run on the CPU, slowly", "unset MINIGLUON_GPU for a real card")
    return Finding(f"mx.gpu() can be used; GPUs: {count}")


def mxnet() -> Finding:
    """`import mxnet` means what it should."""
    from ...interop.mxnet.alias import real_mxnet
    folder = real_mxnet()
    if folder is None:
        return Finding("no other MXNet is installed; `minigluon run` starts programs that say `import mxnet`")
    text = f"`import mxnet` takes the MXNet in {folder}"
    if np.lib.NumpyVersion(np.__version__) < "1.24.0":
        return Finding(f"{text}; `minigluon run` takes minigluon")
    return Finding(f"{text}, which fails with NumPy {np.__version__}", "minigluon run PROGRAM; or pip uninstall mxnet, "
                   "and minigluon install-as-mxnet", True)


def output() -> Finding:
    """The terminal takes the signs that tables and messages have."""
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    try:
        "µ→中".encode(encoding)
    except UnicodeEncodeError:
        return Finding(f"the output is in {encoding}, which lacks signs of tables and of the course: "
                       "UnicodeEncodeError", "export PYTHONUTF8=1", True)
    return Finding(f"the output is in {encoding}")


# What a user would call each trouble, in the order in which one hides the next.
CHECKS = {"versions": versions, "hidden modules": hidden_modules, "slow kernels": plugin, "environment": environment,
          "compiler": compilers, "threads": threads, "caches": folders, "GPU": gpu, "import mxnet": mxnet,
          "output": output}
