"""Cells that modify the inputs, outputs or states of other cells: dropout, zoneout, and residual connections."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ... import ndarray
from ...base import ArgumentError
from ...common.docstrings import share_sentences
from ..nn.sizes import check_rate
from .containers import BidirectionalCell, SequentialRNNCell
from .recurrent import (
    HybridRecurrentCell,
    is_single,
    mask,
    merged,
    require_cell,
    sequence,
    split_steps,
)

__all__ = ["DropoutCell", "ModifierCell", "ResidualCell", "ZoneoutCell"]


class DropoutCell(HybridRecurrentCell):
    """Cell that drops elements of its inputs in training. It has no state.

    rate: the probability.
    axes: the axes along which all elements share one draw.

    >>> cell = gluon.rnn.DropoutCell(0.5)
    >>> cell(nd.array([[1, 2]]), [])[0].asnumpy().tolist()              # not in training
    [[1.0, 2.0]]
    """

    def __init__(self, rate: float, axes: Any = (), prefix: str | None = None, params: Any = None) -> None:
        super().__init__(prefix, params)
        check_rate(self, "rate", rate)
        self._rate, self._axes = rate, axes

    def _alias(self):
        return "dropout"

    def __repr__(self) -> str:
        return f"{type(self).__name__}(rate={self._rate}, axes={self._axes})"

    def state_info(self, batch_size: int = 0) -> list[dict[str, Any]]:
        """Return an empty list."""
        return []

    def hybrid_forward(self, F: Any, inputs: Any, states: Any) -> Any:
        """Return (inputs after dropout, states)."""
        if self._rate > 0:
            inputs = F.Dropout(inputs, p=self._rate, axes=self._axes, name=f"t{self._counter}_fwd")
        return inputs, states

    def unroll(self, length: int, inputs: Any, begin_state: Any = None, layout: str = "NTC",
               merge_outputs: bool | None = None, valid_length: Any = None) -> tuple[Any, Any]:
        """Drop elements in all steps at once if the inputs are a single array."""
        self.reset()
        F, axis = sequence(self, length, inputs, layout)
        inputs = merged(F, inputs, length, axis, merge_outputs)
        if is_single(inputs):
            return self.hybrid_forward(F, inputs, begin_state or [])
        return super().unroll(length, inputs, begin_state, layout, merge_outputs, None)


class ModifierCell(HybridRecurrentCell):
    """Base class of cells that modify another cell and use its parameters and states.

    base_cell: the modified cell. The modifier's `begin_state` replaces that of the base cell.

    >>> cell = gluon.rnn.ResidualCell(gluon.rnn.RNNCell(3))
    >>> isinstance(cell, gluon.rnn.ModifierCell), cell.base_cell.name
    (True, 'rnn0')
    """

    def __init__(self, base_cell: Any) -> None:
        require_cell(self, base_cell)
        base_cell._modified = True
        super().__init__(prefix=base_cell.prefix + self._alias(), params=None)
        self.base_cell = base_cell

    @property
    def params(self) -> Any:
        """The base cell's parameters."""
        return self.base_cell.params

    def state_info(self, batch_size: int = 0) -> list[dict[str, Any]]:
        """Return the base cell's state info."""
        return self.base_cell.state_info(batch_size)

    def begin_state(self, batch_size: int = 0, func: Callable[..., Any] = ndarray.zeros, **kwargs: Any) -> list[Any]:
        """Return the base cell's initial states; see `RecurrentCell.begin_state`."""
        self._require_unmodified()
        with self.base_cell.without_modifier():
            return self.base_cell.begin_state(batch_size=batch_size, func=func, **kwargs)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.base_cell})"


