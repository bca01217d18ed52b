"""Setting the learning rate and its factors for individual weights."""

from __future__ import annotations

from typing import Any

from ..base import MXNetError

__all__ = ["Multipliers", "ScheduledRateError"]


class ScheduledRateError(MXNetError, UserWarning):
    """Raised if a learning rate is set although a scheduler determines it. MXNet raises a UserWarning."""


class Multipliers:
    """Mixin for Optimizer that sets rates and factors."""

    lr_scheduler: Any
    sym_info: Any
    idx2name: dict[Any, str]
    lr_mult: dict[Any, Any]
    wd_mult: dict[Any, Any]

    def set_learning_rate(self, lr: float) -> None:
        """Set the learning rate.

        lr: the learning rate.

        Raises ScheduledRateError if a scheduler determines it.
        """
        if self.lr_scheduler is not None:
            raise ScheduledRateError("the learning rate follows from lr_scheduler; set_learning_rate would have no "
                                     "effect. Change optimizer.lr_scheduler.base_lr instead.")
        self.lr = lr

    def set_lr_mult(self, args_lr_mult: Any) -> None:
        """Set factors for the learning rate. Factors from the symbol's `__lr_mult__` are kept.

        args_lr_mult: {index or name: factor}.
        """
        self.lr_mult = {**self._multipliers("__lr_mult__"), **args_lr_mult}

    def set_wd_mult(self, args_wd_mult: Any) -> None:
        """Set factors for the weight decay, which are 0 by default for biases and similar parameters.

        args_wd_mult: {index or name: factor}.
        """
        none = {name: 0.0 for name in self.idx2name.values() if not name.endswith(("_weight", "_gamma"))}
        self.wd_mult = {**none, **self._multipliers("__wd_mult__"), **args_wd_mult}

    def _multipliers(self, key: str) -> dict[str, float]:
        if not self.sym_info:
            return {}
        attributes, names = self.sym_info
        return {name: float(attributes[name][key]) for name in names if key in attributes.get(name, {})}
