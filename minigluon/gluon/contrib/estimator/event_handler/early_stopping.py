"""EarlyStoppingHandler, and the metric comparison that is also used to save the best model."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from .....base import ArgumentError
from .....diagnostics import strictness
from .....diagnostics.strictness import refuse
from .....metric import CompositeEvalMetric, EvalMetric
from .events import EpochEnd, TrainBegin, TrainEnd

if TYPE_CHECKING:
    from ..estimator_protocol import Estimator

__all__ = ["EarlyStoppingHandler"]


class EarlyStoppingHandler(TrainBegin, EpochEnd, TrainEnd):
    """Handler that ends training when a metric has not improved for some epochs.

    monitor: the metric, one of `estimator.train_metrics` or `estimator.val_metrics`.
    min_delta: the smallest change that counts as an improvement.
    patience: the number of epochs without improvement to tolerate.
    mode: 'min' if smaller is better, 'max' if larger is better, 'auto' to infer this from the metric's name.
    baseline: the value that the first epoch must improve on.

    >>> from minigluon.gluon.contrib.estimator import EarlyStoppingHandler, Estimator
    >>> net = nn.Dense(2, in_units=3)
    >>> net.initialize(init.Zero())
    >>> trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0})          # it will not become better
    >>> estimator = Estimator(net, gluon.loss.SoftmaxCrossEntropyLoss(), trainer=trainer)
    >>> estimator.logger.setLevel("ERROR")
    >>> stop = EarlyStoppingHandler(estimator.train_metrics[0], patience=2)
    >>> loader = gluon.data.DataLoader(gluon.data.ArrayDataset(nd.ones((4, 3)), nd.zeros((4,))), batch_size=2)
    >>> estimator.fit(loader, epochs=10, event_handlers=[stop])
    >>> stop.stopped_epoch
    2
    """

    baseline: Any
    min_delta: float
    patience: int
    wait: int
    stop_training: bool
    stopped_epoch: int | None
    current_epoch: int

    checkpointed: tuple[str, ...] = "best", "wait", "current_epoch", "stopped_epoch"

    def __init__(self, monitor: Any, min_delta: float = 0, patience: int = 0, mode: str = "auto",
                 baseline: Any = None) -> None:
        self.monitor: EvalMetric = checked_monitor(monitor, type(self).__name__)
        self.sign: int = direction(mode, monitor)
        self.min_delta, self.patience, self.baseline = abs(min_delta), patience, baseline
        self.train_begin(None)

    def train_begin(self, estimator: Estimator, *args: Any, **kwargs: Any) -> None:
        """Resets its state."""
        self.best = -math.inf if self.baseline is None else self.sign * self.baseline
        self.wait = self.current_epoch = 0
        self.stopped_epoch = None
        self.stop_training = False

    def epoch_end(self, estimator: Estimator, *args: Any, **kwargs: Any) -> Any:
        """Returns True when patience has run out."""
        name, value = self.monitor.get()
        if math.isnan(value):
            strictness.warn(f"{name} is nan, so EarlyStoppingHandler ignores this epoch: was it updated?",
                            RuntimeWarning)
            return self.stop_training
        if self.sign * value - self.min_delta > self.best:
            self.best, self.wait = self.sign * value, 0
        else:
            self.wait += 1
            if self.wait >= self.patience:
                self.stopped_epoch, self.stop_training = self.current_epoch, True
        self.current_epoch += 1
        return self.stop_training

    def train_end(self, estimator: Estimator, *args: Any, **kwargs: Any) -> None:
        """Logs a line if this handler ended training."""
        if self.stopped_epoch is not None:
            estimator.logger.info("[Epoch %d] EarlyStoppingHandler: early stopping due to %s not improving",
                                  self.stopped_epoch, self.monitor.get()[0])


def checked_monitor(monitor: Any, user: Any) -> EvalMetric:
    """Returns a metric unchanged. Raises ArgumentError for anything else."""
    if not isinstance(monitor, EvalMetric) or isinstance(monitor, CompositeEvalMetric):
        raise ArgumentError(f"{user}: monitor is a {type(monitor).__name__}, expected one metric of "
                            "estimator.train_metrics or estimator.val_metrics")
    return monitor


def direction(mode: Any, monitor: Any) -> int:
    """Returns 1 if larger is better, -1 if smaller is better. 'auto' uses the name: larger for accuracies and F1
    scores.
    """
    if mode not in ("auto", "min", "max"):
        refuse(ArgumentError(f"mode is {mode!r}, expected 'min' or 'max', whichever is better, or 'auto'"))
        mode = "auto"
    name = monitor.get()[0].lower()
    return 1 if mode == "max" or mode == "auto" and ("acc" in name or "f1" in name) else -1