class ZoneoutCell(ModifierCell):
    """Cell in which, during training, some elements of outputs and states keep the previous step's value.

    zoneout_outputs, zoneout_states: the probabilities.

    Source: Krueger et al. 2016, Zoneout: Regularizing RNNs by Randomly Preserving Hidden Activations.

    >>> cell = gluon.rnn.ZoneoutCell(gluon.rnn.RNNCell(2, activation="relu"), zoneout_states=1)
    >>> cell.initialize(init.One())
    >>> with autograd.train_mode():
    ...     output, states = cell(nd.ones((1, 2)), [nd.array([[5, 6]])])
    >>> states[0].asnumpy().tolist()
    [[5.0, 6.0]]
    """

    zoneout_outputs: float
    zoneout_states: float

    def __init__(self, base_cell: Any, zoneout_outputs: float = 0.0, zoneout_states: float = 0.0) -> None:
        check_rate(self, "zoneout_outputs", zoneout_outputs)
        check_rate(self, "zoneout_states", zoneout_states)
        require_cell(self, base_cell)
        cells = [base_cell, *(base_cell._children.values() if isinstance(base_cell, SequentialRNNCell) else ())]
        if any(isinstance(cell, BidirectionalCell) for cell in cells):
            raise ArgumentError("ZoneoutCell: a BidirectionalCell does not support single steps, which zoneout needs. "
                                "Put the ZoneoutCell around each of its two cells.")
        super().__init__(base_cell)
        self.zoneout_outputs, self.zoneout_states = zoneout_outputs, zoneout_states
        self._previous = None

    def _alias(self):
        return "zoneout"

    def __repr__(self) -> str:
        return (f"{type(self).__name__}(p_out={self.zoneout_outputs}, p_state={self.zoneout_states}, "
                f"{self.base_cell})")

    def reset(self) -> None:
        """Reset the base cell and discard the last output."""
        super().reset()
        self._previous = None

    def hybrid_forward(self, F: Any, inputs: Any, states: Any) -> Any:
        """Return the base cell's (output, states), with some elements from the previous step."""
        output, following = self.base_cell(inputs, states)
        if self.zoneout_outputs != 0:
            # The previous output may be a symbol left over from a trace.
            previous = self._previous if type(self._previous) is type(output) else F.zeros_like(output)
            output = self._keep(F, self.zoneout_outputs, output, previous)
        if self.zoneout_states != 0:
            following = [self._keep(F, self.zoneout_states, new, old)
                         for new, old in zip(following, states, strict=True)]
        self._previous = output
        return output, following

    def _keep(self, F, probability, new, old):
        """Keep `old` with this probability, otherwise take `new`; the mask is Dropout applied to ones."""
        return F.where(F.Dropout(F.ones_like(new), p=probability), new, old)


class ResidualCell(ModifierCell):
    """Cell that adds its input to the base cell's output.

    Source: Wu et al. 2016, Google's Neural Machine Translation System.

    >>> cell = gluon.rnn.ResidualCell(gluon.rnn.RNNCell(3))
    >>> cell.initialize(init.Zero())
    >>> cell(nd.array([[1, 2, 3]]), cell.begin_state(batch_size=1))[0].asnumpy().tolist()
    [[1.0, 2.0, 3.0]]
    """

    def hybrid_forward(self, F: Any, inputs: Any, states: Any) -> Any:
        """Return (output + inputs, states)."""
        output, states = self.base_cell(inputs, states)
        return F.elemwise_add(output, inputs, name=f"t{self._counter}_fwd"), states

    def unroll(self, length: int, inputs: Any, begin_state: Any = None, layout: str = "NTC",
               merge_outputs: bool | None = None, valid_length: Any = None) -> tuple[Any, Any]:
        """Unroll the base cell and add its inputs; see `RecurrentCell.unroll`."""
        self.reset()
        with self.base_cell.without_modifier():
            outputs, states = self.base_cell.unroll(length, inputs, begin_state, layout, merge_outputs, valid_length)
        F, axis = sequence(self, length, outputs, layout)
        if valid_length is not None:
            inputs = mask(F, inputs, valid_length, axis)
        if not is_single(outputs):
            steps = split_steps(self, F, length, inputs, axis)
            return [F.elemwise_add(y, x) for y, x in zip(outputs, steps, strict=True)], states
        return F.elemwise_add(outputs, merged(F, inputs, length, axis, True)), states


share_sentences(ModifierCell, ZoneoutCell, ResidualCell)
