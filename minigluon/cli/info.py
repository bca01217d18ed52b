"""`minigluon info`: what runs here, and what would run if more were installed."""

import os
import pathlib
import platform
from importlib import metadata

import numpy as np

from .. import backend, context
from ..base import MXNetError
from ..version import __version__

__all__ = ["report"]

OPTIONAL = {
    "tqdm": "progress bars", "matplotlib": "pictures of `minigluon train`",
    "scikit-learn": "the digits that `minigluon train` takes by default",
}


def report():
    """The lines of the report."""
    return [
        f"minigluon  {__version__}  ({pathlib.Path(__file__).parent.parent})",
        f"Python     {platform.python_version()}  ({platform.platform()})",
        f"NumPy      {np.__version__}",
        f"BLAS       {_blas()}",
        f"processor  {_processor()}, {_cores()} cores for this process",
        "", "optional packages",
        *(f"  {name:14} {_version(name) or 'not installed':14} {use}" for name, use in OPTIONAL.items()),
        *([] if all(map(_version, OPTIONAL)) else ['  Install them with: pip install "minigluon[demo]"']),
        "", "backends",
        *(f"  {name:14} serves {', '.join(b.device_types):9} {_role(name)}" for name, b in backend.available().items()),
        *_missing_backends(),
    ]


def _blas():
    """The library behind NumPy's matrix products."""
    found = np.show_config(mode="dicts").get("Build Dependencies", {}).get("blas", {})
    threads = os.environ.get("OPENBLAS_NUM_THREADS") or os.environ.get("OMP_NUM_THREADS")
    text = f"{found.get('name', 'unknown')} {found.get('version', '')}".strip()
    return text + (f", {threads} threads (set by the environment)" if threads else "")


def _processor():
    cpuinfo = pathlib.Path("/proc/cpuinfo")
    if cpuinfo.exists():
        for line in cpuinfo.read_text().splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    return platform.processor() or platform.machine()


def _cores():
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()


def _version(name):
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


def _role(name):
    return "the reference: runs every operator" if name == "numpy" else "accelerates what it has kernels for"


def _missing_backends():
    """For each kind of device without a backend, or with the reference alone, what would serve it."""
    try:
        backend.backend_for(context.gpu())
    except MXNetError as error:
        yield f"  {'gpu':14} {error}"
