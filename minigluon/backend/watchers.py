"""Replacements for kernels, which let the profiler and debug mode observe what operators compute."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

from ..context import Context
from .forgetting import forget_kernels
from .kernel import Kernel

__all__ = ["WatchedKernel", "unwatch_kernels", "watch_kernels", "watching"]

Watcher = Callable[[Any, Context, Any], Any]        # (operator, device, kernel or writer) -> its replacement

# watched: all watchers chained, or None. node_by_node: whether a watcher needs a separate kernel for each operator in a
# graph. `node_by_node` is read when a graph is compiled.
watching = SimpleNamespace(watched=None, node_by_node=False)

_watchers: dict[Watcher, bool] = {}     # watcher -> whether graphs must run node by node


def watch_kernels(watched: Watcher, node_by_node: bool = False) -> None:
    """Runs the result of `watched(op, ctx, kernel)` instead of each kernel from now on.

    node_by_node: whether to run graphs node by node, so that each operator has a separate kernel. Prepared kernels are
    discarded, so programs without a watcher have no overhead.
    """
    _watchers[watched] = node_by_node
    _switch()


def unwatch_kernels(watched: Watcher) -> None:
    """Undoes `watch_kernels`."""
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


class WatchedKernel(Kernel):
    """A Kernel whose functions are replaced by the watchers' functions. It has no shortcut in `ctx.kernels`."""

    def __init__(self, op: Any, ctx: Context, kernel: Kernel):
        self._watched, self._kernel = (lambda function: _watched_by_all(op, ctx, function)), kernel

    @property
    def run(self) -> Any:
        return self._watched(self._kernel.run)

    @property
    def write(self) -> Any:
        return self._kernel.write and self._watched(self._kernel.write)

    @property
    def scratch(self) -> Any:
        return self._kernel.scratch
