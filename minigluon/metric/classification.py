"""Classification metrics: accuracy, and metrics based on the confusion matrix."""

from __future__ import annotations

import math
import numbers
from collections.abc import Sequence
from typing import Any

import numpy

from ..base import ArgumentError
from .base import EvalMetric, alias, as_numpy, check_label_shapes, checked_average, checked_axis, register

__all__ = ["F1", "MCC", "PCC", "Accuracy", "TopKAccuracy"]


@alias("acc")
@register
class Accuracy(EvalMetric):
    """The fraction of correctly predicted classes.

    pred: classes with the same shape as label, or scores, whose maximum along `axis` determines the class.

    axis: the axis of the classes.

    >>> metric = mx.metric.Accuracy()
    >>> metric.update(nd.array([0, 1, 1]), nd.array([[3, 1], [0, 2], [5, 4]]))
    >>> metric.get()[1] == 2 / 3
    True
    """

    def __init__(self, axis: int = 1, name: str = "accuracy", output_names: Sequence[str] | None = None,
                 label_names: Sequence[str] | None = None) -> None:
        super().__init__(name, output_names, label_names, has_global_stats=True, axis=axis)
        self.axis = checked_axis(self, axis)

    def update_pair(self, label: Any, pred: Any) -> None:
        if pred.shape != label.shape:
            if not -pred.ndim <= self.axis < pred.ndim:
                raise ArgumentError(f"{self.name}: predictions have shape {pred.shape} and labels {label.shape}, "
                                    f"expected equal shapes, or scores along axis {self.axis} of the predictions. Are "
                                    "the two swapped? It is update(labels, preds).")
            pred = pred.argmax(axis=self.axis)
        label, pred = label.astype("int32").ravel(), pred.astype("int32").ravel()
        check_label_shapes(label, pred)
        self.add(int((label == pred).sum()), len(label))


@alias("top_k_accuracy", "top_k_acc")
@register
class TopKAccuracy(EvalMetric):
    """The fraction of labels among the top_k highest scores. pred (N, classes), label (N,).

    top_k: the number of highest scores to consider.
    name: the name of the metric in `get`, to which top_k is appended.

    >>> metric = mx.metric.TopKAccuracy(top_k=2)
    >>> metric.update(nd.array([0, 1]), nd.array([[3, 2, 1], [3, 1, 2]]))
    >>> metric.get()
    ('top_k_accuracy_2', 0.5)
    """

    def __init__(self, top_k: int = 1, name: str = "top_k_accuracy", output_names: Sequence[str] | None = None,
                 label_names: Sequence[str] | None = None) -> None:
        if not isinstance(top_k, numbers.Integral):
            raise ArgumentError(f"TopKAccuracy: top_k is {top_k!r}, expected an integer")
        if top_k <= 1:
            raise ArgumentError(f"TopKAccuracy: top_k is {top_k}; use Accuracy for top_k=1")
        super().__init__(f"{name}_{top_k}", output_names, label_names, has_global_stats=True, top_k=top_k)
        self._plain_name = name
        self.top_k = top_k

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "name": self._plain_name}

    def update_pair(self, label: Any, pred: Any) -> None:
        if pred.ndim != 2:
            raise ArgumentError(f"TopKAccuracy needs predictions (N, classes), found shape {pred.shape}")
        check_label_shapes(label, pred)
        k = min(self.top_k, pred.shape[1])
        best = numpy.argpartition(pred.astype("float32"), -k, axis=1)[:, -k:]
        self.add(int((best == label.astype("int32").reshape(-1, 1)).sum()), len(pred))


class _Binary(EvalMetric):
    """Base class of binary metrics, computed from the counts [[true -, false +], [false -, true +]].

    average: 'macro' averages over batches; 'micro' pools all instances.
    """

    num_inst: int
    global_num_inst: int
    sum_metric: float
    global_sum_metric: float

    def __init__(self, name: str, output_names: Sequence[str] | None = None, label_names: Sequence[str] | None = None,
                 average: str = "macro") -> None:
        self.average: str = checked_average(type(self).__name__, average)
        super().__init__(name, output_names, label_names, has_global_stats=True, average=average)

    def reset(self) -> None:
        super().reset()
        self._global_counts = numpy.zeros((2, 2), "int64")

    def reset_local(self) -> None:
        super().reset_local()
        self._counts = numpy.zeros((2, 2), "int64")

    def update(self, labels: Any, preds: Any) -> None:
        labels, preds = check_label_shapes(labels, preds, wrap=True)
        batch = sum(self._count(as_numpy(label), as_numpy(pred)) for label, pred in zip(labels, preds, strict=True))
        if self.average == "macro":
            self.add(self.score(batch), 1)
            return
        self._counts += batch
        self._global_counts += batch
        self.num_inst, self.global_num_inst = int(self._counts.sum()), int(self._global_counts.sum())
        self.sum_metric = self.score(self._counts) * self.num_inst
        self.global_sum_metric = self.score(self._global_counts) * self.global_num_inst

    def _count(self, label, pred):
        check_label_shapes(label, pred)
        if len(numpy.unique(label)) > 2:
            raise ArgumentError(f"{type(self).__name__} is for two classes, found labels "
                                f"{', '.join(str(v) for v in numpy.unique(label)[:5])}")
        truth, guess = label.ravel().astype("int32") == 1, pred.argmax(axis=1).ravel() == 1
        return numpy.array([[(~truth & ~guess).sum(), (~truth & guess).sum()],
                            [(truth & ~guess).sum(), (truth & guess).sum()]])


