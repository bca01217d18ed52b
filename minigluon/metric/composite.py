"""Composite metrics, and `create`, which returns a metric by name, function or list."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..base import ArgumentError
from .base import EvalMetric, alias, factory, register
from .losses import CustomMetric

__all__ = ["CompositeEvalMetric", "create"]


def create(metric: Any, *args: Any, **kwargs: Any) -> EvalMetric:
    """Return a metric for a name, a function, an instance, or a list of these (a composite).

    metric: 'accuracy', ..., or a function (label, pred) -> value.
    args, kwargs: arguments of the metric.

    >>> mx.metric.create("mae").name, mx.metric.create(["acc", "ce"]).get()[0]
    ('mae', ['accuracy', 'cross-entropy'])
    """
    if isinstance(metric, list):
        composite = CompositeEvalMetric()
        for child in metric:
            composite.add(create(child, *args, **kwargs))
        return composite
    if callable(metric):
        return CustomMetric(metric, *args, **kwargs)
    return factory.create(metric, *args, **kwargs)


@alias("composite")
@register
class CompositeEvalMetric(EvalMetric):
    """Several metrics computed from the same labels and predictions.

    metrics: a list of metrics, or of other arguments that `create` accepts.
    name: the name in `get_config`; `get` uses the names of the metrics.

    >>> metric = mx.metric.CompositeEvalMetric([mx.metric.MAE(), mx.metric.MSE()])
    >>> metric.update(nd.array([0, 0]), nd.array([1, 3]))
    >>> names, values = metric.get()
    >>> names, [float(value) for value in values], metric.get_metric(0).name
    (['mae', 'mse'], [2.0, 5.0], 'mae')
    """

    def __init__(self, metrics: Any = None, name: str = "composite", output_names: Sequence[str] | None = None,
                 label_names: Sequence[str] | None = None) -> None:
        self.metrics = []               # set before base-class methods use it
        super().__init__(name, output_names, label_names, has_global_stats=True)
        if metrics is not None and (isinstance(metrics, str) or not hasattr(metrics, "__iter__")):
            raise ArgumentError(f"CompositeEvalMetric: metrics is {metrics!r}, expected a list of metrics")
        self.metrics += [create(m) for m in (() if metrics is None else metrics)]

    def add(self, metric: Any) -> None:
        """Append a metric, or anything that `create` accepts."""
        self.metrics.append(create(metric))

    def get_metric(self, index: Any) -> Any:
        """Return the metric at a position.

        index: counted from 0, or backwards from -1.

        Raises ArgumentError if there is no such metric.
        """
        if not -len(self.metrics) <= index < len(self.metrics):
            raise ArgumentError(f"there is no metric {index} among {len(self.metrics)}")
        return self.metrics[index]

    def update(self, labels: Any, preds: Any) -> None:
        for metric in self.metrics:
            metric.update(labels, preds)

    def update_dict(self, labels: Any, preds: Any) -> None:
        if self.label_names is not None:
            labels = {name: a for name, a in labels.items() if name in self.label_names}
        if self.output_names is not None:
            preds = {name: a for name, a in preds.items() if name in self.output_names}
        for metric in self.metrics:
            metric.update_dict(labels, preds)

    def reset(self) -> None:
        for metric in self.metrics:
            metric.reset()

    def reset_local(self) -> None:
        for metric in self.metrics:
            metric.reset_local()

    def get(self) -> Any:
        """Return (names, values) as lists."""
        return self._join([m.get_name_value() for m in self.metrics])

    def get_global(self) -> Any:
        """Return (names, values) as lists."""
        return self._join([m.get_global_name_value() for m in self.metrics])

    def _join(self, pairs):
        return [name for some in pairs for name, _ in some], [value for some in pairs for _, value in some]

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "metrics": [m.get_config() for m in self.metrics]}
