"""What `TrainStep` needs of a Trainer, to make its step part of a plan."""

from __future__ import annotations

from typing import Any

from ..context import Context
from .parameter import Parameter

__all__ = ["TrainerPlans"]


class TrainerPlans:
    """The part of Trainer that gives its step to a plan."""

    def parameters(self) -> list[Parameter]:
        """All parameters, as a list."""
        return self._params

    def contexts(self) -> list[Context]:
        """The devices that they are on."""
        return self._contexts

    def plan_obstacle(self) -> Any:
        """Why a step cannot be part of a plan together with what precedes it, or None."""
        if not self._is_plain or len(self._contexts) != 1:
            return "the trainer is one for several devices, or of a class of its own"
        if self._amp_loss_scaler is not None:
            return "mixed precision looks at the gradients before each step"
        return None if self._kvstore is None else "the trainer's gradients go to a store"

    def sole_step(self) -> Any:
        """(Replica, Step) where there is no `plan_obstacle`; new ones when arrays, states or settings have changed."""
        replica, = self.replicas()
        return replica, replica.step(self._updaters[0])
