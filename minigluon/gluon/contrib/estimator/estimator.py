"""Estimator: a ready-made training loop."""

from __future__ import annotations

import copy
import logging
import sys
from typing import TYPE_CHECKING, Any

from ....backend import backend_for
from ....base import ArgumentError, CheckError, ContextError, MXNetError
from ....common.docstrings import share_sentences
from ....common.types import Contexts
from ....context import Context, current_context
from ....diagnostics import strictness
from ....diagnostics.keywords import ChecksKeywords
from ....diagnostics.strictness import refuse
from ....metric import Accuracy, CompositeEvalMetric, EvalMetric
from ....metric import Loss as LossMetric
from ...data import DataLoader
from ...loss import Loss, SoftmaxCrossEntropyLoss
from ...resume import Pass
from ...trainer import Trainer
from .batch_processor import BatchProcessor
from .event_handler import (
    AfterHandlers,
    BatchBegin,
    BatchEnd,
    EpochBegin,
    EpochEnd,
    EventHandler,
    GradientUpdateHandler,
    LoggingHandler,
    MetricHandler,
    StoppingHandler,
    TrainBegin,
    TrainEnd,
    ValidationHandler,
)
from .processes import assign_files, require_same_limits, store_of, sum_metrics, tell_ranks_apart

if TYPE_CHECKING:
    from ...block import Block

__all__ = ["Estimator"]


