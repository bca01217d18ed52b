"""What runs in the place of kernels: the profiler and debug mode look at what operators compute."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

from ..context import Context
from .serving import forget_kernels

__all__ = ["unwatch_kernels", "watch_kernels", "watching"]

Watcher = Callable[[Any, Context, Any], Any]        # (operator, device, kernel or writer) -> what runs in its place

# watched: all watchers after each other, None without one. node_by_node: does one of them want each operator of a graph
# to have a kernel of its own? Asked when a graph is compiled.
watching = SimpleNamespace(watched=None, node_by_node=False)

_watchers: dict[Watcher, bool] = {}     # does it want graphs to run node by node?


def watch_kernels(watched: Watcher, node_by_node: bool = False) -> None:
    """From now on, run what `watched(op, ctx, kernel)` returns instead of each kernel.

    node_by_node: have graphs run node by node, so that each operator has a kernel of its own. All prepared kernels are
    forgotten, so that programs without a watcher pay nothing for it.
    """
    _watchers[watched] = node_by_node
    _switch()


def unwatch_kernels(watched: Watcher) -> None:
    """Undo `watch_kernels`."""
    _watchers.pop(watched, None)
    _switch()


def _switch() -> None:
    watching.watched = _watched_by_all if _watchers else None
    watching.node_by_node = any(_watchers.values())
    forget_kernels()


def _watched_by_all(op: Any, ctx: Context, kernel: Any) -> Any:
    for watched in _watchers:
        kernel = watched(op, ctx, kernel)
    return kernel
