"""`Test`: an optimizer with predictable steps."""

from __future__ import annotations

from typing import Any

from .optimizer import Optimizer, register
from .update_parts import zeros_like

__all__ = ["Test"]


@register
class Test(Optimizer):
    """An optimizer for tests: weight + rescale_grad · grad, with the weight as its state. Only rescale_grad has an
    effect.

    >>> optimizer, weight = mx.optimizer.Test(), nd.array([1])
    >>> optimizer.update(0, weight, nd.array([5]), optimizer.create_state(0, weight))
    >>> weight.asnumpy().tolist()
    [6.0]
    """

    __test__ = False        # otherwise pytest would collect this class

    def create_state(self, index: Any, weight: Any) -> Any:
        return zeros_like(weight)

    def update(self, index: Any, weight: Any, grad: Any, state: Any) -> None:
        weight[:] = weight + grad * self.rescale_grad
        state[:] = weight
