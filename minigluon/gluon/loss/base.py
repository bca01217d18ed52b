"""Loss: the base class of all losses, with weights and the mean per item."""

from __future__ import annotations

import numbers
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from ...base import ArgumentError, ShapeError, integer_types
from ...ndarray import NDArray
from ...symbol import Symbol
from ..hybrid_block import HybridBlock

__all__ = ["Loss"]


def _apply_weighting(F, loss, weight=None, sample_weight=None):
    """Return `loss` times `sample_weight`, an array that broadcasts to it, times the number `weight`."""
    if sample_weight is not None:
        loss = F.broadcast_mul(loss, sample_weight)
    if weight is None:
        return loss
    if not isinstance(weight, numbers.Number):
        raise ArgumentError(f"_apply_weighting: weight is {weight!r}, expected a number or None. Pass an array of "
                            "weights as sample_weight.")
    return loss * weight


def _reshape_like(F, x, y):
    """Return x reshaped to the shape of y, which has the same number of elements."""
    return F.reshape_like(x, y)


class Loss(HybridBlock):
    """Base class of all losses, which return one value for each item in the batch, usually the mean over its elements.

    weight: a factor of the loss, or None.
    batch_axis: the axis of the items.
    sample_weight: in the call, an array of factors that broadcasts to the loss of each element.

    Raises ArgumentError if weight is not a number, and ShapeError if pred and label do not match.

    >>> class Cubes(gluon.loss.Loss):
    ...     def hybrid_forward(self, F, pred, label, sample_weight=None):
    ...         return F.mean(F.abs(pred - label) ** 3, axis=self._batch_axis, exclude=True)
    >>> Cubes(weight=None, batch_axis=0)(nd.array([[1, 2]]), nd.array([[1, 4]])).item()
    4.0
    """

    def __init__(self, weight: float | None, batch_axis: int, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        if weight is not None and not isinstance(weight, numbers.Number):
            raise ArgumentError(f"{type(self).__name__}: weight is {weight!r}, expected a number or None. Pass "
                                "weights for the items in the call, as sample_weight.")
        self._weight = weight
        self._batch_axis = batch_axis

    if TYPE_CHECKING:       # several inputs but only one result
        @overload
        def __call__(self, x: NDArray, *args: Any) -> NDArray: ...
        @overload
        def __call__(self, x: Symbol, *args: Any) -> Symbol: ...
        def __call__(self, x: Any, *args: Any) -> Any: ...

    def __repr__(self) -> str:
        return f"{type(self).__name__}(batch_axis={self._batch_axis}, w={self._weight})"

    def _number(self, name, value):
        """Return an option that is a number, or an array that broadcasts to the loss."""
        if not isinstance(value, (numbers.Number, np.ndarray, NDArray, Symbol)):
            raise ArgumentError(f"{type(self).__name__}: {name} is {value!r}, expected a number")
        return value

    def _integer(self, name, value):
        if not isinstance(value, integer_types):
            raise ArgumentError(f"{type(self).__name__}: {name} is {value!r}, expected an integer")
        return value

    def _weighted(self, F, loss, sample_weight, weight=None):
        return _apply_weighting(F, loss, self._weight if weight is None else weight, sample_weight)

    def _mean(self, F, loss, sample_weight, weight=None):
        """Return the weighted loss, averaged over all axes except the batch axis."""
        return F.mean(self._weighted(F, loss, sample_weight, weight), axis=self._batch_axis, exclude=True)

    def _like(self, F, label, pred, name="label"):
        """Return `label` with the shape of `pred`: (N,) becomes (N, 1). The number of elements must be the same."""
        for which, value in (("pred", pred), (name, label)):
            if not isinstance(value, (NDArray, Symbol)):
                raise ArgumentError(f"{type(self).__name__}: {which} must be an NDArray or Symbol, found "
                                    f"{type(value).__name__}. Convert it with nd.array(...).")
        if hasattr(pred, "shape") and label.shape != pred.shape and label.size != pred.size:
            raise ShapeError(f"{type(self).__name__}: {name} has shape {label.shape} and pred has shape {pred.shape}, "
                             "but both must have the same number of elements. The units of the last layer are the "
                             "number of predictions per item.", name)
        return F.reshape_like(label, pred)
