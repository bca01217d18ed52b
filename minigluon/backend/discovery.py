"""The installed backends: the reference, and backends announced by other distributions."""

from __future__ import annotations

import os
from types import SimpleNamespace
from typing import Any

from ..base import ContextError, MXNetError, nearest
from ..common.version import __version__
from ..context import Context
from .contract import CONTRACT, Backend

__all__ = ["available", "choice", "discover", "find", "installed"]

installed: dict[str, Any] = {}      # name -> backend; the last one that serves a device type is preferred
choice = SimpleNamespace(name=os.environ.get("MINIGLUON_BACKEND") or None, discovered=False)


def discover() -> None:
    """Installs the backends announced by other distributions, once, when a device is first used.

    Raises MXNetError with the distribution's name if a backend cannot be loaded or was written for a different
    contract.
    """
    if choice.discovered or choice.name == "numpy":
        return
    from importlib.metadata import entry_points  # slower to import than the rest of this folder
    for entry in entry_points(group="minigluon.backends"):
        try:
            backend: Any = entry.load()
            _check_contract(entry, getattr(backend, "contract", None))
            installed[backend.name] = backend
        except MXNetError:
            raise
        except Exception as error:
            owner = getattr(entry.dist, "name", None)
            raise MXNetError(f"backend {entry.name!r} of the distribution {owner} cannot be loaded: "
                             f"{type(error).__name__}: {error}. Reinstall it, or set MINIGLUON_BACKEND=numpy to run "
                             "without it.") from error
    choice.discovered = True


def _check_contract(entry: Any, version: Any) -> None:
    """Raises MXNetError unless the backend of this entry point was written for this version of the contract.

    Backends installed by the program itself are not checked.
    """
    if version == CONTRACT:
        return
    states = "does not state which contract it implements" if version is None else f"implements contract {version!r}"
    raise MXNetError(f"backend {entry.name!r} of the distribution {entry.dist.name} {entry.dist.version} {states}; "
                     f"minigluon {__version__} expects contract {CONTRACT}. Install versions of both that match, or "
                     "set MINIGLUON_BACKEND=numpy to run without it.")


def available() -> dict[str, Any]:
    """Returns the installed backends by name, the reference first."""
    discover()
    return dict(installed)


def find(ctx: Context) -> Backend:
    """Returns the backend that serves a device (see `registry.backend_for`)."""
    discover()
    device = "cpu" if ctx.device_type.startswith("cpu") else ctx.device_type
    if choice.name is not None:
        if choice.name not in installed:
            raise MXNetError(f"MINIGLUON_BACKEND is {choice.name!r}, but the installed backends are "
                             f"{', '.join(installed)}." + nearest(choice.name, installed))
        if device in installed[choice.name].device_types:
            return installed[choice.name].on(ctx)
    for backend in reversed(installed.values()):
        if device in backend.device_types:
            return backend.on(ctx)
    raise ContextError(
        f"{ctx} is not available: no installed backend serves {device!r} (installed: {', '.join(installed)}). "
        "Install one with: pip install ./minigluon_accel && python -m minigluon_accel.gpu.install, or use "
        "mx.cpu(). `minigluon info` says what is missing.")
