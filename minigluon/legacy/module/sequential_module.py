"""SequentialModule: a chain of modules, each of which takes the outputs of the previous module as its data."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ...base import ArgumentError, MXNetError, listed, nearest
from ...io import DataBatch, DataDesc
from .base_module import SGD, UNIFORM, BaseModule
from .shapes import as_batch

if TYPE_CHECKING:
    from ...ndarray import NDArray
    from ...optimizer import Optimizer

__all__ = ["SequentialModule"]


class SequentialModule(BaseModule):
    """A chain of modules.

    The metas of a module in `add`: with take_labels, it receives the batch's labels; with auto_wiring, its data keep
    their own names instead of the names of the previous module's outputs.

    logger: receives messages; a module or object with logging's functions.

    >>> first = mx.mod.Module(sym.var("data") * 2, label_names=None)
    >>> second = mx.mod.Module(sym.var("data") + 1, label_names=None)
    >>> net = mx.mod.SequentialModule().add(first).add(second, auto_wiring=True)
    >>> net.bind([("data", (2,))])
    >>> net.init_params()
    >>> net.forward(mx.io.DataBatch([nd.array([3, 4])]))
    >>> net.get_outputs()[0].asnumpy().tolist()
    [7.0, 9.0]
    """

    params_initialized: bool
    for_training: bool
    inputs_need_grad: bool
    binded: bool
    optimizer_initialized: bool

    META_TAKE_LABELS = "take_labels"
    META_AUTO_WIRING = "auto_wiring"

    def __init__(self, logger: Any = logging) -> None:
        super().__init__(logger=logger)
        self._modules, self._metas = [], []
        self._label_shapes = None

    def add(self, module: Any, **kwargs: Any) -> SequentialModule:
        """Append a module and its metas. Returns self.

        kwargs: the metas, take_labels=True or auto_wiring=True.
        """
        metas = (self.META_TAKE_LABELS, self.META_AUTO_WIRING)
        for key in kwargs:
            if key not in metas:
                raise ArgumentError(f"SequentialModule.add: unknown meta {key!r}; there are {listed(metas)}."
                                    f"{nearest(key, metas)}")
        self._modules.append(module)
        self._metas.append(kwargs)
        self.binded = self.params_initialized = self.optimizer_initialized = False
        return self

    def _takes_labels(self, meta):
        return bool(meta.get(self.META_TAKE_LABELS))

    # -- properties ---------------------------------------------------------------------------------------------

    @property
    def data_names(self) -> list[str]:
        return self._modules[0].data_names if self._modules else []

    @property
    def output_names(self) -> list[str]:
        return self._modules[-1].output_names if self._modules else []

    @property
    def data_shapes(self) -> Any:
        self._require("data_shapes")
        return self._modules[0].data_shapes

    @property
    def label_shapes(self) -> Any:
        self._require("label_shapes")
        return self._label_shapes

    @property
    def output_shapes(self) -> Any:
        self._require("output_shapes")
        return self._modules[-1].output_shapes

    # -- parameters ---------------------------------------------------------------------------------------------

    def get_params(self) -> tuple[dict[str, NDArray], dict[str, NDArray]]:
        self._require("get_params", params=True)
        args, auxs = {}, {}
        for module in self._modules:
            own_args, own_auxs = module.get_params()
            args.update(own_args)
            auxs.update(own_auxs)
        return args, auxs

    def init_params(self, initializer: Any = UNIFORM, arg_params: Mapping[str, NDArray] | None = None,
                    aux_params: Mapping[str, NDArray] | None = None, allow_missing: bool = False,
                    force_init: bool = False, allow_extra: bool = False) -> None:
        if self.params_initialized and not force_init:
            return
        self._require("init_params")
        for module in self._modules:            # each module takes only its own parameters
            module.init_params(initializer, arg_params, aux_params, allow_missing, force_init, allow_extra=True)
        self._require_different_names()
        self.params_initialized = True

    def _require_different_names(self):
        owners = {}
        for number, module in enumerate(self._modules):
            for names in module.get_params():
                for name in names:
                    if name in owners:
                        raise MXNetError(f"SequentialModule: modules {owners[name]} and {number} both have a parameter "
                                         f"{name!r}. Give the symbols different names.")
                    owners[name] = number

    # -- binding ------------------------------------------------------------------------------------------------

    def bind(self, data_shapes: Any, label_shapes: Any = None, for_training: bool = True,
             inputs_need_grad: bool = False, force_rebind: bool = False, shared_module: Any = None,
             grad_req: Any = "write") -> None:
        if self.binded and not force_rebind:
            self.logger.warning("Already bound, ignoring bind()")
            return
        if shared_module is not None:
            raise MXNetError("SequentialModule.bind: shared_module is not supported; share the modules in it")
        if not self._modules:
            raise MXNetError("SequentialModule.bind: it has no modules. Call add first.")
        self.for_training, self.inputs_need_grad = for_training, inputs_need_grad
        labelled = any(map(self._takes_labels, self._metas))
        self._label_shapes = label_shapes if labelled else None
        shapes = data_shapes
        for number, (module, meta) in enumerate(zip(self._modules, self._metas, strict=True)):
            if meta.get(self.META_AUTO_WIRING):
                shapes = self._wired(module, shapes)
            module.bind(shapes, label_shapes if self._takes_labels(meta) else None, for_training,
                        inputs_need_grad if number == 0 else for_training, force_rebind, None, grad_req)
            shapes = module.output_shapes
        self.binded = True

    @staticmethod
    def _wired(module, shapes):
        names = module.data_names
        if len(names) != len(shapes):
            raise ArgumentError(f"SequentialModule: the module with data {listed(names)} follows one with "
                                f"{len(shapes)} outputs")
        return [DataDesc(name, shape[1]) for name, shape in zip(names, shapes, strict=True)]

    def init_optimizer(self, kvstore: Any = "local", optimizer: str | Optimizer = "sgd", optimizer_params: Any = SGD,
                       force_init: bool = False) -> None:
        self._require("init_optimizer", params=True)
        if self.optimizer_initialized and not force_init:
            self.logger.warning("optimizer already initialized, ignoring.")
            return
        for module in self._modules:
            module.init_optimizer(kvstore, optimizer, optimizer_params, force_init)
        self.optimizer_initialized = True

    # -- running ------------------------------------------------------------------------------------------------

    def forward(self, data_batch: Any, is_train: Any = None) -> Any:
        self._require("forward", params=True)
        batch = data_batch = as_batch(data_batch)
        for number, module in enumerate(self._modules):
            module.forward(batch, is_train)
            if number + 1 < len(self._modules):
                following = self._modules[number + 1]
                batch = DataBatch(module.get_outputs(), data_batch.label, data_batch.pad, data_batch.index,
                                  provide_data=[DataDesc(name, shape) for name, (_, shape) in
                                                zip(following.data_names, module.output_shapes, strict=True)],
                                  provide_label=data_batch.provide_label)

    def backward(self, out_grads: Any = None) -> None:
        self._require("backward", params=True)
        for number, module in reversed(list(enumerate(self._modules))):
            module.backward(out_grads)
            if number > 0:
                out_grads = module.get_input_grads()

    def update(self) -> None:
        self._require("update", params=True, optimizer=True)
        for module in self._modules:
            module.update()

    def get_outputs(self, merge_multi_context: bool = True) -> list[Any]:
        self._require("get_outputs", params=True)
        return self._modules[-1].get_outputs(merge_multi_context)

    def get_input_grads(self, merge_multi_context: bool = True) -> list[Any]:
        self._require("get_input_grads", params=True)
        return self._modules[0].get_input_grads(merge_multi_context)

    def update_metric(self, eval_metric: Any, labels: Any, pre_sliced: bool = False) -> None:
        self._require("update_metric", params=True)
        for module, meta in zip(self._modules, self._metas, strict=True):
            if self._takes_labels(meta):
                module.update_metric(eval_metric, labels, pre_sliced)

    def install_monitor(self, mon: Any) -> None:
        self._require("install_monitor")
        for module in self._modules:
            module.install_monitor(mon)
