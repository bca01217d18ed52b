"""Symbolic cells composed of other cells: a sequence of cells, or two cells in opposite directions."""

from __future__ import annotations

from typing import Any

from ... import symbol
from ...base import MXNetError
from ...diagnostics.argument_kinds import worded
from ...symbol import Symbol
from .base_cell import BaseRNNCell, normalize

__all__ = ["BidirectionalCell", "SequentialRNNCell"]


class _Cells(BaseRNNCell):
    """Base class of composed cells, which concatenates the states and weights of the inner cells."""

    def __init__(self, prefix: str, params: Any) -> None:
        super().__init__(prefix=prefix, params=params)
        self._cells = []
        self._shares_params = params is not None

    def _take(self, cell):
        if self._shares_params:
            if not cell._own_params:
                raise MXNetError(f"{type(self).__name__} was given params, and so was the cell with prefix "
                                 f"{cell._prefix!r}. Give them to one of the two.")
            cell.params._params.update(self._params._params)
        self._params._params.update(cell.params._params)
        self._cells.append(cell)

    @property
    def state_info(self) -> list[dict[str, Any]]:
        """The state info of all cells."""
        return [info for cell in self._cells for info in cell.state_info]

    def begin_state(self, **kwargs: Any) -> list[Any]:
        """Return the initial states of all cells in one list; see `BaseRNNCell.begin_state`."""
        self._require_unmodified()
        return [state for cell in self._cells for state in cell.begin_state(**kwargs)]

    def unpack_weights(self, args: Any) -> Any:
        """Unpack each cell's weights; see `BaseRNNCell.unpack_weights`."""
        for cell in self._cells:
            args = cell.unpack_weights(args)
        return args

    def pack_weights(self, args: Any) -> Any:
        """Pack each cell's weights; see `BaseRNNCell.pack_weights`."""
        for cell in self._cells:
            args = cell.pack_weights(args)
        return args

    def _with_states(self, states):
        place = 0
        for cell in self._cells:
            count = len(cell.state_info)
            yield cell, states[place:place + count]
            place += count


class SequentialRNNCell(_Cells):
    """Cells in sequence.

    params: an RNNParams, shared by cells that share weights; None creates one.

    >>> cell = mx.rnn.SequentialRNNCell()
    >>> cell.add(mx.rnn.LSTMCell(4, prefix="first_"))
    >>> cell.add(mx.rnn.RNNCell(2, prefix="second_"))
    >>> outputs, states = cell.unroll(3, sym.var("data"), merge_outputs=True)
    >>> outputs.infer_shape(data=(2, 3, 5))[1], len(states)
    ([(2, 3, 2)], 3)
    """

    def __init__(self, params: Any = None) -> None:
        super().__init__("", params)

    def add(self, cell: Any) -> None:
        """Append a cell."""
        self._take(cell)

    def __call__(self, inputs: Any, states: Any) -> Any:
        """Run one step of each cell."""
        self._counter += 1
        following = []
        for cell, its_states in self._with_states(states):
            inputs, new = cell(inputs, its_states)
            following += new
        return inputs, following

    def unroll(self, length: int, inputs: Any, begin_state: Any = None, layout: str = "NTC",
               merge_outputs: bool | None = None) -> tuple[Any, Any]:
        """Unroll each cell in turn over the entire sequence; see `BaseRNNCell.unroll`."""
        self.reset()
        states, following = self.begin_state() if begin_state is None else begin_state, []
        for cell, its_states in self._with_states(states):
            is_last = cell is self._cells[-1]
            inputs, new = cell.unroll(length, inputs, its_states, layout, merge_outputs if is_last else None)
            following += new
        return inputs, following


class BidirectionalCell(_Cells):
    """Two cells whose outputs are concatenated. The second cell reads the sequence backwards. Supports only `unroll`.

    output_prefix: the prefix of the names of the concatenated outputs.
    l_cell, r_cell: the forward and the backward cell.
    params: an RNNParams, shared by cells that share weights; None creates one.

    >>> cell = mx.rnn.BidirectionalCell(mx.rnn.GRUCell(4, prefix="l_"), mx.rnn.GRUCell(4, prefix="r_"))
    >>> outputs, states = cell.unroll(3, sym.var("data"), merge_outputs=True)
    >>> outputs.infer_shape(data=(2, 3, 5))[1]
    [(2, 3, 8)]
    """

    _takes_steps = False

    @worded
    def __init__(self, l_cell: Any, r_cell: Any, params: Any = None, output_prefix: str = "bi_") -> None:
        super().__init__("", params)
        self._output_prefix = output_prefix
        self._take(l_cell)
        self._take(r_cell)

    def unroll(self, length: int, inputs: Any, begin_state: Any = None, layout: str = "NTC",
               merge_outputs: bool | None = None) -> tuple[Any, Any]:
        """Unroll both cells and concatenate the outputs along the feature axis. Returns two lists of states."""
        self.reset()
        steps, axis = normalize(length, inputs, layout, False)
        states = self.begin_state() if begin_state is None else begin_state
        (l_cell, l_states), (r_cell, r_states) = self._with_states(states)
        left, l_states = l_cell.unroll(length, steps, l_states, layout, merge_outputs)
        right, r_states = r_cell.unroll(length, list(reversed(steps)), r_states, layout, merge_outputs)
        if merge_outputs is None:
            merge_outputs = isinstance(left, Symbol) and isinstance(right, Symbol)
            left, right = (normalize(length, outputs, layout, merge_outputs)[0] for outputs in (left, right))
        if merge_outputs:
            outputs = symbol.Concat(left, symbol.reverse(right, axis=axis), dim=2, name=f"{self._output_prefix}out")
        else:
            outputs = [symbol.Concat(a, b, dim=1, name=f"{self._output_prefix}t{i}")
                       for i, (a, b) in enumerate(zip(left, reversed(right), strict=True))]
        return outputs, [l_states, r_states]
