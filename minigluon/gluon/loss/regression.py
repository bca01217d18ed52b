"""Regression losses: L1, L2, Huber, and Poisson for counts."""

from __future__ import annotations

import math
import numbers
from typing import Any

from ...base import ArgumentError
from .base import Loss

__all__ = ["HuberLoss", "L1Loss", "L2Loss", "PoissonNLLLoss"]


class L2Loss(Loss):
    """weight / 2 · (label - pred)², averaged per item.

    pred any shape | label the same number of elements | out (N,)

    >>> gluon.loss.L2Loss()(nd.array([[1, 2], [3, 4]]), nd.array([[1, 4], [7, 8]])).asnumpy().tolist()
    [1.0, 8.0]
    """

    def __init__(self, weight: Any = 1.0, batch_axis: int = 0, **kwargs: Any) -> None:
        super().__init__(weight, batch_axis, **kwargs)

    def hybrid_forward(self, F: Any, pred: Any, label: Any, sample_weight: Any = None) -> Any:
        """Return the loss (N,) for pred of any shape and label with the same number of elements."""
        label = self._like(F, label, pred)
        weight = 1 if self._weight is None else self._weight
        return self._mean(F, F.square(label - pred), sample_weight, weight / 2)


class L1Loss(Loss):
    """|label - pred|, averaged per item.

    pred any shape | label the same number of elements | out (N,)

    >>> gluon.loss.L1Loss()(nd.array([[1, 2], [3, 4]]), nd.array([[1, 4], [7, 8]])).asnumpy().tolist()
    [1.0, 4.0]
    """

    def __init__(self, weight: Any = None, batch_axis: int = 0, **kwargs: Any) -> None:
        super().__init__(weight, batch_axis, **kwargs)

    def hybrid_forward(self, F: Any, pred: Any, label: Any, sample_weight: Any = None) -> Any:
        """Return the loss (N,) for pred of any shape and label with the same number of elements."""
        label = self._like(F, label, pred)
        return self._mean(F, F.abs(label - pred), sample_weight)


class HuberLoss(Loss):
    """(label - pred)² / (2 rho) where |label - pred| ≤ rho, |label - pred| - rho / 2 elsewhere; averaged per item.

    pred any shape | label the same number of elements | out (N,)

    rho: the error at which the parabola changes to a line.

    >>> gluon.loss.HuberLoss(rho=2)(nd.array([0, 0]), nd.array([2, 10])).asnumpy().tolist()
    [1.0, 9.0]
    """

    def __init__(self, rho: float = 1, weight: Any = None, batch_axis: int = 0, **kwargs: Any) -> None:
        super().__init__(weight, batch_axis, **kwargs)
        self._rho = self._number("rho", rho)
        if isinstance(rho, numbers.Number) and not rho:
            raise ArgumentError(f"HuberLoss: rho is {rho!r}, expected a number above 0; L1Loss is its limit")

    def hybrid_forward(self, F: Any, pred: Any, label: Any, sample_weight: Any = None) -> Any:
        """Return the loss (N,) for pred of any shape and label with the same number of elements."""
        distance = F.abs(self._like(F, label, pred) - pred)
        loss = F.where(distance > self._rho, distance - 0.5 * self._rho, (0.5 / self._rho) * F.square(distance))
        return self._mean(F, loss, sample_weight)


class PoissonNLLLoss(Loss):
    """Negative log likelihood of Poisson counts: pred - target · log pred, averaged over all elements.

    pred any shape | target the same number of elements | out (1,)

    from_logits: True if pred is the logarithm of the mean.
    compute_full: if True, add Stirling's approximation of log(target!) where target > 1.
    epsilon, in the call: keeps the logarithm finite with from_logits=False.

    >>> gluon.loss.PoissonNLLLoss(from_logits=False)(nd.array([1, 3]), nd.array([5, 0])).asnumpy().round(3)
    array([2.], dtype=float32)
    """

    def __init__(self, weight: Any = None, from_logits: bool = True, batch_axis: int = 0, compute_full: bool = False,
                 **kwargs: Any) -> None:
        super().__init__(weight, batch_axis, **kwargs)
        self._from_logits, self._compute_full = from_logits, compute_full

    def hybrid_forward(self, F: Any, pred: Any, target: Any, sample_weight: Any = None, epsilon: Any = 1e-08) -> Any:
        """Return the loss (1,) for pred of any shape and target with the same number of elements."""
        target = self._like(F, target, pred, "target")
        loss = F.exp(pred) - target * pred if self._from_logits else pred - target * F.log(pred + epsilon)
        if self._compute_full:
            stirling = target * F.log(target) - target + 0.5 * F.log(2 * math.pi * target)
            loss = loss + F.where(target > 1, stirling, F.zeros_like(target))
        return F.mean(self._weighted(F, loss, sample_weight))