class Estimator(ChecksKeywords):
    """A training loop for a net, a loss and an optimizer that calls event handlers at each step.

    net: a Block.
    loss: a gluon Loss.
    train_metrics, val_metrics: a metric or a list; by default the loss and, with SoftmaxCrossEntropyLoss, the accuracy.
        Their names are prefixed with 'training ' and 'validation '.
    initializer: the initializer for an uninitialized net, as in `net.initialize`.
    trainer: a Trainer; by default SGD with a learning rate of 0.001, with a warning.
    context: a device, or a list of devices that share each batch.
    val_net, val_loss: the net and the loss for evaluation, if they differ.
    batch_processor: computes each batch.

    With a trainer that spans several processes (`kvstore="dist_sync"`), each process fits its share of the data. Each
    step uses the samples of all processes, metrics are summed at the end of each epoch, and process 0 logs and writes
    files.

    >>> from minigluon.gluon.contrib.estimator import Estimator
    >>> net, x, label = nn.Dense(2, in_units=3), nd.ones((8, 3)), nd.zeros((8,))
    >>> net.initialize(init.One())
    >>> trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.1})
    >>> estimator = Estimator(net, gluon.loss.SoftmaxCrossEntropyLoss(), trainer=trainer)
    >>> estimator.logger.setLevel("ERROR")
    >>> estimator.fit(gluon.data.DataLoader(gluon.data.ArrayDataset(x, label), batch_size=4), epochs=3)
    >>> estimator.train_metrics[0].get(), [metric.name for metric in estimator.val_metrics]
    (('training accuracy', 1.0), ['validation accuracy', 'validation softmaxcrossentropyloss'])
    """

    net: Block
    loss: Loss
    val_loss: Loss
    logger: logging.Logger | None = None
    # The state of the running `fit`: its limits, its handlers and its position in the data.
    max_epoch: int | None = None
    max_batch: int | None = None
    handlers: list[Any] | None = None
    train_pass: Pass | None = None
    batch_axis: int = 0

    def __init__(self, net: Block, loss: Any, train_metrics: Any = None, val_metrics: Any = None,
                 initializer: Any = None, trainer: Any = None, context: Contexts | None = None, val_net: Any = None,
                 val_loss: Any = None, batch_processor: Any = None) -> None:
        self.net, self.loss = net, _checked(loss, Loss, "loss", "a gluon.loss.Loss")
        self.val_net: Block = net if val_net is None else val_net
        self.val_loss = self.loss if val_loss is None else _checked(val_loss, Loss, "val_loss", "a gluon.loss.Loss")
        self._train_metrics = _named(_metrics(train_metrics) or self._default_metrics(), "training")
        self._val_metrics = _named(_metrics(val_metrics) or copy.deepcopy(self._train_metrics), "validation")
        self.logger = _new_logger()
        self.context: list[Context] = _contexts(context)
        self._initialize(initializer)
        self.trainer: Trainer = self._default_trainer() if trainer is None else \
            _checked(trainer, Trainer, "trainer", "a gluon.Trainer")
        tell_ranks_apart(self)
        self.batch_processor: BatchProcessor = BatchProcessor() if batch_processor is None else \
            _checked(batch_processor, BatchProcessor, "batch_processor", "a BatchProcessor")

    @property
    def train_metrics(self) -> Any:
        """The list of training metrics."""
        return self._train_metrics

    @property
    def val_metrics(self) -> Any:
        """The list of evaluation metrics."""
        return self._val_metrics

    # -- training and evaluation ------------------------------------------------------------------------------------

    def fit(self, train_data: Any, val_data: Any = None, epochs: Any = None, event_handlers: Any = None,
            batches: Any = None, batch_axis: int = 0) -> None:
        """Train for a number of epochs or batches.

        train_data: a DataLoader.
        val_data: a DataLoader to evaluate on after each epoch.
        event_handlers: handlers in addition to the default ones, each of which is used unless a handler of its class is
            given: StoppingHandler, GradientUpdateHandler, MetricHandler, LoggingHandler, and ValidationHandler with
            val_data.
        batch_axis: the axis of the samples.

        Raises ArgumentError unless exactly one of epochs and batches is given.
        """
        _check_loader(train_data)
        if (not epochs) == (not batches):
            raise ArgumentError(f"fit: epochs is {epochs} and batches is {batches}; expected exactly one of them, a "
                                "positive number")
        self.max_epoch, self.max_batch, self.batch_axis = epochs, batches, batch_axis
        self.train_pass = Pass(train_data)
        self.handlers = handlers = self._with_defaults(event_handlers, val_data)
        try:
            assign_files(self, handlers)
            _call(handlers, TrainBegin, "train_begin", self)
            require_same_limits(self)
            over = self._run_after(handlers, "train_begin")
            while not over:
                over = self._train_epoch(handlers)
            _call(handlers, TrainEnd, "train_end", self)
            if (store := store_of(self)) is not None:
                store.barrier()         # wait until all processes have completed their files
        finally:
            self.handlers = None
            for handler in handlers:
                handler.close()

    def evaluate(self, val_data: Any, batch_axis: int = 0, event_handlers: Any = None) -> None:
        """Compute `val_metrics` on a DataLoader's batches.

        val_data: a DataLoader.
        event_handlers: handlers in addition to MetricHandler and LoggingHandler, each of which is used unless a handler
            of its class is given.

        >>> from minigluon.gluon.contrib.estimator import Estimator
        >>> net = nn.Dense(1, in_units=2, use_bias=False)
        >>> net.initialize(init.One())
        >>> trainer = gluon.Trainer(net.collect_params(), "sgd")
        >>> estimator = Estimator(net, gluon.loss.L1Loss(), train_metrics=mx.metric.MAE(), trainer=trainer)
        >>> estimator.logger.setLevel("ERROR")
        >>> estimator.evaluate(gluon.data.DataLoader(gluon.data.ArrayDataset(nd.ones((4, 2)), nd.zeros((4,))), 2))
        >>> estimator.val_metrics[0].get()
        ('validation mae', 2.0)
        """
        _check_loader(val_data)
        handlers = self._checked_handlers(event_handlers)
        handlers += _absent(handlers, MetricHandler(self.val_metrics), LoggingHandler(metrics=self.val_metrics))
        handlers.sort(key=_priority)
        _call(handlers, EpochBegin, "epoch_begin", self)
        for batch in val_data:
            _call(handlers, BatchBegin, "batch_begin", self, batch=batch)
            _, label, pred, loss = self.batch_processor.evaluate_batch(self, batch, batch_axis)
            _call(handlers, BatchEnd, "batch_end", self, batch=batch, pred=pred, label=label, loss=loss)
        if self.handlers is not None:           # in `fit`, which all processes run
            sum_metrics(self, self.val_metrics)
        _call(handlers, EpochEnd, "epoch_end", self)

    def _train_epoch(self, handlers):
        """Train one epoch. Returns whether it was the last one."""
        _call(handlers, EpochBegin, "epoch_begin", self)
        self._run_after(handlers, "epoch_begin")
        empty = self.train_pass.batches == 0        # a resumed epoch may start after its last batch
        for batch in self.train_pass:
            empty = False
            _call(handlers, BatchBegin, "batch_begin", self, batch=batch)
            _, label, pred, loss = self.batch_processor.fit_batch(self, batch, self.batch_axis)
            if _call(handlers, BatchEnd, "batch_end", self, batch=batch, pred=pred, label=label, loss=loss):
                break
            self._run_after(handlers, "batch_end")
        if empty:
            raise MXNetError("fit: train_data has no batch. An iterator can be used only once; a DataLoader yields its "
                             "batches again in each epoch.")
        self.train_pass.end()
        sum_metrics(self, self.train_metrics)
        over = _call(handlers, EpochEnd, "epoch_end", self)
        self._run_after(handlers, "epoch_end", over)
        return over

    def _run_after(self, handlers, moment, over=False):
        return _call(handlers, AfterHandlers, "after_handlers", self, moment=moment, over=over)

    # -- handlers ---------------------------------------------------------------------------------------------------

    def _with_defaults(self, event_handlers, val_data):
        handlers = self._checked_handlers(event_handlers)
        defaults = [StoppingHandler(self.max_epoch, self.max_batch), GradientUpdateHandler(),
                    MetricHandler(self.train_metrics), LoggingHandler(metrics=self.train_metrics)]
        if val_data is not None:
            _check_loader(val_data)
            defaults.append(ValidationHandler(val_data, self.evaluate))
        return sorted(handlers + _absent(handlers, *defaults), key=_priority)

    def _checked_handlers(self, event_handlers):
        """Return a list of handlers. Raises ArgumentError for anything else, or for metrics that nothing updates."""
        handlers = event_handlers if isinstance(event_handlers, (list, tuple)) else [event_handlers or ()]
        handlers = [handler for handler in handlers if handler != ()]
        for handler in handlers:
            _checked(handler, EventHandler, "event_handlers", "an EventHandler or a list of them")
            used = [*getattr(handler, "metrics", ()), *filter(None, [getattr(handler, "monitor", None)])]
            for metric in used:
                if not any(metric is other for other in self._train_metrics + self._val_metrics):
                    refuse(ArgumentError(f"{type(handler).__name__} has the metric {metric.get()[0]!r}, which is not "
                                         "one of the estimator's. Take it from estimator.train_metrics or "
                                         "estimator.val_metrics."))
        return handlers

    # -- defaults -----------------------------------------------------------------------------------------------------

    def _default_metrics(self):
        mean = LossMetric(type(self.loss).__name__.lower())
        return [Accuracy(), mean] if isinstance(self.loss, SoftmaxCrossEntropyLoss) else [mean]

    def _default_trainer(self):
        strictness.warn("no trainer was given: SGD with a learning rate of 0.001 is used")
        return Trainer(self.net.collect_params(), "sgd", {"learning_rate": 0.001})

    def _initialize(self, initializer):
        """Initialize uninitialized parameters, and move parameters that are on other devices."""
        params = self.net.collect_params()
        begun = [param.is_initialized or param.is_deferred for param in params.values()]
        if not all(begun):
            self.net.initialize(*[] if initializer is None else [initializer], ctx=self.context)
        else:
            if initializer is not None:
                strictness.warn("the net is initialized already, so initializer is not used; use net.initialize(init, "
                                "force_reinit=True) to reinitialize it")
            if any(param.list_ctx() != self.context for param in params.values()):
                params.reset_ctx(self.context)


