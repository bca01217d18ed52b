"""BatchProcessor: what an Estimator does with one batch."""

from .... import autograd
from ...utils import split_and_load

__all__ = ["BatchProcessor"]


class BatchProcessor:
    """One batch forward, and in training backward. Derive from it for nets with other inputs or several losses."""

    def evaluate_batch(self, estimator, val_batch, batch_axis=0):
        """(data, label, predictions, losses) of a batch: lists with an item for each device."""
        data, label = self._load(estimator, val_batch, batch_axis)
        pred = [estimator.val_net(x) for x in data]
        return data, label, pred, [estimator.val_loss(p, y) for p, y in zip(pred, label, strict=True)]

    def fit_batch(self, estimator, train_batch, batch_axis=0):
        """(data, label, predictions, losses) of a batch, with the gradients of the losses in the parameters."""
        data, label = self._load(estimator, train_batch, batch_axis)
        with autograd.record():
            pred = [estimator.net(x) for x in data]
            loss = [estimator.loss(p, y) for p, y in zip(pred, label, strict=True)]
        autograd.backward(loss)
        return data, label, pred, loss

    def _load(self, estimator, batch, batch_axis):
        """A batch's data and label, each in parts for the devices."""
        data, label = batch[0], batch[1]
        return (split_and_load(data, estimator.context, batch_axis, even_split=False),
                split_and_load(label, estimator.context, batch_axis, even_split=False))
