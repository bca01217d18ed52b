"""Module: a symbol with its parameters and an optimizer, on one or more devices."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ... import context
from ...base import ArgumentError, DTypeError, MXNetError
from ...common.types import Contexts
from ...diagnostics import strictness
from ...optimizer.updater_states import load_states
from ...serialization.atomic_write import reading_together, replacing, together
from .. import checkpoint
from .base_module import SGD, UNIFORM
from .executor_group import DataParallelExecutorGroup
from .groups import groups_of_contexts
from .init_params import fill_params, zeros_on_cpu
from .names import check_names, described
from .set_params import SettableModule
from .shapes import as_batch, shapes_of
from .stepper import Stepper

if TYPE_CHECKING:
    from ...ndarray import NDArray
    from ...optimizer import Optimizer
    from ...symbol import Symbol

__all__ = ["Module"]


class Module(SettableModule):
    """A trainable symbol.

    symbol: the graph, which usually ends in a loss such as SoftmaxOutput.
    data_names, label_names: the arguments that come from batches.
    context: a device, or a list of devices that share each batch equally or in proportion to work_load_list.
    work_load_list: one number for each device.
    fixed_param_names: parameters that are not learned.
    state_names: arguments that keep their values between batches; all others are parameters.
    group2ctxs: the device of each group in the graph, {"a": mx.cpu(1)}; a list of such dicts, one per context; or a
        dict of lists with one device per context.
    compression_params: see `KVStore.set_gradient_compression`.
    logger: receives messages; a module or object with logging's functions.

    >>> net = sym.FullyConnected(sym.var("data"), num_hidden=2, name="fc")
    >>> module = mx.mod.Module(sym.SoftmaxOutput(net, name="softmax"), context=mx.cpu())
    >>> train = mx.io.NDArrayIter(nd.array([[-1], [1]] * 8), nd.array([0, 1] * 8), batch_size=4)
    >>> module.fit(train, optimizer_params={"learning_rate": 0.5}, num_epoch=5)
    >>> module.score(train, "acc"), module.label_names
    ([('accuracy', 1.0)], ['softmax_label'])
    >>> module.save_checkpoint("net", epoch=5, save_optimizer_states=True)
    >>> again = mx.mod.Module.load("net", 5, load_optimizer_states=True)
    >>> again.bind(train.provide_data, train.provide_label)
    >>> again.score(train, "acc")
    [('accuracy', 1.0)]
    >>> again.reshape([("data", (1, 1))], [("softmax_label", (1,))])
    >>> again.predict(nd.array([[5]])).asnumpy().argmax(axis=1).tolist()
    [1]
    """

    for_training: bool
    inputs_need_grad: bool
    binded: bool
    params_initialized: bool
    optimizer_initialized: bool

    def __init__(self, symbol: Symbol, data_names: Sequence[str] = ("data",),
                 label_names: Sequence[str] = ("softmax_label",), logger: Any = logging,
                 context: Contexts | None = None, work_load_list: Any = None,
                 fixed_param_names: Sequence[str] | None = None, state_names: Sequence[str] | None = None,
                 group2ctxs: Any = None, compression_params: Mapping[str, Any] | None = None) -> None:
        super().__init__(logger=logger)
        self._context = _contexts(context)
        self._group2ctxs = groups_of_contexts(group2ctxs, len(self._context))
        self._work_load_list = _workload(work_load_list, self._context)
        self._symbol = symbol
        self._data_names, self._label_names, self._state_names, self._fixed_param_names = (
            list(names or []) for names in (data_names, label_names, state_names, fixed_param_names))
        for names, kind, strict in ((self._data_names, "data", True), (self._label_names, "label", False),
                                    (self._state_names, "state", True), (self._fixed_param_names, "fixed_param", True)):
            check_names(symbol, names, kind, strict)
        inputs = {*self._data_names, *self._label_names, *self._state_names}
        self._param_names = [name for name in symbol.list_arguments() if name not in inputs]
        self._aux_names = symbol.list_auxiliary_states()
        self._output_names = symbol.list_outputs()
        self._compression_params = compression_params
        self._arg_params = self._aux_params = None      # on the CPU, shared by the modules of a BucketingModule
        self._params_dirty = False                      # whether the values on the devices are newer
        self._exec_group = self._stepper = None
        self._preload_opt_states = None
        self._data_shapes = self._label_shapes = None

    # -- files --------------------------------------------------------------------------------------------------

    @staticmethod
    def load(prefix: str, epoch: int, load_optimizer_states: bool = False, **kwargs: Any) -> Module:
        """Return a Module from a checkpoint; `bind` it next.

        prefix, epoch: as passed to `save_checkpoint`.
        load_optimizer_states: whether to also read the optimizer's states.
        kwargs: other arguments of Module.
        """
        symbol, args, auxs = checkpoint.load_checkpoint(prefix, epoch)
        mod = Module(symbol=symbol, **kwargs)
        mod._arg_params, mod._aux_params = args, auxs
        mod.params_initialized = True
        if load_optimizer_states:
            mod._preload_opt_states = f"{prefix}-{epoch:04d}.states"
            with reading_together(f"{prefix}-{epoch:04d}.params", mod._preload_opt_states):
                pass                    # detects states set aside after a crash; `init_optimizer` reads them
        return mod

    def save_checkpoint(self, prefix: str, epoch: int, save_optimizer_states: bool = False,
                        remove_amp_cast: bool = True) -> None:
        """Write '<prefix>-symbol.json', '<prefix>-<epoch>.params' and, on request, '<prefix>-<epoch>.states'.

        save_optimizer_states: whether to also write the optimizer's states.
        remove_amp_cast: whether to write the graph without the casts of mixed precision.
        """
        with together():
            self.save_params(f"{prefix}-{epoch:04d}.params")
            if save_optimizer_states:
                self.save_optimizer_states(f"{prefix}-{epoch:04d}.states")
            self._symbol.save(f"{prefix}-symbol.json", remove_amp_cast=remove_amp_cast)
        logging.info('Saved checkpoint to "%s"', f"{prefix}-{epoch:04d}.params")
        if save_optimizer_states:
            logging.info('Saved optimizer state to "%s"', f"{prefix}-{epoch:04d}.states")

    def save_optimizer_states(self, fname: str) -> None:
        """Write the optimizer's states, such as momentum, to a file.

        fname: the file.

        >>> module = mx.mod.Module(sym.MakeLoss(sym.var("data") * sym.var("weight", shape=(1,))), label_names=None)
        >>> module.bind([("data", (1,))])
        >>> module.init_params()
        >>> module.init_optimizer(optimizer="adam")
        >>> module.save_optimizer_states("adam.states")
        >>> module.load_optimizer_states("adam.states")
        """
        self._require("save_optimizer_states", optimizer=True)
        with replacing(fname) as file:
            file.write(self._stepper.states_owner.get_states())

    def load_optimizer_states(self, fname: str) -> None:
        """Read a file that `save_optimizer_states` has written, here or in MXNet. Raises FileFormatError.

        fname: the file.

        >>> module = mx.mod.Module(sym.MakeLoss(sym.var("data") * sym.var("weight", shape=(1,))), label_names=None)
        >>> module.bind([("data", (1,))])
        >>> module.init_params()
        >>> module.init_optimizer(optimizer="adam")
        >>> module.save_optimizer_states("adam.states")
        >>> module.load_optimizer_states("adam.states")
        """
        self._require("load_optimizer_states", optimizer=True)
        load_states(fname, [self._stepper.states_owner], [self._stepper.weights(self._exec_group)])

    # -- properties ---------------------------------------------------------------------------------------------

    @property
    def data_names(self) -> list[str]:
        return self._data_names

    @property
    def label_names(self) -> list[str]:
        """The names of the labels."""
        return self._label_names

    @property
    def output_names(self) -> list[str]:
        return self._output_names

    @property
    def data_shapes(self) -> Any:
        self._require("data_shapes")
        return self._data_shapes

    @property
    def label_shapes(self) -> Any:
        self._require("label_shapes")
        return self._label_shapes

    @property
    def output_shapes(self) -> Any:
        self._require("output_shapes")
        return self._exec_group.get_output_shapes()

    # -- binding ------------------------------------------------------------------------------------------------

    def bind(self, data_shapes: Any, label_shapes: Any = None, for_training: bool = True,
             inputs_need_grad: bool = False, force_rebind: bool = False, shared_module: Any = None,
             grad_req: Any = "write") -> None:
        """Create the executors for batches of these shapes.

        data_shapes, label_shapes: DataDescs or pairs (name, shape). for_training=False: no gradients.
        inputs_need_grad: whether to also compute gradients of the data.
        force_rebind: whether to bind again if the module is already bound.
        shared_module: another bound module whose parameters are shared.
        grad_req: 'write', 'add' or 'null', or a list or dict of these.
        """
        if force_rebind:
            self._reset_bind()
        if self.binded:
            self.logger.warning("Already bound, ignoring bind()")
            return
        if not for_training and inputs_need_grad:
            raise ArgumentError("bind: inputs_need_grad=True needs for_training=True")
        self._data_shapes, self._label_shapes = described(self._symbol, self._data_names, self._label_names,
                                                          data_shapes, label_shapes)
        if shared_module is not None:
            if not isinstance(shared_module, Module) or not (shared_module.binded
                                                             and shared_module.params_initialized):
                raise ArgumentError("bind: shared_module must be a Module that is bound and has parameters")
            if len(shared_module._context) < len(self._context):
                raise ArgumentError("bind: shared_module is on fewer devices than this module")
        self.for_training, self.inputs_need_grad, self._grad_req = for_training, inputs_need_grad, grad_req
        self._exec_group = DataParallelExecutorGroup(
            self._symbol, self._context, self._work_load_list, self._data_shapes, self._label_shapes,
            self._param_names, for_training, inputs_need_grad,
            None if shared_module is None else shared_module._exec_group, self._fixed_param_names, grad_req,
            self._state_names, self._group2ctxs)
        self.binded = True
        if shared_module is not None:
            self._arg_params, self._aux_params = shared_module._arg_params, shared_module._aux_params
            self.params_initialized = True
            if shared_module.optimizer_initialized:
                self.borrow_optimizer(shared_module)
        elif self.params_initialized:
            self._exec_group.set_params(self._arg_params, self._aux_params)

    def _reset_bind(self):
        if self.binded and self._params_dirty:
            self._sync_params_from_devices()
        self.binded = False
        self._exec_group = self._data_shapes = self._label_shapes = None

    def reshape(self, data_shapes: Any, label_shapes: Any = None) -> None:
        """Reshape the executors for batches with different shapes.

        data_shapes, label_shapes: as in `bind`.
        """
        self._require("reshape")
        self._data_shapes, self._label_shapes = described(self._symbol, self._data_names, self._label_names,
                                                          data_shapes, label_shapes)
        self._exec_group.bind_exec(self._data_shapes, self._label_shapes)

    # -- parameters ---------------------------------------------------------------------------------------------

    def get_params(self) -> tuple[dict[str, NDArray], dict[str, NDArray]]:
        self._require("get_params", params=True)
        if self._params_dirty:
            self._sync_params_from_devices()
        return self._arg_params, self._aux_params

    def _sync_params_from_devices(self):
        self._exec_group.get_params(self._arg_params, self._aux_params)
        self._params_dirty = False

    def init_params(self, initializer: Any = UNIFORM, arg_params: Mapping[str, NDArray] | None = None,
                    aux_params: Mapping[str, NDArray] | None = None, allow_missing: bool = False,
                    force_init: bool = False, allow_extra: bool = False) -> None:
        if self.params_initialized and not force_init:
            strictness.warn("Parameters already initialized and force_init=False. init_params call ignored.")
            return
        self._require("init_params")
        group, attributes = self._exec_group, self._symbol.attr_dict()
        self._arg_params = zeros_on_cpu(group._learned, group.param_arrays)
        self._aux_params = zeros_on_cpu(self._aux_names, group.aux_arrays)
        for own, params in ((self._arg_params, arg_params), (self._aux_params, aux_params)):
            fill_params(own, params, allow_missing, initializer, attributes)
        group.set_params(self._arg_params, self._aux_params)
        self.params_initialized, self._params_dirty = True, False

    def _replace_params(self, arg_params, aux_params, force_init, allow_extra):
        self._exec_group.set_params(arg_params, aux_params, allow_extra=allow_extra)
        if self._arg_params is None:
            self._arg_params, self._aux_params = {}, {}

    def get_states(self, merge_multi_context: bool = True) -> Any:
        self._require("get_states", params=True)
        return self._exec_group.get_states(merge_multi_context)

    def set_states(self, states: Any = None, value: Any = None) -> None:
        self._require("set_states", params=True)
        self._exec_group.set_states(states, value)

    # -- the optimizer ------------------------------------------------------------------------------------------

    def init_optimizer(self, kvstore: Any = "local", optimizer: str | Optimizer = "sgd", optimizer_params: Any = SGD,
                       force_init: bool = False) -> None:
        """Set the optimizer. By default, its rescale_grad is 1 / (batch size summed over all processes).

        kvstore: None, a store or its name.
        optimizer: an Optimizer, or its name with its arguments in optimizer_params, a dict or pairs.
        """
        self._require("init_optimizer", params=True)
        if self.optimizer_initialized and not force_init:
            self.logger.warning("optimizer already initialized, ignoring...")
            return
        if self._params_dirty:
            self._sync_params_from_devices()
        self._stepper = Stepper(self, kvstore, optimizer, dict(optimizer_params))
        self.optimizer_initialized = True
        if self._preload_opt_states is not None:
            self.load_optimizer_states(self._preload_opt_states)
            self._preload_opt_states = None

    def borrow_optimizer(self, shared_module: Any) -> None:
        """Use the optimizer of another module, including its states.

        shared_module: the other module.

        >>> net = sym.MakeLoss(sym.var("data") * sym.var("weight", shape=(1,)))
        >>> first, second = mx.mod.Module(net, label_names=None), mx.mod.Module(net, label_names=None)
        >>> first.bind([("data", (1,))]), second.bind([("data", (1,))])
        (None, None)
        >>> first.init_params(), second.init_params(), first.init_optimizer()
        (None, None, None)
        >>> second.borrow_optimizer(first)
        >>> second.optimizer_initialized
        True
        """
        if not shared_module.optimizer_initialized:
            raise MXNetError("borrow_optimizer: the other module has no optimizer yet. Call its init_optimizer first.")
        self._stepper = shared_module._stepper
        self.optimizer_initialized = True

    # -- running ------------------------------------------------------------------------------------------------

    def forward(self, data_batch: Any, is_train: Any = None) -> Any:
        self._require("forward", params=True)
        data_batch = as_batch(data_batch)
        if not isinstance(data_batch, list):
            other = shapes_of(data_batch, self._data_shapes, self._label_shapes)
            if other is not None:
                self.reshape(*other)
        self._exec_group.forward(data_batch, is_train)

    def backward(self, out_grads: Any = None) -> None:
        self._require("backward", params=True)
        self._exec_group.backward(out_grads)

    def update(self) -> None:
        self._require("update", params=True, optimizer=True)
        self._params_dirty = True
        self._stepper.step(self._exec_group)

    def get_outputs(self, merge_multi_context: bool = True) -> list[Any]:
        self._require("get_outputs", params=True)
        return self._exec_group.get_outputs(merge_multi_context)

    def get_input_grads(self, merge_multi_context: bool = True) -> list[Any]:
        self._require("get_input_grads", params=True)
        return self._exec_group.get_input_grads(merge_multi_context)

    def update_metric(self, eval_metric: Any, labels: Any, pre_sliced: bool = False) -> None:
        self._require("update_metric", params=True)
        self._exec_group.update_metric(eval_metric, labels, pre_sliced)

    def install_monitor(self, mon: Any) -> None:
        self._require("install_monitor")
        self._exec_group.install_monitor(mon)


def _contexts(ctx):
    contexts = list(ctx) if isinstance(ctx, (list, tuple)) else [context.cpu() if ctx is None else ctx]
    for device in contexts:
        if not isinstance(device, context.Context):
            raise DTypeError(f"Module: context must be a device such as mx.cpu(), or a list of them, found {device!r}")
    return contexts


def _workload(loads, contexts):
    loads = [1] * len(contexts) if loads is None else list(loads)
    if len(loads) != len(contexts):
        raise ArgumentError(f"Module: work_load_list has {len(loads)} numbers for {len(contexts)} devices")
    return loads
