"""BaseModule: the interface of all modules. `fitting` contains the loops built on this interface."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from ...base import MXNetError
from .. import checkpoint
from .fitting import SGD, UNIFORM, Fitting

if TYPE_CHECKING:
    from ...ndarray import NDArray
    from ...optimizer import Optimizer

__all__ = ["BaseModule"]

class BaseModule(Fitting):
    """A computation with parameters that is bound to shapes, initialized, given an optimizer, and run on batches.

    A subclass defines the intermediate interface: bind, init_params, init_optimizer, forward, backward, update,
    update_metric, get_outputs, get_input_grads, get_params and the properties below. On this basis, this class provides
    the high-level interface: fit, score and predict.

    binded, params_initialized, optimizer_initialized: the module's state. for_training, inputs_need_grad: the arguments
    of `bind`.
    logger: receives messages; a module or object with logging's functions.

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

    The steps of `fit`:

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

    # -- properties ---------------------------------------------------------------------------------------------

    @property
    def symbol(self) -> Any:
        """The graph, or None."""
        return self._symbol

    @property
    def data_names(self) -> list[str]:
        """The names of the inputs."""
        raise self._undefined("data_names")

    @property
    def output_names(self) -> list[str]:
        """The names of the outputs."""
        raise self._undefined("output_names")

    @property
    def data_shapes(self) -> Any:
        """[DataDesc] of the inputs."""
        raise self._undefined("data_shapes")

    @property
    def label_shapes(self) -> Any:
        """[DataDesc] of the labels; None or [] if there are none."""
        raise self._undefined("label_shapes")

    @property
    def output_shapes(self) -> Any:
        """[(name, shape)] of the outputs."""
        raise self._undefined("output_shapes")

    # -- parameters ---------------------------------------------------------------------------------------------

    def get_params(self) -> tuple[dict[str, NDArray], dict[str, NDArray]]:
        """Return (arg_params, aux_params), each {name: NDArray} on the CPU."""
        raise self._undefined("get_params")

    def init_params(self, initializer: Any = UNIFORM, arg_params: Mapping[str, NDArray] | None = None,
                    aux_params: Mapping[str, NDArray] | None = None, allow_missing: bool = False,
                    force_init: bool = False, allow_extra: bool = False) -> None:
        """Initialize the parameters with the values in arg_params and aux_params, and all others with the initializer.

        arg_params, aux_params: {name: NDArray}, or None.
        allow_missing: whether names may be missing from them.
        force_init: whether to overwrite existing values; otherwise the call does nothing if there are values.
        allow_extra: whether to ignore names that the graph does not have.

        Raises ArgumentError for an array whose shape differs from the parameter's, and MXNetError for a missing name
        without allow_missing.
        """
        raise self._undefined("init_params")

    def set_params(self, arg_params: Mapping[str, NDArray], aux_params: Mapping[str, NDArray],
                   allow_missing: bool = False, force_init: bool = True, allow_extra: bool = False) -> None:
        """Set parameter values.

        arg_params, aux_params: {name: NDArray}.
        allow_missing: whether to keep the values of the other parameters.
        allow_extra: whether to skip unknown names.
        force_init: whether to overwrite existing values; otherwise the call does nothing if there are values.
        """
        self.init_params(initializer=None, arg_params=arg_params, aux_params=aux_params, allow_missing=allow_missing,
                         force_init=force_init, allow_extra=allow_extra)

    def save_params(self, fname: str) -> None:
        """Write the parameters to a file, as 'arg:name' and 'aux:name'.

        fname: the file.
        """
        checkpoint.write_params(fname, *self.get_params())

    def load_params(self, fname: str) -> None:
        """Read a file that `save_params` has written. Raises FileFormatError for any other file.

        fname: the file.
        """
        self.set_params(*checkpoint.read_params(fname))

    def get_states(self, merge_multi_context: bool = True) -> Any:
        """Return the arrays of `state_names`, which a recurrent net passes from batch to batch.

        merge_multi_context: whether to join all samples; otherwise each state is a list over the devices.

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
        """Set the states to arrays, or all of them to a number.

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
        r"""Install a Monitor on the outputs of all operators.

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
        """Prepare for the next batch.

        sparse_row_id_fn: selects the rows of row_sparse parameters that the batch needs; it is unused, because all rows
        are present.
        data_batch: a DataBatch.
        """

    def forward(self, data_batch: Any, is_train: Any = None) -> Any:
        """Compute the outputs of a batch. is_train: by default the mode set by `bind`.

        data_batch: a DataBatch.
        """
        raise self._undefined("forward")

    def backward(self, out_grads: Any = None) -> None:
        """Compute the gradients. out_grads: the gradients of the outputs that are not losses."""
        raise self._undefined("backward")

    def get_outputs(self, merge_multi_context: bool = True) -> list[Any]:
        """Return the outputs of the last `forward`.

        merge_multi_context: whether to join all samples; otherwise each output is a list over the devices.
        """
        raise self._undefined("get_outputs")

    def get_input_grads(self, merge_multi_context: bool = True) -> list[Any]:
        """Return the gradients of the inputs from the last `backward`, in the same form as `get_outputs`.

        merge_multi_context: as in `get_outputs`.
        """
        raise self._undefined("get_input_grads")

    def update(self) -> None:
        """Update the parameters with the gradients of the last `backward`."""
        raise self._undefined("update")

    def update_metric(self, eval_metric: Any, labels: Any, pre_sliced: bool = False) -> None:
        """Update a metric with the last outputs. pre_sliced: whether labels are a list with one item per device.

        eval_metric: the EvalMetric.
        """
        raise self._undefined("update_metric")

    def bind(self, data_shapes: Any, label_shapes: Any = None, for_training: bool = True,
             inputs_need_grad: bool = False, force_rebind: bool = False, shared_module: Any = None,
             grad_req: Any = "write") -> None:
        """Allocate the arrays for batches of these shapes."""
        raise self._undefined("bind")

    def init_optimizer(self, kvstore: Any = "local", optimizer: str | Optimizer = "sgd", optimizer_params: Any = SGD,
                       force_init: bool = False) -> None:
        """Set the optimizer, which is an Optimizer or the name of one, with its arguments.

        force_init: whether to replace an existing optimizer.
        """
        raise self._undefined("init_optimizer")

    # -- checks -------------------------------------------------------------------------------------------------

    def _undefined(self, what):
        return NotImplementedError(f"{type(self).__name__} does not define {what}")

    def _require(self, caller, params=False, optimizer=False):
        """Raise an MXNetError that names the first missing step."""
        steps = [(self.binded, "is not bound", "bind(data_shapes=...)"),
                 (self.params_initialized or not params, "has no parameters", "init_params()"),
                 (self.optimizer_initialized or not optimizer, "has no optimizer", "init_optimizer()")]
        for is_done, what, remedy in steps:
            if not is_done:
                raise MXNetError(f"{caller}: this {type(self).__name__} {what} yet. Call {remedy} first, or fit, which "
                                 "does everything.")
