"""The base class of metrics: local and global sums and counts, a name, a registry, and matching of labels and
predictions.
"""

from __future__ import annotations

import math
import numbers
from collections.abc import Sequence
from typing import Any

import numpy
import numpy as np

from ..base import ArgumentError
from ..common.class_registry import Factory
from ..common.types import Shape
from ..diagnostics.keywords import ChecksKeywords
from ..ndarray import NDArray

__all__ = ["EvalMetric", "alias", "as_list", "as_numpy", "check_label_shapes", "checked_average", "factory", "register"]

factory: Factory = Factory("metric")
register, alias = factory.register, factory.alias


def check_label_shapes(labels: Any, preds: Any, wrap: bool = False, shape: Shape = False) -> Any:
    """Raise ArgumentError unless labels and predictions have equal length, or equal shapes if shape=True.

    Returns both, with single arrays wrapped in lists if wrap=True.

    labels, preds: arrays, or lists of them.

    >>> labels, preds = mx.metric.check_label_shapes(nd.ones((2,)), nd.ones((2, 3)), wrap=True)
    >>> len(labels), len(preds)
    (1, 1)
    """
    if not shape and not all(isinstance(x, (list, tuple, NDArray, numpy.ndarray)) for x in (labels, preds)):
        raise ArgumentError(f"labels and predictions must be arrays or lists of arrays, found {type(labels).__name__} "
                            f"and {type(preds).__name__}")
    have = (labels.shape, preds.shape) if shape else (len(labels), len(preds))
    if have[0] != have[1]:
        raise ArgumentError(f"labels and predictions do not fit together: {have[0]} against {have[1]}")
    if wrap:
        labels, preds = as_list(labels), as_list(preds)
    return labels, preds


def as_list(arrays: Sequence[NDArray]) -> Any:
    return [arrays] if isinstance(arrays, NDArray) else arrays


def as_numpy(array: NDArray) -> np.ndarray[Any, Any]:
    return array.asnumpy() if isinstance(array, NDArray) else numpy.asarray(array)


def checked_average(kind: Any, average: Any) -> str:
    if average not in ("macro", "micro"):
        raise ArgumentError(f"{kind}: average is {average!r}, expected 'macro' or 'micro'")
    return average


def checked_axis(kind: Any, axis: Any) -> int:
    """Return the axis of a metric. Raises ArgumentError unless it is an integer. kind: the metric."""
    if isinstance(axis, (bool, numpy.bool_)) or not isinstance(axis, numbers.Integral):
        raise ArgumentError(f"{type(kind).__name__}: axis is {axis!r}, expected an integer")
    return int(axis)


