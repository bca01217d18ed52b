"""Regression metrics: errors and correlation."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy

from .base import EvalMetric, alias, check_label_shapes, checked_average, register

__all__ = ["MAE", "MSE", "RMSE", "PearsonCorrelation"]


class _Regression(EvalMetric):
    """Base class of metrics that average `error(difference)` over batches. A vector is treated as a column."""

    def __init__(self, name: str, output_names: Sequence[str] | None = None,
                 label_names: Sequence[str] | None = None) -> None:
        super().__init__(name, output_names, label_names, has_global_stats=True)

    def update_pair(self, label: Any, pred: Any) -> None:
        label, pred = (a.reshape(-1, 1) if a.ndim == 1 else a for a in (label, pred))
        self.add(float(self.error(label - pred)), 1)


@register
class MAE(_Regression):
    """The mean absolute error.

    >>> metric = mx.metric.MAE()
    >>> metric.update(nd.array([0, 0]), nd.array([1, 3]))
    >>> float(metric.get()[1])
    2.0
    """

    def __init__(self, name: str = "mae", output_names: Sequence[str] | None = None,
                 label_names: Sequence[str] | None = None) -> None:
        super().__init__(name, output_names, label_names)

    def error(self, difference: Any) -> Any:
        return numpy.abs(difference).mean()


@register
class MSE(_Regression):
    """The mean squared error.

    >>> metric = mx.metric.MSE()
    >>> metric.update(nd.array([0, 0]), nd.array([1, 3]))       # (1 + 9) / 2
    >>> float(metric.get()[1])
    5.0
    """

    def __init__(self, name: str = "mse", output_names: Sequence[str] | None = None,
                 label_names: Sequence[str] | None = None) -> None:
        super().__init__(name, output_names, label_names)

    def error(self, difference: Any) -> Any:
        return numpy.square(difference).mean()


@register
class RMSE(_Regression):
    """The root of each batch's mean squared error, averaged over the batches.

    >>> metric = mx.metric.RMSE()
    >>> metric.update(nd.array([0, 0]), nd.array([3, 3]))
    >>> float(metric.get()[1])
    3.0
    """

    def __init__(self, name: str = "rmse", output_names: Sequence[str] | None = None,
                 label_names: Sequence[str] | None = None) -> None:
        super().__init__(name, output_names, label_names)

    def error(self, difference: Any) -> Any:
        return numpy.sqrt(numpy.square(difference).mean())


@alias("pearsonr")
@register
class PearsonCorrelation(EvalMetric):
    """The correlation between labels and predictions of equal shapes: covariance / √(variance · variance).

    average: 'macro' averages over batches; 'micro' pools all instances.

    >>> metric = mx.metric.PearsonCorrelation()
    >>> metric.update(nd.array([1, 2, 3]), nd.array([10, 20, 30]))
    >>> round(float(metric.get()[1]), 3)
    1.0
    """

    def __init__(self, name: str = "pearsonr", output_names: Sequence[str] | None = None,
                 label_names: Sequence[str] | None = None, average: str = "macro") -> None:
        self.average: str = checked_average("PearsonCorrelation", average)
        super().__init__(name, output_names, label_names, has_global_stats=True, average=average)

    def reset_local(self) -> None:
        super().reset_local()
        self._moments = numpy.zeros(6)          # count, Σ x, Σ y, Σ xx, Σ yy, Σ xy of the values minus the first values
        self._origin = None

    def update_pair(self, label: Any, pred: Any) -> None:
        check_label_shapes(label, pred, shape=True)
        x, y = label.ravel().astype("float64"), pred.ravel().astype("float64")
        if self.average == "macro":
            self.add(float(numpy.corrcoef(x, y)[0, 1]), 1)
            return
        if self._origin is None:
            self._origin = x.mean(), y.mean()   # close to the mean, so that the sums of squares keep their precision
        x, y = x - self._origin[0], y - self._origin[1]
        self._moments += [len(x), x.sum(), y.sum(), x @ x, y @ y, x @ y]
        self.num_inst += 1
        self.global_num_inst += 1
        self.sum_metric = self.global_sum_metric = self._correlation() * self.num_inst

    def _correlation(self):
        n, x, y, xx, yy, xy = self._moments
        return (xy - x * y / n) / math.sqrt((xx - x * x / n) * (yy - y * y / n))
