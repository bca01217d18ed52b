"""Which backend serves which device, and when prepared kernels are forgotten. `discovery` finds the backends."""

from __future__ import annotations

import contextlib
import weakref
from collections.abc import Iterator
from typing import Any

from ..base import MXNetError, nearest
from ..common.gpu_queries import gpu_counters, gpu_memory_readers
from ..context import Context, gpu
from .contract import Backend
from .discovery import available, choice, discover, find, installed

__all__ = ["available", "backend_for", "forget_kernels", "install", "keepers", "uninstall", "use_backend"]


_times_forgotten = 0
_serving: dict[Context, Backend] = {}           # device -> what `backend_for` has found

# What keeps kernels besides the devices, each with a method `forget_kernels`.
keepers: weakref.WeakSet[Any] = weakref.WeakSet()


def install(backend: Any) -> None:
    """Add a backend by its name. Later ones are preferred for the device types they serve."""
    installed[backend.name] = backend
    _serving.clear()


def uninstall(name: str) -> None:
    """Take a backend out again. Arrays that it has made can no longer be computed with."""
    del installed[name]
    forget_kernels()


def backend_for(ctx: Any) -> Backend:
    """The backend that serves a device.

    Raises ContextError when there is none, or MXNetError when MINIGLUON_BACKEND names an unknown one.
    """
    backend = _serving.get(ctx)
    if backend is None:
        backend = _serving[ctx] = find(ctx)
    return backend


@contextlib.contextmanager
def use_backend(name: str) -> Iterator[Any]:
    """`with use_backend("numpy"):` run on that backend inside the block. Arrays made outside stay usable."""
    if name not in available():
        raise MXNetError(f"no backend {name!r}; installed: {', '.join(installed)}." + nearest(name, installed))
    before, choice.name = choice.name, name
    forget_kernels()
    try:
        yield installed[name]
    finally:
        choice.name = before
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


def _listed(members: weakref.WeakSet[Any]) -> list[Any]:
    """The members of a WeakSet, to which other threads add."""
    while True:
        try:
            return list(members)
        except RuntimeError:            # its size has changed meanwhile
            pass


def times_forgotten() -> int:
    """How often `forget_kernels` was called. Who keeps a kernel elsewhere asks whether it is still the right one."""
    return _times_forgotten


def _count_after_discovery() -> int:
    """The first of `gpu_counters`: backends add theirs behind it while it runs, and are asked next."""
    discover()
    return 0


def _discover_before_reading(number: int) -> None:
    """The first of `gpu_memory_readers`: raises ContextError where no backend serves the GPU."""
    backend_for(gpu(number))


gpu_counters.append(_count_after_discovery)
gpu_memory_readers.append(_discover_before_reading)
