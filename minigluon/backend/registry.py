"""The contract of a backend, and which one serves which device."""

import contextlib
import os
from importlib.metadata import entry_points
from typing import NamedTuple, Protocol

import numpy as np

from ..base import ContextError, MXNetError, nearest
from ..context import Context

__all__ = ["Backend", "Spec", "available", "backend_for", "use_backend"]


class Spec(NamedTuple):
    """Shape and element type of one buffer."""

    shape: tuple
    dtype: np.dtype


class Backend(Protocol):
    """What a plugin implements. `minigluon.backends` is its entry-point group; the value is a `Backend` instance."""

    name: str
    device_types: tuple         # ("cpu",), ("gpu",)

    def empty(self, shape, dtype, ctx):
        """An uninitialized buffer."""

    def from_numpy(self, array, ctx):
        """A new buffer with the array's elements."""

    def to_numpy(self, buffer):
        """A new NumPy array with the buffer's elements."""

    def synchronize(self, ctx):
        """Wait until all work given to the device is done."""

    def prepare(self, op, inputs, outputs, train, rng):
        """A kernel for this operator on buffers of these specs, or None to decline."""


_installed = {}         # name -> backend
_chosen = os.environ.get("MINIGLUON_BACKEND")


def install(backend):
    """Add a backend by its name. Later ones are preferred for the device types they serve."""
    _installed[backend.name] = backend


def discover():
    """Install the backends of other distributions. A plugin that cannot load says so and is left out."""
    for entry in entry_points(group="minigluon.backends"):
        if entry.name not in _installed:
            install(entry.load())


def available():
    """The installed backends by name, the reference first."""
    return dict(_installed)


def backend_for(ctx):
    """The backend that serves a device.

    Raises ContextError when there is none, or MXNetError when MINIGLUON_BACKEND names an unknown one.
    """
    device = "cpu" if ctx.device_type.startswith("cpu") else ctx.device_type
    if _chosen is not None:
        if _chosen not in _installed:
            raise MXNetError(f"MINIGLUON_BACKEND is {_chosen!r}, but the installed backends are "
                             f"{', '.join(_installed)}." + nearest(_chosen, _installed))
        if device in _installed[_chosen].device_types:
            return _installed[_chosen]
    for backend in reversed(_installed.values()):
        if device in backend.device_types:
            return backend
    raise ContextError(
        f"{ctx} is not available: no installed backend serves {device!r} (installed: {', '.join(_installed)}). "
        f"Install one with: pip install 'minigluon-accel[gpu]', or use mx.cpu(). "
        f"`minigluon info` says what is missing.")


@contextlib.contextmanager
def use_backend(name):
    """`with use_backend("numpy"):` run on that backend inside the block. Arrays made outside stay usable."""
    global _chosen
    if name not in _installed:
        raise MXNetError(f"no backend {name!r}; installed: {', '.join(_installed)}." + nearest(name, _installed))
    before, _chosen = _chosen, name
    forget_kernels()
    try:
        yield _installed[name]
    finally:
        _chosen = before
        forget_kernels()


def forget_kernels():
    """Drop all prepared kernels, after the choice of backend changed."""
    for ctx in Context._interned.values():
        ctx.kernels.clear()
