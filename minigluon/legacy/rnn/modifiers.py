"""Symbolic cells that modify the inputs, outputs or states of other cells: dropout, zoneout, and residual connections.
"""

from __future__ import annotations

from typing import Any

from ... import symbol
from ...base import ArgumentError
from ...diagnostics.argument_kinds import worded
from ...symbol import Symbol
from .base_cell import BaseRNNCell, normalize

__all__ = ["DropoutCell", "ModifierCell", "ResidualCell", "ZoneoutCell"]


class DropoutCell(BaseRNNCell):
    """Cell that drops elements of its inputs with probability `dropout` in training. It has no state.

    prefix: the prefix of its nodes' names.
    params: an RNNParams, shared by cells that share weights; None creates one.

    >>> cell = mx.rnn.DropoutCell(0.5)
    >>> output, states = cell(sym.var("x"), [])
    >>> output.list_arguments(), states
    (['x'], [])
    """

    @worded
    def __init__(self, dropout: float, prefix: str = "dropout_", params: Any = None) -> None:
        super().__init__(prefix, params)
        self.dropout = dropout

    @property
    def state_info(self) -> list[dict[str, Any]]:
        """An empty list, because there are no states."""
        return []

    def __call__(self, inputs: Any, states: Any) -> Any:
        """Return (inputs after dropout, states)."""
        if self.dropout > 0:
            inputs = symbol.Dropout(inputs, p=self.dropout)
        return inputs, states

    def unroll(self, length: int, inputs: Any, begin_state: Any = None, layout: str = "NTC",
               merge_outputs: bool | None = None) -> tuple[Any, Any]:
        """Drop elements in all steps at once if the inputs are one symbol."""
        self.reset()
        inputs, _ = normalize(length, inputs, layout, merge_outputs)
        if isinstance(inputs, Symbol):
            return self(inputs, [])
        return super().unroll(length, inputs, begin_state, layout, merge_outputs)


class ModifierCell(BaseRNNCell):
    """Base class of cells that modify another cell, `base_cell`, and use its parameters and states.

    Once the modifier exists, its `begin_state` replaces the base cell's.

    >>> cell = mx.rnn.ResidualCell(mx.rnn.RNNCell(3))
    >>> isinstance(cell, mx.rnn.ModifierCell), type(cell.base_cell).__name__
    (True, 'RNNCell')
    """

    @worded
    def __init__(self, base_cell: Any) -> None:
        base_cell._modified = True
        self.base_cell = base_cell
        super().__init__()

    def reset(self) -> None:
        """Reset this cell and the base cell."""
        super().reset()
        self.base_cell.reset()

    @property
    def params(self) -> Any:
        """The base cell's parameters."""
        self._own_params = False
        return self.base_cell.params

    @property
    def state_info(self) -> list[dict[str, Any]]:
        """The base cell's state info."""
        return self.base_cell.state_info

    def begin_state(self, init_sym: Any = symbol.zeros, **kwargs: Any) -> list[Any]:
        """Return the base cell's initial states. init_sym: like other cells' `func`, which is also accepted."""
        self._require_unmodified()
        func = kwargs.pop("func", init_sym)
        with self.base_cell.without_modifier():
            return self.base_cell.begin_state(func=func, **kwargs)

    def unpack_weights(self, args: Any) -> Any:
        """Unpack the base cell's weights."""
        return self.base_cell.unpack_weights(args)

    def pack_weights(self, args: Any) -> Any:
        """Pack the base cell's weights."""
        return self.base_cell.pack_weights(args)


class ZoneoutCell(ModifierCell):
    """Cell in which, during training, some elements of outputs and states keep the previous step's value.

    zoneout_outputs, zoneout_states: the probabilities. Krueger et al., arXiv:1606.01305.
    base_cell: the modified cell.

    >>> cell = mx.rnn.ZoneoutCell(mx.rnn.RNNCell(4), zoneout_states=0.5)
    >>> outputs, states = cell.unroll(3, sym.var("data"), merge_outputs=True)
    >>> outputs.infer_shape(data=(2, 3, 5))[1]
    [(2, 3, 4)]
    """

    zoneout_outputs: float
    zoneout_states: float

    @worded
    def __init__(self, base_cell: Any, zoneout_outputs: float = 0.0, zoneout_states: float = 0.0) -> None:
        for cell in (base_cell, *getattr(base_cell, "_cells", ())):
            if not cell._takes_steps:
                raise ArgumentError(f"ZoneoutCell: a {type(cell).__name__} does not support single steps, which "
                                    "zoneout needs. Put the ZoneoutCell around the cells in it; those of a "
                                    "FusedRNNCell are in its unfuse().")
        super().__init__(base_cell)
        self.zoneout_outputs, self.zoneout_states = zoneout_outputs, zoneout_states

    def reset(self) -> None:
        """Reset the base cell and discard the last output."""
        super().reset()
        self.prev_output = None

    def __call__(self, inputs: Any, states: Any) -> Any:
        """Return the base cell's (output, states), with some elements taken from the previous step."""
        output, following = self.base_cell(inputs, states)
        if self.zoneout_outputs != 0:
            previous = symbol.zeros((0, 0)) if self.prev_output is None else self.prev_output
            output = _keep(self.zoneout_outputs, output, previous)
        if self.zoneout_states != 0:
            following = [_keep(self.zoneout_states, new, old) for new, old in zip(following, states, strict=True)]
        self.prev_output = output
        return output, following


def _keep(probability, new, old):
    """Return `old` with this probability, otherwise `new`; the mask is Dropout applied to ones."""
    return symbol.where(symbol.Dropout(symbol.ones_like(new), p=probability), new, old)


class ResidualCell(ModifierCell):
    """Cell that adds its input to the base cell's output. Wu et al., arXiv:1609.08144.

    base_cell: the modified cell.

    >>> cell = mx.rnn.ResidualCell(mx.rnn.RNNCell(5))
    >>> outputs, states = cell.unroll(3, sym.var("data"), merge_outputs=True)
    >>> outputs.infer_shape(data=(2, 3, 5))[1]
    [(2, 3, 5)]
    """

    def __call__(self, inputs: Any, states: Any) -> Any:
        """Return (output + inputs, states)."""
        output, states = self.base_cell(inputs, states)
        return _plus(output, inputs), states

    def unroll(self, length: int, inputs: Any, begin_state: Any = None, layout: str = "NTC",
               merge_outputs: bool | None = None) -> tuple[Any, Any]:
        """Unroll the base cell and add its inputs; see `BaseRNNCell.unroll`."""
        self.reset()
        with self.base_cell.without_modifier():
            outputs, states = self.base_cell.unroll(length, inputs, begin_state, layout, merge_outputs)
        merged = isinstance(outputs, Symbol)
        inputs, _ = normalize(length, inputs, layout, merged)
        if merged:
            return _plus(outputs, inputs), states
        return [_plus(y, x) for y, x in zip(outputs, inputs, strict=True)], states


def _plus(output, inputs):
    return symbol.elemwise_add(output, inputs, name=f"{output.name}_plus_residual")