@register
class F1(_Binary):
    """2 · precision · recall / (precision + recall) of class 1. pred (N, 2) scores, label (N,) of 0 and 1.

    average: 'macro' averages over batches; 'micro' pools all instances.

    >>> metric = mx.metric.F1()
    >>> metric.update(nd.array([1, 1, 0, 0]), nd.array([[0, 1], [1, 0], [0, 1], [1, 0]]))    # 1 of 2 found and right
    >>> metric.get()
    ('f1', 0.5)
    """

    def __init__(self, name: str = "f1", output_names: Sequence[str] | None = None,
                 label_names: Sequence[str] | None = None, average: str = "macro") -> None:
        super().__init__(name, output_names, label_names, average)

    def score(self, counts: Any) -> Any:
        (_, false_pos), (false_neg, true_pos) = counts.tolist()
        precision = true_pos / (true_pos + false_pos) if true_pos + false_pos else 0.0
        recall = true_pos / (true_pos + false_neg) if true_pos + false_neg else 0.0
        return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


@register
class MCC(_Binary):
    """Matthews' correlation coefficient for two classes; zero sums are omitted from the denominator.

    (tp · tn - fp · fn) / √((tp + fp) (tp + fn) (tn + fp) (tn + fn)), with the counts of true and false positives and
    negatives. pred (N, 2) scores, label (N,) of 0 and 1.

    average: 'macro' averages over batches; 'micro' pools all instances.

    Source: Matthews 1975, Comparison of the Predicted and Observed Secondary Structure of T4 Phage Lysozyme.

    >>> metric = mx.metric.MCC()
    >>> metric.update(nd.array([1, 1, 0, 0]), nd.array([[0, 1], [1, 0], [0, 1], [1, 0]]))      # no better than chance
    >>> metric.get()
    ('mcc', 0.0)
    """

    def __init__(self, name: str = "mcc", output_names: Sequence[str] | None = None,
                 label_names: Sequence[str] | None = None, average: str = "macro") -> None:
        super().__init__(name, output_names, label_names, average)

    def score(self, counts: Any) -> Any:
        (true_neg, false_pos), (false_neg, true_pos) = counts.tolist()
        sums = [true_pos + false_pos, true_pos + false_neg, true_neg + false_pos, true_neg + false_neg]
        below = math.prod(s for s in sums if s)
        return (true_pos * true_neg - false_pos * false_neg) / math.sqrt(below)


@register
class PCC(EvalMetric):
    """Matthews' correlation coefficient for any number of classes, over all instances. pred (N, classes) scores, label
    (N,).

    Source: Gorodkin 2004, Comparing Two K-Category Assignments by a K-Category Correlation Coefficient.

    >>> metric = mx.metric.PCC()
    >>> metric.update(nd.array([0, 1, 2]), nd.array([[9, 0, 0], [0, 9, 0], [0, 0, 9]]))
    >>> round(float(metric.get()[1]), 3)
    1.0
    """

    def __init__(self, name: str = "pcc", output_names: Sequence[str] | None = None,
                 label_names: Sequence[str] | None = None, has_global_stats: bool = True) -> None:
        super().__init__(name, output_names, label_names, has_global_stats=has_global_stats)

    def reset(self) -> None:
        super().reset()
        self._global_counts = numpy.zeros((2, 2))

    def reset_local(self) -> None:
        super().reset_local()
        self._counts = numpy.zeros((2, 2))

    def update_pair(self, label: Any, pred: Any) -> None:
        if pred.shape != label.shape:
            pred = pred.argmax(axis=1)
        label, pred = label.ravel().astype("int64"), pred.ravel().astype("int64")
        check_label_shapes(label, pred)
        classes = max(len(self._global_counts), int(label.max()) + 1, int(pred.max()) + 1)
        batch = numpy.zeros((classes, classes))
        numpy.add.at(batch, (pred, label), 1)
        self._counts, self._global_counts = (_grown(c, classes) + batch for c in (self._counts, self._global_counts))
        self.num_inst, self.global_num_inst = self.num_inst + 1, self.global_num_inst + 1
        self.sum_metric = self._correlation(self._counts) * self.num_inst
        self.global_sum_metric = self._correlation(self._global_counts) * self.global_num_inst

    def _correlation(self, counts):
        n, x, y = counts.sum(), counts.sum(axis=1), counts.sum(axis=0)
        below = (x * (n - x)).sum() * (y * (n - y)).sum()
        return ((counts.diagonal() * n - x * y).sum() / math.sqrt(below)) if below else math.nan


def _grown(counts, size):
    return numpy.pad(counts, (0, size - len(counts)))
