"""`minigluon info`: what runs here, and what would run if more were installed."""

import pathlib
import platform
from importlib import metadata

import numpy as np

from .. import backend, context, machine
from ..base import MXNetError
from ..version import __version__

__all__ = ["report"]

OPTIONAL = {
    "tqdm": "progress bars", "matplotlib": "pictures of `minigluon train` and `minigluon bench`",
    "scikit-learn": "the digits that `minigluon train` takes by default",
    "rich": "the table of `minigluon bench`",
    "jinja2": "pages of `minigluon explain`", "pygments": "colours of the source in them",
    "graphviz-pure": "where nodes stand in pictures of graphs; the program dot does as well",
    "graphviz": "mx.viz.plot_network",
}
EXTRAS = "demo,bench,explain,viz"


def report():
    """The lines of the report."""
    return [
        f"minigluon  {__version__}  ({pathlib.Path(__file__).parent.parent})",
        f"Python     {platform.python_version()}  ({platform.platform()})",
        f"NumPy      {np.__version__}",
        f"BLAS       {machine.blas()}",
        f"processor  {machine.processor()}, {machine.cores()} cores for this process",
        "", "optional packages",
        *(f"  {name:14} {_version(name) or 'not installed':14} {use}" for name, use in OPTIONAL.items()),
        *([] if all(map(_version, OPTIONAL)) else [f'  Install them with: pip install "minigluon[{EXTRAS}]"']),
        "", "backends",
        *(f"  {name:14} serves {', '.join(b.device_types):9} {_role(name)}" for name, b in backend.available().items()),
        *_missing_backends(),
    ]


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
