"""`mx.metric`: how good predictions are, accumulated over batches.

    metric = mx.metric.Accuracy()
    metric.update(labels, predictions)          # NDArrays or lists of them, batch after batch
    name, value = metric.get()
    metric.reset()

All metrics keep two sums: since the last `reset`, and since the last `reset` not counting `reset_local` (global).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy

from .base import ArgumentError, MXNetError
from .docstrings import share_sentences
from .factory import Factory
from .ndarray import NDArray
from .typing import Shape

__all__ = ["MAE", "MCC", "MSE", "PCC", "RMSE", "Accuracy", "Caffe", "CompositeEvalMetric", "CrossEntropy",
           "CustomMetric", "EvalMetric", "F1", "Loss", "NegativeLogLikelihood", "PearsonCorrelation", "Perplexity",
           "TopKAccuracy", "Torch", "alias", "check_label_shapes", "create", "np", "register"]

_factory = Factory("metric")
register, alias = _factory.register, _factory.alias


def create(metric: Any, *args: Any, **kwargs: Any) -> EvalMetric:
    """A metric from its name, a function, an instance, or a list of them (a composite).

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
    return _factory.create(metric, *args, **kwargs)


def check_label_shapes(labels: Any, preds: Any, wrap: bool = False, shape: Shape = False) -> Any:
    """Raise ArgumentError unless there are as many labels as predictions, or equal shapes if shape=True.

    Returns both, single arrays wrapped in lists if wrap=True.

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
        labels, preds = _as_list(labels), _as_list(preds)
    return labels, preds


def _as_list(arrays):
    return [arrays] if isinstance(arrays, NDArray) else arrays


def _numpy(array):
    return array.asnumpy() if isinstance(array, NDArray) else numpy.asarray(array)


class EvalMetric:
    """Base class. A subclass writes `update_pair(label, pred)` for NumPy arrays, and calls `add(sum, count)` there.

    name: what `get` calls the metric.
    output_names, label_names: which entries `update_dict` takes, all when None.
    has_global_stats: keep sums that `reset_local` does not forget?
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

    def __init__(self, name: str, output_names: Sequence[str] | None = None, label_names: Sequence[str] | None = None,
                 has_global_stats: bool = False, **kwargs: Any) -> None:
        self.name = str(name)
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
        from .display.training import metric_html
        return metric_html(self)

    def get_config(self) -> dict[str, Any]:
        """What `create` needs to make this metric again.

        >>> mx.metric.MAE().get_config()
        {'metric': 'MAE', 'name': 'mae', 'output_names': None, 'label_names': None}
        """
        return {**self._kwargs, "metric": type(self).__name__, "name": self.name, "output_names": self.output_names,
                "label_names": self.label_names}

    def update(self, labels: Any, preds: Any) -> None:
        """Take one batch.

        labels, preds: arrays, or lists with an array for each device or output.
        """
        labels, preds = check_label_shapes(labels, preds, wrap=True)
        for label, pred in zip(labels, preds, strict=True):
            self.update_pair(_numpy(label), _numpy(pred))

    def update_pair(self, label: Any, pred: Any) -> Any:
        """Take one array of labels and one of predictions.

        label, pred: numpy.ndarrays.
        """
        raise NotImplementedError(f"{type(self).__name__} has neither update nor update_pair")

    def update_dict(self, label: Any, pred: Any) -> None:
        """Take one batch from dicts of arrays by name.

        label, pred: {name: array}, from which label_names and output_names choose.

        >>> metric = mx.metric.Accuracy(output_names=["softmax_output"], label_names=["softmax_label"])
        >>> preds = {"softmax_output": nd.array([[0, 1]]), "other": nd.ones((1,))}
        >>> metric.update_dict({"softmax_label": nd.array([1])}, preds)
        >>> metric.get()
        ('accuracy', 1.0)
        """
        self.update(_chosen(label, self.label_names), _chosen(pred, self.output_names))

    def add(self, total: Any, count: Any) -> None:
        """Add to both sums and numbers of instances.

        total: the sum over some instances.
        count: how many they are.
        """
        self.sum_metric += total
        self.global_sum_metric += total
        self.num_inst += count
        self.global_num_inst += count

    def reset(self) -> None:
        """Forget everything."""
        self.reset_local()
        self.global_num_inst = 0
        self.global_sum_metric = 0.0

    def reset_local(self) -> None:
        """Forget all but the global sums.

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
        """The metric from a sum and a number of instances.

        total: what `add` has summed up.
        count: of how many instances; never 0.

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
        """(name, value); NaN before the first update."""
        return self.name, self.value(self.sum_metric, self.num_inst) if self.num_inst else math.nan

    def get_global(self) -> Any:
        """(name, value) over everything since the last `reset`.

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
        """[(name, value)], with more pairs from a composite."""
        return _pairs(*self.get())

    def get_global_name_value(self) -> Any:
        """`get_name_value` of the global values.

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


