"""The basic cells: RNN, LSTM and GRU. Other modules contain cells that stack, reverse or modify cells."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ... import symbol
from ...base import ArgumentError
from ...common.docstrings import share_docstring
from ..nn.sizes import check_length
from .containers import BidirectionalCell, HybridSequentialRNNCell, SequentialRNNCell
from .modifiers import DropoutCell, ModifierCell, ResidualCell, ZoneoutCell
from .recurrent import HybridRecurrentCell, RecurrentCell, is_single, mask, merged, namespace

if TYPE_CHECKING:
    from ...initializer import Initializer

__all__ = ["BidirectionalCell", "DropoutCell", "GRUCell", "HybridRecurrentCell", "HybridSequentialRNNCell", "LSTMCell",
           "ModifierCell", "RNNCell", "RecurrentCell", "ResidualCell", "SequentialRNNCell", "ZoneoutCell"]


class _GatedCell(HybridRecurrentCell):
    """Base class of cells with two matrices W, R and two biases b, d, each of which concatenates the rows of all gates.

    inputs (N, input_size) | states: a list of (N, hidden_size) | output (N, hidden_size)

    hidden_size: the length of a state.
    i2h_weight_initializer, h2h_weight_initializer, i2h_bias_initializer, h2h_bias_initializer: the initializers of W,
    R, b and d.
    input_size: 0 infers it in the first step.
    """

    _needs_listed_states = True
    _gates = 1
    _slicing = {}           # additional attributes for the operator that splits the gates

    def __init__(self, hidden_size: int, i2h_weight_initializer: str | Initializer,
                 h2h_weight_initializer: str | Initializer, i2h_bias_initializer: str | Initializer,
                 h2h_bias_initializer: str | Initializer, input_size: int, prefix: str, params: Any) -> None:
        super().__init__(prefix=prefix, params=params)
        check_length(self, "hidden_size", hidden_size)
        self._hidden_size, self._input_size = hidden_size, input_size
        rows = self._gates * hidden_size
        for name, shape, init in (("i2h_weight", (rows, input_size), i2h_weight_initializer),
                                  ("h2h_weight", (rows, hidden_size), h2h_weight_initializer),
                                  ("i2h_bias", (rows,), i2h_bias_initializer),
                                  ("h2h_bias", (rows,), h2h_bias_initializer)):
            setattr(self, name, self.params.get(name, shape=shape, init=init, allow_deferred_init=True))

    def state_info(self, batch_size: int = 0) -> list[dict[str, Any]]:
        """Return the state info for a single state, (N, hidden_size)."""
        return [{"shape": (batch_size, self._hidden_size), "__layout__": "NC"}]

    def products(self, F: Any, inputs: Any, state: Any, i2h_weight: Any, h2h_weight: Any, i2h_bias: Any,
                 h2h_bias: Any) -> Any:
        """Return (W x + b, R h + d, prefix of this step's nodes)."""
        rows, prefix = self._gates * self._hidden_size, f"t{self._counter}_"
        i2h = F.FullyConnected(inputs, i2h_weight, i2h_bias, num_hidden=rows, name=prefix + "i2h")
        h2h = F.FullyConnected(state, h2h_weight, h2h_bias, num_hidden=rows, name=prefix + "h2h")
        return i2h, h2h, prefix

    def _arrow(self):
        rows, inputs = self.i2h_weight.shape
        return f"{inputs or None} -> {rows}"

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._arrow()})"