def _call(handlers, kind, method, estimator, **kwargs):
    """Call a method on all handlers of a class. Returns whether any of them returned True."""
    answers = [getattr(handler, method)(estimator, **kwargs) for handler in handlers if isinstance(handler, kind)]
    return any(answers)


def _priority(handler):
    return getattr(handler, "priority", 0)


def _absent(handlers, *defaults):
    """Return the default handlers whose class is not among the handlers."""
    return [default for default in defaults if not any(isinstance(handler, type(default)) for handler in handlers)]


def _checked(value, kind, name, expected):
    if not isinstance(value, kind):
        raise ArgumentError(f"Estimator: {name} is {value!r}, expected {expected}")
    return value


def _metrics(metrics):
    """Return a list of metrics from a single metric, a composite metric, a list, or None."""
    if isinstance(metrics, CompositeEvalMetric):
        return list(metrics.metrics)
    metrics_given = [] if metrics is None else list(metrics) if isinstance(metrics, (list, tuple)) else [metrics]
    return [_checked(metric, EvalMetric, "metrics", "a metric or a list of metrics") for metric in metrics_given]


def _named(metrics, prefix):
    """Return the metrics with this prefix in their names, in place of any earlier prefix."""
    for metric in metrics:
        metric.name = f"{prefix} {metric.name.removeprefix('training ').removeprefix('validation ')}"
    return metrics


def _contexts(context):
    """Return a list of devices from one device, several devices, or None for the current device. Raises CheckError if a
    device does not exist.
    """
    contexts = [current_context()] if context is None else context if isinstance(context, (list, tuple)) else [context]
    for ctx in contexts:
        _checked(ctx, Context, "context", "a device or a list of devices: mx.cpu(), [mx.gpu(0), mx.gpu(1)]")
        try:
            backend_for(ctx)
        except ContextError as error:
            raise CheckError(f"Estimator: context is {ctx}. {error}") from None
    return list(contexts)


def _check_loader(data):
    if not isinstance(data, DataLoader):
        raise ArgumentError(f"Estimator: the data is a {type(data).__name__}, expected a gluon.data.DataLoader. For "
                            "arrays, use DataLoader(ArrayDataset(x, y), batch_size).")


def _new_logger():
    """Return a separate logger, so that two estimators do not log each other's lines."""
    logger = logging.Logger("Estimator", logging.INFO)
    logger.addHandler(logging.StreamHandler(sys.stdout))
    return logger


share_sentences(Estimator.fit, Estimator.evaluate)
