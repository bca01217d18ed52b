"""What the tape asks of an operator, and what debug mode sees of the tape."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any, Protocol

__all__ = ["Observer", "Operation", "observing"]

Array = Any                                         # an NDArray


class Operation(Protocol):
    """What the tape asks of an operator: an `Op` has it, a called `autograd.Function`, and a call of a plan."""

    name: str
    keeps: Sequence[str]
    mutates: Sequence[str]
    differentiable: bool

    def list_arguments(self) -> Sequence[str]: ...

    def gradient(self, F: Any, out_grads: Sequence[Array], inputs: Sequence[Array],
                 outputs: Sequence[Array]) -> Any: ...


class Observer(Protocol):
    """What debug mode sees of the tape."""

    def recorded(self, op: Operation, inputs: Sequence[Array], entry: Any) -> None:
        """An entry was made."""
        ...

    def visit(self, entry: Any, F: Any, out_grads: Sequence[Array | None], retain: bool,
              walk: Any) -> Sequence[Any]:
        """Runs in the place of `entry.gradients`."""
        ...

    def stored(self, F: Any, heads: Sequence[Array], head_grads: Sequence[Array | None], retain: bool) -> Any:
        """Runs in the place of `gradients` where `backward` will store them."""
        ...


observing = SimpleNamespace(observer=None)
