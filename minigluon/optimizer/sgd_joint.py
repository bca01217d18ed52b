"""SGD steps for all weights with one operator."""

from __future__ import annotations

from typing import Any

from .. import ndarray as nd
from ..common.fast_paths import fast
from ..ops import REGISTRY
from .sgd import SGD


@fast(SGD, "_joint_options")
def joint_options(self: Any) -> dict[str, Any] | str:
    if not self._update_is_that_of(SGD):
        return f"{type(self).__name__} has an update of its own"
    return {"clip_gradient": self.clip_gradient or -1.0, "momentum": self.momentum}


@fast(SGD, "_joint_step")
def joint_step(self: Any, states: list[Any]) -> tuple[Any, list[Any]] | str:
    options = self._joint_options()
    if isinstance(options, str):
        return options
    if all(state is None for state in states):
        del options["momentum"]
        return REGISTRY["_sgd_steps"](num_weights=len(states), **options), [()] * len(states)
    if not all(isinstance(state, nd.NDArray) for state in states):
        return "only some of the weights have a momentum"
    return REGISTRY["_sgd_mom_steps"](num_weights=len(states), **options), [(state,) for state in states]
