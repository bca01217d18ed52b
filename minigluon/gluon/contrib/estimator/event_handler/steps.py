"""The default handlers: update the parameters, count epochs, update metrics, and validate."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .....common.docstrings import share_sentences
from .....metric import Loss
from .events import BatchEnd, EpochBegin, EpochEnd, TrainBegin

if TYPE_CHECKING:
    from ..estimator_protocol import Estimator

__all__ = ["GradientUpdateHandler", "MetricHandler", "StoppingHandler", "ValidationHandler"]


class StoppingHandler(TrainBegin, BatchEnd, EpochEnd):
    """Handler that ends training after a number of epochs or batches. max_epoch, max_batch: None for no limit.

    >>> from minigluon.gluon.contrib.estimator import Estimator, StoppingHandler
    >>> net = nn.Dense(2, in_units=3)
    >>> net.initialize()
    >>> trainer = gluon.Trainer(net.collect_params(), "sgd")
    >>> estimator = Estimator(net, gluon.loss.SoftmaxCrossEntropyLoss(), trainer=trainer)
    >>> estimator.logger.setLevel("ERROR")
    >>> loader = gluon.data.DataLoader(gluon.data.ArrayDataset(nd.ones((8, 3)), nd.zeros((8,))), batch_size=2)
    >>> stop = StoppingHandler(max_batch=3)
    >>> estimator.fit(loader, batches=3, event_handlers=[stop])
    >>> stop.current_batch
    3
    """

    current_batch: int
    current_epoch: int
    stop_training: bool

    checkpointed: tuple[str, ...] = "current_epoch", "current_batch"

    def __init__(self, max_epoch: Any = None, max_batch: Any = None) -> None:
        self.max_epoch, self.max_batch = max_epoch, max_batch
        self.current_epoch = self.current_batch = 0
        self.stop_training = False

    def train_begin(self, estimator: Estimator, *args: Any, **kwargs: Any) -> None:
        """Reads the limits of this `fit` call."""
        self.max_epoch, self.max_batch = estimator.max_epoch, estimator.max_batch
        self.current_epoch = self.current_batch = 0
        self.stop_training = False

    def batch_end(self, estimator: Estimator, *args: Any, **kwargs: Any) -> Any:
        """Returns True after the last batch."""
        self.current_batch += 1
        self.stop_training |= self.current_batch == self.max_batch
        return self.stop_training

    def epoch_end(self, estimator: Estimator, *args: Any, **kwargs: Any) -> Any:
        """Returns True after the last epoch or after the epoch that contains the last batch."""
        self.current_epoch += 1
        self.stop_training |= self.current_epoch == self.max_epoch
        return self.stop_training


class GradientUpdateHandler(BatchEnd):
    """Handler that updates the parameters after each batch: `trainer.step(the samples of all processes)`.

    priority: handlers of an event are called in order of priority, lowest first.

    >>> from minigluon.gluon.contrib.estimator import Estimator, GradientUpdateHandler
    >>> class EverySecond(GradientUpdateHandler):           # for parameters with grad_req='add'
    ...     count = 0
    ...     def batch_end(self, estimator, *args, **kwargs):
    ...         self.count += 1
    ...         if self.count % 2 == 0:
    ...             super().batch_end(estimator, *args, **kwargs)
    ...             estimator.net.collect_params().zero_grad()
    """

    def __init__(self, priority: int = -2000) -> None:
        self.priority = priority

    def batch_end(self, estimator: Estimator, *args: Any, **kwargs: Any) -> None:
        """Takes one step with the trainer."""
        estimator.trainer.step_share(sum(len(part) for part in kwargs["loss"]))


class MetricHandler(EpochBegin, BatchEnd):
    """Handler that resets metrics before each epoch and updates them after each batch. metrics: one metric or a list.

    >>> from minigluon.gluon.contrib.estimator import MetricHandler
    >>> metric = mx.metric.Accuracy()
    >>> handler = MetricHandler(metric)
    >>> handler.batch_end(None, pred=[nd.array([[0, 1], [1, 0]])], label=[nd.array([1, 1])], loss=None)
    >>> metric.get()
    ('accuracy', 0.5)
    """

    def __init__(self, metrics: Any, priority: int = -1000) -> None:
        self.metrics: list[Any] = as_list(metrics)
        self.priority = priority

    def epoch_begin(self, estimator: Estimator, *args: Any, **kwargs: Any) -> None:
        """Resets the metrics."""
        for metric in self.metrics:
            metric.reset()

    def batch_end(self, estimator: Estimator, *args: Any, **kwargs: Any) -> None:
        """Updates the metrics: losses are averaged; other metrics compare labels and predictions."""
        for metric in self.metrics:
            if isinstance(metric, Loss):
                metric.update(0, kwargs["loss"])
            else:
                metric.update(kwargs["label"], kwargs["pred"])


class ValidationHandler(TrainBegin, BatchEnd, EpochEnd):
    """Handler that evaluates every few epochs or batches.

    val_data: a DataLoader.
    eval_fn: a function that takes val_data, such as `estimator.evaluate`.
    epoch_period, batch_period: the number of epochs or batches between evaluations, or None.
    event_handlers: handlers for the evaluation.

    >>> from minigluon.gluon.contrib.estimator import Estimator, ValidationHandler
    >>> net = nn.Dense(2, in_units=3)
    >>> net.initialize()
    >>> trainer = gluon.Trainer(net.collect_params(), "sgd")
    >>> estimator = Estimator(net, gluon.loss.SoftmaxCrossEntropyLoss(), trainer=trainer)
    >>> estimator.logger.setLevel("ERROR")
    >>> data = gluon.data.DataLoader(gluon.data.ArrayDataset(nd.ones((4, 3)), nd.zeros((4,))), batch_size=2)
    >>> validate = ValidationHandler(data, lambda val_data, **kwargs: print("evaluated"), epoch_period=2)
    >>> estimator.fit(data, epochs=4, event_handlers=[validate])
    evaluated
    evaluated
    """

    eval_fn: Any
    val_data: Any
    batch_period: int | None
    epoch_period: int
    current_batch: int
    current_epoch: int

    checkpointed: tuple[str, ...] = "current_epoch", "current_batch"

    def __init__(self, val_data: Any, eval_fn: Any, epoch_period: int = 1, batch_period: int | None = None,
                 priority: int = -1000, event_handlers: Any = None) -> None:
        self.val_data, self.eval_fn = val_data, eval_fn
        self.epoch_period, self.batch_period = epoch_period, batch_period
        self.priority = priority
        self.event_handlers = event_handlers
        self.current_epoch = self.current_batch = 0

    def train_begin(self, estimator: Estimator, *args: Any, **kwargs: Any) -> None:
        """Resets the counters."""
        self.current_epoch = self.current_batch = 0

    def batch_end(self, estimator: Estimator, *args: Any, **kwargs: Any) -> None:
        """Evaluates if due."""
        self.current_batch += 1
        if self.batch_period and self.current_batch % self.batch_period == 0:
            self._evaluate(estimator)

    def epoch_end(self, estimator: Estimator, *args: Any, **kwargs: Any) -> None:
        """Evaluates if due."""
        self.current_epoch += 1
        if self.epoch_period and self.current_epoch % self.epoch_period == 0:
            self._evaluate(estimator)

    def _evaluate(self, estimator):
        self.eval_fn(val_data=self.val_data, batch_axis=estimator.batch_axis, event_handlers=self.event_handlers)


def as_list(metrics: Any) -> list[Any]:
    """Returns a list of metrics from one metric, several, or None."""
    return [] if metrics is None else list(metrics) if isinstance(metrics, (list, tuple)) else [metrics]


share_sentences(GradientUpdateHandler, MetricHandler, ValidationHandler)