@alias("composite")
@register
class CompositeEvalMetric(EvalMetric):
    """Several metrics on the same labels and predictions.

    metrics: a list of metrics, or of what `create` makes them from.
    name: for `get_config`; `get` has the names of the metrics.

    >>> metric = mx.metric.CompositeEvalMetric([mx.metric.MAE(), mx.metric.MSE()])
    >>> metric.update(nd.array([0, 0]), nd.array([1, 3]))
    >>> names, values = metric.get()
    >>> names, [float(value) for value in values], metric.get_metric(0).name
    (['mae', 'mse'], [2.0, 5.0], 'mae')
    """

    def __init__(self, metrics: Any = None, name: str = "composite", output_names: Sequence[str] | None = None,
                 label_names: Sequence[str] | None = None) -> None:
        self.metrics = []               # so that those that come have what they have
        super().__init__(name, output_names, label_names, has_global_stats=True)
        self.metrics += [create(m) for m in metrics or ()]

    def add(self, metric: Any) -> None:
        """Append a metric, or what `create` makes one from."""
        self.metrics.append(create(metric))

    def get_metric(self, index: Any) -> Any:
        """The metric at a position.

        index: counted from 0, or backwards from -1.

        Raises ArgumentError where there is none.
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
        """(names, values) as lists."""
        return self._join([m.get_name_value() for m in self.metrics])

    def get_global(self) -> Any:
        """(names, values) as lists."""
        return self._join([m.get_global_name_value() for m in self.metrics])

    def _join(self, pairs):
        return [name for some in pairs for name, _ in some], [value for some in pairs for _, value in some]

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "metrics": [m.get_config() for m in self.metrics]}


@alias("acc")
@register
class Accuracy(EvalMetric):
    """Share of right classes.

    pred: classes in the shape of label, or scores whose largest along `axis` is meant.

    axis: the classes.

    >>> metric = mx.metric.Accuracy()
    >>> metric.update(nd.array([0, 1, 1]), nd.array([[3, 1], [0, 2], [5, 4]]))
    >>> metric.get()[1] == 2 / 3
    True
    """

    def __init__(self, axis: int = 1, name: str = "accuracy", output_names: Sequence[str] | None = None,
                 label_names: Sequence[str] | None = None) -> None:
        super().__init__(name, output_names, label_names, has_global_stats=True, axis=axis)
        self.axis = axis

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
    """Share of labels among the top_k highest scores. pred (N, classes), label (N,).

    top_k: how many scores count.
    name: what `get` calls the metric, without top_k, which is put behind it.

    >>> metric = mx.metric.TopKAccuracy(top_k=2)
    >>> metric.update(nd.array([0, 1]), nd.array([[3, 2, 1], [3, 1, 2]]))
    >>> metric.get()
    ('top_k_accuracy_2', 0.5)
    """

    def __init__(self, top_k: int = 1, name: str = "top_k_accuracy", output_names: Sequence[str] | None = None,
                 label_names: Sequence[str] | None = None) -> None:
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


def _checked_average(kind, average):
    if average not in ("macro", "micro"):
        raise ArgumentError(f"{kind}: average is {average!r}, expected 'macro' or 'micro'")
    return average


class _Binary(EvalMetric):
    """Metrics of two classes, from the counts [[true -, false +], [false -, true +]].

    average='macro': the mean over batches; 'micro': of all instances together.
    """

    def __init__(self, name: str, output_names: Sequence[str] | None = None, label_names: Sequence[str] | None = None,
                 average: str = "macro") -> None:
        self.average = _checked_average(type(self).__name__, average)
        super().__init__(name, output_names, label_names, has_global_stats=True, average=average)

    def reset(self) -> None:
        super().reset()
        self._global_counts = numpy.zeros((2, 2), "int64")

    def reset_local(self) -> None:
        super().reset_local()
        self._counts = numpy.zeros((2, 2), "int64")

    def update(self, labels: Any, preds: Any) -> None:
        labels, preds = check_label_shapes(labels, preds, wrap=True)
        batch = sum(self._count(_numpy(label), _numpy(pred)) for label, pred in zip(labels, preds, strict=True))
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

    average: 'macro' for the mean over batches, 'micro' for all instances together.

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
    """Matthews' correlation coefficient of two classes; sums that are 0 are left out of the denominator.

    (tp · tn - fp · fn) / √((tp + fp) (tp + fn) (tn + fp) (tn + fn)), with the counts of true and false, positive and
    negative instances. pred (N, 2) scores, label (N,) of 0 and 1.

    average: 'macro' for the mean over batches, 'micro' for all instances together.

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
    """Matthews' correlation for any number of classes, of all instances together. pred (N, classes) scores, label (N,).

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


@register
class Perplexity(EvalMetric):
    """exp of the mean negative log probability of the labels.

    pred: probabilities, with the classes along `axis`; label has the shape of the rest, in any arrangement.

    ignore_label: labels equal to it do not count; None for none.
    axis: the classes.

    >>> metric = mx.metric.Perplexity(ignore_label=None)
    >>> metric.update([nd.array([0, 1])], [nd.array([[0.5, 0.5], [0.5, 0.5]])])
    >>> round(float(metric.get()[1]), 3)
    2.0
    """

    def __init__(self, ignore_label: int, axis: int = -1, name: str = "perplexity",
                 output_names: Sequence[str] | None = None, label_names: Sequence[str] | None = None) -> None:
        super().__init__(name, output_names, label_names, has_global_stats=True, ignore_label=ignore_label, axis=axis)
        self.ignore_label = ignore_label
        self.axis = axis

    def update_pair(self, label: Any, pred: Any) -> None:
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


class _Regression(EvalMetric):
    """The mean over batches of `error(difference)`. A vector counts as a column."""

    def __init__(self, name: str, output_names: Sequence[str] | None = None,
                 label_names: Sequence[str] | None = None) -> None:
        super().__init__(name, output_names, label_names, has_global_stats=True)

    def update_pair(self, label: Any, pred: Any) -> None:
        label, pred = (a.reshape(-1, 1) if a.ndim == 1 else a for a in (label, pred))
        self.add(float(self.error(label - pred)), 1)


@register
class MAE(_Regression):
    """Mean absolute error.

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
    """Mean squared error.

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
    """Root of the mean squared error of each batch, averaged over the batches.

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


