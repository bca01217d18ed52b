"""Fitting: the loops `fit`, `score` and `predict` of every module, which use its intermediate interface."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ... import initializer, metric
from ... import ndarray as nd
from ...base import ArgumentError, DTypeError, MXNetError
from ...diagnostics.keywords import ChecksKeywords
from ...io import DataBatch, DataIter
from ..checkpoint import BatchEndParam

if TYPE_CHECKING:
    from ...ndarray import NDArray
    from ...optimizer import Optimizer

__all__ = ["SGD", "UNIFORM", "Fitting"]

SGD = (("learning_rate", 0.01),)        # the default optimizer_params
UNIFORM = initializer.Uniform(0.01)


class Fitting(ChecksKeywords):
    """Mixin of BaseModule: epochs over a DataIter. It calls `bind`, `forward`, `update` and other methods."""

    def forward_backward(self, data_batch: Any) -> None:
        """Run `forward` in training mode, then `backward`.

        data_batch: a DataBatch.

        >>> net = sym.MakeLoss(sym.var("data") * 2)
        >>> module = mx.mod.Module(net, label_names=None)
        >>> module.bind([("data", (1,))], inputs_need_grad=True)
        >>> module.init_params()
        >>> module.forward_backward(mx.io.DataBatch([nd.array([3])]))
        >>> module.get_outputs()[0].item(), module.get_input_grads()[0].item()
        (6.0, 2.0)
        """
        self.forward(data_batch, is_train=True)
        self.backward()

    def fit(self, train_data: Any, eval_data: Any = None, eval_metric: Any = "acc", epoch_end_callback: Any = None,
            batch_end_callback: Any = None, kvstore: Any = "local", optimizer: str | Optimizer = "sgd",
            optimizer_params: Any = SGD, eval_end_callback: Any = None, eval_batch_end_callback: Any = None,
            initializer: Any = UNIFORM, arg_params: Mapping[str, NDArray] | None = None,
            aux_params: Mapping[str, NDArray] | None = None, allow_missing: bool = False, force_rebind: bool = False,
            force_init: bool = False, begin_epoch: int = 0, num_epoch: int | None = None, validation_metric: Any = None,
            monitor: Any = None, sparse_row_id_fn: Callable[..., Any] | None = None) -> None:
        """Train for the epochs begin_epoch ... num_epoch - 1, and log the metrics after each epoch.

        train_data, eval_data: DataIters; eval_data is scored after each epoch with validation_metric, by default
            eval_metric. epoch_end_callback(epoch, symbol, arg_params, aux_params); batch_end_callback,
            eval_batch_end_callback, eval_end_callback take a BatchEndParam; each may be a list.
        arg_params, aux_params: initial values; `initializer` sets all others if allow_missing.
        monitor: a Monitor.
        kvstore, optimizer, optimizer_params: as in `init_optimizer`.
        force_rebind, force_init: whether to bind or initialize again.
        sparse_row_id_fn: as in `prepare`.

        Raises ArgumentError without num_epoch, and MXNetError if train_data has no batches.
        """
        if num_epoch is None:
            raise ArgumentError("fit needs num_epoch, the epoch before which to stop")
        self.bind(data_shapes=train_data.provide_data, label_shapes=train_data.provide_label, for_training=True,
                  force_rebind=force_rebind)
        if monitor is not None:
            self.install_monitor(monitor)
        if force_init or arg_params is not None or not self.params_initialized:
            self.init_params(initializer=initializer, arg_params=arg_params, aux_params=aux_params,
                             allow_missing=allow_missing, force_init=force_init)
        self.init_optimizer(kvstore=kvstore, optimizer=optimizer, optimizer_params=optimizer_params)
        eval_metric = metric.create(eval_metric)
        validation_metric = eval_metric if validation_metric is None else validation_metric
        for epoch in range(begin_epoch, num_epoch):
            start = time.time()
            values = self._train_epoch(epoch, train_data, eval_metric, batch_end_callback, monitor, sparse_row_id_fn)
            for name, value in values:
                self.logger.info("Epoch[%d] Train-%s=%f", epoch, name, value)
            self.logger.info("Epoch[%d] Time cost=%.3f", epoch, time.time() - start)
            arg_params, aux_params = self.get_params()
            self.set_params(arg_params, aux_params)         # this averages the moving statistics over the devices
            for callback in _listed(epoch_end_callback):
                callback(epoch, self.symbol, arg_params, aux_params)
            if eval_data is not None:
                values = self.score(eval_data, validation_metric, score_end_callback=eval_end_callback,
                                    batch_end_callback=eval_batch_end_callback, epoch=epoch)
                for name, value in values:
                    self.logger.info("Epoch[%d] Validation-%s=%f", epoch, name, value)
            train_data.reset()

    def _train_epoch(self, epoch, train_data, eval_metric, batch_end_callback, monitor, sparse_row_id_fn):
        """Make one pass over the data. Returns the metric's [(name, value)] over all of the data."""
        eval_metric.reset()
        batches = iter(train_data)
        following, nbatch, values = next(batches, None), 0, []
        if following is None:
            raise MXNetError(f"fit: {type(train_data).__name__} has no batch in epoch {epoch}; check its data and "
                             "batch_size, and whether it was reset")
        while following is not None:
            data_batch = following
            if monitor is not None:
                monitor.tic()
            self.forward_backward(data_batch)
            self.update()
            self._update_metric_of(eval_metric, data_batch)
            following = next(batches, None)
            if following is not None:
                self.prepare(following, sparse_row_id_fn=sparse_row_id_fn)
            if monitor is not None:
                monitor.toc_print()
            if following is None:       # read before the callbacks, which may reset the metric
                values = eval_metric.get_global_name_value()
            params = BatchEndParam(epoch=epoch, nbatch=nbatch, eval_metric=eval_metric, locals=locals())
            for callback in _listed(batch_end_callback):
                callback(params)
            nbatch += 1
        return values

    def _update_metric_of(self, eval_metric, batch):
        """Update the metric with a batch, or with a list of batches, one per device."""
        if isinstance(batch, list):
            self.update_metric(eval_metric, [part.label for part in batch], pre_sliced=True)
        else:
            self.update_metric(eval_metric, batch.label)

    def _evaluated(self, eval_data, num_batch, reset, sparse_row_id_fn):
        """Run the forward pass for the first num_batch batches in inference mode; yield (index, batch) after each."""
        self._require("score and predict", params=True)
        if reset:
            eval_data.reset()
        for number, batch in enumerate(eval_data):
            if number == num_batch:
                break
            self.prepare(batch, sparse_row_id_fn=sparse_row_id_fn)
            self.forward(batch, is_train=False)
            yield number, batch

    def score(self, eval_data: Any, eval_metric: Any, num_batch: int | None = None, batch_end_callback: Any = None,
              score_end_callback: Any = None, reset: bool = True, epoch: int = 0,
              sparse_row_id_fn: Callable[..., Any] | None = None) -> Any:
        """Return [(name, value)] for a metric over the first num_batch batches, or over all batches if None.

        Callbacks: as in `fit`.

        eval_data, reset, sparse_row_id_fn: as in `predict`.
        eval_metric: an EvalMetric, or its name.
        batch_end_callback, score_end_callback: called after each batch, and at the end.
        epoch: passed to the callbacks.
        """
        eval_metric = metric.create(eval_metric)
        eval_metric.reset()
        count = 0
        for nbatch, eval_batch in self._evaluated(eval_data, num_batch, reset, sparse_row_id_fn):
            self._update_metric_of(eval_metric, eval_batch)
            params = BatchEndParam(epoch=epoch, nbatch=nbatch, eval_metric=eval_metric, locals=locals())
            for callback in _listed(batch_end_callback):
                callback(params)
            count = nbatch + 1
        params = BatchEndParam(epoch=epoch, nbatch=count, eval_metric=eval_metric, locals=locals())
        for callback in _listed(score_end_callback):
            callback(params)
        return eval_metric.get_name_value()

    def iter_predict(self, eval_data: Any, num_batch: int | None = None, reset: bool = True,
                     sparse_row_id_fn: Callable[..., Any] | None = None) -> Iterator[Any]:
        """Yield (outputs, index, batch) for each batch, where the outputs have no padding.

        eval_data, num_batch, reset, sparse_row_id_fn: as in `predict`.
        """
        for number, batch in self._evaluated(eval_data, num_batch, reset, sparse_row_id_fn):
            yield self._without_padding(batch), number, batch

    def _without_padding(self, batch):
        pad = batch.pad or 0
        return [out[0:out.shape[0] - pad].copy() for out in self.get_outputs()]

    def predict(self, eval_data: Any, num_batch: int | None = None, merge_batches: bool = True, reset: bool = True,
                always_output_list: bool = False, sparse_row_id_fn: Callable[..., Any] | None = None) -> Any:
        """Return the outputs for all batches of a DataIter, or for one array of data.

        merge_batches: whether to join the outputs of all batches, into one NDArray if the module has one output and
            always_output_list=False, otherwise into a list. If False, [[outputs of the first batch], ...] is returned.
            Padding is removed.
        eval_data: the DataIter, or an array.
        num_batch: the number of batches; all if None.
        reset: if False, continue at the iterator's position.
        sparse_row_id_fn: as in `prepare`.

        Raises ArgumentError for data of any other kind, and MXNetError if batches to be merged have different numbers
        of outputs.
        """
        self._require("predict", params=True)
        if isinstance(eval_data, (nd.NDArray, np.ndarray)):
            data = eval_data if isinstance(eval_data, nd.NDArray) else nd.array(eval_data)
            self.forward(DataBatch([data]), is_train=False)
            return self.get_outputs()[0]
        if not isinstance(eval_data, DataIter):
            raise ArgumentError(f"predict: eval_data must be an NDArray, a numpy.ndarray or a DataIter, found "
                                f"{type(eval_data).__name__}")
        batches = [self._without_padding(batch)
                 for _, batch in self._evaluated(eval_data, num_batch, reset, sparse_row_id_fn)]
        if not batches or not merge_batches:
            return batches
        if len({len(outputs) for outputs in batches}) > 1:
            raise MXNetError("predict: batches have different numbers of outputs, so they cannot be joined. Pass "
                             "merge_batches=False.")
        merged = [nd.concatenate(list(parts)) for parts in zip(*batches, strict=True)]
        return merged[0] if len(merged) == 1 and not always_output_list else merged


def _listed(callback):
    callbacks = [] if callback is None else list(callback) if isinstance(callback, (list, tuple)) else [callback]
    for one in callbacks:
        if not callable(one):
            raise DTypeError(f"a callback must be a function, found {type(one).__name__} {one!r}")
    return callbacks
