"""BatchProcessor: an Estimator's computations for one batch."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .... import autograd
from ....common.docstrings import share_sentences
from ...utils import split_and_load

if TYPE_CHECKING:
    from .estimator_protocol import Estimator

__all__ = ["BatchProcessor"]


class BatchProcessor:
    """The forward pass for a batch and, in training, the backward pass. Subclass it for other inputs or several losses.

    >>> from minigluon.gluon.contrib.estimator import BatchProcessor, Estimator
    >>> class Reconstruction(BatchProcessor):               # the label of a batch is its data
    ...     def fit_batch(self, estimator, train_batch, batch_axis=0):
    ...         return super().fit_batch(estimator, [train_batch, train_batch], batch_axis)
    >>> net = nn.Dense(3, in_units=3)
    >>> net.initialize()
    >>> trainer = gluon.Trainer(net.collect_params(), "sgd")
    >>> estimator = Estimator(net, gluon.loss.L2Loss(), trainer=trainer, batch_processor=Reconstruction())
    >>> data, label, predictions, losses = Reconstruction().fit_batch(estimator, nd.ones((4, 3)))
    >>> losses[0].shape
    (4,)
    >>> data, label, predictions, losses = BatchProcessor().evaluate_batch(estimator, [nd.ones((4, 3))] * 2)
    >>> predictions[0].shape
    (4, 3)
    """

    def evaluate_batch(self, estimator: Estimator, val_batch: Any, batch_axis: int = 0) -> Any:
        """Returns (data, label, predictions, losses) for a batch, each a list with one item per device."""
        data, label = self._get_data_and_label(val_batch, estimator.context, batch_axis)
        pred = [estimator.val_net(x) for x in data]
        return data, label, pred, [estimator.val_loss(p, y) for p, y in zip(pred, label, strict=True)]

    def fit_batch(self, estimator: Estimator, train_batch: Any, batch_axis: int = 0) -> Any:
        """Computes gradients for a batch, and returns its (data, label, predictions, losses).

        estimator: the Estimator with the net, loss and devices.
        train_batch: data and label, as from a DataLoader.
        batch_axis: the axis of the samples, which are split across the devices.
        """
        data, label = self._get_data_and_label(train_batch, estimator.context, batch_axis)
        with autograd.record():
            pred = [estimator.net(x) for x in data]
            loss = [estimator.loss(p, y) for p, y in zip(pred, label, strict=True)]
        autograd.backward(loss)
        return data, label, pred, loss

    def _get_data_and_label(self, batch, ctx, batch_axis=0):
        """Returns a batch's data and label, each split across the devices `ctx`. The name is MXNet's, because
        subclasses use it.
        """
        data, label = batch[0], batch[1]
        return (split_and_load(data, ctx, batch_axis, even_split=False),
                split_and_load(label, ctx, batch_axis, even_split=False))


share_sentences(BatchProcessor.fit_batch, BatchProcessor.evaluate_batch, val_batch="train_batch")
