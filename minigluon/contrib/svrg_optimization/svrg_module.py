"""SVRGModule: a Module that corrects each step's gradients with full gradients at older weights."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ... import autograd
from ...base import ArgumentError, DTypeError, MXNetError, integer_types
from ...legacy.module import Module
from ...legacy.module.shapes import as_batch

if TYPE_CHECKING:
    from ...symbol import Symbol

__all__ = ["SVRGModule"]


class SVRGModule(Module):
    """A Module whose steps replace the gradient g(w) of a batch at the weights w with

        g(w) - g(v) + the mean of g(v) over all batches.

    The older weights v are those of the last epoch whose index is a multiple of `update_freq`. `fit` computes the mean;
    a custom training loop must call `update_full_grads` before the first step and then from time to time. The other
    arguments are those of Module. Gradients at v come from a second Module.

    Raises ArgumentError if `update_freq` is below 1, and DTypeError if it is not an integer.
    """

    def __init__(self, symbol: Symbol, data_names: Sequence[str] = ("data",),
                 label_names: Sequence[str] = ("softmax_label",), logger: Any = logging, context: Any = None,
                 work_load_list: Any = None, fixed_param_names: Any = None, state_names: Any = None,
                 group2ctxs: Any = None, compression_params: Any = None, update_freq: Any = None):
        options = {"logger": logger, "context": context, "work_load_list": work_load_list,
                   "fixed_param_names": fixed_param_names, "state_names": state_names, "group2ctxs": group2ctxs,
                   "compression_params": compression_params}
        super().__init__(symbol, data_names, label_names, **options)
        if not isinstance(update_freq, integer_types):
            raise DTypeError(f"SVRGModule: update_freq is {update_freq!r}, expected a number of epochs")
        if update_freq < 1:
            raise ArgumentError(f"SVRGModule: update_freq is {update_freq}, expected a number of epochs, 1 or more")
        self.update_freq = update_freq
        self._older = Module(symbol, data_names, label_names, **options)    # the same graph with the older weights
        self._full_grads = None         # mean gradients at these weights: one per device for each learned argument

    # -- binding ------------------------------------------------------------------------------------------------

    def bind(self, data_shapes: Any, label_shapes: Any = None, for_training: bool = True,
             inputs_need_grad: bool = False, force_rebind: bool = False, shared_module: Any = None,
             grad_req: str = "write") -> None:
        super().bind(data_shapes, label_shapes, for_training, inputs_need_grad, force_rebind, shared_module, grad_req)
        if for_training and (force_rebind or not self._older.binded):
            self._older.bind(data_shapes, label_shapes, True, inputs_need_grad, force_rebind, grad_req=grad_req)

    def reshape(self, data_shapes: Any, label_shapes: Any = None) -> None:
        super().reshape(data_shapes, label_shapes)
        if self._older.binded:
            self._older.reshape(data_shapes, label_shapes)

    # -- running ------------------------------------------------------------------------------------------------

    def forward(self, data_batch: Any, is_train: bool | None = None) -> None:
        data_batch = as_batch(data_batch)
        super().forward(data_batch, is_train)
        if self.for_training if is_train is None else is_train:
            if self._full_grads is None:
                raise MXNetError("SVRGModule: there are no full gradients yet. Call "
                                 "update_full_grads(iterator) before the first step.")
            self._older.forward(data_batch, is_train=True)

    def backward(self, out_grads: Any = None) -> None:
        super().backward(out_grads)
        self._older.backward(out_grads)

    def update(self) -> None:
        """Correct the gradients and use them to update the parameters."""
        self._require("update", params=True, optimizer=True)
        with autograd.pause():
            for grads, older, full in zip(self._exec_group.grad_arrays, self._older._exec_group.grad_arrays,
                                          self._full_grads, strict=True):
                for grad, old, mean in zip(grads, older, full, strict=True):
                    if grad is not None:            # None for an argument that is not learned
                        grad[:] = grad - old + mean
        super().update()

    def update_full_grads(self, train_data: Any) -> None:
        """Store a copy of the weights, and the mean of their gradients over the batches of a DataIter.

        In this mean, the last batch is weighted by its number of samples without padding.
        """
        self._require("update_full_grads", params=True)
        self._older.set_params(*self.get_params())
        train_data.reset()
        sums, batches, padding = None, 0, 0
        with autograd.pause():
            for batch in map(as_batch, train_data):
                self._older.forward(batch, is_train=True)
                self._older.backward()
                grads = self._older._exec_group.grad_arrays
                sums = _copied(grads) if sums is None else _added(sums, grads)
                batches, padding = batches + 1, batch.pad or 0
            if sums is None:
                raise MXNetError(f"update_full_grads: {type(train_data).__name__} has no batch; check its data and "
                                 "batch_size")
            count = batches - padding / train_data.batch_size
            self._full_grads = [[None if x is None else x / count for x in of_devices] for of_devices in sums]

    def _train_epoch(self, epoch, train_data, *others):
        if epoch % self.update_freq == 0:
            self.update_full_grads(train_data)
            train_data.reset()
        return super()._train_epoch(epoch, train_data, *others)


def _copied(grads):
    return [[None if x is None else x.copy() for x in of_devices] for of_devices in grads]


def _added(sums, grads):
    return [[None if x is None else total + x for total, x in zip(totals, of_devices, strict=True)]
            for totals, of_devices in zip(sums, grads, strict=True)]
