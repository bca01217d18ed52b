"""Which backends are installed, and which one serves which device."""

from __future__ import annotations

import contextlib
import os
import weakref
from typing import Any

from ..base import ContextError, MXNetError, nearest
from ..common.version import __version__
from ..context import Context, gpu, gpu_counters, gpu_memory_readers
from .contract import CONTRACT, Backend

__all__ = ["available", "backend_for", "forget_kernels", "install", "keepers", "uninstall", "use_backend"]


_installed = {}         # name -> backend
_discovered = False
_chosen = os.environ.get("MINIGLUON_BACKEND") or None
_times_forgotten = 0
_serving = {}           # device -> what `backend_for` has found

# What keeps kernels besides the devices, each with a method `forget_kernels`.
keepers = weakref.WeakSet()


def install(backend: Any) -> None:
    """Add a backend by its name. Later ones are preferred for the device types they serve."""
    _installed[backend.name] = backend
    _serving.clear()


def uninstall(name: str) -> None:
    """Take a backend out again. Arrays that it has made can no longer be computed with."""
    del _installed[name]
    forget_kernels()


def discover() -> None:
    """Install the backends that other distributions announce; the first use of a device does it, once.

    Raises MXNetError, naming the distribution, when one cannot be loaded or was written for another contract.
    """
    global _discovered
    if _discovered or _chosen == "numpy":
        return
    from importlib.metadata import entry_points  # it takes longer to import than the rest of this folder
    for entry in entry_points(group="minigluon.backends"):
        try:
            backend = entry.load()
            _check_contract(entry, getattr(backend, "contract", None))
            install(backend)
        except MXNetError:
            raise
        except Exception as error:
            raise MXNetError(f"backend {entry.name!r} of the distribution {entry.dist.name} cannot be loaded: "
                             f"{type(error).__name__}: {error}. Reinstall it, or set MINIGLUON_BACKEND=numpy to run "
                             "without it.") from error
    _discovered = True


def _check_contract(entry, found):
    """Raise MXNetError unless the backend of this entry point was written for this contract.

    Backends that a program installs itself are not asked: they come with the program, not with a distribution.
    """
    if found == CONTRACT:
        return
    states = "does not state which contract it implements" if found is None else f"implements contract {found!r}"
    raise MXNetError(f"backend {entry.name!r} of the distribution {entry.dist.name} {entry.dist.version} {states}; "
                     f"minigluon {__version__} expects contract {CONTRACT}. Install versions of both that match, or "
                     "set MINIGLUON_BACKEND=numpy to run without it.")


def available():
    """The installed backends by name, the reference first."""
    discover()
    return dict(_installed)


def backend_for(ctx: Any) -> Backend:
    """The backend that serves a device.

    Raises ContextError when there is none, or MXNetError when MINIGLUON_BACKEND names an unknown one.
    """
    backend = _serving.get(ctx)
    if backend is None:
        backend = _serving[ctx] = _find(ctx)
    return backend


def _find(ctx):
    discover()
    device = "cpu" if ctx.device_type.startswith("cpu") else ctx.device_type
    if _chosen is not None:
        if _chosen not in _installed:
            raise MXNetError(f"MINIGLUON_BACKEND is {_chosen!r}, but the installed backends are "
                             f"{', '.join(_installed)}." + nearest(_chosen, _installed))
        if device in _installed[_chosen].device_types:
            return _installed[_chosen].on(ctx)
    for backend in reversed(_installed.values()):
        if device in backend.device_types:
            return backend.on(ctx)
    raise ContextError(
        f"{ctx} is not available: no installed backend serves {device!r} (installed: {', '.join(_installed)}). "
        "Install one with: pip install ./minigluon_accel && python -m minigluon_accel.gpu.install, or use "
        "mx.cpu(). `minigluon info` says what is missing.")


@contextlib.contextmanager
def use_backend(name):
    """`with use_backend("numpy"):` run on that backend inside the block. Arrays made outside stay usable."""
    global _chosen
    if name not in available():
        raise MXNetError(f"no backend {name!r}; installed: {', '.join(_installed)}." + nearest(name, _installed))
    before, _chosen = _chosen, name
    forget_kernels()
    try:
        yield _installed[name]
    finally:
        _chosen = before
        forget_kernels()


def forget_kernels() -> None:
    """Drop all prepared kernels and stand-ins, plans too: after the choice of backend changed, or what is checked.

    What is used again is prepared again, and its shapes and types are checked again.
    """
    global _times_forgotten
    _times_forgotten += 1
    _serving.clear()
    for ctx in list(Context._interned.values()):       # other threads may use new devices meanwhile
        ctx.kernels.clear()
        ctx.stand_ins.clear()
    for keeper in _listed(keepers):
        keeper.forget_kernels()


def _listed(members):
    """The members of a WeakSet, to which other threads add."""
    while True:
        try:
            return list(members)
        except RuntimeError:            # its size has changed meanwhile
            pass


def times_forgotten() -> int:
    """How often `forget_kernels` was called. Who keeps a kernel elsewhere asks whether it is still the right one."""
    return _times_forgotten


def _count_after_discovery():
    """The first of `context.gpu_counters`: backends add theirs behind it while it runs, and are asked next."""
    discover()
    return 0


def _discover_before_reading(number):
    """The first of `context.gpu_memory_readers`: raises ContextError where no backend serves the GPU."""
    backend_for(gpu(number))


gpu_counters.append(_count_after_discovery)
gpu_memory_readers.append(_discover_before_reading)
