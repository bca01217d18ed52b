"""Checkpoints of recurrent nets, which store the weights of each gate separately."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from ... import symbol as sym
from ...diagnostics import strictness
from ...diagnostics.argument_kinds import worded
from ..checkpoint import load_checkpoint, save_checkpoint
from .base_cell import BaseRNNCell

if TYPE_CHECKING:
    from ...ndarray import NDArray
    from ...symbol import Symbol

__all__ = ["do_rnn_checkpoint", "load_rnn_checkpoint", "rnn_unroll", "save_rnn_checkpoint"]


def save_rnn_checkpoint(cells: Any, prefix: str, epoch: int, symbol: Symbol, arg_params: Mapping[str, NDArray],
                        aux_params: Mapping[str, NDArray]) -> None:
    """Write the two files of `mx.model.save_checkpoint`, with the weights of `cells` (one or a list) unpacked.

    prefix, epoch, symbol, arg_params, aux_params: as in `mx.model.save_checkpoint`.

    >>> cell = mx.rnn.RNNCell(2, prefix="rnn_")
    >>> output, states = cell(sym.var("x"), cell.begin_state())
    >>> values = {f"rnn_{side}_{part}": nd.ones((2, 1)) for side in ("i2h", "h2h") for part in ("weight", "bias")}
    >>> mx.rnn.save_rnn_checkpoint(cell, "net", 1, output, values, {})
    >>> symbol, arg_params, aux_params = mx.rnn.load_rnn_checkpoint(cell, "net", 1)
    >>> arg_params["rnn_i2h_weight"].asnumpy().tolist()
    [[1.0], [1.0]]
    """
    for cell in _as_list(cells):
        arg_params = cell.unpack_weights(arg_params)
    save_checkpoint(prefix, epoch, symbol, arg_params, aux_params)


def load_rnn_checkpoint(cells: Any, prefix: str, epoch: int) -> Any:
    """Return (symbol, arg_params, aux_params) from `save_rnn_checkpoint`, packed for `cells`.

    The cells may differ from the saved cells: a FusedRNNCell can read a file saved for its unfused form.

    prefix, epoch: as passed to `save_rnn_checkpoint`.

    >>> cell = mx.rnn.RNNCell(2, prefix="rnn_")
    >>> output, states = cell(sym.var("x"), cell.begin_state())
    >>> values = {f"rnn_{side}_{part}": nd.ones((2, 1)) for side in ("i2h", "h2h") for part in ("weight", "bias")}
    >>> mx.rnn.save_rnn_checkpoint(cell, "net", 1, output, values, {})
    >>> len(mx.rnn.load_rnn_checkpoint(cell, "net", 1)[1])
    4
    """
    symbol, arg_params, aux_params = load_checkpoint(prefix, epoch)
    for cell in _as_list(cells):
        arg_params = cell.pack_weights(arg_params)
    return symbol, arg_params, aux_params


@worded
def do_rnn_checkpoint(cells: Any, prefix: str, period: int = 1) -> Callable[..., None]:
    """Return an epoch-end callback for `Module.fit` that saves every `period` epochs.

    cells, prefix: as in `save_rnn_checkpoint`.

    >>> cell = mx.rnn.RNNCell(2, prefix="rnn_")
    >>> output, states = cell(sym.var("x"), cell.begin_state())
    >>> values = {f"rnn_{side}_{part}": nd.ones((2, 1)) for side in ("i2h", "h2h") for part in ("weight", "bias")}
    >>> mx.rnn.do_rnn_checkpoint(cell, "net")(0, output, values, {})
    >>> import os
    >>> sorted(os.listdir())
    ['net-0001.params', 'net-symbol.json']
    """
    period = max(1, int(period))

    def callback(iter_no, symbol=None, arg_params=None, aux_params=None):
        if (iter_no + 1) % period == 0:
            save_rnn_checkpoint(cells, prefix, iter_no + 1, symbol, arg_params, aux_params)
    return callback


@worded
def rnn_unroll(cell: Any, length: int, inputs: Any = None, begin_state: Any = None, input_prefix: str = "",
               layout: str = "NTC") -> Any:
    """Return the result of `cell.unroll(...)`, which replaces this function.

    Without inputs, variables '<input_prefix>t0_data', ... are created.

    length, begin_state, layout: as in `cell.unroll`.

    >>> import warnings
    >>> with warnings.catch_warnings():                         # it is deprecated
    ...     warnings.simplefilter("ignore")
    ...     outputs, states = mx.rnn.rnn_unroll(mx.rnn.RNNCell(4), 3)
    >>> outputs[0].list_arguments()[0]
    't0_data'
    """
    strictness.warn("rnn_unroll is deprecated: call cell.unroll.", DeprecationWarning)
    if inputs is None:
        inputs = [sym.Variable(f"{input_prefix}t{i}_data") for i in range(length)]
    return cell.unroll(length, inputs, begin_state, layout)


def _as_list(cells):
    return [cells] if isinstance(cells, BaseRNNCell) else list(cells)
