"""Protocols of the tape: the operations that it records, and the observers of debug mode."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any, Protocol

__all__ = ["Observer", "Operation", "observing"]

Array = Any                                         # an NDArray


class Operation(Protocol):
    """An operation on the tape: an `Op`, a called `autograd.Function`, or a call of a plan."""

    name: str
    keeps: Sequence[str]
    mutates: Sequence[str]
    differentiable: bool

    def list_arguments(self) -> Sequence[str]: ...

    def gradient(self, F: Any, out_grads: Sequence[Array], inputs: Sequence[Array],
                 outputs: Sequence[Array]) -> Any: ...


class Observer(Protocol):
    """The tape's hooks for debug mode."""

    def recorded(self, op: Operation, inputs: Sequence[Array], entry: Any) -> None:
        """Called after an entry was recorded."""
        ...

    def visit(self, entry: Any, F: Any, out_grads: Sequence[Array | None], retain: bool,
              walk: Any) -> Sequence[Any]:
        """Replaces `entry.gradients`."""
        ...

    def stored(self, F: Any, heads: Sequence[Array], head_grads: Sequence[Array | None], retain: bool) -> Any:
        """Replaces `gradients` if `backward` will store them."""
        ...


observing = SimpleNamespace(observer=None)