class RNNCell(_GatedCell):
    """Simple recurrent cell: h = activation(W x + b + R h + d). The output is h.

    activation: a name, or a block.

    Source: Elman 1990, Finding Structure in Time.

    >>> cell = gluon.rnn.RNNCell(1, activation="relu", input_size=1)
    >>> cell.initialize(init.One())
    >>> output, states = cell(nd.array([[2]]), [nd.array([[10]])])
    >>> output.item(), states[0].item()
    (12.0, 12.0)
    """

    def __init__(self, hidden_size: int, activation: str = "tanh",
                 i2h_weight_initializer: str | Initializer | None = None,
                 h2h_weight_initializer: str | Initializer | None = None,
                 i2h_bias_initializer: str | Initializer = "zeros", h2h_bias_initializer: str | Initializer = "zeros",
                 input_size: int = 0, prefix: str | None = None, params: Any = None) -> None:
        super().__init__(hidden_size, i2h_weight_initializer, h2h_weight_initializer, i2h_bias_initializer,
                         h2h_bias_initializer, input_size, prefix, params)
        self._activation = activation

    def _alias(self):
        return "rnn"

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._arrow()}, {self._activation})"

    def hybrid_forward(self, F: Any, inputs: Any, states: Any, **params: Any) -> Any:
        """Return (h, [h])."""
        i2h, h2h, prefix = self.products(F, inputs, states[0], **params)
        total = F.elemwise_add(i2h, h2h, name=prefix + "plus0")
        output = self._get_activation(F, total, self._activation, name=prefix + "out")
        return output, [output]


class LSTMCell(_GatedCell):
    """LSTM: c = f c + i n, h = o activation(c), with gates i, f, o = recurrent_activation(rows) and n =
    activation(rows).

    The rows of W x + b + R h + d belong to i, f, n, o in this order. States: h, c. The output is h.

    activation, recurrent_activation: names of activations.

    Source: Hochreiter and Schmidhuber 1997, Long Short-Term Memory.

    >>> cell = gluon.rnn.LSTMCell(4)
    >>> cell.initialize()
    >>> output, states = cell(nd.ones((2, 3)), cell.begin_state(batch_size=2))
    >>> output.shape, [state.shape for state in states], cell.i2h_weight.shape
    ((2, 4), [(2, 4), (2, 4)], (16, 3))
    """

    _gates = 4
    _output_name = "out"

    def __init__(self, hidden_size: int, i2h_weight_initializer: str | Initializer | None = None,
                 h2h_weight_initializer: str | Initializer | None = None,
                 i2h_bias_initializer: str | Initializer = "zeros", h2h_bias_initializer: str | Initializer = "zeros",
                 input_size: int = 0, prefix: str | None = None, params: Any = None, activation: str = "tanh",
                 recurrent_activation: str = "sigmoid") -> None:
        super().__init__(hidden_size, i2h_weight_initializer, h2h_weight_initializer, i2h_bias_initializer,
                         h2h_bias_initializer, input_size, prefix, params)
        self._activation, self._recurrent_activation = activation, recurrent_activation

    def _alias(self):
        return "lstm"

    def state_info(self, batch_size: int = 0) -> list[dict[str, Any]]:
        """Return the state info for two states, h and c, each (N, hidden_size)."""
        return super().state_info(batch_size) * 2

    def hybrid_forward(self, F: Any, inputs: Any, states: Any, **params: Any) -> Any:
        """Return (h, [h, c])."""
        i2h, h2h, prefix = self.products(F, inputs, states[0], **params)
        total = F.elemwise_add(i2h, h2h, name=prefix + "plus0")
        gates = F.SliceChannel(total, num_outputs=4, **self._slicing, name=prefix + "slice")
        i = self._get_activation(F, gates[0], self._recurrent_activation, name=prefix + "i")
        f = self._get_activation(F, gates[1], self._recurrent_activation, name=prefix + "f")
        n = self._get_activation(F, gates[2], self._activation, name=prefix + "c")
        o = self._get_activation(F, gates[3], self._recurrent_activation, name=prefix + "o")
        c = F.elemwise_add(F.elemwise_mul(f, states[1], name=prefix + "mul0"),
                           F.elemwise_mul(i, n, name=prefix + "mul1"), name=prefix + "state")
        h = F.elemwise_mul(o, self._squashed(F, c, name=prefix + "activation0"), name=prefix + self._output_name)
        return h, [h, c]

    def _squashed(self, F, c, name):
        return F.Activation(c, act_type=self._activation, name=name)


