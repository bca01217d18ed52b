"""The basic cells: RNN, LSTM and GRU. Their formulas are in `ops/rnn/cells.py`."""

from __future__ import annotations

from typing import Any

from ... import symbol
from ...diagnostics.argument_kinds import worded
from ...initializer import LSTMBias
from .base_cell import BaseRNNCell, add, multiply

__all__ = ["GRUCell", "LSTMCell", "RNNCell"]


class GatedCell(BaseRNNCell):
    """Base class of cells with two matrices and two biases, each of which concatenates the rows for all gates."""

    _states = 1
    _state_layout = "NC"
    _activation = "tanh"
    _slicing = {}           # additional attributes of the operator that splits the gates

    @worded
    def __init__(self, num_hidden: int, prefix: str, params: Any, **bias: Any) -> None:
        super().__init__(prefix=prefix, params=params)
        self._num_hidden, self._shape = num_hidden, (0, num_hidden)
        self._variables = [(self._params.get(f"{group}_weight"), self._params.get(f"{group}_bias", **more))
                           for group, more in (("i2h", bias), ("h2h", {}))]

    @property
    def state_info(self) -> list[dict[str, Any]]:
        """The info of each state, (N, num_hidden)."""
        return [{"shape": self._shape, "__layout__": self._state_layout} for _ in range(self._states)]

    def products(self, inputs: Any, state: Any, prefix: str) -> Any:
        """Return (W x + b, R h + d)."""
        rows = self._num_hidden * len(self._gate_names)
        return [symbol.FullyConnected(x, weight, bias, num_hidden=rows, name=f"{prefix}{group}")
                for x, (weight, bias), group in zip((inputs, state), self._variables, ("i2h", "h2h"), strict=True)]


class RNNCell(GatedCell):
    """Simple recurrent cell: h = activation(W x + b + R h + d). The output is h.

    num_hidden: the length of the output, and of a state.
    prefix: the prefix of its nodes' names.
    params: an RNNParams, shared by cells that share weights; None creates one.

    >>> cell = mx.rnn.RNNCell(1, activation="relu", prefix="rnn_")
    >>> outputs, states = cell.unroll(3, sym.var("data"), merge_outputs=True)
    >>> ones = {name: nd.ones((1, 1)) for name in ("rnn_i2h_weight", "rnn_h2h_weight")}
    >>> zeros = {name: nd.zeros((1,)) for name in ("rnn_i2h_bias", "rnn_h2h_bias")}
    >>> outputs.eval(data=nd.array([[[1], [2], [3]]]), **ones, **zeros)[0].asnumpy().ravel().tolist()     # sums so far
    [1.0, 3.0, 6.0]
    """

    @worded
    def __init__(self, num_hidden: int, activation: str = "tanh", prefix: str = "rnn_", params: Any = None) -> None:
        super().__init__(num_hidden, prefix, params)
        self._activation = activation

    @property
    def _gate_names(self):
        return ("",)

    def __call__(self, inputs: Any, states: Any) -> Any:
        """Return (h, [h])."""
        self._counter += 1
        prefix = f"{self._prefix}t{self._counter}_"
        output = self._get_activation(add(*self.products(inputs, states[0], prefix)), self._activation,
                                      name=f"{prefix}out")
        return output, [output]


class LSTMCell(GatedCell):
    """Long short-term memory. States: h, c. forget_bias: the initial value of the forget gate's bias.

    num_hidden: the length of the output, and of a state.
    prefix: the prefix of its nodes' names.
    params: an RNNParams, shared by cells that share weights; None creates one.

    >>> cell = mx.rnn.LSTMCell(4)
    >>> outputs, states = cell.unroll(3, sym.var("data"), merge_outputs=True)
    >>> outputs.infer_shape(data=(2, 3, 5))[1], len(states)
    ([(2, 3, 4)], 2)
    """

    _states = 2

    @worded
    def __init__(self, num_hidden: int, prefix: str = "lstm_", params: Any = None, forget_bias: float = 1.0) -> None:
        super().__init__(num_hidden, prefix, params, init=LSTMBias(forget_bias=forget_bias))

    @property
    def _gate_names(self):
        return ["_i", "_f", "_c", "_o"]

    def __call__(self, inputs: Any, states: Any) -> Any:
        """Return (h, [h, c])."""
        self._counter += 1
        prefix = f"{self._prefix}t{self._counter}_"
        gates = symbol.SliceChannel(add(*self.products(inputs, states[0], prefix)), num_outputs=4, **self._slicing,
                                    name=f"{prefix}slice")
        i, f, o = (symbol.Activation(gates[place], act_type="sigmoid", name=prefix + name)
                   for place, name in ((0, "i"), (1, "f"), (3, "o")))
        n = self._get_activation(gates[2], self._activation, name=f"{prefix}c")
        c = add(multiply(f, states[1]), multiply(i, n), name=f"{prefix}state")
        h = symbol.elemwise_mul(o, self._get_activation(c, self._activation), name=f"{prefix}out")
        return h, [h, c]


class GRUCell(GatedCell):
    """Gated recurrent unit that applies the reset gate after the product.

    num_hidden: the length of the output, and of a state.
    prefix: the prefix of its nodes' names.
    params: an RNNParams, shared by cells that share weights; None creates one.

    >>> cell = mx.rnn.GRUCell(4)
    >>> outputs, states = cell.unroll(3, sym.var("data"), merge_outputs=True)
    >>> outputs.infer_shape(data=(2, 3, 5))[1], len(states)
    ([(2, 3, 4)], 1)
    """

    _mark = "_"             # a part of the names that MXNet gives the products

    @worded
    def __init__(self, num_hidden: int, prefix: str = "gru_", params: Any = None) -> None:
        super().__init__(num_hidden, prefix, params)

    @property
    def _gate_names(self):
        return ["_r", "_z", "_o"]

    def __call__(self, inputs: Any, states: Any) -> Any:
        """Return (h, [h])."""
        self._counter += 1
        prefix = f"{self._prefix}t{self._counter}_"
        products = self.products(inputs, states[0], prefix + self._mark)
        x, s = (symbol.SliceChannel(part, num_outputs=3, **self._slicing, name=f"{prefix}_{group}_slice")
                for part, group in zip(products, ("i2h", "h2h"), strict=True))
        r = symbol.Activation(add(x[0], s[0]), act_type="sigmoid", name=f"{prefix}_r_act")
        z = symbol.Activation(add(x[1], s[1]), act_type="sigmoid", name=f"{prefix}_z_act")
        n = self._get_activation(add(x[2], multiply(r, s[2])), self._activation, name=f"{prefix}_h_act")
        h = add(multiply(1.0 - z, n), multiply(z, states[0]), name=f"{prefix}out")
        return h, [h]
