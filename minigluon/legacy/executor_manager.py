"""`mx.executor_manager`: one symbol on several devices, for programs older than `Module`.

Each device has an executor for its part of each batch; the program itself updates `param_arrays` with
`grad_arrays`. `Module`'s executor group does the work.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from ..base import ArgumentError, MXNetError, repeated
from ..io import DataDesc
from .module import executor_group
from .module.slices import slices_of

if TYPE_CHECKING:
    from ..context import Context
    from ..io.arrays import NDArrayIter
    from ..io.io import DataBatch
    from ..metric.classification import Accuracy
    from ..ndarray import NDArray
    from ..symbol import Symbol
    from .monitor import Monitor

__all__ = ["DataParallelExecutorGroup", "DataParallelExecutorManager"]


class DataParallelExecutorGroup(executor_group.DataParallelExecutorGroup):
    """The executors of a symbol, which store the batch that they receive.

    slices: the samples in a batch for each device in ctx.
    train_data: an iterator or a batch with `provide_data` and `provide_label`.
    shared_group: another group whose parameter arrays are reused.
    sym: the Symbol.
    arg_names: the symbol's arguments.
    param_names: the learned arguments.

    >>> net = sym.MakeLoss(sym.var("data") * sym.var("w", shape=(2, 1)))
    >>> batches = mx.io.NDArrayIter(nd.ones((2, 1)), batch_size=2)
    >>> group = mx.executor_manager.DataParallelExecutorGroup(
    ...     net, net.list_arguments(), ["w"], [mx.cpu()], [slice(0, 2)], batches)
    >>> group.set_params({"w": nd.array([[3], [4]])}, {})
    >>> group.load_data_batch(batches.next())
    >>> group.forward(is_train=True)
    >>> group.backward()
    >>> group.get_outputs()[0].asnumpy().tolist(), group.get_output_shapes()
    ([[3.0], [4.0]], [('makeloss0_output', (2, 1))])
    >>> group.param_arrays[0][0].asnumpy().tolist(), group.grad_arrays[0][0].asnumpy().tolist(), group.aux_arrays
    ([[3.0], [4.0]], [[1.0], [1.0]], [])
    >>> values = {"w": nd.zeros((2, 1))}
    >>> group.get_params(values, {})
    >>> values["w"].asnumpy().tolist(), len(group.train_execs)
    ([[3.0], [4.0]], 1)
    >>> group.get_states(), group.set_states([])
    ([], None)
    >>> metric = mx.metric.Loss()
    >>> group.update_metric(metric, [], pre_sliced=False)
    >>> float(metric.get()[1])
    3.5
    >>> try:
    ...     group.get_input_grads()
    ... except mx.MXNetError as error:
    ...     print(error)
    get_input_grads: the module was bound without inputs_need_grad=True
    >>> group.install_monitor(mx.monitor.Monitor(interval=1))
    >>> group.bind_exec([mx.io.DataDesc("data", (2, 1))], None)
    """

    def __init__(self, sym: Symbol, arg_names: Sequence[str], param_names: Sequence[str], ctx: Sequence[Context],
                 slices: Sequence[slice], train_data: DataBatch | NDArrayIter | None,
                 shared_group: DataParallelExecutorGroup | None = None):
        _check_names(sym)
        learned = [name for name in arg_names if name in param_names]
        super().__init__(sym, ctx, [cut.stop - cut.start for cut in slices], _described(train_data.provide_data),
                         _described(train_data.provide_label), learned, True, False, shared_group)
        self._batch = None

    @property
    def train_execs(self):
        """The executors, one for each device."""
        return self.execs

    def load_data_batch(self, data_batch: DataBatch) -> None:
        """Set the batch for the next `forward`.

        data_batch: a DataBatch.
        """
        self._batch = data_batch

    def forward(self, is_train: bool = False) -> None:
        """Compute the outputs on every device. Raises MXNetError before `load_data_batch`."""
        if self._batch is None:
            raise MXNetError("forward: no batch has been loaded yet. Call load_data_batch first.")
        super().forward(self._batch, is_train)

    def update_metric(self, metric: Accuracy, labels: Sequence[NDArray], pre_sliced: bool = False) -> None:
        """Update a metric with the outputs of every device."""
        super().update_metric(metric, labels, pre_sliced)


class DataParallelExecutorManager:
    """A symbol on the devices in ctx or, with sym_gen, a symbol for each bucket, all with the parameters of the first.

    train_data: an iterator with `batch_size`; with sym_gen, also `default_bucket_key`.
    param_names: the learned arguments in arg_names.
    work_load_list: each device's share of a batch; equal if None.
    sym_gen: a function from a batch's bucket_key to a symbol.
    aux_names: the auxiliary states.
    logger: logs the devices; `logging` if None.

    >>> net = sym.LinearRegressionOutput(sym.var("data") * sym.var("w", shape=(2, 1)), sym.var("label"))
    >>> batches = mx.io.NDArrayIter(nd.ones((2, 1)), nd.zeros((2, 1)), batch_size=2, label_name="label")
    >>> manager = mx.executor_manager.DataParallelExecutorManager(
    ...     net, [mx.cpu()], batches, arg_names=net.list_arguments(), param_names=["w"], aux_names=[])
    >>> manager.set_params({"w": nd.array([[3], [4]])}, {})
    >>> batch = batches.next()
    >>> manager.load_data_batch(batch)
    >>> manager.forward(is_train=True)
    >>> manager.backward()
    >>> manager.param_arrays[0][0].asnumpy().tolist(), manager.grad_arrays[0][0].asnumpy().tolist(), manager.aux_arrays
    ([[3.0], [4.0]], [[3.0], [4.0]], [])
    >>> metric = mx.metric.MAE()
    >>> manager.update_metric(metric, batch.label)
    >>> float(metric.get()[1])
    3.5
    >>> values = {"w": nd.zeros((2, 1))}
    >>> manager.copy_to(values, {})
    >>> values["w"].asnumpy().tolist()
    [[3.0], [4.0]]
    >>> manager.install_monitor(mx.monitor.Monitor(interval=1))
    """

    ctx: Sequence[Context]
    symbol: Symbol
    arg_names: Sequence[str]
    aux_names: Sequence[Any]
    param_names: Sequence[str]
    execgrp: DataParallelExecutorGroup
    execgrp_bucket: dict[Any, DataParallelExecutorGroup]
    curr_execgrp: DataParallelExecutorGroup

    def __init__(self, symbol: Symbol, ctx: Sequence[Context], train_data: NDArrayIter, arg_names: Sequence[str],
                 param_names: Sequence[str], aux_names: Sequence[Any], work_load_list: Sequence[int] | None = None,
                 logger: Any = None, sym_gen: Callable[..., Any] | None = None):
        (logger or logging).info("Start training with %s", ctx)
        work_load_list = [1] * len(ctx) if work_load_list is None else work_load_list
        if len(work_load_list) != len(ctx):
            raise ArgumentError(f"DataParallelExecutorManager: work_load_list {work_load_list} has "
                                f"{len(work_load_list)} numbers for {len(ctx)} devices")
        self.symbol, self.ctx, self.sym_gen = symbol, ctx, sym_gen
        self.arg_names, self.param_names, self.aux_names = arg_names, param_names, aux_names
        self.slices: list[slice] = slices_of(train_data.batch_size, work_load_list)
        self.execgrp = self.curr_execgrp = self._group(symbol, train_data)
        self.execgrp_bucket = {} if sym_gen is None else {train_data.default_bucket_key: self.execgrp}

    def _group(self, symbol, data, shared=None):
        return DataParallelExecutorGroup(symbol, self.arg_names, self.param_names, self.ctx, self.slices, data, shared)

    @property
    def param_arrays(self):
        """The arrays on all devices, for each learned argument."""
        return self.execgrp.param_arrays

    @property
    def grad_arrays(self):
        """The gradients for the last computed batch on all devices, for each learned argument."""
        return self.curr_execgrp.grad_arrays

    @property
    def aux_arrays(self):
        """The arrays on all devices, for each auxiliary state."""
        return self.execgrp.aux_arrays

    def install_monitor(self, monitor: Monitor) -> None:
        """Install a Monitor on all executors. Raises MXNetError with buckets, whose executors are created later.

        monitor: the Monitor.
        """
        if self.sym_gen is not None:
            raise MXNetError("install_monitor: the executors of buckets are created when their batches come. Install "
                             "the monitor on manager.curr_execgrp after load_data_batch.")
        self.execgrp.install_monitor(monitor)

    def set_params(self, arg_params: dict[str, NDArray], aux_params: dict[Any, Any]) -> None:
        """Copy values to all devices.

        arg_params, aux_params: {name: NDArray}.
        """
        self.execgrp.set_params(arg_params, aux_params)

    def copy_to(self, arg_params: dict[str, NDArray], aux_params: dict[Any, Any]) -> None:
        """Copy the means over the devices into the arrays in two dicts.

        arg_params, aux_params: {name: NDArray}, which are overwritten.
        """
        self.execgrp.get_params(arg_params, aux_params)

    def load_data_batch(self, data_batch: DataBatch) -> None:
        """Set the batch for the next `forward`; with sym_gen, for the executors of its bucket.

        data_batch: a DataBatch.
        """
        if self.sym_gen is not None:
            key = data_batch.bucket_key
            if key not in self.execgrp_bucket:
                self.execgrp_bucket[key] = self._group(self.sym_gen(key), data_batch, self.execgrp)
            self.curr_execgrp = self.execgrp_bucket[key]
        self.curr_execgrp.load_data_batch(data_batch)

    def forward(self, is_train: bool = False) -> None:
        """Compute the outputs on every device.

        is_train: whether to use training mode, so that `backward` can be called afterwards.
        """
        self.curr_execgrp.forward(is_train)

    def backward(self) -> None:
        """Compute the gradients on every device."""
        self.curr_execgrp.backward()

    def update_metric(self, metric: Accuracy, labels: Sequence[NDArray], pre_sliced: bool = False) -> None:
        """Update a metric with the outputs of every device.

        labels: the labels of the batch.
        pre_sliced: whether labels are a list with one item for each device.
        """
        self.curr_execgrp.update_metric(metric, labels, pre_sliced)


def _described(descs):
    return [x if isinstance(x, DataDesc) else DataDesc(*x) for x in descs or []]


def _check_names(symbol):
    for kind, names in (("argument", symbol.list_arguments()), ("auxiliary state", symbol.list_auxiliary_states())):
        twice = repeated(names)
        if twice is not None:
            raise ArgumentError(f"executor_manager: two {kind}s of the symbol are called {twice!r}. Give their "
                                "operators different names.")