@alias("ce")
@register
class CrossEntropy(EvalMetric):
    """Mean of -log(pred[label] + eps). pred (N, classes) probabilities, label (N,).

    eps: keeps the logarithm finite.

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
    """The same as CrossEntropy, under another name.

    >>> metric = mx.metric.NegativeLogLikelihood()
    >>> metric.update(nd.array([0, 1]), nd.array([[1, 0], [0.5, 0.5]]))     # (0 + log 2) / 2
    >>> round(float(metric.get()[1]), 3)
    0.347
    """

    def __init__(self, eps: float = 1e-12, name: str = "nll-loss", output_names: Sequence[str] | None = None,
                 label_names: Sequence[str] | None = None) -> None:
        super().__init__(eps, name, output_names, label_names)


@alias("pearsonr")
@register
class PearsonCorrelation(EvalMetric):
    """Correlation of labels and predictions of equal shapes: covariance / √(variance · variance).

    average: 'macro' for the mean over batches, 'micro' for all instances together.

    >>> metric = mx.metric.PearsonCorrelation()
    >>> metric.update(nd.array([1, 2, 3]), nd.array([10, 20, 30]))
    >>> round(float(metric.get()[1]), 3)
    1.0
    """

    def __init__(self, name: str = "pearsonr", output_names: Sequence[str] | None = None,
                 label_names: Sequence[str] | None = None, average: str = "macro") -> None:
        self.average = _checked_average("PearsonCorrelation", average)
        super().__init__(name, output_names, label_names, has_global_stats=True, average=average)

    def reset_local(self) -> None:
        super().reset_local()
        self._moments = numpy.zeros(6)          # count, Σ x, Σ y, Σ xx, Σ yy, Σ xy, of values minus the first ones
        self._origin = None

    def update_pair(self, label: Any, pred: Any) -> None:
        check_label_shapes(label, pred, shape=True)
        x, y = label.ravel().astype("float64"), pred.ravel().astype("float64")
        if self.average == "macro":
            self.add(float(numpy.corrcoef(x, y)[0, 1]), 1)
            return
        if self._origin is None:
            self._origin = x.mean(), y.mean()   # near the mean, so that the sums of squares keep their digits
        x, y = x - self._origin[0], y - self._origin[1]
        self._moments += [len(x), x.sum(), y.sum(), x @ x, y @ y, x @ y]
        self.num_inst += 1
        self.global_num_inst += 1
        self.sum_metric = self.global_sum_metric = self._correlation() * self.num_inst

    def _correlation(self):
        n, x, y, xx, yy, xy = self._moments
        return (xy - x * y / n) / math.sqrt((xx - x * x / n) * (yy - y * y / n))


@register
class Loss(EvalMetric):
    """The mean of the predictions themselves, which are losses. Labels are not looked at.

    >>> metric = mx.metric.Loss()
    >>> metric.update(None, nd.array([1, 3]))
    >>> float(metric.get()[1])
    2.0
    """

    def __init__(self, name: str = "loss", output_names: Sequence[str] | None = None,
                 label_names: Sequence[str] | None = None) -> None:
        super().__init__(name, output_names, label_names, has_global_stats=True)

    def update(self, labels: Any, preds: Any) -> None:
        for pred in _as_list(preds):
            loss = _numpy(pred)
            self.add(float(loss.sum()), loss.size)


@register
class Torch(Loss):
    """`Loss` by the name that losses of Torch had.

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
    """`Loss` by the name that losses of Caffe had.

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
    """A function feval(label, pred) of NumPy arrays: its value, averaged over calls, or (sum, number of instances).

    feval: the function; what it returns is a number, or a pair of them.
    name: what `get` calls the metric; the function's name if None.
    allow_extra_outputs: there may be more predictions than labels.

    >>> metric = mx.metric.CustomMetric(lambda label, pred: abs(label - pred).max(), name="largest")
    >>> metric.update(nd.array([1, 2]), nd.array([1, 5]))
    >>> metric.get()[0], float(metric.get()[1])
    ('largest', 3.0)
    """

    def __init__(self, feval: Callable[..., Any], name: str | None = None, allow_extra_outputs: bool = False,
                 output_names: Sequence[str] | None = None, label_names: Sequence[str] | None = None) -> None:
        if name is None:
            name = feval.__name__ if "<" not in feval.__name__ else f"custom({feval.__name__})"
        super().__init__(name, output_names, label_names, has_global_stats=True, feval=feval,
                         allow_extra_outputs=allow_extra_outputs)
        self._feval = feval
        self._allow_extra_outputs = allow_extra_outputs

    def update(self, labels: Any, preds: Any) -> None:
        labels, preds = _as_list(labels), _as_list(preds)
        if not self._allow_extra_outputs:
            check_label_shapes(labels, preds)
        for label, pred in zip(labels, preds, strict=False):
            result = self._feval(_numpy(label), _numpy(pred))
            self.add(*(result if isinstance(result, tuple) else (result, 1)))

    def get_config(self) -> dict[str, Any]:
        raise MXNetError(f"CustomMetric {self.name!r} cannot be written down: it holds a Python function")


def np(numpy_feval: Callable[..., Any], name: str | None = None, allow_extra_outputs: bool = False) -> CustomMetric:
    """A CustomMetric from a function of NumPy arrays.

    >>> def largest(label, pred):
    ...     return abs(label - pred).max()
    >>> metric = mx.metric.np(largest)
    >>> metric.update(nd.array([1, 2]), nd.array([1, 5]))
    >>> metric.get()[0], float(metric.get()[1])
    ('largest', 3.0)
    """
    return CustomMetric(numpy_feval, name, allow_extra_outputs)


share_sentences(CustomMetric, np, numpy_feval="feval")
share_sentences(CrossEntropy, NegativeLogLikelihood)
share_sentences(EvalMetric, MAE, MCC, MSE, PCC, RMSE, Accuracy, Caffe, CompositeEvalMetric, CrossEntropy, CustomMetric,
                F1, Loss, NegativeLogLikelihood, PearsonCorrelation, Perplexity, TopKAccuracy, Torch)
