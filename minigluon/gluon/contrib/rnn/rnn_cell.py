"""An LSTM with projected states, and variational dropout, which uses the same mask for an entire sequence."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ....base import ArgumentError
from ....common.docstrings import share_sentences
from ....diagnostics.argument_kinds import worded
from ...block import Block
from ...nn.sizes import check_rate
from ...rnn.containers import BidirectionalCell, SequentialRNNCell
from ...rnn.modifiers import ModifierCell
from ...rnn.recurrent import HybridRecurrentCell, merged, require_cell, sequence
from ...rnn.rnn_cell import LSTMCell

if TYPE_CHECKING:
    from ....initializer import Initializer

__all__ = ["LSTMPCell", "VariationalDropoutCell"]


def dynamic_unroll(cell: Any, inputs: Any, begin_state: Any, drop_inputs: int = 0, drop_outputs: int = 0,
                   layout: str = "TNC",
                   valid_length: Any = None) -> tuple[Any, Any]:
    """Run the cell with `contrib.foreach`, for sequences of unknown length, and return (outputs, states).

    inputs, outputs (T, N, C) or (N, T, C), depending on the layout | begin_state: a list, as from `cell.begin_state`
    drop_inputs, drop_outputs: dropout probabilities; the mask is the same for all steps
    valid_length (N,): outputs after an item's end are 0, and its returned states are those at its end
    """
    F, axis = sequence(cell, None, inputs, layout)
    if drop_inputs:
        inputs = F.Dropout(inputs, p=drop_inputs, axes=(axis,))

    def step(x, states):
        output, states = cell(x, states)
        return [output] if valid_length is None else [output, *states], states

    steps, states = F.contrib.foreach(step, inputs if axis == 0 else F.swapaxes(inputs, dim1=0, dim2=1), begin_state)
    outputs = steps[0] if axis == 0 else F.swapaxes(steps[0], dim1=0, dim2=1)
    if drop_outputs:
        outputs = F.Dropout(outputs, p=drop_outputs, axes=(axis,))
    if valid_length is not None:
        outputs = F.SequenceMask(outputs, sequence_length=valid_length, use_sequence_length=True, axis=axis)
        states = [F.SequenceLast(all_steps, sequence_length=valid_length, use_sequence_length=True, axis=0)
                  for all_steps in steps[1:]]
    return outputs, states


class LSTMPCell(LSTMCell):
    """An LSTM with projection: r = P h replaces h. States: r, c.

    inputs (N, input_size) | states: (N, projection_size), (N, hidden_size) | output (N, projection_size)

    hidden_size: the length of c.
    projection_size: the length of r.
    i2h_weight_initializer, h2h_weight_initializer, i2h_bias_initializer, h2h_bias_initializer: as in LSTMCell.
    h2r_weight_initializer: the initializer of P.
    input_size: 0 infers it in the first step.

    Source: Sak, Senior and Beaufays 2014, Long Short-Term Memory Based Recurrent Neural Network Architectures for Large
        Vocabulary Speech Recognition.

    >>> cell = gluon.contrib.rnn.LSTMPCell(8, projection_size=4)
    >>> cell.initialize()
    >>> output, states = cell(nd.ones((2, 3)), cell.begin_state(batch_size=2))
    >>> output.shape, [state.shape for state in states]
    ((2, 4), [(2, 4), (2, 8)])
    """

    _output_name = "hidden"         # the length of the projection's input

    @worded
    def __init__(self, hidden_size: int, projection_size: int, i2h_weight_initializer: str | Initializer | None = None,
                 h2h_weight_initializer: str | Initializer | None = None,
                 h2r_weight_initializer: str | Initializer | None = None,
                 i2h_bias_initializer: str | Initializer = "zeros", h2h_bias_initializer: str | Initializer = "zeros",
                 input_size: int = 0, prefix: str | None = None, params: Any = None) -> None:
        HybridRecurrentCell.__init__(self, prefix=prefix, params=params)
        self._hidden_size, self._input_size, self._projection_size = hidden_size, input_size, projection_size
        self._activation, self._recurrent_activation = "tanh", "sigmoid"
        rows = self._gates * hidden_size
        for name, shape, init in (("i2h_weight", (rows, input_size), i2h_weight_initializer),
                                  ("h2h_weight", (rows, projection_size), h2h_weight_initializer),
                                  ("h2r_weight", (projection_size, hidden_size), h2r_weight_initializer),
                                  ("i2h_bias", (rows,), i2h_bias_initializer),
                                  ("h2h_bias", (rows,), h2h_bias_initializer)):
            setattr(self, name, self.params.get(name, shape=shape, init=init, allow_deferred_init=True))

    def state_info(self, batch_size: int = 0) -> list[dict[str, Any]]:
        """Return the state info for r (N, projection_size) and c (N, hidden_size)."""
        return [{"shape": (batch_size, size), "__layout__": "NC"}
                for size in (self._projection_size, self._hidden_size)]

    def hybrid_forward(self, F: Any, inputs: Any, states: Any, h2r_weight: Any, **params: Any) -> Any:
        """Return (r, [r, c])."""
        hidden, (_, c) = super().hybrid_forward(F, inputs, states, **params)
        r = F.FullyConnected(hidden, h2r_weight, num_hidden=self._projection_size, no_bias=True,
                             name=f"t{self._counter}_out")
        return r, [r, c]

    def _alias(self):
        return "lstmp"

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._arrow()} -> {self._projection_size})"


class VariationalDropoutCell(ModifierCell):
    """Cell with dropout on the inputs, the first state and the outputs, with the same mask at each step of a sequence.

    The first step after `reset`, which `unroll` calls, draws new masks.

    base_cell: the modified cell.
    drop_inputs, drop_states, drop_outputs: the probabilities.

    Source: Gal and Ghahramani 2016, A Theoretically Grounded Application of Dropout in Recurrent Neural Networks.

    >>> cell = gluon.contrib.rnn.VariationalDropoutCell(gluon.rnn.RNNCell(1), drop_inputs=0.5)
    >>> cell.initialize(init.One())
    >>> with autograd.train_mode():
    ...     outputs, _ = cell.unroll(4, nd.ones((1, 4, 1)))
    >>> cell.reset()
    """

    drop_inputs: float
    drop_outputs: float
    drop_states: float

    def __init__(self, base_cell: Any, drop_inputs: float = 0.0, drop_states: float = 0.0,
                 drop_outputs: float = 0.0) -> None:
        require_cell(self, base_cell)
        for name, rate in ("drop_inputs", drop_inputs), ("drop_states", drop_states), ("drop_outputs", drop_outputs):
            check_rate(self, name, rate)
        cells = [base_cell, *(base_cell._children.values() if isinstance(base_cell, SequentialRNNCell) else ())]
        if drop_states and any(isinstance(cell, BidirectionalCell) for cell in cells):
            raise ArgumentError("VariationalDropoutCell: a BidirectionalCell does not support single steps, which "
                                "dropout of "
                                "states needs. Put the VariationalDropoutCell around each of its two cells.")
        super().__init__(base_cell)
        self.drop_inputs, self.drop_states, self.drop_outputs = drop_inputs, drop_states, drop_outputs
        self._masks = {}

    def _alias(self):
        return "vardrop"

    def __repr__(self) -> str:
        return f"{type(self).__name__}(p_out = {self.drop_outputs}, p_state = {self.drop_states})"

    def reset(self) -> None:
        """Reset the base cell and discard the masks."""
        super().reset()
        self._masks = {}

    def hybrid_forward(self, F: Any, inputs: Any, states: Any) -> Any:
        """Return the base cell's (output, states), with the masks for this sequence."""
        inputs = self._masked(F, "inputs", self.drop_inputs, inputs)
        if self.drop_states:
            states = [self._masked(F, "states", self.drop_states, states[0]), *states[1:]]
        output, states = self.base_cell(inputs, states)
        return self._masked(F, "outputs", self.drop_outputs, output), states

    def unroll(self, length: int, inputs: Any, begin_state: Any = None, layout: str = "NTC",
               merge_outputs: bool | None = None, valid_length: Any = None) -> tuple[Any, Any]:
        """Unroll the base cell with masks; see `RecurrentCell.unroll`. Runs step by step if states are dropped."""
        if self.drop_states:
            return super().unroll(length, inputs, begin_state, layout, merge_outputs, valid_length)
        self.reset()
        F, axis = sequence(self, length, inputs, layout)
        inputs = merged(F, inputs, length, axis, True)
        if self.drop_inputs:
            inputs = F.Dropout(inputs, p=self.drop_inputs, axes=(axis,))
        with self.base_cell.without_modifier():
            outputs, states = self.base_cell.unroll(length, inputs, begin_state, layout, True, valid_length)
        if self.drop_outputs:
            outputs = F.Dropout(outputs, p=self.drop_outputs, axes=(axis,))
        return merged(F, outputs, length, axis, True if merge_outputs is None else merge_outputs), states

    def _masked(self, F, kind, probability, value):
        """Return value · mask; the mask is Dropout applied to ones, drawn at the first step."""
        if not probability:
            return value
        mask = self._masks.get(kind)
        if type(mask) is not type(value):       # there is no mask yet, or it is a symbol left over from a trace
            mask = self._masks[kind] = F.Dropout(F.ones_like(value), p=probability)
        return value * mask


share_sentences(Block, LSTMPCell)
