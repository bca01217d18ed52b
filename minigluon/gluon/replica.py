"""A Trainer's parameters on one device, and the step for them."""

# Trainer and Parameter belong together, but are in several files.
# pyright: reportPrivateUsage=false

from __future__ import annotations

from collections.abc import Iterable, Sequence
from operator import is_
from typing import Any

from ..base import MXNetError
from ..context import Context
from .parameter import Parameter
from .trainer_errors import listed, unreached_error

__all__ = ["Replica", "find_replicas", "require_values"]

Row = tuple[int, Any, Any]          # index in the trainer, value, gradient


class Replica:
    """The values and gradients, on one device, of the parameters that need a gradient.

    rows: [(index in the trainer, value, gradient)]. Valid until the parameters' arrays or memory are replaced.
    """

    def __init__(self, ctx: Context, rows: Sequence[Row]) -> None:
        self.ctx, self.rows = ctx, rows
        self.indices = tuple([index for index, _, _ in rows])
        self.values = tuple([value for _, value, _ in rows])
        self.grads = tuple([grad for _, _, grad in rows])
        self._memory = [x.buffer for x in (*self.values, *self.grads)]
        self._step: Any = None

    def is_like(self, other: Replica) -> bool:
        """Return whether both have the same arrays in the same memory."""
        return (self.indices == other.indices and len(self._memory) == len(other._memory)
                and all(map(is_, (*self.values, *self.grads, *self._memory),
                            (*other.values, *other.grads, *other._memory))))

    def is_fresh(self) -> bool:
        """Return whether backward has computed all gradients since the last step."""
        return not [value for value in self.values if not value.entry.fresh]

    def fresh_part(self) -> Replica:
        """Return the Replica of the rows whose gradients are fresh."""
        return Replica(self.ctx, [row for row in self.rows if row[1].entry.fresh])

    def step(self, updater: Any) -> Any:
        """Return the Step for these values, which is prepared once. There must be at least one value."""
        if self._step is None or not self._step.is_current(updater):
            self._step = updater.prepare(self.indices, self.grads, self.values)
        return self._step

    def update(self, updater: Any) -> None:
        """Take the step."""
        if self.rows:
            self.step(updater).run()
            self.mark_stale()

    def mark_stale(self) -> None:
        """Mark the gradients as stale."""
        for value in self.values:
            value.entry.fresh = False


def find_replicas(params: Sequence[Any], contexts: Sequence[Context]) -> list[Replica]:
    """Return a Replica for each device. The Parameters must have values on these devices and on no others."""
    require_values(params)
    rows: list[list[Row]] = [[] for _ in contexts]
    for index, param in enumerate(params):
        if param._grad is None:
            continue
        if len(param._data) > len(rows):
            raise MXNetError(f"Trainer: {param.described()} is on {listed(param._data.keys())}, but was on "
                             f"{listed(contexts)} when the Trainer was made. Make the Trainer after reset_ctx.")
        for of_device, (ctx, value) in zip(rows, param._data.items(), strict=False):
            of_device.append((index, value, param._grad[ctx]))
    return [Replica(*device) for device in zip(contexts, rows, strict=True)]


def require_values(params: Iterable[Parameter]) -> None:
    """Raise DeferredInitializationError unless all have values."""
    pending = [param for param in params if not param.is_initialized]
    if pending:
        raise unreached_error(pending)
