"""BaseModule: what every module can do, and the loops `fit`, `score` and `predict` that are made of it."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ... import initializer, metric
from ... import ndarray as nd
from ...base import ArgumentError, DTypeError, MXNetError
from ...io import DataBatch, DataIter
from .. import checkpoint
from ..checkpoint import BatchEndParam

if TYPE_CHECKING:
    from ...ndarray import NDArray
    from ...optimizer import Optimizer

__all__ = ["BaseModule"]

SGD = (("learning_rate", 0.01),)        # optimizer_params when none are given
UNIFORM = initializer.Uniform(0.01)


class BaseModule:
    """A computation with parameters: bound to shapes, given parameters and an optimizer, run batch by batch.

    A subclass defines the intermediate interface: bind, init_params, init_optimizer, forward, backward, update,
    update_metric, get_outputs, get_input_grads, get_params and the properties below. Out of it this class makes the
    high one: fit, score, predict.

    binded, params_initialized, optimizer_initialized: how far it has come. for_training, inputs_need_grad: as bound.
    logger: where messages go, a module or object with logging's functions.

    >>> data, label = nd.array([[0], [1], [2], [3]]), nd.array([0, 2, 4, 6])
    >>> train = mx.io.NDArrayIter(data, label, batch_size=2, label_name="label")
    >>> net = sym.FullyConnected(sym.var("data"), num_hidden=1, name="fc")
    >>> module = mx.mod.Module(sym.LinearRegressionOutput(net, sym.var("label"), name="out"), label_names=["label"])
    >>> isinstance(module, mx.mod.BaseModule)
    True
    >>> module.fit(train, eval_metric="mae", num_epoch=60, optimizer_params={"learning_rate": 0.2})
    >>> module.predict(train).asnumpy().round().ravel().tolist(), module.score(train, "mae")[0][1] < 0.1
    ([0.0, 2.0, 4.0, 6.0], True)
    >>> module.data_names, module.output_names, module.symbol.name
    (['data'], ['out_output'], 'out')
    >>> module.data_shapes[0].shape, module.label_shapes[0].shape, module.output_shapes
    ((2, 1), (2,), [('out_output', (2, 1))])

    What `fit` does, step by step:

    >>> net = sym.MakeLoss(sym.var("data") * sym.var("weight", shape=(1,)))
    >>> module, batch = mx.mod.Module(net, label_names=None), mx.io.DataBatch([nd.array([3])])
    >>> module.bind([("data", (1,))], inputs_need_grad=True)
    >>> module.init_params(mx.init.One())
    >>> module.init_optimizer(optimizer_params={"learning_rate": 0.1})
    >>> module.prepare(batch)
    >>> module.forward(batch, is_train=True)
    >>> module.backward()
    >>> module.update()
    >>> module.get_outputs()[0].item(), module.get_input_grads()[0].item()
    (3.0, 1.0)
    >>> module.get_params()[0]["weight"].asnumpy().round(1)         # 1 - 0.1 · 3
    array([0.7], dtype=float32)
    >>> module.set_params({"weight": nd.array([2])}, {})
    >>> module.forward_backward(batch)
    >>> metric = mx.metric.Loss()
    >>> module.update_metric(metric, [])
    >>> float(metric.get()[1])
    6.0
    >>> module.save_params("net.params")
    >>> module.load_params("net.params")
    >>> rows = mx.io.NDArrayIter(nd.array([5, 6]), batch_size=1)
    >>> [outputs[0].item() for outputs, number, batch in module.iter_predict(rows)]
    [10.0, 12.0]
    """

    def __init__(self, logger: Any = logging) -> None:
        self.logger = logger
        self.binded = False
        self.for_training = False
        self.inputs_need_grad = False
        self.params_initialized = False
        self.optimizer_initialized = False
        self._symbol = None

    # -- training and prediction --------------------------------------------------------------------------------

    def forward_backward(self, data_batch: Any) -> None:
        """`forward` in training mode, then `backward`.

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
        """Train for the epochs begin_epoch ... num_epoch - 1, and log what the metrics say after each.

        train_data, eval_data: DataIters; eval_data is scored after each epoch with validation_metric, by default
            eval_metric. epoch_end_callback(epoch, symbol, arg_params, aux_params); batch_end_callback,
            eval_batch_end_callback, eval_end_callback take a BatchEndParam; each may be a list.
        arg_params, aux_params: values to begin with; `initializer` makes those of others if allow_missing.
        monitor: a Monitor.
        kvstore, optimizer, optimizer_params: as in `init_optimizer`.
        force_rebind, force_init: True binds, and gives first values, also where that was done before.
        sparse_row_id_fn: as in `prepare`.

        Raises ArgumentError without num_epoch, and MXNetError where train_data has no batch.
        """
        if num_epoch is None:
            raise ArgumentError("fit needs num_epoch, the number of the epoch to stop before")
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
            self.set_params(arg_params, aux_params)         # on several devices: moving statistics become their mean
            for callback in _listed(epoch_end_callback):
                callback(epoch, self.symbol, arg_params, aux_params)
            if eval_data is not None:
                values = self.score(eval_data, validation_metric, score_end_callback=eval_end_callback,
                                    batch_end_callback=eval_batch_end_callback, epoch=epoch)
                for name, value in values:
                    self.logger.info("Epoch[%d] Validation-%s=%f", epoch, name, value)
            train_data.reset()

    def _train_epoch(self, epoch, train_data, eval_metric, batch_end_callback, monitor, sparse_row_id_fn):
        """One pass over the data. Returns the metric's [(name, value)] over all of it."""
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
            if following is None:       # before the callbacks, which may reset it
                values = eval_metric.get_global_name_value()
            params = BatchEndParam(epoch=epoch, nbatch=nbatch, eval_metric=eval_metric, locals=locals())
            for callback in _listed(batch_end_callback):
                callback(params)
            nbatch += 1
        return values

    def _update_metric_of(self, eval_metric, batch):
        """A batch, or a list of one for each device."""
        if isinstance(batch, list):
            self.update_metric(eval_metric, [part.label for part in batch], pre_sliced=True)
        else:
            self.update_metric(eval_metric, batch.label)

    def _evaluated(self, eval_data, num_batch, reset, sparse_row_id_fn):
        """(number, batch) for the first num_batch batches, after each has gone forward in prediction mode."""
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
        """[(name, value)] of a metric over the first num_batch batches, all if None. Callbacks: as those of `fit`.

        eval_data, reset, sparse_row_id_fn: as in `predict`.
        eval_metric: an EvalMetric, or its name.
        batch_end_callback, score_end_callback: after each batch, and at the end.
        epoch: the number that callbacks are told.
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
        """Yield (outputs, number, batch) for each batch, the outputs without what only fills the batch.

        eval_data, num_batch, reset, sparse_row_id_fn: as in `predict`.
        """
        for number, batch in self._evaluated(eval_data, num_batch, reset, sparse_row_id_fn):
            yield self._without_padding(batch), number, batch

    def _without_padding(self, batch):
        pad = batch.pad or 0
        return [out[0:out.shape[0] - pad].copy() for out in self.get_outputs()]

    def predict(self, eval_data: Any, num_batch: int | None = None, merge_batches: bool = True, reset: bool = True,
                always_output_list: bool = False, sparse_row_id_fn: Callable[..., Any] | None = None) -> Any:
        """The outputs for all batches of a DataIter, or for one array of data.

        merge_batches: join those of all batches, into one NDArray if the module has one output and
            always_output_list=False, otherwise a list. merge_batches=False: [[outputs of the first batch], ...]. What
            only fills a batch is left out.
        eval_data: the DataIter, or an array.
        num_batch: how many batches; all if None.
        reset: False goes on where the iterator is.
        sparse_row_id_fn: as in `prepare`.

        Raises ArgumentError for other data, and MXNetError where batches that are to be joined have different numbers
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
        found = [self._without_padding(batch)
                 for _, batch in self._evaluated(eval_data, num_batch, reset, sparse_row_id_fn)]
        if not found or not merge_batches:
            return found
        if len({len(outputs) for outputs in found}) > 1:
            raise MXNetError("predict: batches have different numbers of outputs, so they cannot be joined. Pass "
                             "merge_batches=False.")
        merged = [nd.concatenate(list(parts)) for parts in zip(*found, strict=True)]
        return merged[0] if len(merged) == 1 and not always_output_list else merged

    # -- what it is ---------------------------------------------------------------------------------------------

    @property
    def symbol(self) -> Any:
        """The graph, or None."""
        return self._symbol

    @property
    def data_names(self) -> list[str]:
        """Names of the inputs."""
        raise self._undefined("data_names")

    @property
    def output_names(self) -> list[str]:
        """Names of the outputs."""
        raise self._undefined("output_names")

    @property
    def data_shapes(self) -> None:
        """[DataDesc] of the inputs."""
        raise self._undefined("data_shapes")

    @property
    def label_shapes(self) -> None:
        """[DataDesc] of the labels; None or [] when there are none."""
        raise self._undefined("label_shapes")

    @property
    def output_shapes(self) -> None:
        """[(name, shape)] of the outputs."""
        raise self._undefined("output_shapes")

    # -- parameters ---------------------------------------------------------------------------------------------

    def get_params(self) -> tuple[dict[str, NDArray], dict[str, NDArray]]:
        """(arg_params, aux_params), each {name: NDArray} on the CPU."""
        raise self._undefined("get_params")

    def init_params(self, initializer: Any = UNIFORM, arg_params: Mapping[str, NDArray] | None = None,
                    aux_params: Mapping[str, NDArray] | None = None, allow_missing: bool = False,
                    force_init: bool = False, allow_extra: bool = False) -> None:
        """Give the parameters first values: those of arg_params and aux_params, and the initializer's elsewhere.

        arg_params, aux_params: {name: NDArray}, or None.
        allow_missing: may names be missing there?
        force_init: also where there are values; without it such a call does nothing.
        allow_extra: True passes over names that the graph has not.

        Raises ArgumentError for an array of another shape than the parameter's, and MXNetError for a name that is
        missing without allow_missing.
        """
        raise self._undefined("init_params")

    def set_params(self, arg_params: Mapping[str, NDArray], aux_params: Mapping[str, NDArray],
                   allow_missing: bool = False, force_init: bool = True, allow_extra: bool = False) -> None:
        """Give the parameters these values. allow_missing: others keep theirs. allow_extra: skip unknown names.

        arg_params, aux_params: {name: NDArray}.
        force_init: False does nothing where there are values.
        """
        self.init_params(initializer=None, arg_params=arg_params, aux_params=aux_params, allow_missing=allow_missing,
                         force_init=force_init, allow_extra=allow_extra)

    def save_params(self, fname: str) -> None:
        """Write the parameters to a file, as 'arg:name' and 'aux:name'.

        fname: the file.
        """
        checkpoint.write_params(fname, *self.get_params())

    def load_params(self, fname: str) -> None:
        """Read what `save_params` wrote. Raises FileFormatError for another file.

        fname: the file.
        """
        self.set_params(*checkpoint.read_params(fname))

    def get_states(self, merge_multi_context: bool = True) -> Any:
        """The arrays of `state_names`, which a recurrent net hands from one batch to the next.

        merge_multi_context: joined; otherwise for each state a list over the devices.

        >>> module = mx.mod.Module(sym.var("data") + sym.var("h"), label_names=None, state_names=["h"])
        >>> module.bind([("data", (1,))])
        >>> module.init_params()
        >>> module.set_states(value=5)
        >>> module.forward(mx.io.DataBatch([nd.array([3])]))
        >>> module.get_outputs()[0].item(), module.get_states()[0].item()
        (8.0, 5.0)
        """
        self._require("get_states", params=True)
        return []

    def set_states(self, states: Any = None, value: Any = None) -> None:
        """Set the states to arrays, or all to a number.

        value: the number.

        >>> module = mx.mod.Module(sym.var("data") + sym.var("h"), label_names=None, state_names=["h"])
        >>> module.bind([("data", (1,))])
        >>> module.init_params()
        >>> module.set_states(value=5)
        >>> module.get_states()[0].item()
        5.0
        """
        self._require("set_states", params=True)
        if states is not None or value is not None:
            raise MXNetError(f"{type(self).__name__} has no states to set")

    def install_monitor(self, mon: Any) -> None:
        r"""Let a Monitor look at the values of every operator.

        mon: the Monitor.

        >>> module = mx.mod.Module(sym.var("data") * 2, label_names=None)
        >>> module.bind([("data", (1,))])
        >>> module.init_params()
        >>> monitor = mx.monitor.Monitor(interval=1, stat_func=lambda array: array)
        >>> module.install_monitor(monitor)
        >>> monitor.tic()
        >>> module.forward(mx.io.DataBatch([nd.array([3])]))
        >>> monitor.toc()[0][1:]
        ('_mulscalar0_output', '6.0\t')
        """
        raise self._undefined("install_monitor")

    # -- running ------------------------------------------------------------------------------------------------

    def prepare(self, data_batch: Any, sparse_row_id_fn: Callable[..., Any] | None = None) -> None:
        """Get ready for a batch that will come next.

        sparse_row_id_fn: tells the rows of row_sparse parameters that the batch needs; here all of them are there.
        data_batch: a DataBatch.
        """

    def forward(self, data_batch: Any, is_train: Any = None) -> Any:
        """Compute the outputs of a batch. is_train: by default as bound.

        data_batch: a DataBatch.
        """
        raise self._undefined("forward")

    def backward(self, out_grads: Any = None) -> None:
        """Compute the gradients. out_grads: of the outputs, where they are no losses."""
        raise self._undefined("backward")

    def get_outputs(self, merge_multi_context: bool = True) -> list[Any]:
        """The outputs of the last `forward`.

        merge_multi_context: NDArrays of all samples; otherwise for each output a list over the devices.
        """
        raise self._undefined("get_outputs")

    def get_input_grads(self, merge_multi_context: bool = True) -> list[Any]:
        """The gradients with respect to the inputs, of the last `backward`, as `get_outputs` gives the outputs.

        merge_multi_context: as in `get_outputs`.
        """
        raise self._undefined("get_input_grads")

    def update(self) -> None:
        """Make a step with the gradients of the last `backward`."""
        raise self._undefined("update")

    def update_metric(self, eval_metric: Any, labels: Any, pre_sliced: bool = False) -> None:
        """Update a metric with the last outputs. pre_sliced: labels are a list for each device.

        eval_metric: the EvalMetric.
        """
        raise self._undefined("update_metric")

    def bind(self, data_shapes: Any, label_shapes: Any = None, for_training: bool = True,
             inputs_need_grad: bool = False, force_rebind: bool = False, shared_module: Any = None,
             grad_req: Any = "write") -> None:
        """Make the arrays for such batches."""
        raise self._undefined("bind")

    def init_optimizer(self, kvstore: Any = "local", optimizer: str | Optimizer = "sgd", optimizer_params: Any = SGD,
                       force_init: bool = False) -> None:
        """Choose the optimizer: an Optimizer, or its name with its arguments.

        force_init: True chooses it anew where there is one.
        """
        raise self._undefined("init_optimizer")

    # -- checks -------------------------------------------------------------------------------------------------

    def _undefined(self, what):
        return NotImplementedError(f"{type(self).__name__} does not define {what}")

    def _require(self, caller, params=False, optimizer=False):
        """Raise MXNetError that names the first step which is missing."""
        steps = [(self.binded, "is not bound", "bind(data_shapes=...)"),
                 (self.params_initialized or not params, "has no parameters", "init_params()"),
                 (self.optimizer_initialized or not optimizer, "has no optimizer", "init_optimizer()")]
        for done, what, remedy in steps:
            if not done:
                raise MXNetError(f"{caller}: this {type(self).__name__} {what} yet. Call {remedy} first, or fit, which "
                                 "does all of it.")


def _listed(callback):
    found = [] if callback is None else list(callback) if isinstance(callback, (list, tuple)) else [callback]
    for one in found:
        if not callable(one):
            raise DTypeError(f"a callback must be a function, found {type(one).__name__} {one!r}")
    return found
