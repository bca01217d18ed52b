"""Metrics for the probabilities that a network assigns to the labels."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy

from ..base import ArgumentError
from ..common.docstrings import share_sentences
from .base import EvalMetric, alias, check_label_shapes, checked_axis, register

__all__ = ["CrossEntropy", "NegativeLogLikelihood", "Perplexity"]


@register
class Perplexity(EvalMetric):
    """The exponential of the mean negative log probability of the labels.

    pred: probabilities, with the classes along `axis`; label has one element for each combination of the other axes, in
    any shape.

    ignore_label: a label to ignore, or None.
    axis: the axis of the classes.

    >>> metric = mx.metric.Perplexity(ignore_label=None)
    >>> metric.update([nd.array([0, 1])], [nd.array([[0.5, 0.5], [0.5, 0.5]])])
    >>> round(float(metric.get()[1]), 3)
    2.0
    """

    def __init__(self, ignore_label: int | None, axis: int = -1, name: str = "perplexity",
                 output_names: Sequence[str] | None = None, label_names: Sequence[str] | None = None) -> None:
        super().__init__(name, output_names, label_names, has_global_stats=True, ignore_label=ignore_label, axis=axis)
        self.ignore_label = ignore_label
        self.axis = checked_axis(self, axis)

    def update_pair(self, label: Any, pred: Any) -> None:
        if not -pred.ndim <= self.axis < pred.ndim:
            raise ArgumentError(f"Perplexity: axis is {self.axis}, but predictions have shape {pred.shape}")
        rows = numpy.moveaxis(pred, self.axis, -1).reshape(-1, pred.shape[self.axis])
        label = label.ravel()
        if len(label) != len(rows):
            raise ArgumentError(f"Perplexity: {len(label)} labels for {len(rows)} predictions {pred.shape}")
        counted = numpy.ones(len(label), bool) if self.ignore_label is None else label != self.ignore_label
        label, rows = label[counted].astype("int64"), rows[counted]
        p = rows[numpy.arange(len(label)), numpy.clip(label, 0, rows.shape[1] - 1)]
        self.add(-float(numpy.log(numpy.maximum(p, 1e-10)).sum()), len(label))

    def value(self, total: Any, count: Any) -> Any:
        return math.exp(total / count)


@alias("ce")
@register
class CrossEntropy(EvalMetric):
    """The mean of -log(pred[label] + eps). pred (N, classes) probabilities, label (N,).

    eps: a small number that keeps the logarithm finite.

    >>> metric = mx.metric.CrossEntropy()
    >>> metric.update(nd.array([0, 1]), nd.array([[1, 0], [0.5, 0.5]]))     # (0 + log 2) / 2
    >>> round(float(metric.get()[1]), 3)
    0.347
    """

    def __init__(self, eps: float = 1e-12, name: str = "cross-entropy", output_names: Sequence[str] | None = None,
                 label_names: Sequence[str] | None = None) -> None:
        super().__init__(name, output_names, label_names, has_global_stats=True, eps=eps)
        self.eps = eps

    def update_pair(self, label: Any, pred: Any) -> None:
        label = label.ravel().astype("int64")
        check_label_shapes(label, pred)
        p = pred[numpy.arange(len(label)), label]
        self.add(-float(numpy.log(p + self.eps).sum()), len(label))


@alias("nll_loss")
@register
class NegativeLogLikelihood(CrossEntropy):
    """CrossEntropy under another name.

    >>> metric = mx.metric.NegativeLogLikelihood()
    >>> metric.update(nd.array([0, 1]), nd.array([[1, 0], [0.5, 0.5]]))     # (0 + log 2) / 2
    >>> round(float(metric.get()[1]), 3)
    0.347
    """

    def __init__(self, eps: float = 1e-12, name: str = "nll-loss", output_names: Sequence[str] | None = None,
                 label_names: Sequence[str] | None = None) -> None:
        super().__init__(eps, name, output_names, label_names)


share_sentences(CrossEntropy, NegativeLogLikelihood)
