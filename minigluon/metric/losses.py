"""Metrics that average losses or the values of a custom function."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..base import ArgumentError, MXNetError
from ..common.docstrings import share_sentences
from .base import EvalMetric, as_list, as_numpy, check_label_shapes, register

__all__ = ["Caffe", "CustomMetric", "Loss", "Torch", "np"]


@register
class Loss(EvalMetric):
    """The mean of the predictions, which are losses. Labels are ignored.

    >>> metric = mx.metric.Loss()
    >>> metric.update(None, nd.array([1, 3]))
    >>> float(metric.get()[1])
    2.0
    """

    def __init__(self, name: str = "loss", output_names: Sequence[str] | None = None,
                 label_names: Sequence[str] | None = None) -> None:
        super().__init__(name, output_names, label_names, has_global_stats=True)

    def update(self, labels: Any, preds: Any) -> None:
        for pred in as_list(preds):
            loss = as_numpy(pred)
            self.add(float(loss.sum()), loss.size)


@register
class Torch(Loss):
    """`Loss` under its old name for Torch losses.

    >>> metric = mx.metric.Torch()
    >>> metric.update(None, nd.array([1, 3]))
    >>> metric.get()[0], float(metric.get()[1])
    ('torch', 2.0)
    """

    def __init__(self, name: str = "torch", output_names: Sequence[str] | None = None,
                 label_names: Sequence[str] | None = None) -> None:
        super().__init__(name, output_names, label_names)


@register
class Caffe(Loss):
    """`Loss` under its old name for Caffe losses.

    >>> metric = mx.metric.Caffe()
    >>> metric.update(None, nd.array([1, 3]))
    >>> metric.get()[0], float(metric.get()[1])
    ('caffe', 2.0)
    """

    def __init__(self, name: str = "caffe", output_names: Sequence[str] | None = None,
                 label_names: Sequence[str] | None = None) -> None:
        super().__init__(name, output_names, label_names)


@register
class CustomMetric(EvalMetric):
    """The mean of the values that a function computes from labels and predictions.

    feval: the function; it returns a number or a pair of numbers.
    name: the name of the metric in `get`; the function's name if None.
    allow_extra_outputs: if True, allow more predictions than labels.

    >>> metric = mx.metric.CustomMetric(lambda label, pred: abs(label - pred).max(), name="largest")
    >>> metric.update(nd.array([1, 2]), nd.array([1, 5]))
    >>> metric.get()[0], float(metric.get()[1])
    ('largest', 3.0)
    """

    def __init__(self, feval: Callable[..., Any], name: str | None = None, allow_extra_outputs: bool = False,
                 output_names: Sequence[str] | None = None, label_names: Sequence[str] | None = None) -> None:
        if not callable(feval):
            raise ArgumentError(f"CustomMetric: feval is {feval!r}, expected a function of a label and a prediction")
        if name is None:
            name = getattr(feval, "__name__", type(feval).__name__)         # a partial function has no name
            name = name if "<" not in name else f"custom({name})"
        super().__init__(name, output_names, label_names, has_global_stats=True, feval=feval,
                         allow_extra_outputs=allow_extra_outputs)
        self._feval = feval
        self._allow_extra_outputs = allow_extra_outputs

    def update(self, labels: Any, preds: Any) -> None:
        labels, preds = as_list(labels), as_list(preds)
        if not self._allow_extra_outputs:
            check_label_shapes(labels, preds)
        for label, pred in zip(labels, preds, strict=False):
            result = self._feval(as_numpy(label), as_numpy(pred))
            self.add(*(result if isinstance(result, tuple) else (result, 1)))

    def get_config(self) -> dict[str, Any]:
        raise MXNetError(f"CustomMetric {self.name!r} cannot be serialized: it contains a Python function")


def np(numpy_feval: Callable[..., Any], name: str | None = None, allow_extra_outputs: bool = False) -> CustomMetric:
    """Return a CustomMetric for a function of NumPy arrays.

    >>> def largest(label, pred):
    ...     return abs(label - pred).max()
    >>> metric = mx.metric.np(largest)
    >>> metric.update(nd.array([1, 2]), nd.array([1, 5]))
    >>> metric.get()[0], float(metric.get()[1])
    ('largest', 3.0)
    """
    return CustomMetric(numpy_feval, name, allow_extra_outputs)


share_sentences(CustomMetric, np, numpy_feval="feval")
