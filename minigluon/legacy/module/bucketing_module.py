"""BucketingModule: one Module per sequence length, all with the same parameters."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ... import ndarray as nd
from ... import symbol as sym
from ...base import ArgumentError, MXNetError, listed
from ...common.types import Contexts
from ...name import NameManager
from ...serialization.atomic_write import reading_together, together
from .. import checkpoint
from .base_module import SGD, UNIFORM
from .module import Module
from .set_params import SettableModule
from .shapes import as_batch

if TYPE_CHECKING:
    from ...ndarray import NDArray
    from ...optimizer import Optimizer

__all__ = ["BucketingModule"]


class BucketingModule(SettableModule):
    """A module that switches between graphs according to the `bucket_key` of each batch.

    sym_gen(bucket_key) returns (symbol, data_names, label_names); automatic names count from 0 in each
    call. default_bucket_key: the key of the graph with all parameters, usually the longest.

    logger, context, work_load_list, fixed_param_names, state_names, group2ctxs, compression_params: as in Module.

    >>> def graph(length):                      # the graph for each length of the data; all have the same parameters
    ...     net = sym.FullyConnected(sym.sum(sym.var("data"), axis=1, keepdims=True), num_hidden=2, name="fc")
    ...     return sym.MakeLoss(net), ["data"], None
    >>> module = mx.mod.BucketingModule(graph, default_bucket_key=10)
    >>> module.bind([("data", (4, 10))])
    >>> module.init_params()
    >>> batch = mx.io.DataBatch([nd.ones((4, 5))], bucket_key=5, provide_data=[("data", (4, 5))])
    >>> module.forward(batch)
    >>> module.get_outputs()[0].shape
    (4, 2)
    >>> module.switch_bucket(10, [("data", (4, 10))])
    >>> module.save_checkpoint("net", epoch=1)
    >>> isinstance(mx.mod.BucketingModule.load("net", 1, graph, 10), mx.mod.BucketingModule)
    True
    """

    params_initialized: bool
    for_training: bool
    inputs_need_grad: bool
    binded: bool

    def __init__(self, sym_gen: Callable[..., Any], default_bucket_key: Any = None, logger: Any = logging,
                 context: Contexts | None = None, work_load_list: Any = None,
                 fixed_param_names: Sequence[str] | None = None, state_names: Sequence[str] | None = None,
                 group2ctxs: Any = None, compression_params: Mapping[str, Any] | None = None) -> None:
        super().__init__(logger=logger)
        if default_bucket_key is None:
            raise ArgumentError("BucketingModule needs default_bucket_key, the key of the graph with all parameters")
        self._default_bucket_key = default_bucket_key
        self._sym_gen = sym_gen
        self._options = {"logger": logger, "context": context, "work_load_list": work_load_list,
                         "fixed_param_names": fixed_param_names, "state_names": state_names,
                         "group2ctxs": group2ctxs, "compression_params": compression_params}
        self._make(default_bucket_key)          # this detects wrong names early
        self._buckets = {}
        self._curr_module = self._curr_bucket_key = None
        self._monitor = self._grad_req = None
        self._params_dirty = False
        self._loaded = None                     # (arg_params, aux_params) of a checkpoint, until the module is bound

    def _generate(self, bucket_key):
        """Return sym_gen's result. Names are counted from 0, so that an unnamed layer has the same parameters in all
        buckets."""
        with NameManager():
            return self._sym_gen(bucket_key)

    def _make(self, bucket_key):
        symbol, data_names, label_names = self._generate(bucket_key)
        return Module(symbol, data_names, label_names, **self._options)

    def _reset_bind(self):
        self.binded = False
        self._buckets = {}
        self._curr_module = self._curr_bucket_key = None

    # -- properties ---------------------------------------------------------------------------------------------

    @property
    def data_names(self) -> list[str]:
        return self._curr_module.data_names if self.binded else self._generate(self._default_bucket_key)[1]

    @property
    def output_names(self) -> list[str]:
        if self.binded:
            return self._curr_module.output_names
        return self._generate(self._default_bucket_key)[0].list_outputs()

    @property
    def data_shapes(self) -> Any:
        self._require("data_shapes")
        return self._curr_module.data_shapes

    @property
    def label_shapes(self) -> Any:
        self._require("label_shapes")
        return self._curr_module.label_shapes

    @property
    def output_shapes(self) -> Any:
        self._require("output_shapes")
        return self._curr_module.output_shapes

    @property
    def symbol(self) -> Any:
        """The graph of the bucket that ran last."""
        self._require("symbol")
        return self._curr_module.symbol

    # -- parameters, which all buckets share --------------------------------------------------------------------

    def get_params(self) -> tuple[dict[str, NDArray], dict[str, NDArray]]:
        self._require("get_params", params=True)
        owner = self._buckets[self._default_bucket_key]
        if self._params_dirty:
            owner._params_dirty = True
            self._params_dirty = False
        return owner.get_params()

    def init_params(self, initializer: Any = UNIFORM, arg_params: Mapping[str, NDArray] | None = None,
                    aux_params: Mapping[str, NDArray] | None = None, allow_missing: bool = False,
                    force_init: bool = False, allow_extra: bool = False) -> None:
        if self.params_initialized and not force_init:
            return
        self._require("init_params")
        self._buckets[self._default_bucket_key].init_params(initializer, arg_params, aux_params, allow_missing,
                                                            force_init, allow_extra)
        self.params_initialized, self._params_dirty = True, False

    def _replace_params(self, arg_params, aux_params, force_init, allow_extra):
        self._buckets[self._default_bucket_key].set_params(arg_params, aux_params, True, force_init, allow_extra)

    def get_states(self, merge_multi_context: bool = True) -> Any:
        self._require("get_states", params=True)
        return self._curr_module.get_states(merge_multi_context)

    def set_states(self, states: Any = None, value: Any = None) -> None:
        self._require("set_states", params=True)
        self._curr_module.set_states(states, value)

    # -- binding ------------------------------------------------------------------------------------------------

    def bind(self, data_shapes: Any, label_shapes: Any = None, for_training: bool = True,
             inputs_need_grad: bool = False, force_rebind: bool = False, shared_module: Any = None,
             grad_req: Any = "write") -> None:
        """Create the executors for the default bucket; executors for other buckets are created on demand."""
        if shared_module is not None:
            raise MXNetError("BucketingModule.bind: shared_module is not supported: its own modules share already")
        params, self._loaded = self._loaded, None
        if params is None and force_rebind and self.binded and self.params_initialized:
            params = self.get_params()
        if force_rebind:
            self._reset_bind()
        if self.binded:
            self.logger.warning("Already bound, ignoring bind()")
            return
        self.for_training, self.inputs_need_grad, self._grad_req = for_training, inputs_need_grad, grad_req
        module = self._make(self._default_bucket_key)
        module.bind(data_shapes, label_shapes, for_training, inputs_need_grad, grad_req=grad_req)
        self.binded = True
        self._buckets[self._default_bucket_key] = self._curr_module = module
        self._curr_bucket_key = self._default_bucket_key
        if params is not None:
            self.set_params(*params)

    def switch_bucket(self, bucket_key: Any, data_shapes: Any, label_shapes: Any = None) -> None:
        """Switch to the graph of a bucket.

        bucket_key: the bucket's key.
        data_shapes, label_shapes: as in `bind`.
        """
        self._require("switch_bucket")
        if bucket_key not in self._buckets:
            module = self._make(bucket_key)
            owner = self._buckets[self._default_bucket_key]
            module.bind(data_shapes, label_shapes, owner.for_training, owner.inputs_need_grad, shared_module=owner,
                        grad_req=self._grad_req)
            if self._monitor is not None:
                module.install_monitor(self._monitor)
            self._buckets[bucket_key] = module
        self._curr_module, self._curr_bucket_key = self._buckets[bucket_key], bucket_key

    def init_optimizer(self, kvstore: Any = "local", optimizer: str | Optimizer = "sgd", optimizer_params: Any = SGD,
                       force_init: bool = False) -> None:
        self._require("init_optimizer", params=True)
        if self.optimizer_initialized and not force_init:
            self.logger.warning("optimizer already initialized, ignoring.")
            return
        owner = self._buckets[self._default_bucket_key]
        owner._params_dirty = owner._params_dirty or self._params_dirty
        owner.init_optimizer(kvstore, optimizer, optimizer_params, force_init)
        for module in self._buckets.values():
            if module is not owner:
                module.borrow_optimizer(owner)
        self.optimizer_initialized = True

    # -- running ------------------------------------------------------------------------------------------------

    def prepare(self, data_batch: Any, sparse_row_id_fn: Callable[..., Any] | None = None) -> None:
        super().prepare(data_batch, sparse_row_id_fn)
        self._require("prepare", params=True)
        data_batch = as_batch(data_batch)
        before = self._curr_module, self._curr_bucket_key
        self.switch_bucket(data_batch.bucket_key, data_batch.provide_data, data_batch.provide_label)
        self._curr_module, self._curr_bucket_key = before

    def forward(self, data_batch: Any, is_train: Any = None) -> Any:
        self._require("forward", params=True)
        data_batch = as_batch(data_batch)
        self.switch_bucket(data_batch.bucket_key, data_batch.provide_data, data_batch.provide_label)
        self._curr_module.forward(data_batch, is_train)

    def backward(self, out_grads: Any = None) -> None:
        self._require("backward", params=True)
        self._curr_module.backward(out_grads)

    def update(self) -> None:
        self._require("update", params=True, optimizer=True)
        self._params_dirty = True
        self._curr_module.update()

    def get_outputs(self, merge_multi_context: bool = True) -> list[Any]:
        self._require("get_outputs", params=True)
        return self._curr_module.get_outputs(merge_multi_context)

    def get_input_grads(self, merge_multi_context: bool = True) -> list[Any]:
        self._require("get_input_grads", params=True)
        return self._curr_module.get_input_grads(merge_multi_context)

    def update_metric(self, eval_metric: Any, labels: Any, pre_sliced: bool = False) -> None:
        self._require("update_metric", params=True)
        self._curr_module.update_metric(eval_metric, labels, pre_sliced)

    def install_monitor(self, mon: Any) -> None:
        self._require("install_monitor")
        self._monitor = mon
        for module in self._buckets.values():
            module.install_monitor(mon)

    # -- files --------------------------------------------------------------------------------------------------

    def save_checkpoint(self, prefix: str, epoch: int, remove_amp_cast: bool = False) -> None:
        """Write '<prefix>-<epoch>.params', and for all buckets '<prefix>-<key>-symbol.json' and '<prefix>.buckets'.

        The last file lists the keys, so they must be integers.

        remove_amp_cast: whether to write the graphs without the casts of mixed precision.
        """
        self._require("save_checkpoint", params=True)
        keys = list(self._buckets)
        if not all(isinstance(key, (int, np.integer)) for key in keys):
            raise MXNetError(f"save_checkpoint writes the buckets' keys as integers, found {listed(map(repr, keys))}. "
                             "Save only the parameters, with save_params.")
        with together():
            self.save_params(f"{prefix}-{epoch:04d}.params")
            for key, module in self._buckets.items():
                module.symbol.save(f"{prefix}-{key}-symbol.json", remove_amp_cast=remove_amp_cast)
            nd.save(f"{prefix}.buckets", nd.array(keys, dtype="int32"))

    @staticmethod
    def load(prefix: str, epoch: int, sym_gen: Callable[..., Any] | None = None, default_bucket_key: Any = None,
             **kwargs: Any) -> BucketingModule:
        """Return a BucketingModule with the graphs and parameters of a checkpoint; `bind` it next.

        sym_gen: as in the constructor, for names and for buckets missing from the checkpoint.
        prefix, epoch: as passed to `save_checkpoint`.
        default_bucket_key: as in the constructor.
        kwargs: other arguments of BucketingModule.
        """
        main = f"{prefix}-{epoch:04d}.params"
        with reading_together(main, f"{prefix}.buckets"):
            keys = [int(key) for key in nd.load(f"{prefix}.buckets")[0].asnumpy()]
            with reading_together(main, *[f"{prefix}-{key}-symbol.json" for key in keys]):
                symbols = {key: sym.load(f"{prefix}-{key}-symbol.json") for key in keys}
                params = checkpoint.load_params(prefix, epoch)
        return BucketingModule.load_dict(symbols, sym_gen, default_bucket_key, *params, **kwargs)

    @staticmethod
    def load_dict(sym_dict: Any = None, sym_gen: Callable[..., Any] | None = None, default_bucket_key: Any = None,
                  arg_params: Mapping[str, NDArray] | None = None, aux_params: Mapping[str, NDArray] | None = None,
                  **kwargs: Any) -> Any:
        """Return a BucketingModule with these parameters.

        sym_dict: {bucket_key: symbol}; sym_gen creates missing symbols.

        default_bucket_key: as in the constructor.
        arg_params, aux_params: {name: NDArray}.
        kwargs: other arguments of BucketingModule.

        >>> net, values = sym.MakeLoss(sym.var("data") * sym.var("weight")), {"weight": nd.array([3])}
        >>> module = mx.mod.BucketingModule.load_dict({5: net}, default_bucket_key=5, arg_params=values, aux_params={},
        ...                                           sym_gen=lambda key: (net, ["data"], None))
        >>> module.bind([("data", (1,))])
        >>> module.forward(mx.io.DataBatch([nd.array([2])], bucket_key=5, provide_data=[("data", (1,))]))
        >>> module.get_outputs()[0].item()
        6.0
        """
        for name, value in (("sym_dict", sym_dict), ("sym_gen", sym_gen), ("arg_params", arg_params),
                            ("aux_params", aux_params)):
            if value is None:
                raise ArgumentError(f"BucketingModule.load_dict needs {name}")

        def generate(key):
            symbol, data_names, label_names = sym_gen(key)
            return sym_dict.get(key, symbol), data_names, label_names
        module = BucketingModule(generate, default_bucket_key, **kwargs)
        module._loaded = arg_params, aux_params
        module.params_initialized = True
        return module