class GRUCell(_GatedCell):
    """GRU cell: h = (1 - z) n + z h, where r, z are the sigmoid of their rows and n = tanh(W x + b + r (R h + d)).

    The rows of W x + b + R h + d belong to r, z, n in this order. The output is h. r is applied after the product with
    R, as in cuDNN.

    Source: Cho et al. 2014, Learning Phrase Representations using RNN Encoder-Decoder.

    >>> cell = gluon.rnn.GRUCell(4)
    >>> cell.initialize()
    >>> outputs, states = cell.unroll(3, nd.ones((2, 3, 5)), merge_outputs=True)
    >>> outputs.shape, states[0].shape
    ((2, 3, 4), (2, 4))
    """

    _gates = 3

    def __init__(self, hidden_size: int, i2h_weight_initializer: str | Initializer | None = None,
                 h2h_weight_initializer: str | Initializer | None = None,
                 i2h_bias_initializer: str | Initializer = "zeros", h2h_bias_initializer: str | Initializer = "zeros",
                 input_size: int = 0, prefix: str | None = None, params: Any = None) -> None:
        super().__init__(hidden_size, i2h_weight_initializer, h2h_weight_initializer, i2h_bias_initializer,
                         h2h_bias_initializer, input_size, prefix, params)

    def _alias(self):
        return "gru"

    def hybrid_forward(self, F: Any, inputs: Any, states: Any, **params: Any) -> Any:
        """Return (h, [h])."""
        i2h, h2h, prefix = self.products(F, inputs, states[0], **params)
        i2h = F.SliceChannel(i2h, num_outputs=3, **self._slicing, name=prefix + "i2h_slice")
        h2h = F.SliceChannel(h2h, num_outputs=3, **self._slicing, name=prefix + "h2h_slice")
        r = F.Activation(F.elemwise_add(i2h[0], h2h[0], name=prefix + "plus0"), act_type="sigmoid",
                         name=prefix + "r_act")
        z = F.Activation(F.elemwise_add(i2h[1], h2h[1], name=prefix + "plus1"), act_type="sigmoid",
                         name=prefix + "z_act")
        n = F.elemwise_add(i2h[2], F.elemwise_mul(r, h2h[2], name=prefix + "mul0"), name=prefix + "plus2")
        n = self._squashed(F, n, name=prefix + "h_act")
        complement = F.elemwise_sub(F.ones_like(z, name=prefix + "ones_like0"), z, name=prefix + "minus0")
        h = F.elemwise_add(F.elemwise_mul(complement, n, name=prefix + "mul1"),
                           F.elemwise_mul(z, states[0], name=prefix + "mul20"), name=prefix + "out")
        return h, [h]

    def _squashed(self, F, n, name):
        return F.Activation(n, act_type="tanh", name=name)


share_docstring(_GatedCell, RNNCell, LSTMCell, GRUCell)


# -- private functions that custom cells import from MXNet's module ---------------------------------------------------


def _format_sequence(length, inputs, layout, merge, in_layout=None):
    """Return (inputs, time axis, nd or sym, batch size); merge: True for one array in `layout`, False for a list.

    inputs: an array in in_layout (`layout` without it), or a list of (N, C). merge=None leaves them unchanged.
    length: None if unknown. The batch size of symbols is 0. Raises ArgumentError.
    """
    F, axis = namespace(inputs), layout.find("T")
    batch, steps = 0, length
    if is_single(inputs):
        if in_layout not in (None, layout):
            inputs = F.swapaxes(inputs, dim1=in_layout.find("T"), dim2=axis)
        if F is not symbol:
            batch, steps = inputs.shape[layout.find("N")], inputs.shape[axis]
    else:
        batch, steps = 0 if F is symbol else inputs[0].shape[0], len(inputs)
    if length is not None and steps != length:
        raise ArgumentError(f"a sequence of length {length} got inputs for {steps} steps")
    return merged(F, inputs, steps, axis, merge), axis, F, batch


def _get_begin_state(cell, F, begin_state, inputs, batch_size):
    """Return begin_state or, if it is None, zeros on the inputs' device."""
    if begin_state is not None:
        return begin_state
    if F is symbol:
        return cell.begin_state(func=F.zeros, batch_size=batch_size)
    with (inputs if is_single(inputs) else inputs[0]).context:
        return cell.begin_state(func=F.zeros, batch_size=batch_size)


def _mask_sequence_variable_length(F, data, length, valid_length, time_axis, merge):
    """Return data with zeros after each item's end: one array if merge is True, else a list of `length` steps."""
    return merged(F, mask(F, data, valid_length, time_axis), length, time_axis, bool(merge))
