"""Which backend serves which device, and when prepared kernels are forgotten."""

from __future__ import annotations

import weakref
from typing import Any

from ..context import Context
from .contract import Backend
from .discovery import find

__all__ = ["backend_for", "forget_count", "forget_kernels", "kernel_caches", "serving"]

_times_forgotten = 0
serving: dict[Context, Backend] = {}           # device -> what `backend_for` has found

# Objects that keep kernels, in addition to the devices; each has a method `forget_kernels`.
kernel_caches: weakref.WeakSet[Any] = weakref.WeakSet()


def backend_for(ctx: Any) -> Backend:
    """Return the backend that serves a device.

    Raises ContextError when there is none, or MXNetError when MINIGLUON_BACKEND names an unknown one.
    """
    backend = serving.get(ctx)
    if backend is None:
        backend = serving[ctx] = find(ctx)
    return backend


def forget_kernels() -> None:
    """Drop all prepared kernels, plans and stand-ins, after the choice of backend or of what is checked has changed.

    Kernels that are used again are prepared again, and their shapes and types checked again.
    """
    global _times_forgotten
    _times_forgotten += 1
    serving.clear()
    for ctx in list(Context._interned.values()):       # other threads may use new devices meanwhile
        ctx.kernels.clear()
        ctx.stand_ins.clear()
    for keeper in _listed(kernel_caches):
        keeper.forget_kernels()


def _listed(members: weakref.WeakSet[Any]) -> list[Any]:
    """The members of a WeakSet, to which other threads add."""
    while True:
        try:
            return list(members)
        except RuntimeError:            # its size has changed meanwhile
            pass


def forget_count() -> int:
    """Return how often `forget_kernels` was called: a caller whose kernels are older has to discard them."""
    return _times_forgotten
