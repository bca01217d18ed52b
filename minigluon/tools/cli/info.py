"""`minigluon info`: report what is installed here, and what else could be installed."""

import os
import pathlib
import platform
import re
import textwrap
from importlib import metadata

import numpy as np

from ... import backend, context
from ...base import ContextError, MXNetError
from ...common import hardware as machine
from ...common.version import __version__

__all__ = ["OPTIONAL", "WIDTH", "report", "wrapped"]

WIDTH = 118

# package -> (the pip extra that installs it, use)
OPTIONAL = {
    "tqdm": ("demo", "progress bars"),
    "matplotlib": ("demo", "plots of `minigluon train` and `minigluon bench`"),
    "scikit-learn": ("digits", "`minigluon train --data digits`, and chapter 0 of the book"),
    "rich": ("bench", "the table of `minigluon bench`"),
    "pillow": ("image", "image files"),
    "jinja2": ("explain", "pages of `minigluon explain`"),
    "pygments": ("explain", "syntax highlighting in these pages"),
    "graphviz-pure": ("explain", "layout of drawings of graphs, unless the program dot is installed"),
    "graphviz": ("viz", "mx.viz.plot_network"),
    "onnx": ("onnx", "ONNX files"),
    "safetensors": ("safetensors", "files that end in .safetensors"),
    "scipy": ("sparse", "`asscipy` of sparse arrays, and faster products of them"),
    "ml_dtypes": ("bfloat16", "dtype='bfloat16'"),
    "mpi4py": ("mpi", "kvstore='dist_sync': several processes"),
    "tensorboardX": ("tensorboard", "mx.contrib.tensorboard"),
    "shtab": ("completion", "`minigluon completion`"),
}


def report() -> list[str]:
    """Return the lines of the report, none of which is longer than WIDTH unless a path does not fit."""
    return [part for line in _lines() for part in wrapped(line)]


def wrapped(line: str) -> list[str]:
    """Split a line of columns into several lines, with the last column continued below its beginning.

    line: a line whose columns are separated by at least two spaces.
    """
    if len(line) <= WIDTH:
        return [line]
    column = max((match.end() for match in re.finditer(r"\S?  +", line[:40])), default=4)
    return textwrap.wrap(line, WIDTH, subsequent_indent=" " * column, break_long_words=False, break_on_hyphens=False,
                         drop_whitespace=True)


def _lines():
    missing = sorted({extra for name, (extra, _) in OPTIONAL.items() if not _version(name)})
    return [
        f"minigluon  {__version__}  ({pathlib.Path(__file__).parents[2]})",
        f"Python     {platform.python_version()}  ({platform.platform()})",
        f"NumPy      {np.__version__}",
        f"BLAS       {machine.blas()}",
        f"processor  {machine.processor()}, {machine.cores()} cores for this process",
        "", "optional packages",
        *(f"  {name:14} {_version(name) or 'not installed':14} {use}" for name, (_, use) in OPTIONAL.items()),
        *([f'  Install the missing ones with: pip install "minigluon[{",".join(missing)}]"'] if missing else []),
        "", "backends",
        *_backends(),
        *_missing_backends(),
    ]


def _version(name):
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


def _backends():
    try:
        backends = backend.available()
    except MXNetError as error:         # a plugin cannot be loaded; without the plugin, the reference would work
        yield f"  {error}"
        return
    for name, its in backends.items():
        yield f"  {name:14} serves {', '.join(its.device_types):9} {_role(name)}"
        yield from (f"  {'':14} {line}" for line in its.details())
    if os.environ.get("MINIGLUON_BACKEND") == "numpy":
        yield f"  {'':14} MINIGLUON_BACKEND=numpy: other backends are not loaded"


def _role(name):
    return "the reference: runs every operator" if name == "numpy" else "accelerates the operators it has kernels for"


def _missing_backends():
    """Yield a line that says what is missing if no backend supports the GPU."""
    try:
        if any("gpu" in its.device_types for its in backend.available().values()):
            return                      # the backend's own lines list what it lacks
        backend.backend_for(context.gpu())
    except ContextError as error:
        yield f"  {'gpu':14} {error}"
    except MXNetError:
        pass                            # _backends has reported it
