"""A stack of recurrent layers as a single operator, `sym.RNN`, with all weights in one vector."""

from __future__ import annotations

from typing import Any

import numpy as np

from ... import ndarray as nd
from ... import symbol
from ...base import ArgumentError
from ...diagnostics import strictness
from ...diagnostics.argument_kinds import worded
from ...initializer import FusedRNN
from ...ops import REGISTRY
from ...ops.rnn.layout import input_size_of, parameter_shapes, size_of_all, views
from .base_cell import BaseRNNCell, normalize
from .containers import BidirectionalCell, SequentialRNNCell
from .modifiers import DropoutCell
from .rnn_cell import GRUCell, LSTMCell, RNNCell

__all__ = ["FusedRNNCell"]


class FusedRNNCell(BaseRNNCell):
    """num_layers layers of mode 'rnn_relu', 'rnn_tanh', 'lstm' or 'gru', in one or both directions.

    It does not support individual steps. dropout: the probability of dropping outputs between layers.
    get_next_state: whether `unroll` returns the last states.
    forget_bias: the initial value of the lstm's forget gate biases.
    num_hidden: the length of a state of one layer and direction.
    bidirectional: whether to also read the sequence backwards; outputs are concatenated.
    prefix: the prefix of its nodes' names.
    params: an RNNParams, shared by cells that share weights; None creates one.

    >>> cell = mx.rnn.FusedRNNCell(4, num_layers=2, mode="lstm", prefix="lstm_")
    >>> outputs, states = cell.unroll(3, sym.var("data"), layout="TNC", merge_outputs=True)
    >>> outputs.infer_shape(data=(3, 2, 5))[1]
    [(3, 2, 4)]
    >>> type(cell.unfuse()).__name__
    'SequentialRNNCell'
    """

    _takes_steps = False

    @worded
    def __init__(self, num_hidden: int, num_layers: int = 1, mode: str = "lstm", bidirectional: bool = False,
                 dropout: float = 0.0, get_next_state: bool = False, forget_bias: float = 1.0,
                 prefix: str | None = None, params: Any = None) -> None:
        super().__init__(prefix=f"{mode}_" if prefix is None else prefix, params=params)
        self._num_hidden, self._num_layers, self._mode = num_hidden, num_layers, mode
        self._bidirectional, self._dropout, self._get_next_state = bidirectional, dropout, get_next_state
        self._parameter = self._params.get("parameters", init=FusedRNN(None, num_hidden, num_layers, mode,
                                                                       bidirectional, forget_bias))
        self._op = REGISTRY["RNN"](state_size=num_hidden, num_layers=num_layers, mode=mode,
                                   bidirectional=bidirectional)

    @property
    def state_info(self) -> list[dict[str, Any]]:
        """The info of the state, or of two states for lstm, each (layers · directions, N, num_hidden)."""
        shape = (self._num_layers * (2 if self._bidirectional else 1), 0, self._num_hidden)
        return [{"shape": shape, "__layout__": "LNC"} for _ in range(2 if self._mode == "lstm" else 1)]

    @property
    def _gate_names(self):
        return {"lstm": ["_i", "_f", "_c", "_o"], "gru": ["_r", "_z", "_o"]}.get(self._mode, [""])

    @property
    def _num_gates(self):
        return len(self._gate_names)

    def unroll(self, length: int, inputs: Any, begin_state: Any = None, layout: str = "NTC",
               merge_outputs: bool | None = None) -> tuple[Any, Any]:
        """Unroll the entire sequence; see `BaseRNNCell.unroll`. Without get_next_state, the list of states is empty."""
        self.reset()
        inputs, axis = normalize(length, inputs, layout, True)
        if axis == 1:
            strictness.warn("FusedRNNCell: with layout NTC the axes are swapped before and after; TNC is faster.")
            inputs = symbol.swapaxes(inputs, dim1=0, dim2=1)
        states = self.begin_state() if begin_state is None else begin_state
        attr = {"__layout__": "LNC"} if self._get_next_state else {}
        result = symbol.RNN(inputs, self._parameter, *states, state_size=self._num_hidden,
                            num_layers=self._num_layers, bidirectional=self._bidirectional, p=self._dropout,
                            state_outputs=self._get_next_state, mode=self._mode, name=f"{self._prefix}rnn", attr=attr)
        outputs, *states = [result[i] for i in range(1 + len(states) * self._get_next_state)]
        if axis == 1:
            outputs = symbol.swapaxes(outputs, dim1=0, dim2=1)
        return normalize(length, outputs, layout, merge_outputs)[0], states

    def unfuse(self) -> Any:
        """Return the same net as a stack of cells. Transfer weights with `unpack_weights` and the stack's
        `pack_weights`."""
        stack = SequentialRNNCell()
        for layer in range(self._num_layers):
            cells = [self._cell(f"{self._prefix}{side}{layer}_") for side in ("lr" if self._bidirectional else "l")]
            stack.add(BidirectionalCell(*cells, output_prefix=f"{self._prefix}bi_l{layer}_") if self._bidirectional
                      else cells[0])
            if self._dropout > 0 and layer + 1 < self._num_layers:
                stack.add(DropoutCell(self._dropout, prefix=f"{self._prefix}_dropout{layer}_"))
        return stack

    def _cell(self, prefix):
        if self._mode.startswith("rnn_"):
            return RNNCell(self._num_hidden, activation=self._mode[len("rnn_"):], prefix=prefix)
        return {"lstm": LSTMCell, "gru": GRUCell}[self._mode](self._num_hidden, prefix=prefix)

    # -- weights ------------------------------------------------------------------------------------------------

    def unpack_weights(self, args: Any) -> Any:
        """Return {name: array} with the vector split into matrices and biases of gates, 'lstm_l0_i2h_i_weight', ..."""
        args = dict(args)
        packed = args.pop(self._parameter.name)
        size = input_size_of(self._op, packed.size)
        if size is None:
            raise ArgumentError(f"FusedRNNCell: {self._parameter.name!r} has {packed.size} elements, which match no "
                                f"number of inputs for {self._op!r}")
        for name, value in views(packed.asnumpy(), parameter_shapes(self._op, size)).items():
            blocks = np.split(value, self._num_gates)
            args.update({part: nd.array(block, ctx=packed.context, dtype=packed.dtype)
                         for part, block in zip(self._parts(name), blocks, strict=True)})
        return args

    def pack_weights(self, args: Any) -> Any:
        """Undo `unpack_weights`."""
        args = dict(args)
        first = args[f"{self._prefix}l0_i2h{self._gate_names[0]}_weight"]
        shapes = parameter_shapes(self._op, first.shape[1])
        packed = np.empty(size_of_all(shapes), first.dtype)
        for name, view in views(packed, shapes).items():
            view[...] = np.concatenate([args.pop(part).asnumpy() for part in self._parts(name)])
        args[self._parameter.name] = nd.array(packed, ctx=first.context, dtype=first.dtype)
        return args

    def _parts(self, name):
        """Return the prefixed names of the parts of a name such as 'l0_i2h_weight', one for each gate."""
        joint, kind = name.rsplit("_", 1)
        return [f"{self._prefix}{joint}{gate}_{kind}" for gate in self._gate_names]
