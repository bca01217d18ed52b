"""Cells composed of other cells: in sequence, or two in opposite directions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ... import ndarray
from ...base import ArgumentError, MXNetError
from .recurrent import (
    HybridRecurrentCell,
    RecurrentCell,
    first_states,
    is_single,
    mask,
    merged,
    reversed_steps,
    sequence,
    split_steps,
)

__all__ = ["BidirectionalCell", "HybridSequentialRNNCell", "SequentialRNNCell"]


class _CellContainer:
    """Base class of composed cells, which concatenate the states of their cells."""

    def state_info(self, batch_size: int = 0) -> list[dict[str, Any]]:
        """Return the state info of all cells."""
        return [info for cell in self._children.values() for info in cell.state_info(batch_size)]

    def begin_state(self, batch_size: int = 0, func: Callable[..., Any] = ndarray.zeros, **kwargs: Any) -> list[Any]:
        """Return the initial states of all cells, in one list; see `RecurrentCell.begin_state`."""
        self._require_unmodified()
        return [state for cell in self._children.values()
                for state in cell.begin_state(batch_size=batch_size, func=func, **kwargs)]


class _Stack(_CellContainer):
    """Base class of cell stacks."""

    def add(self, cell: Any) -> None:
        """Append a cell."""
        self.register_child(cell)

    def __call__(self, inputs: Any, states: Any) -> Any:
        """Run one step of each cell. Raises MXNetError if one of them is a BidirectionalCell."""
        if any(isinstance(cell, BidirectionalCell) for cell in self._children.values()):
            raise MXNetError(f"{type(self).__name__} {self.name!r} has a BidirectionalCell, which does not support "
                             "single steps. Use unroll.")
        return super().__call__(inputs, states)

    def forward(self, inputs: Any, states: Any) -> Any:
        """Run one step of each cell."""
        return self.steps(inputs, states)

    def steps(self, inputs: Any, states: Any) -> Any:
        """Return (output, all new states)."""
        following = []
        for cell, its_states in self._with_states(states):
            inputs, new = cell(inputs, its_states)
            following += new
        return inputs, following

    def unroll(self, length: int, inputs: Any, begin_state: Any = None, layout: str = "NTC",
               merge_outputs: bool | None = None, valid_length: Any = None) -> tuple[Any, Any]:
        """Unroll the cells one after another over the entire sequence; see `RecurrentCell.unroll`."""
        self.reset()
        F, axis = sequence(self, length, inputs, layout)
        steps = split_steps(self, F, length, inputs, axis)
        begin_state = first_states(self, F, begin_state, steps)
        outputs, following = steps, []
        for number, (cell, its_states) in enumerate(self._with_states(begin_state)):
            is_last = number + 1 == len(self)
            outputs, new = cell.unroll(length, outputs, its_states, layout, merge_outputs if is_last else None,
                                       valid_length)
            following += new
        return outputs, following

    def _with_states(self, states):
        """Yield (cell, its share of the states). Raises ArgumentError for a wrong number of states."""
        expected = len(self.state_info())
        if len(states) != expected:
            raise ArgumentError(f"{type(self).__name__} {self.name!r}: {len(states)} states were given, expected "
                                f"{expected}, as returned by begin_state")
        place = 0
        for cell in self._children.values():
            count = len(cell.state_info())
            yield cell, states[place:place + count]
            place += count

    def __len__(self) -> int:
        return len(self._children)

    def __getitem__(self, i: Any) -> Any:
        return list(self._children.values())[i]

    def __repr__(self) -> str:
        lines = [f"({i}): " + repr(cell).replace("\n", "\n  ") for i, cell in enumerate(self._children.values())]
        return f"{type(self).__name__}(\n" + "\n".join(lines) + "\n)"


class SequentialRNNCell(_Stack, RecurrentCell):
    """Cells in sequence.

    >>> cell = gluon.rnn.SequentialRNNCell()
    >>> cell.add(gluon.rnn.LSTMCell(4))
    >>> cell.add(gluon.rnn.RNNCell(2))
    >>> cell.initialize()
    >>> output, states = cell(nd.ones((5, 3)), cell.begin_state(batch_size=5))
    >>> output.shape, [state.shape for state in states]
    ((5, 2), [(5, 4), (5, 4), (5, 2)])
    """


class HybridSequentialRNNCell(_Stack, HybridRecurrentCell):
    """Hybrid cells in sequence.

    >>> cell = gluon.rnn.HybridSequentialRNNCell()
    >>> cell.add(gluon.rnn.GRUCell(4))
    >>> cell.add(gluon.rnn.DropoutCell(0.5))
    >>> cell.initialize()
    >>> outputs, states = cell.unroll(3, nd.ones((5, 3, 2)), merge_outputs=True)
    >>> outputs.shape
    (5, 3, 4)
    """

    def forward(self, inputs: Any, states: Any) -> Any:
        """Run one step of each cell."""
        return HybridRecurrentCell.forward(self, inputs, states)

    def hybrid_forward(self, F: Any, inputs: Any, states: Any) -> Any:
        """Run one step of each cell."""
        return self.steps(inputs, states)


class BidirectionalCell(_CellContainer, HybridRecurrentCell):
    """Two cells whose outputs are concatenated. The second cell reads the sequence backward. Supports only `unroll`.

    l_cell, r_cell: the forward and the backward cell.
    output_prefix: the prefix for the names of the concatenated outputs in graphs.

    >>> cell = gluon.rnn.BidirectionalCell(gluon.rnn.GRUCell(4), gluon.rnn.GRUCell(4))
    >>> cell.initialize()
    >>> outputs, states = cell.unroll(3, nd.ones((5, 3, 2)), merge_outputs=True)
    >>> outputs.shape
    (5, 3, 8)
    """

    def __init__(self, l_cell: Any, r_cell: Any, output_prefix: str = "bi_") -> None:
        super().__init__(prefix="", params=None)
        self.register_child(l_cell, "l_cell")
        self.register_child(r_cell, "r_cell")
        self._output_prefix = output_prefix

    def __call__(self, inputs: Any, states: Any) -> Any:
        """Raise NotImplementedError: a backward step needs the end of the sequence."""
        raise NotImplementedError("a BidirectionalCell does not support single steps, since one of its cells begins "
                                  "at the end. Use unroll.")

    def __repr__(self) -> str:
        return f"{type(self).__name__}(forward={self._children['l_cell']}, backward={self._children['r_cell']})"

    def unroll(self, length: int, inputs: Any, begin_state: Any = None, layout: str = "NTC",
               merge_outputs: bool | None = None, valid_length: Any = None) -> tuple[Any, Any]:
        """Unroll both cells and concatenate the outputs along the feature axis; see `RecurrentCell.unroll`."""
        self.reset()
        F, axis = sequence(self, length, inputs, layout)
        steps = split_steps(self, F, length, inputs, axis)
        backwards = reversed_steps(F, steps, len(steps), valid_length)
        states = first_states(self, F, begin_state, steps)
        l_cell, r_cell = self._children.values()
        count = len(l_cell.state_info())
        left, l_states = l_cell.unroll(length, steps, states[:count], layout, merge_outputs, valid_length)
        right, r_states = r_cell.unroll(length, backwards, states[count:], layout, False, valid_length)
        right = reversed_steps(F, right, len(steps), valid_length)
        if merge_outputs is None:
            merge_outputs = is_single(left)
        if merge_outputs:
            outputs = F.concat(left, merged(F, right, length, axis, True), dim=2, name=f"{self._output_prefix}out")
        else:
            outputs = [F.concat(a, b, dim=1, name=f"{self._output_prefix}t{i}")
                       for i, (a, b) in enumerate(zip(left, right, strict=True))]
        if valid_length is not None:
            outputs = merged(F, mask(F, outputs, valid_length, axis), length, axis, merge_outputs)
        return outputs, l_states + r_states
