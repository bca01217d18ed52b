"""Building blocks for an `update`, for authors of optimizers."""

from __future__ import annotations

from typing import Any

from .. import ndarray as nd
from ..base import ArgumentError
from .lists import require_one_weight

__all__ = ["UpdateParts", "correction", "zeros_like"]


class UpdateParts:
    """Mixin for Optimizer with methods that a subclass's `update` calls for one weight."""

    def _begin(self, index: Any) -> tuple[Any, Any, int]:
        """Count the update; return (learning rate, decay, number of updates of this weight, including this one)."""
        require_one_weight(self, index)
        self._update_count(index)
        return self._get_lr(index), self._get_wd(index), self._index_update_count[index]

    def _get_lr(self, index: Any) -> Any:
        return self._get_lrs([index])[0]

    def _get_wd(self, index: Any) -> Any:
        return self._get_wds([index])[0]

    def _clipped(self, grad: Any) -> Any:
        """Return the gradient with its elements clipped to [-clip_gradient, clip_gradient]."""
        return grad if self.clip_gradient is None else nd.clip(grad, -self.clip_gradient, self.clip_gradient)


def zeros_like(weight: Any) -> Any:
    """Return an all-zero state for a weight, not on the tape."""
    return nd.zeros(weight.shape, weight.context, weight.dtype)


def correction(optimizer: Any, name: str, t: int) -> float:
    """Return 1 - betaᵗ, the sum of a running mean's weights after t updates. Raises ArgumentError if it is 0.

    optimizer: the optimizer.
    name: its attribute that holds beta, such as 'beta1'.
    t: the number of updates.
    """
    beta = getattr(optimizer, name)
    try:
        total = 1 - beta ** t
    except ArithmeticError:         # 0 ** -1, or a result that is too large
        total = 0
    if total == 0:
        raise ArgumentError(f"{type(optimizer).__name__}: {name} is {beta}, and 1 - {name} ** {t} divides. Expected "
                            f"{name} from 0 to below 1, and begin_num_update at least 0.")
    return total
