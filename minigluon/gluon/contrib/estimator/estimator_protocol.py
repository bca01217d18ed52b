"""The Estimator's interface for event handlers and batch processors."""

from __future__ import annotations

import logging
from typing import Any, Protocol

__all__ = ["Estimator"]


class Estimator(Protocol):
    """Interface of an Estimator: net, loss, trainer, and progress."""

    net: Any
    loss: Any
    val_net: Any
    val_loss: Any
    trainer: Any
    context: Any
    logger: logging.Logger
    batch_processor: Any
    max_epoch: Any
    max_batch: Any
    batch_axis: int
    train_pass: Any
    handlers: Any

    @property
    def train_metrics(self) -> Any: ...
    @property
    def val_metrics(self) -> Any: ...
    def fit(self, train_data: Any, val_data: Any = None, epochs: Any = None, event_handlers: Any = None) -> Any: ...
    def evaluate(self, val_data: Any, batch_axis: int = 0, event_handlers: Any = None) -> None: ...
