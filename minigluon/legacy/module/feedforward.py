"""FeedForward: the trainer for symbols that predates `Module`, implemented with a Module."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ... import metric
from ... import ndarray as nd
from ...base import ArgumentError, DTypeError, MXNetError
from ...common.types import Contexts
from ...context import cpu
from ...diagnostics import strictness
from ...io import DataIter, NDArrayIter, ResizeIter
from .. import checkpoint
from . import Module
from .base_module import UNIFORM

if TYPE_CHECKING:
    from ...ndarray import NDArray
    from ...optimizer import Optimizer
    from ...symbol import Symbol

__all__ = ["FeedForward"]


class FeedForward:
    """A symbol with parameters that are fitted to arrays. Deprecated, as in MXNet; new programs use `Module`.

    symbol: the graph. A function from a bucket's key to a graph raises an error.
    ctx: a device or a list of devices.
    epoch_size: the number of batches in an epoch; None for all of the data.
    numpy_batch_size: the number of samples in a batch if the data is an array.
    allow_extra_params: whether to skip parameters that the symbol does not have.
    num_epoch, begin_epoch: `fit` trains for the epochs begin_epoch ... num_epoch - 1.
    optimizer: an Optimizer, or its name.
    initializer: the initializer of the parameters.
    arg_params, aux_params: initial values, {name: NDArray}.
    kwargs: arguments of the optimizer.

    >>> import warnings
    >>> net = sym.FullyConnected(sym.var("data"), num_hidden=2, name="fc")
    >>> with warnings.catch_warnings():             # it is deprecated
    ...     warnings.simplefilter("ignore")
    ...     model = mx.model.FeedForward(sym.SoftmaxOutput(net, name="softmax"), num_epoch=20, learning_rate=0.5,
    ...                                  numpy_batch_size=4)
    ...     model.fit(np.array([[-1], [1]] * 8, "float32"), np.array([0, 1] * 8))
    ...     train = mx.io.NDArrayIter(np.array([[-1], [1]] * 8, "float32"), np.array([0, 1] * 8), batch_size=4)
    ...     score, probabilities = model.score(train), model.predict(train)
    ...     model.save("net")
    ...     again = mx.model.FeedForward.load("net", 20)
    >>> float(score), probabilities.shape, sorted(again.arg_params)
    (1.0, (16, 2), ['fc_bias', 'fc_weight'])
    """

    ctx: list[Any]
    begin_epoch: int
    epoch_size: int | None
    num_epoch: int | None
    initializer: Any
    kwargs: dict[str, Any]
    optimizer: str | Optimizer
    arg_params: dict[str, NDArray]
    aux_params: dict[str, NDArray]

    def __init__(self, symbol: Symbol, ctx: Contexts | None = None, num_epoch: int | None = None,
                 epoch_size: int | None = None, optimizer: str | Optimizer = "sgd", initializer: Any = UNIFORM,
                 numpy_batch_size: Any = 128, arg_params: Mapping[str, NDArray] | None = None,
                 aux_params: Mapping[str, NDArray] | None = None, allow_extra_params: bool = False,
                 begin_epoch: int = 0, **kwargs: Any) -> None:
        strictness.warn("mxnet.model.FeedForward has been deprecated. Please use mxnet.mod.Module instead.",
                        DeprecationWarning)
        if callable(symbol) and not hasattr(symbol, "list_arguments"):
            raise MXNetError("FeedForward: a function that returns symbols is for buckets. Use mx.mod.BucketingModule.")
        self.symbol = symbol
        self.ctx = [cpu()] if ctx is None else list(ctx) if isinstance(ctx, (list, tuple)) else [ctx]
        self.num_epoch, self.epoch_size, self.begin_epoch = num_epoch, epoch_size, begin_epoch
        self.optimizer, self.initializer, self.kwargs = optimizer, initializer, kwargs
        self.numpy_batch_size = numpy_batch_size
        self.arg_params, self.aux_params = arg_params, aux_params
        self.allow_extra_params = allow_extra_params

    # -- data ---------------------------------------------------------------------------------------------------

    def _iterator(self, X, y, is_train):
        """Return a DataIter for arrays; a DataIter is returned unchanged."""
        if isinstance(X, DataIter):
            return X
        if not isinstance(X, (np.ndarray, nd.NDArray)):
            raise DTypeError(f"FeedForward: X must be a DataIter, an NDArray or a numpy.ndarray, found "
                             f"{type(X).__name__}")
        if y is None:
            if is_train:
                raise ArgumentError("FeedForward.fit: y is required if X is an array")
            y = np.zeros(X.shape[0])
        y = np.asarray(y.asnumpy() if isinstance(y, nd.NDArray) else y)
        if X.shape[0] != y.shape[0]:
            raise ArgumentError(f"FeedForward: X has {X.shape[0]} samples, but y has {y.shape[0]}")
        batch_size = min(X.shape[0], self.numpy_batch_size)
        return NDArrayIter(X, y, batch_size, shuffle=is_train, last_batch_handle="roll_over" if is_train else "pad")

    def _pair_iterator(self, data):
        """Return a DataIter for eval_data: a DataIter, or a pair of arrays (X, y)."""
        if isinstance(data, (tuple, list)) and len(data) == 2:
            return self._iterator(nd.array(data[0]), data[1], is_train=False)
        if data is not None and not isinstance(data, DataIter):
            raise DTypeError(f"FeedForward: eval_data must be a DataIter or a pair (X, y), found "
                             f"{type(data).__name__}")
        return data

    def _module(self, data, **options):
        names = [desc[0] for desc in data.provide_data]
        arguments = self.symbol.list_arguments()
        label_names = [desc[0] for desc in data.provide_label or []]
        labels = [name for name in arguments if name in label_names or (not label_names and name.endswith("label"))]
        return Module(self.symbol, names, labels, context=self.ctx, **options)

    # -- training and prediction --------------------------------------------------------------------------------

    def fit(self, X: Any, y: Any = None, eval_data: Any = None, eval_metric: Any = "acc",
            epoch_end_callback: Any = None, batch_end_callback: Any = None, kvstore: Any = "local", logger: Any = None,
            work_load_list: Any = None, monitor: Any = None, eval_end_callback: Any = None,
            eval_batch_end_callback: Any = None) -> None:
        """Train on a DataIter or arrays; see `Module.fit` for the arguments. Afterwards the learned values are in
        arg_params and aux_params.

        X, y: a DataIter, or arrays of data and of labels.
        eval_data: a DataIter, or (data, labels), scored after each epoch.
        logger: receives messages.
        work_load_list: as in `Module`.
        eval_metric, kvstore, monitor: as in `Module.fit`.
        epoch_end_callback, batch_end_callback, eval_end_callback, eval_batch_end_callback: as in `Module.fit`.
        """
        data, eval_data = self._iterator(X, y, is_train=True), self._pair_iterator(eval_data)
        if self.epoch_size is not None:
            data = ResizeIter(data, self.epoch_size, reset_internal=False)
        options = {} if logger is None else {"logger": logger}
        module = self._module(data, work_load_list=work_load_list, **options)
        module.bind(data.provide_data, data.provide_label, for_training=True)
        module.init_params(self.initializer, self.arg_params, self.aux_params, allow_missing=True,
                           allow_extra=self.allow_extra_params)
        module.fit(data, eval_data, eval_metric, epoch_end_callback, batch_end_callback, kvstore, self.optimizer,
                   self.kwargs, eval_end_callback, eval_batch_end_callback, begin_epoch=self.begin_epoch,
                   num_epoch=self.num_epoch, monitor=monitor)
        self.arg_params, self.aux_params = module.get_params()

    def _predictor(self, data):
        if self.arg_params is None:
            raise MXNetError("FeedForward: it has no parameters yet. Call fit, or load a checkpoint.")
        module = self._module(data)
        module.bind(data.provide_data, data.provide_label or None, for_training=False)
        module.set_params(self.arg_params, self.aux_params or {}, allow_extra=self.allow_extra_params)
        return module

    def predict(self, X: Any, num_batch: int | None = None, return_data: bool = False, reset: bool = True) -> Any:
        """Return the outputs as a numpy.ndarray or a list of them; with return_data=True, also data and labels.

        X: a DataIter, or an array.
        num_batch: the number of batches; all if None.
        reset: if False, continue at the iterator's position.
        """
        data = self._iterator(X, None, is_train=False)
        if reset:
            data.reset()
        batches = [[x.asnumpy() for x in (*outputs, *(_cut(batch) if return_data else ()))]
                 for outputs, _, batch in self._predictor(data).iter_predict(data, num_batch, reset=False)]
        joined = [np.concatenate(parts) for parts in zip(*batches, strict=True)]
        count = len(self.symbol.list_outputs())
        outputs = joined[0] if count == 1 else joined[:count]
        if not return_data:
            return outputs
        inputs = len(data.provide_data)
        parts = joined[count:count + inputs], joined[count + inputs:]
        return (outputs, *[part[0] if len(part) == 1 else part for part in parts])

    def score(self, X: Any, eval_metric: Any = "acc", num_batch: int | None = None, batch_end_callback: Any = None,
              reset: bool = True) -> Any:
        """Return the value of a metric over a DataIter with labels.

        X: the DataIter.
        eval_metric: an EvalMetric, or its name.
        num_batch: the number of batches; all if None.
        batch_end_callback: called after each batch.
        reset: if False, continue at the iterator's position.
        """
        data = self._iterator(X, None, is_train=False)
        eval_metric = metric.create(eval_metric)
        self._predictor(data).score(data, eval_metric, num_batch, batch_end_callback, reset=reset)
        return eval_metric.get()[1]

    # -- files --------------------------------------------------------------------------------------------------

    def save(self, prefix: str, epoch: int | None = None, remove_amp_cast: bool = True) -> None:
        """Write a checkpoint for `epoch`, by default num_epoch.

        prefix: the prefix of the file names.
        remove_amp_cast: whether to write the graph without the casts of mixed precision.
        """
        epoch = self.num_epoch if epoch is None else epoch
        if epoch is None:
            raise ArgumentError("FeedForward.save needs epoch, since num_epoch was not given")
        checkpoint.save_checkpoint(prefix, epoch, self.symbol, self.arg_params, self.aux_params, remove_amp_cast)

    @staticmethod
    def load(prefix: str, epoch: int, ctx: Contexts | None = None, **kwargs: Any) -> FeedForward:
        """Return a FeedForward from a checkpoint, which resumes at the checkpoint's epoch.

        prefix: the prefix of the file names.
        ctx, kwargs: as in FeedForward.
        """
        symbol, arg_params, aux_params = checkpoint.load_checkpoint(prefix, epoch)
        return FeedForward(symbol, ctx=ctx, arg_params=arg_params, aux_params=aux_params, begin_epoch=epoch, **kwargs)

    @staticmethod
    def create(symbol: Symbol, X: Any, y: Any = None, ctx: Contexts | None = None, num_epoch: int | None = None,
               epoch_size: int | None = None, optimizer: Any = "sgd", initializer: Any = UNIFORM, eval_data: Any = None,
               eval_metric: Any = "acc", epoch_end_callback: Any = None, batch_end_callback: Any = None,
               kvstore: Any = "local", logger: Any = None, work_load_list: Any = None, eval_end_callback: Any = None,
               eval_batch_end_callback: Any = None, **kwargs: Any) -> FeedForward:
        """Return a fitted FeedForward.

        symbol, ctx, num_epoch, epoch_size, optimizer, initializer, kwargs: as in FeedForward.
        X, y, eval_data, eval_metric, kvstore, logger, work_load_list: as in `fit`.
        epoch_end_callback, batch_end_callback, eval_end_callback, eval_batch_end_callback: as in `fit`.

        >>> import warnings
        >>> net = sym.SoftmaxOutput(sym.FullyConnected(sym.var("data"), num_hidden=2, name="fc"), name="softmax")
        >>> train = mx.io.NDArrayIter(np.array([[-1], [1]] * 8, "float32"), np.array([0, 1] * 8), batch_size=4)
        >>> with warnings.catch_warnings():             # it is deprecated
        ...     warnings.simplefilter("ignore")
        ...     model = mx.model.FeedForward.create(net, train, num_epoch=20, learning_rate=0.5)
        >>> float(model.score(train))
        1.0
        """
        model = FeedForward(symbol, ctx, num_epoch, epoch_size, optimizer, initializer, **kwargs)
        model.fit(X, y, eval_data, eval_metric, epoch_end_callback, batch_end_callback, kvstore, logger,
                  work_load_list, eval_end_callback=eval_end_callback,
                  eval_batch_end_callback=eval_batch_end_callback)
        return model


def _cut(batch):
    """Return the arrays of a batch without its padding."""
    count = batch.data[0].shape[0] - (batch.pad or 0)
    return [x[:count] for x in (*batch.data, *(batch.label or []))]
