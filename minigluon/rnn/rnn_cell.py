"""The cells that compute: plain, LSTM and GRU. Their formulas are in `ops/rnn_cells.py`."""

from .. import symbol
from ..initializer import LSTMBias
from .base_cell import BaseRNNCell, add, multiply

__all__ = ["GRUCell", "LSTMCell", "RNNCell"]


class _GatedCell(BaseRNNCell):
    """Two matrices and two biases, each with the rows of all gates one after the other."""

    def __init__(self, num_hidden, prefix, params, **bias):
        super().__init__(prefix=prefix, params=params)
        self._num_hidden = num_hidden
        self._variables = [(self._params.get(f"{group}_weight"), self._params.get(f"{group}_bias", **more))
                           for group, more in (("i2h", bias), ("h2h", {}))]

    @property
    def state_info(self):
        """One state, (N, num_hidden)."""
        return [{"shape": (0, self._num_hidden), "__layout__": "NC"}]

    def products(self, inputs, state, prefix):
        """(W x + b, R h + d)"""
        rows = self._num_hidden * len(self._gate_names)
        return [symbol.FullyConnected(x, weight, bias, num_hidden=rows, name=f"{prefix}{group}")
                for x, (weight, bias), group in zip((inputs, state), self._variables, ("i2h", "h2h"), strict=True)]


class RNNCell(_GatedCell):
    """h = activation(W x + b + R h + d). The output is h."""

    def __init__(self, num_hidden, activation="tanh", prefix="rnn_", params=None):
        super().__init__(num_hidden, prefix, params)
        self._activation = activation

    @property
    def _gate_names(self):
        return ("",)

    def __call__(self, inputs, states):
        """(h, [h])"""
        self._counter += 1
        prefix = f"{self._prefix}t{self._counter}_"
        output = self._get_activation(add(*self.products(inputs, states[0], prefix)), self._activation,
                                      name=f"{prefix}out")
        return output, [output]


class LSTMCell(_GatedCell):
    """Long short-term memory. States: h, c. forget_bias: the first value of the forget gate's bias."""

    def __init__(self, num_hidden, prefix="lstm_", params=None, forget_bias=1.0):
        super().__init__(num_hidden, prefix, params, init=LSTMBias(forget_bias=forget_bias))

    @property
    def state_info(self):
        """Two states, h and c, each (N, num_hidden)."""
        return [*super().state_info, *super().state_info]

    @property
    def _gate_names(self):
        return ["_i", "_f", "_c", "_o"]

    def __call__(self, inputs, states):
        """(h, [h, c])"""
        self._counter += 1
        prefix = f"{self._prefix}t{self._counter}_"
        gates = symbol.SliceChannel(add(*self.products(inputs, states[0], prefix)), num_outputs=4,
                                    name=f"{prefix}slice")
        i, f, n, o = (symbol.Activation(gate, act_type=act_type, name=prefix + name) for gate, act_type, name in zip(
            gates, ("sigmoid", "sigmoid", "tanh", "sigmoid"), "ifco", strict=True))
        c = add(multiply(f, states[1]), multiply(i, n), name=f"{prefix}state")
        h = symbol.elemwise_mul(o, symbol.Activation(c, act_type="tanh"), name=f"{prefix}out")
        return h, [h, c]


class GRUCell(_GatedCell):
    """Gated recurrent unit, with the reset gate after the product."""

    def __init__(self, num_hidden, prefix="gru_", params=None):
        super().__init__(num_hidden, prefix, params)

    @property
    def _gate_names(self):
        return ["_r", "_z", "_o"]

    def __call__(self, inputs, states):
        """(h, [h])"""
        self._counter += 1
        prefix = f"{self._prefix}t{self._counter}_"
        x, s = (symbol.SliceChannel(part, num_outputs=3, name=f"{prefix}_{group}_slice")
                for part, group in zip(self.products(inputs, states[0], f"{prefix}_"), ("i2h", "h2h"), strict=True))
        r = symbol.Activation(add(x[0], s[0]), act_type="sigmoid", name=f"{prefix}_r_act")
        z = symbol.Activation(add(x[1], s[1]), act_type="sigmoid", name=f"{prefix}_z_act")
        n = symbol.Activation(add(x[2], multiply(r, s[2])), act_type="tanh", name=f"{prefix}_h_act")
        h = add(multiply(1.0 - z, n), multiply(z, states[0]), name=f"{prefix}out")
        return h, [h]
