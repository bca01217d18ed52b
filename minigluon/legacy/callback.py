"""`mx.callback`: callbacks for `Module.fit` that save checkpoints and log speed and metrics.

An epoch-end callback receives (epoch, symbol, arg_params, aux_params); a batch-end callback receives a
`BatchEndParam` with epoch, nbatch, eval_metric and locals.
"""

from __future__ import annotations

import logging
import math
import numbers
import time
from collections.abc import Callable
from typing import Any

from ..base import ArgumentError
from ..diagnostics.argument_kinds import check_class, check_function, worded
from ..diagnostics.keywords import ChecksKeywords
from .checkpoint import save_checkpoint

__all__ = ["LogValidationMetricsCallback", "ProgressBar", "Speedometer", "do_checkpoint", "log_train_metric",
           "module_checkpoint"]

MOST_CHARACTERS = 10_000


@check_function
@worded
def module_checkpoint(mod: Any, prefix: str, period: int = 1,
                      save_optimizer_states: bool = False) -> Callable[..., None]:
    """Return an epoch-end callback that calls `mod.save_checkpoint(prefix, epoch + 1, save_optimizer_states)` every
    `period` epochs.

    >>> module = mx.mod.Module(sym.FullyConnected(sym.var("data"), num_hidden=2), label_names=None)
    >>> module.bind([("data", (4, 3))])
    >>> module.init_params()
    >>> save = mx.callback.module_checkpoint(module, "net", period=2)
    >>> save(0), save(1)                        # after the second epoch: net-0002.params
    (None, None)
    >>> import os
    >>> sorted(os.listdir())
    ['net-0002.params', 'net-symbol.json']
    """
    period = max(1, int(period))

    def callback(epoch, symbol=None, arg_params=None, aux_params=None):
        if (epoch + 1) % period == 0:
            mod.save_checkpoint(prefix, epoch + 1, save_optimizer_states)
    return callback


@check_function
@worded
def do_checkpoint(prefix: str, period: int = 1) -> Callable[..., None]:
    """Return an epoch-end callback that calls `mx.model.save_checkpoint(prefix, epoch + 1, ...)` every `period` epochs.

    >>> save = mx.callback.do_checkpoint("net")
    >>> save(0, sym.var("x") + sym.var("b"), {"b": nd.ones((1,))}, {})
    >>> import os
    >>> sorted(os.listdir())
    ['net-0001.params', 'net-symbol.json']
    """
    period = max(1, int(period))

    def callback(epoch, symbol, arg_params, aux_params):
        if (epoch + 1) % period == 0:
            save_checkpoint(prefix, epoch + 1, symbol, arg_params, aux_params)
    return callback


@check_function
def log_train_metric(period: int, auto_reset: bool = False) -> Callable[..., None]:
    """Return a batch-end callback that logs the metric every `period` batches. auto_reset: whether to then reset it.

    >>> from minigluon.model import BatchEndParam
    >>> log = mx.callback.log_train_metric(period=2)
    >>> log(BatchEndParam(epoch=0, nbatch=2, eval_metric=mx.metric.MAE(), locals=None))      # by logging.info
    """
    if period == 0:
        raise ArgumentError("log_train_metric: period is 0, expected a number of batches, at least 1")

    def callback(param):
        if param.nbatch % period == 0 and param.eval_metric is not None:
            for name, value in param.eval_metric.get_name_value():
                logging.info("Iter[%d] Batch[%d] Train-%s=%f", param.epoch, param.nbatch, name, value)
            if auto_reset:
                param.eval_metric.reset_local()
    return callback


class Speedometer(ChecksKeywords):
    """Batch-end callback that logs samples per second and metrics every `frequent` batches.

    batch_size: the number of samples in a batch.
    auto_reset: whether to reset the metrics after each line.

    >>> from minigluon.model import BatchEndParam
    >>> speed = mx.callback.Speedometer(batch_size=32, frequent=2)
    >>> for batch in range(1, 5):               # logging.info tells the samples per second after 2 batches
    ...     speed(BatchEndParam(epoch=0, nbatch=batch, eval_metric=None, locals=None))
    """

    auto_reset: bool
    batch_size: int
    frequent: int

    def __init__(self, batch_size: int, frequent: int = 50, auto_reset: bool = True) -> None:
        self.batch_size, self.frequent, self.auto_reset = batch_size, frequent, auto_reset
        self._began = None              # the time at which timing started
        self._last = 0                  # previous batch

    def __call__(self, param: Any) -> Any:
        count = param.nbatch
        if self._last > count:          # a new epoch
            self._began = None
        self._last = count
        if self._began is None:
            self._began = time.perf_counter()
        elif count % self.frequent == 0:
            self._log(param, count)
            self._began = time.perf_counter()

    def _log(self, param, count):
        seconds = time.perf_counter() - self._began
        speed = self.frequent * self.batch_size / seconds if seconds > 0 else math.inf
        if param.eval_metric is None:
            logging.info("Iter[%d] Batch [%d]\tSpeed: %.2f samples/sec", param.epoch, count, speed)
            return
        values = param.eval_metric.get_name_value()
        first = count - self.frequent if self.auto_reset else 0
        if self.auto_reset:
            param.eval_metric.reset_local()
        logging.info("Epoch[%d] Batch [%d-%d]\tSpeed: %.2f samples/sec" + "\t%s=%f" * len(values), param.epoch, first,
                     count, speed, *[part for pair in values for part in pair])


class ProgressBar(ChecksKeywords):
    """Batch-end callback that logs a progress bar. total: the number of batches in an epoch. length: the number of
    characters in the bar.

    >>> from minigluon.model import BatchEndParam
    >>> bar = mx.callback.ProgressBar(total=4, length=8)
    >>> bar(BatchEndParam(epoch=0, nbatch=2, eval_metric=None, locals=None))       # logging.info: [====----] 50%
    """

    bar_len: int
    total: Any

    def __init__(self, total: float, length: int = 80) -> None:
        if not total > 0:
            raise ArgumentError(f"ProgressBar: total is {total!r}, expected the number of batches, at least 1")
        if not isinstance(length, numbers.Integral) or length > MOST_CHARACTERS:
            raise ArgumentError(f"ProgressBar: length is {length!r}, expected a number of characters, at most "
                                f"{MOST_CHARACTERS}")
        self.bar_len, self.total = length, total

    def __call__(self, param: Any) -> Any:
        length = round(self.bar_len * param.nbatch / self.total)
        percent = math.ceil(100 * param.nbatch / self.total)
        logging.info("[%s] %s%%\r", "=" * length + "-" * (self.bar_len - length), percent)


class LogValidationMetricsCallback:
    """Evaluation-end callback that logs one line for each metric.

    >>> from minigluon.model import BatchEndParam
    >>> log = mx.callback.LogValidationMetricsCallback()
    >>> log(BatchEndParam(epoch=0, nbatch=2, eval_metric=mx.metric.MAE(), locals=None))      # by logging.info
    """

    def __call__(self, param: Any) -> Any:
        if param.eval_metric is not None:
            for name, value in param.eval_metric.get_name_value():
                logging.info("Epoch[%d] Validation-%s=%f", param.epoch, name, value)


for _class in Speedometer, ProgressBar:
    check_class(_class)
