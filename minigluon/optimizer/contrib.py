"""`mx.optimizer.contrib`: AdaGrad with one step size for each row."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .. import ndarray as nd
from ..base import ArgumentError
from .optimizer import Optimizer, register

if TYPE_CHECKING:
    from ..ndarray import NDArray

__all__ = ["GroupAdaGrad"]


@register
class GroupAdaGrad(Optimizer):
    """weight -= lr · g / √(h + eps) with h += the mean of g² in each row. State: h (rows, 1). No weight decay.

    It is meant for embeddings, whose rows are used at different times, and supports only weights with two axes. g =
    clip(rescale_grad · grad).

    eps: added under the root to avoid a division by 0.

    Source: Duchi, Hazan and Singer 2011, Adaptive Subgradient Methods for Online Learning and Stochastic Optimization.

    >>> optimizer, weight = mx.optimizer.contrib.GroupAdaGrad(learning_rate=0.1), nd.array([[1, 1]])
    >>> optimizer.update(0, weight, nd.array([[5, 5]]), optimizer.create_state(0, weight))     # the first step is lr
    >>> weight.asnumpy().round(4)
    array([[0.9, 0.9]], dtype=float32)
    """

    def __init__(self, eps: float = 1e-5, **kwargs: Any):
        super().__init__(**kwargs)
        self.float_stable_eps: float = eps

    def create_state(self, index: int, weight: NDArray) -> NDArray:
        if weight.ndim != 2:
            raise ArgumentError(f"GroupAdaGrad: weight {index!r} has the shape {weight.shape}, expected two axes: it "
                                "has one step size per row. Use AdaGrad for others.")
        return nd.zeros((weight.shape[0], 1), weight.context, dtype=weight.dtype)

    def update(self, index: int, weight: NDArray, grad: NDArray, state: Any) -> None:
        lr, wd, _ = self._begin(index)
        if wd:
            raise ArgumentError(f"GroupAdaGrad: the weight decay of {index!r} is {wd}, which is not supported: set "
                                "wd=0")
        if grad.stype == "row_sparse":
            nd.contrib.group_adagrad_update(weight, grad, state, out=weight, epsilon=self.float_stable_eps,
                                            **self._options(lr=lr))
            return
        grad = self._clipped(grad * self.rescale_grad)
        state[:] = state + nd.mean(nd.square(grad), axis=1, keepdims=True)
        weight[:] = weight - lr * grad / nd.sqrt(state + self.float_stable_eps)
