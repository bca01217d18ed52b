"""`minigluon info`: what runs here, and what would run if more were installed."""

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
    "scikit-learn": "the digits that `minigluon train` takes by default",
    "rich": "the table of `minigluon bench`",
    "pillow": "files of images",
    "jinja2": "pages of `minigluon explain`", "pygments": "colors of the source in them",
    "graphviz-pure": "where nodes stand in drawings of graphs; the program dot does as well",
    "graphviz": "mx.viz.plot_network",
}
EXTRAS = "demo,bench,image,explain,viz"


def report() -> list[str]:
    """The lines of the report."""
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
        found = backend.available()
    except MXNetError as error:         # a plugin that cannot be loaded; without it there is the reference
        yield f"  {error}"
        return
    for name, its in found.items():
        yield f"  {name:14} serves {', '.join(its.device_types):9} {_role(name)}"
        yield from (f"  {'':14} {line}" for line in its.details())
    if os.environ.get("MINIGLUON_BACKEND") == "numpy":
        yield f"  {'':14} MINIGLUON_BACKEND=numpy: other backends are not looked for"


def _role(name):
    return "the reference: runs every operator" if name == "numpy" else "accelerates what it has kernels for"


def _missing_backends():
    """For each kind of device without a backend, or with the reference alone, what would serve it."""
    try:
        if any("gpu" in its.device_types for its in backend.available().values()):
            return                      # its own lines tell what it lacks
        backend.backend_for(context.gpu())
    except ContextError as error:
        yield f"  {'gpu':14} {error}"
    except MXNetError:
        pass                            # _backends has told it
