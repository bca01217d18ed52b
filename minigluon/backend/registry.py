"""Installation and selection of backends. `discovery` finds them, and `serving` records which one serves a device."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from ..base import MXNetError, nearest
from ..common.gpu_queries import gpu_counters, gpu_memory_readers
from ..context import gpu
from .discovery import available, choice, discover, installed
from .forgetting import forget_kernels
from .table import backend_for, serving

__all__ = ["available", "install", "uninstall", "use_backend"]


def install(backend: Any) -> None:
    """Adds a backend under its name. Backends added later are preferred for the device types they serve."""
    installed[backend.name] = backend
    serving.clear()


def uninstall(name: str) -> None:
    """Removes a backend. Arrays that it created can no longer be used."""
    del installed[name]
    forget_kernels()


@contextlib.contextmanager
def use_backend(name: str) -> Iterator[Any]:
    """Selects a backend inside the block: `with use_backend("numpy"):`.

    Arrays created outside the block remain usable.
    """
    if name not in available():
        raise MXNetError(f"no backend {name!r}; installed: {', '.join(installed)}." + nearest(name, installed))
    before, choice.name = choice.name, name
    forget_kernels()
    try:
        yield installed[name]
    finally:
        choice.name = before
        forget_kernels()


def _count_after_discovery() -> int:
    """Runs first among `gpu_counters`: while it runs, backends append their counters, which are called next."""
    discover()
    return 0


def _discover_before_reading(number: int) -> None:
    """Runs first among `gpu_memory_readers` and raises ContextError if no backend serves the GPU."""
    backend_for(gpu(number))


gpu_counters.append(_count_after_discovery)
gpu_memory_readers.append(_discover_before_reading)
