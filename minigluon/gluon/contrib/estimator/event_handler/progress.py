"""LoggingHandler: logs the progress of training as text."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from .....base import ArgumentError, integer_types
from .....common.docstrings import share_sentences
from .events import BatchBegin, BatchEnd, EpochBegin, EpochEnd, TrainBegin, TrainEnd
from .steps import GradientUpdateHandler, as_list

if TYPE_CHECKING:
    from ..estimator_protocol import Estimator

__all__ = ["LoggingHandler"]


class LoggingHandler(TrainBegin, TrainEnd, EpochBegin, EpochEnd, BatchBegin, BatchEnd):
    """Handler that writes times and metrics to `estimator.logger` after each epoch, and optionally between batches.

    log_interval: 'epoch', or a number of batches.
    metrics: the metrics to write; by default only times are written. If all of them are validation metrics of the
        estimator, the handler logs evaluations.

    >>> from minigluon.gluon.contrib.estimator import LoggingHandler
    >>> LoggingHandler(log_interval=10, metrics=[mx.metric.Accuracy()]).log_interval
    10
    """

    metrics: list[Any]
    priority: int
    current_epoch: int
    processed_samples: int
    batch_index: int

    checkpointed: tuple[str, ...] = "current_epoch", "batch_index", "processed_samples"

    def __init__(self, log_interval: str = "epoch", metrics: Any = None, priority: int = float("inf")) -> None:
        if log_interval != "epoch" and (not isinstance(log_interval, integer_types) or log_interval < 1):
            raise ArgumentError(f"LoggingHandler: log_interval is {log_interval!r}, expected a number of batches, at "
                                "least 1, or 'epoch'")
        self.log_interval, self.metrics, self.priority = log_interval, as_list(metrics), priority
        self.batch_index = self.current_epoch = self.processed_samples = 0
        self._interval_time = 0.0
        self._train_began = self._epoch_began = self._batch_began = time.perf_counter()

    def train_begin(self, estimator: Estimator, *args: Any, **kwargs: Any) -> None:
        """Logs two lines: the optimizer and the length of training."""
        self._train_began = time.perf_counter()
        self.batch_index = self.current_epoch = self.processed_samples = 0
        self._interval_time = 0.0
        trainer = estimator.trainer
        estimator.logger.info("Training begin: using optimizer %s with current learning rate %.4f ",
                              type(trainer.optimizer).__name__, trainer.learning_rate)
        if estimator.max_epoch:
            estimator.logger.info("Train for %d epochs.", estimator.max_epoch)
        else:
            estimator.logger.info("Train for %d batches.", estimator.max_batch)

    def train_end(self, estimator: Estimator, *args: Any, **kwargs: Any) -> None:
        """Logs one line: time, epochs and metrics."""
        line = (f"Train finished using total {int(time.perf_counter() - self._train_began)}s with {self.current_epoch} "
                f"epochs. {self._values()}")
        estimator.logger.info(line.rstrip(", "))

    def epoch_begin(self, estimator: Estimator, *args: Any, **kwargs: Any) -> None:
        """Logs one line."""
        self._epoch_began = time.perf_counter()
        if self.metrics and all(any(metric is other for other in estimator.val_metrics) for metric in self.metrics):
            estimator.logger.info("Validation Begin")
        else:
            estimator.logger.info("[Epoch %d] Begin, current learning rate: %.4f", self.current_epoch,
                                  estimator.trainer.learning_rate)

    def epoch_end(self, estimator: Estimator, *args: Any, **kwargs: Any) -> None:
        """Logs one line: time and metrics."""
        line = (f"[Epoch {self.current_epoch}] Finished in {time.perf_counter() - self._epoch_began:.3f}s, "
                f"{self._values()}")
        estimator.logger.info(line.rstrip(", "))
        self.current_epoch += 1
        self.batch_index = 0

    def batch_begin(self, estimator: Estimator, *args: Any, **kwargs: Any) -> None:
        """Starts the clock."""
        self._batch_began = time.perf_counter()

    def batch_end(self, estimator: Estimator, *args: Any, **kwargs: Any) -> None:
        """Logs one line if due: samples so far, the time for the batches since the previous line, and metrics."""
        if self.log_interval == "epoch":
            return
        self._interval_time += time.perf_counter() - self._batch_began
        self.processed_samples += sum(len(part) for part in kwargs["label"])
        if self.batch_index % self.log_interval == 0:
            line = (f"[Epoch {self.current_epoch}][Batch {self.batch_index}][Samples {self.processed_samples}] "
                    f"time/interval: {self._interval_time:.3f}s {self._values()}")
            estimator.logger.info(line.rstrip(", "))
            self._interval_time = 0.0
        self.batch_index += 1

    def _values(self):
        return ", ".join("{}: {:.4f}".format(*metric.get()) for metric in self.metrics)


share_sentences(GradientUpdateHandler, LoggingHandler)
