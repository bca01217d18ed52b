"""`minigluon info`: report what is installed here, and what else could be installed."""

import os
import pathlib
import platform
from importlib import metadata

import numpy as np

from ... import backend, context
from ...base import ContextError, MXNetError
from ...common import hardware as machine
from ...common.version import __version__

__all__ = ["report"]

OPTIONAL = {
    "tqdm": "progress bars", "matplotlib": "plots of `minigluon train` and `minigluon bench`",
    "scikit-learn": "the digits that `minigluon train` uses by default",
    "rich": "the table of `minigluon bench`",
    "pillow": "image files",
    "jinja2": "pages of `minigluon explain`", "pygments": "syntax highlighting in these pages",
    "graphviz-pure": "layout of drawings of graphs, unless the program dot is installed",
    "graphviz": "mx.viz.plot_network",
}
EXTRAS = "demo,bench,image,explain,viz"


def report() -> list[str]:
    """Return the lines of the report."""
    return [
        f"minigluon  {__version__}  ({pathlib.Path(__file__).parents[2]})",
        f"Python     {platform.python_version()}  ({platform.platform()})",
        f"NumPy      {np.__version__}",
        f"BLAS       {machine.blas()}",
        f"processor  {machine.processor()}, {machine.cores()} cores for this process",
        "", "optional packages",
        *(f"  {name:14} {_version(name) or 'not installed':14} {use}" for name, use in OPTIONAL.items()),
        *([] if all(map(_version, OPTIONAL)) else [f'  Install them with: pip install "minigluon[{EXTRAS}]"']),
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
    except MXNetError as error:         # a plugin cannot be loaded; without it, the reference would work
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
    """Yield, if no backend serves the GPU, a line that says what is missing."""
    try:
        if any("gpu" in its.device_types for its in backend.available().values()):
            return                      # the backend's own lines list what it lacks
        backend.backend_for(context.gpu())
    except ContextError as error:
        yield f"  {'gpu':14} {error}"
    except MXNetError:
        pass                            # _backends has reported it
