"""The dropping of prepared kernels, plans and stand-ins, when the backend or the checks change."""

from __future__ import annotations

import weakref
from types import SimpleNamespace
from typing import Any

from ..context import Context
from .table import serving

__all__ = ["forget_kernels", "forgotten", "kernel_caches"]

# times: how many times `forget_kernels` was called. A caller must discard kernels prepared before the last call.
forgotten = SimpleNamespace(times=0)

# Objects that keep kernels, in addition to the devices; each has a method `forget_kernels`.
kernel_caches: weakref.WeakSet[Any] = weakref.WeakSet()


def forget_kernels() -> None:
    """Drop all prepared kernels, plans and stand-ins, when the backend or the checks change.

    Kernels are prepared again when used, and their shapes and types are checked again.
    """
    forgotten.times += 1
    serving.clear()
    for ctx in list(Context._interned.values()):       # other threads may use new devices meanwhile
        ctx.kernels.clear()
        ctx.stand_ins.clear()
    for keeper in _listed(kernel_caches):
        keeper.forget_kernels()


def _listed(members: weakref.WeakSet[Any]) -> list[Any]:
    """Return the members of a WeakSet while other threads may add to it."""
    while True:
        try:
            return list(members)
        except RuntimeError:            # another thread has changed the set's size
            pass
