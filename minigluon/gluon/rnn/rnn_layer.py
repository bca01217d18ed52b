"""Layers that run an entire sequence as one operator, `F.RNN`."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ... import ndarray, symbol
from ...base import ArgumentError, CallError, MXNetError, ShapeError
from ...common.docstrings import share_docstring
from ...common.dtypes import as_dtype
from ...common.shape_semantics import write
from ...common.types import DType
from ..hybrid_block import HybridBlock
from ..nn.sizes import check_length, check_rate
from .containers import BidirectionalCell, HybridSequentialRNNCell
from .modifiers import DropoutCell
from .recurrent import make_state
from .rnn_cell import GRUCell, LSTMCell, RNNCell

if TYPE_CHECKING:
    from ...initializer import Initializer

__all__ = ["GRU", "LSTM", "RNN"]

MAX_LAYERS = 2 ** 16        # a larger number is a mistake and would fill the memory with names

GATES = {"rnn_relu": 1, "rnn_tanh": 1, "lstm": 4, "gru": 3}
_PARAMETER = re.compile(r"([lr])(\d+)_(.*)")        # 'l0_i2h_weight'


class _RNNLayer(HybridBlock):
    """Base class of the three layers. Parameters are named by direction and layer: l0_i2h_weight, r0_i2h_weight, l1_...

    inputs (T, N, C), or (N, T, C) with layout NTC | output (T, N, directions · hidden_size), or (N, T, ...)
    states, in and out: a list of (num_layers · directions, N, hidden_size); if omitted, zeros are used and no states
    are returned

    hidden_size: the length of a state.
    num_layers: the number of layers; each takes the output of the previous one.
    layout: the layout of input and output, 'TNC' or 'NTC'.
    dropout: the probability of dropping outputs between layers in training.
    bidirectional: if True, add a backward direction.
    i2h_weight_initializer, h2h_weight_initializer, i2h_bias_initializer, h2h_bias_initializer: the initializers of W,
    R, b and d.
    input_size: 0 infers it in the first forward pass.
    dtype: the dtype of parameters and states.
    use_sequence_length: whether the call takes `sequence_length`, (N,).
    """

    def __init__(self, hidden_size: int, num_layers: int, layout: str, dropout: float, bidirectional: bool,
                 input_size: int, i2h_weight_initializer: str | Initializer, h2h_weight_initializer: str | Initializer,
                 i2h_bias_initializer: str | Initializer, h2h_bias_initializer: str | Initializer, mode: str,
                 projection_size: int, h2r_weight_initializer: str | Initializer, lstm_state_clip_min: Any,
                 lstm_state_clip_max: Any, lstm_state_clip_nan: Any, dtype: DType, use_sequence_length: bool = False,
                 **kwargs: Any) -> None:
        super().__init__(**kwargs)
        if layout not in ("TNC", "NTC"):
            raise ArgumentError(f"{type(self).__name__}: layout is {layout!r}, expected 'TNC' or 'NTC'")
        check_length(self, "hidden_size", hidden_size)
        check_length(self, "num_layers", num_layers)
        if num_layers > MAX_LAYERS:
            raise ArgumentError(f"{type(self).__name__}: num_layers is {num_layers}, expected at most {MAX_LAYERS}")
        check_rate(self, "dropout", dropout)
        self._hidden_size, self._num_layers, self._mode = hidden_size, num_layers, mode
        self._layout, self._dropout, self._dir = layout, dropout, 2 if bidirectional else 1
        self._input_size, self._projection_size = input_size, projection_size
        self._clip = lstm_state_clip_min, lstm_state_clip_max, lstm_state_clip_nan
        self._dtype, self._use_sequence_length = dtype, use_sequence_length
        self._initializers = {"i2h_weight": i2h_weight_initializer, "h2h_weight": h2h_weight_initializer,
                              "i2h_bias": i2h_bias_initializer, "h2h_bias": h2h_bias_initializer}
        out, rows = projection_size or hidden_size, GATES[mode] * hidden_size
        self._directions = [f"{side}{layer}" for layer in range(num_layers) for side in "lr"[:self._dir]]
        for name in self._directions:
            inputs = input_size if name[1:] == "0" else out * self._dir
            shapes = {"i2h_weight": (rows, inputs), "h2h_weight": (rows, out), "i2h_bias": (rows,), "h2h_bias": (rows,)}
            for part, shape in shapes.items():
                self._register_param(f"{name}_{part}", shape, self._initializers[part], dtype)
            if projection_size:
                self._register_param(f"{name}_h2r_weight", (out, hidden_size), h2r_weight_initializer, dtype)

    def _register_param(self, name, shape, init, dtype):
        setattr(self, name, self.params.get(name, shape=shape, init=init, allow_deferred_init=True, dtype=dtype))

    def __repr__(self) -> str:
        inputs = self.l0_i2h_weight.shape[1] or None
        parts = [f"{inputs} -> {self._hidden_size}", self._layout,
                 *([f"num_layers={self._num_layers}"] if self._num_layers != 1 else []),
                 *([f"dropout={self._dropout}"] if self._dropout else []),
                 *(["bidirectional"] if self._dir == 2 else [])]
        return f"{type(self).__name__}({', '.join(parts)})"

    def _collect_params_with_prefix(self, prefix=""):
        """Return parameters under the names of the cells created by `unfuse`, which files use, as in MXNet."""
        named = {}
        for key, param in self._reg_params.items():
            side, layer, part = _PARAMETER.fullmatch(key).groups()
            cell = f"{side}_cell." if self._dir == 2 else ""
            named[f"{prefix + '.' if prefix else ''}_unfused.{layer}.{cell}{part}"] = param
        return named

    def cast(self, dtype: DType) -> None:
        """Convert the parameters, and the states of `begin_state`, to another dtype."""
        super().cast(dtype)
        self._dtype = dtype

    # -- states -------------------------------------------------------------------------------------------------

    def state_info(self, batch_size: int = 0) -> list[dict[str, Any]]:
        """Return [{'shape': ..., '__layout__': 'LNC', 'dtype': ...}] for each state.

        batch_size: 0 if unknown.
        """
        lead = self._num_layers * self._dir, batch_size
        sizes = [self._projection_size or self._hidden_size, self._hidden_size][:2 if self._mode == "lstm" else 1]
        return [{"shape": (*lead, size), "__layout__": "LNC", "dtype": self._dtype} for size in sizes]

    def begin_state(self, batch_size: int = 0, func: Callable[..., Any] = ndarray.zeros, **kwargs: Any) -> list[Any]:
        """Return the initial states, a list.

        batch_size: the number of sequences.
        func: a function that creates a state from `shape` and dtype, like nd.zeros and sym.zeros.
        kwargs: arguments for func, such as ctx; they override `state_info`.
        """
        return [make_state(func, f"{self.prefix}h0_{number}", {**info, **kwargs})
                for number, info in enumerate(self.state_info(batch_size))]

    # -- running ------------------------------------------------------------------------------------------------

    def __call__(self, inputs: Any, states: Any = None, sequence_length: Any = None, **kwargs: Any) -> Any:
        """Return output, or (output, states) if states are given.

        inputs (T, N, C), or (N, T, C) with layout NTC | states a list, or the only state
        sequence_length (N,), with use_sequence_length | output (T, N, directions · out), or (N, T, ...)
        """
        if kwargs:
            raise CallError(f"{type(self).__name__} {self.name!r} takes inputs, states and sequence_length, found "
                            f"{', '.join(kwargs)}")
        skip = states is None
        is_array = isinstance(inputs, ndarray.NDArray)
        if skip and is_array:
            batch = inputs.shape[self._layout.find("N")] if inputs.ndim == 3 else 0
            states = inputs._to_own_class(self.begin_state(batch, ctx=inputs.context, dtype=inputs.dtype))
        elif skip:
            states = self.begin_state(write((None,))[0], func=symbol.zeros)
        states = list(states) if isinstance(states, (list, tuple)) else [states]
        if is_array:
            self._check(inputs, states, sequence_length)
        if self._use_sequence_length or sequence_length is not None:
            return super().__call__(inputs, states, sequence_length, skip)
        return super().__call__(inputs, states, None, skip)

    def _check(self, inputs, states, sequence_length):
        """Raise ArgumentError or ShapeError, with the expected shapes, for arrays that do not match."""
        described = f"{type(self).__name__} {self.name!r}"
        if inputs.ndim != 3:
            raise ArgumentError(f"{described}: inputs have shape {inputs.shape}, expected three dimensions, "
                                f"{self._layout}: time, batch and features")
        batch = inputs.shape[self._layout.find("N")]
        expected = [info["shape"] for info in self.state_info(batch)]
        shapes = [getattr(state, "shape", f"a {type(state).__name__}") for state in states]
        if shapes != expected:
            raise ArgumentError(f"{described}: the states have shapes {shapes}, expected {expected}, that is (layers · "
                                f"directions, batch, size). begin_state(batch_size={batch}) returns such states.")
        features = self.l0_i2h_weight.shape[1]
        if features > 0 and inputs.shape[2] != features:
            error = ShapeError(f"{described}: inputs have shape {inputs.shape}, expected {features} features "
                               f"({self._layout})")
            self._name_parameter(error, self.l0_i2h_weight)
            raise error
        if self._use_sequence_length and sequence_length is None:
            raise ArgumentError(f"{described}: sequence_length is missing, but the layer was created with "
                                "use_sequence_length=True")
        if sequence_length is not None and not self._use_sequence_length:
            raise ArgumentError(f"{described}: sequence_length was given, but the layer was created without "
                                "use_sequence_length=True")

    def hybrid_forward(self, F: Any, inputs: Any, states: Any, sequence_length: Any = None, skip_states: bool = False,
                       **params: Any) -> Any:
        """Run the operator RNN, with all parameters in one vector."""
        if self._layout == "NTC":
            inputs = F.swapaxes(inputs, dim1=0, dim2=1)
        lengths = {"sequence_length": sequence_length} if self._use_sequence_length else {}
        least, most, clip_nan = self._clip
        result = F.RNN(inputs, self._packed(F, params), *states, **lengths, state_size=self._hidden_size,
                       projection_size=self._projection_size, num_layers=self._num_layers,
                       bidirectional=self._dir == 2, p=self._dropout, state_outputs=True, mode=self._mode,
                       lstm_state_clip_min=least, lstm_state_clip_max=most, lstm_state_clip_nan=clip_nan,
                       use_sequence_length=self._use_sequence_length)
        output, *states = [result[i] for i in range(1 + len(states))]
        if self._layout == "NTC":
            output = F.swapaxes(output, dim1=0, dim2=1)
        return output if skip_states else (output, states)

    def _packed(self, F, params):
        """Return all matrices, then all biases, by direction, in the order of `ops.rnn.layout.parameter_shapes`."""
        weights = ["i2h_weight", "h2h_weight", *["h2r_weight"] * bool(self._projection_size)]
        names = [f"{name}_{part}" for parts in (weights, ["i2h_bias", "h2h_bias"])
                 for name in self._directions for part in parts]
        return F._rnn_param_concat(*[F.reshape(params[name], shape=-1) for name in names], dim=0)

    # -- conversion to cells ------------------------------------------------------------------------------------

    def unfuse(self) -> Any:
        """Return an equivalent stack of cells that share the layer's parameters.

        Raises MXNetError with projection_size, because this module has no cell with a projection.

        >>> layer = gluon.rnn.LSTM(4, num_layers=2)
        >>> layer.initialize()
        >>> out = layer(nd.ones((7, 5, 3)))
        >>> outputs, states = layer.unfuse().unroll(7, nd.ones((7, 5, 3)), layout="TNC", merge_outputs=True)
        >>> bool((abs(out - outputs) < 1e-6).asnumpy().all())
        True
        """
        if self._projection_size:
            raise MXNetError(f"{type(self).__name__} {self.name!r}: unfuse has no cells for projection_size="
                             f"{self._projection_size}")
        stack = HybridSequentialRNNCell(prefix=self.prefix, params=self.params)
        with stack.name_scope():
            for layer in range(self._num_layers):
                size = self._input_size if layer == 0 else self._hidden_size * self._dir
                cells = [self._cell(f"{side}{layer}_", size) for side in "lr"[:self._dir]]
                stack.add(BidirectionalCell(*cells) if self._dir == 2 else cells[0])
                if self._dropout > 0 and layer + 1 < self._num_layers:
                    stack.add(DropoutCell(self._dropout))
        return stack

    _unfuse = unfuse            # MXNet's name

    def _cell(self, prefix, input_size):
        how = {f"{part}_initializer": init for part, init in self._initializers.items()}
        kind = {"lstm": LSTMCell, "gru": GRUCell}.get(self._mode, RNNCell)
        if kind is RNNCell:
            how["activation"] = self._mode[len("rnn_"):]
        cell = kind(self._hidden_size, input_size=input_size, prefix=prefix, **how)
        cell.cast(as_dtype(self._dtype))
        return cell


class RNN(_RNNLayer):
    """Simple recurrent layer, h = activation(W x + b + R h + d), for an entire sequence in one operator.

    activation: 'relu' or 'tanh'.

    Source: Elman 1990, Finding Structure in Time.

    >>> layer = gluon.rnn.RNN(1, activation="relu", layout="NTC", input_size=1)
    >>> layer.initialize(init.One())
    >>> layer(nd.array([[[1], [2], [3]]])).asnumpy().tolist()           # the sums so far
    [[[1.0], [3.0], [6.0]]]
    """

    def __init__(self, hidden_size: int, num_layers: int = 1, activation: str = "relu", layout: str = "TNC",
                 dropout: float = 0, bidirectional: bool = False,
                 i2h_weight_initializer: str | Initializer | None = None,
                 h2h_weight_initializer: str | Initializer | None = None,
                 i2h_bias_initializer: str | Initializer = "zeros", h2h_bias_initializer: str | Initializer = "zeros",
                 input_size: int = 0, dtype: DType = "float32", **kwargs: Any) -> None:
        if activation not in ("relu", "tanh"):
            raise ArgumentError(f"RNN: activation is {activation!r}, expected 'relu' or 'tanh'. The cell rnn.RNNCell "
                                "accepts any.")
        super().__init__(hidden_size, num_layers, layout, dropout, bidirectional, input_size, i2h_weight_initializer,
                         h2h_weight_initializer, i2h_bias_initializer, h2h_bias_initializer, f"rnn_{activation}", None,
                         None, None, None, False, dtype, **kwargs)


class LSTM(_RNNLayer):
    """Long short-term memory: `LSTMCell` for an entire sequence, in one operator. States: h, then the cell c.

    projection_size: the length of the projected state, which is h times a matrix (h2r_weight).
    h2r_weight_initializer: the initializer of this matrix.
    state_clip_min, state_clip_max: bounds of the cell state.
    state_clip_nan: if True, replace NaN with the lower bound.

    Source: Hochreiter and Schmidhuber 1997, Long Short-Term Memory.

    >>> layer = gluon.rnn.LSTM(4, num_layers=2, bidirectional=True)
    >>> layer.initialize()
    >>> layer(nd.ones((7, 5, 3))).shape
    (7, 5, 8)
    >>> output, states = layer(nd.ones((7, 5, 3)), layer.begin_state(batch_size=5))
    >>> [state.shape for state in states], len(layer.state_info())
    ([(4, 5, 4), (4, 5, 4)], 2)
    """

    def __init__(self, hidden_size: int, num_layers: int = 1, layout: str = "TNC", dropout: float = 0,
                 bidirectional: bool = False, input_size: int = 0,
                 i2h_weight_initializer: str | Initializer | None = None,
                 h2h_weight_initializer: str | Initializer | None = None,
                 i2h_bias_initializer: str | Initializer = "zeros", h2h_bias_initializer: str | Initializer = "zeros",
                 projection_size: int | None = None, h2r_weight_initializer: str | Initializer | None = None,
                 state_clip_min: float | None = None, state_clip_max: float | None = None, state_clip_nan: bool = False,
                 dtype: DType = "float32", **kwargs: Any) -> None:
        super().__init__(hidden_size, num_layers, layout, dropout, bidirectional, input_size, i2h_weight_initializer,
                         h2h_weight_initializer, i2h_bias_initializer, h2h_bias_initializer, "lstm", projection_size,
                         h2r_weight_initializer, state_clip_min, state_clip_max, state_clip_nan, dtype, **kwargs)


class GRU(_RNNLayer):
    """Gated recurrent unit: `GRUCell` for an entire sequence, in one operator. The only state is h.

    Source: Cho et al. 2014, Learning Phrase Representations using RNN Encoder-Decoder.

    >>> layer = gluon.rnn.GRU(4)
    >>> layer.initialize()
    >>> layer(nd.ones((7, 5, 3))).shape
    (7, 5, 4)
    >>> output, states = layer(nd.ones((7, 5, 3)), layer.begin_state(batch_size=5))
    >>> states[0].shape, layer.state_info(batch_size=5)[0]["shape"]
    ((1, 5, 4), (1, 5, 4))
    """

    def __init__(self, hidden_size: int, num_layers: int = 1, layout: str = "TNC", dropout: float = 0,
                 bidirectional: bool = False, input_size: int = 0,
                 i2h_weight_initializer: str | Initializer | None = None,
                 h2h_weight_initializer: str | Initializer | None = None,
                 i2h_bias_initializer: str | Initializer = "zeros", h2h_bias_initializer: str | Initializer = "zeros",
                 dtype: DType = "float32", **kwargs: Any) -> None:
        super().__init__(hidden_size, num_layers, layout, dropout, bidirectional, input_size, i2h_weight_initializer,
                         h2h_weight_initializer, i2h_bias_initializer, h2h_bias_initializer, "gru", None, None, None,
                         None, False, dtype, **kwargs)


share_docstring(_RNNLayer, RNN, LSTM, GRU)
