"""Paths of NVIDIA's files (driver, toolkits, and packages that pip installs) and of our cache. Uses only Python's
standard library.

A version is (major, minor). Nothing here raises an error if a file is missing; the caller decides how to handle that.
"""

import ctypes
import os
import pathlib
import re
import shutil
import subprocess
import sys
from typing import NamedTuple

__all__ = ["Headers", "cache_folder", "driver_version", "header_version", "headers", "libraries", "nvcc", "pip_folders",
           "toolkits", "version_text"]


class Headers(NamedTuple):
    """cuda.h and cudaProfiler.h: their version, their folders, and a description of their origin."""

    version: tuple
    folders: list
    origin: str


def cache_folder():
    """Returns the folder for wheels, compiled kernels and the emulated driver: $MINIGLUON_CACHE, or minigluon/ in
    $XDG_CACHE_HOME or ~/.cache."""
    own = os.environ.get("MINIGLUON_CACHE")
    if own:
        return pathlib.Path(own)
    return pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "minigluon"


def version_text(version):
    """Returns a string such as '13.0'."""
    return "{}.{}".format(*version)


def driver_version(library="libcuda.so.1"):
    """Returns the newest CUDA version that the driver supports, or None without a driver."""
    try:
        number = ctypes.c_int()
        failed = ctypes.CDLL(library).cuDriverGetVersion(ctypes.byref(number))
    except (OSError, AttributeError):
        return None
    return None if failed else _version(number.value)


def _version(number):
    """Returns (13, 0) for NVIDIA's 13000."""
    return number // 1000, number % 1000 // 10


def nvcc():
    """Returns the path of the program, or None if there is none."""
    program = shutil.which("nvcc")
    if program:
        return program
    for root in toolkits():
        if os.access(root / "bin" / "nvcc", os.X_OK):
            return str(root / "bin" / "nvcc")
    return None


def toolkits(environment=os.environ):
    """Returns the folders of CUDA toolkits: that of the nvcc on PATH, those named by environment variables, then the
    usual folders."""
    folders = [environment[name] for name in ("CUDA_HOME", "CUDA_PATH", "CUDA_ROOT") if environment.get(name)]
    folders[:0] = _root_of_nvcc()
    local = pathlib.Path("/usr/local")
    folders += [local / "cuda", *sorted(local.glob("cuda-*"), reverse=True), "/opt/cuda", "/usr"]
    roots = [pathlib.Path(folder).resolve() for folder in folders]
    return [root for root in dict.fromkeys(roots) if (root / "include" / "cuda.h").exists()]


def _root_of_nvcc():
    """Returns [folder] as reported by nvcc itself, because the file on PATH may be a link or a script."""
    program = shutil.which("nvcc")
    if program is None:
        return []
    try:
        child = subprocess.run([program, "--dryrun", "-x", "cu", os.devnull], capture_output=True, text=True,
                               timeout=60)
    except (OSError, subprocess.TimeoutExpired):
        return []
    return re.findall(r"^#\$ TOP=(.+)$", child.stderr, re.MULTILINE)[:1]


def pip_folders():
    """Returns the folders below `nvidia` in site-packages: cu13 for all packages, or one per package for CUDA 12."""
    return [folder for base in map(pathlib.Path, sys.path) if (base / "nvidia").is_dir()
            for folder in sorted((base / "nvidia").iterdir(), reverse=True) if folder.is_dir()]


def headers():
    """Returns all complete Headers: from toolkits, then from pip's packages."""
    usable = []
    for root in toolkits():
        if (root / "include" / "cudaProfiler.h").exists():
            usable.append(Headers(header_version(root / "include"), [str(root / "include")], f"the toolkit in {root}"))
    includes = [folder / "include" for folder in pip_folders()]
    runtimes = [folder for folder in includes if (folder / "cuda.h").exists()]
    profilers = [folder for folder in includes if (folder / "cudaProfiler.h").exists()]
    for runtime in runtimes:
        # The CUDA 13 packages share a folder; each CUDA 12 package has its own.
        beside = [folder for folder in profilers if folder == runtime] or \
                 [folder for folder in profilers if folder not in runtimes]
        if beside:
            folders = list(dict.fromkeys([str(runtime), str(beside[0])]))
            usable.append(Headers(header_version(runtime), folders, "pip's packages"))
    return [one for one in usable if one.version]


def header_version(folder):
    """Returns the version of the cuda.h in a folder, or None."""
    text = (folder / "cuda.h").read_text(encoding="utf-8", errors="replace")
    number = re.search(r"^#define CUDA_VERSION (\d+)", text, re.MULTILINE)
    return _version(int(number[1])) if number else None


def libraries(name):
    """Returns the paths of lib`name`.so.N: first those of pip's packages, then those of toolkits, each newest first."""
    of_toolkits = [root / where for root in toolkits()
                   for where in ("lib64", "lib/x86_64-linux-gnu", "lib/aarch64-linux-gnu")]
    files = []
    for folders in [folder / "lib" for folder in pip_folders()], of_toolkits:
        paths = [path for folder in folders if folder.is_dir() for path in folder.glob(f"lib{name}.so.*")]
        files += sorted(paths, key=_number, reverse=True)
    return [str(path) for path in files if re.fullmatch(rf"lib{name}\.so\.\d+", path.name)]


def _number(path):
    return [int(part) for part in re.findall(r"\d+", path.name)]
