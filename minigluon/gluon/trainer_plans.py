"""Methods of a Trainer that `TrainStep` uses to include the trainer's step in a plan."""

# Trainer's mixins and stores belong together.
# pyright: reportPrivateUsage=false

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..context import Context
from .parameter import Parameter

__all__ = ["TrainerPlans"]


class TrainerPlans:
    """Mixin for Trainer that provides its step for a plan."""

    def parameters(self) -> list[Parameter]:
        """Return a list of all parameters."""
        return self._params

    def contexts(self) -> list[Context]:
        """Return the parameters' devices."""
        return self._contexts

    def plan_obstacle(self) -> Any:
        """Return the reason why a step cannot be part of a plan with the preceding computation, or None."""
        if not self._is_plain or len(self._contexts) != 1:
            return "the trainer has several devices, or is of a subclass"
        if self._amp_loss_scaler is not None:
            return "mixed precision checks the gradients before each step"
        return None if self._kvstore is None or self.sends_early() else "the trainer's gradients go to a store"

    def sends_early(self) -> bool:
        """Return whether the store sends gradients while a plan computes others."""
        store = self._kvstore
        return (store is not None and store._sends_early and not self._on_kvstore
                and self._contexts[0].device_type == "cpu")

    def send(self, grads: Sequence[Any]) -> None:
        """Let the store send gradients that are final."""
        self._kvstore._send_early(grads)

    def single_device_step(self) -> Any:
        """Return (Replica, Step) if there is no `plan_obstacle`. They are recreated if arrays, states or settings have
        changed. """
        replica, = self.replicas()
        return replica, replica.step(self._updaters[0])