class EvalMetric(ChecksKeywords):
    """Base class of metrics. A subclass defines `update_pair(label, pred)`, which takes NumPy arrays and calls
    `add(sum, count)`.

    name: the name of the metric in `get`.
    output_names, label_names: the entries that `update_dict` uses; None means all entries.
    has_global_stats: whether to keep sums that `reset_local` does not clear.
    kwargs: the configuration that `get_config` returns.

    >>> class Largest(mx.metric.EvalMetric):
    ...     def update_pair(self, label, pred):
    ...         self.add(abs(label - pred).max(), 1)
    >>> metric = Largest("largest")
    >>> metric.update([nd.array([1, 2])], [nd.array([1, 5])])
    >>> metric.update([nd.array([1, 2])], [nd.array([2, 2])])
    >>> name, value = metric.get()
    >>> name, float(value), metric.get_name_value() == [(name, value)]
    ('largest', 2.0, True)
    >>> metric.reset()
    >>> metric.get()
    ('largest', nan)
    """

    num_inst: int
    sum_metric: float

    def __init__(self, name: str, output_names: Sequence[str] | None = None, label_names: Sequence[str] | None = None,
                 has_global_stats: bool = False, **kwargs: Any) -> None:
        self.name: str = str(name)
        self.output_names = output_names
        self.label_names = label_names
        self._has_global_stats = has_global_stats
        self._kwargs = kwargs
        self.reset()

    def __str__(self) -> str:
        values = {name: value.item() if isinstance(value, numpy.generic) else value
                  for name, value in self.get_name_value()}
        return f"EvalMetric: {values}"

    def _repr_html_(self) -> str:
        from ..display.training import metric_html
        return metric_html(self)

    def get_config(self) -> dict[str, Any]:
        """Return the configuration from which `create` can recreate this metric.

        >>> mx.metric.MAE().get_config()
        {'metric': 'MAE', 'name': 'mae', 'output_names': None, 'label_names': None}
        """
        return {**self._kwargs, "metric": type(self).__name__, "name": self.name, "output_names": self.output_names,
                "label_names": self.label_names}

    def update(self, labels: Any, preds: Any) -> None:
        """Update with one batch.

        labels, preds: arrays, or lists with one array for each device or output.
        """
        labels, preds = check_label_shapes(labels, preds, wrap=True)
        for label, pred in zip(labels, preds, strict=True):
            self.update_pair(as_numpy(label), as_numpy(pred))

    def update_pair(self, label: Any, pred: Any) -> Any:
        """Update with one label array and one prediction array.

        label, pred: numpy.ndarrays.
        """
        raise NotImplementedError(f"{type(self).__name__} has neither update nor update_pair")

    def update_dict(self, label: Any, pred: Any) -> None:
        """Update with one batch, given as dicts of arrays by name.

        label, pred: {name: array}, from which label_names and output_names select entries.

        >>> metric = mx.metric.Accuracy(output_names=["softmax_output"], label_names=["softmax_label"])
        >>> preds = {"softmax_output": nd.array([[0, 1]]), "other": nd.ones((1,))}
        >>> metric.update_dict({"softmax_label": nd.array([1])}, preds)
        >>> metric.get()
        ('accuracy', 1.0)
        """
        self.update(_chosen(label, self.label_names), _chosen(pred, self.output_names))

    def add(self, total: Any, count: Any) -> None:
        """Add to the local and global sums and counts.

        total: the sum over some instances.
        count: the number of instances.
        """
        self.sum_metric += total
        self.global_sum_metric += total
        self.num_inst += count
        self.global_num_inst += count

    def reset(self) -> None:
        """Clear all sums."""
        self.reset_local()
        self.global_num_inst: int = 0
        self.global_sum_metric: float = 0.0

    def reset_local(self) -> None:
        """Clear all sums except the global ones.

        >>> metric = mx.metric.Accuracy()
        >>> metric.update(nd.array([1]), nd.array([[0, 1]]))
        >>> metric.reset_local()
        >>> metric.update(nd.array([0]), nd.array([[0, 1]]))
        >>> metric.get(), metric.get_global(), metric.get_global_name_value()
        (('accuracy', 0.0), ('accuracy', 0.5), [('accuracy', 0.5)])
        """
        self.num_inst = 0
        self.sum_metric = 0.0

    def value(self, total: Any, count: Any) -> Any:
        """Compute the metric's value from a sum and an instance count.

        total: the sum of values passed to `add`.
        count: the number of instances; never 0.

        >>> class Root(mx.metric.MSE):
        ...     def value(self, total, count):
        ...         return (total / count) ** 0.5
        >>> metric = Root()
        >>> metric.update(nd.array([0, 0]), nd.array([3, 3]))
        >>> float(metric.get()[1])
        3.0
        """
        return total / count

    def get(self) -> Any:
        """Return (name, value); the value is NaN before the first update."""
        return self.name, self.value(self.sum_metric, self.num_inst) if self.num_inst else math.nan

    def get_global(self) -> Any:
        """Return (name, value) over everything since the last `reset`.

        >>> metric = mx.metric.Accuracy()
        >>> metric.update(nd.array([1]), nd.array([[0, 1]]))
        >>> metric.reset_local()
        >>> metric.get_global()
        ('accuracy', 1.0)
        """
        if not self._has_global_stats:
            return self.get()
        return self.name, self.value(self.global_sum_metric, self.global_num_inst) if self.global_num_inst else math.nan

    def get_name_value(self) -> list[tuple[str, Any]]:
        """Return [(name, value)], with several pairs for a composite."""
        return _pairs(*self.get())

    def get_global_name_value(self) -> Any:
        """Return `get_name_value` for the global values.

        >>> metric = mx.metric.Accuracy()
        >>> metric.update(nd.array([1]), nd.array([[0, 1]]))
        >>> metric.get_global_name_value()
        [('accuracy', 1.0)]
        """
        return _pairs(*self.get_global())


def _chosen(arrays, names):
    if names is None:
        return list(arrays.values())
    missing = [name for name in names if name not in arrays]
    if missing:
        raise ArgumentError(f"no array is called {missing[0]!r}; there are {', '.join(arrays)}")
    return [arrays[name] for name in names]


def _pairs(name, value):
    return list(zip(name, value, strict=True)) if isinstance(name, list) else [(name, value)]
