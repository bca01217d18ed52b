"""`mx.contrib.tensorboard`: logging of training metrics to TensorBoard event files."""

from __future__ import annotations

import importlib
from typing import Any

from ..common.optional_packages import require

__all__ = ["LogMetricsCallback"]


class LogMetricsCallback:
    """Callback for `Module.fit` that writes each metric's value as a scalar.

    logging_dir: the folder for the event files, which are written every two seconds.
    prefix: a prefix for the names, such as 'train' or 'eval'. Requires the package tensorboardX.

    Raises MXNetError if the package is not installed.

    >>> from minigluon.model import BatchEndParam
    >>> log = mx.contrib.tensorboard.LogMetricsCallback("events", prefix="train")
    >>> metric = mx.metric.MAE()
    >>> metric.update(nd.array([0]), nd.array([2]))
    >>> log(BatchEndParam(epoch=0, nbatch=1, eval_metric=metric, locals=None))     # for tensorboard --logdir events
    >>> log.summary_writer.close()
    """

    def __init__(self, logging_dir: Any, prefix: str | None = None):
        require("tensorboardX", extra="tensorboard", user="LogMetricsCallback")
        self.prefix = prefix
        self.summary_writer: Any = importlib.import_module("tensorboardX").SummaryWriter(logging_dir, flush_secs=2)

    def __call__(self, param: Any) -> None:
        """Write the metrics of param, a BatchEndParam with `epoch` and `eval_metric`."""
        if param.eval_metric is None:
            return
        for name, value in param.eval_metric.get_name_value():
            self.summary_writer.add_scalar(name if self.prefix is None else f"{self.prefix}-{name}", value, param.epoch)
