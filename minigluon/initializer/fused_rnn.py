"""Initialization of the parameter vector of a fused recurrent network."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..base import ArgumentError
from ..ndarray import array
from ..ops import REGISTRY
from ..ops.rnn.layout import GATES, input_size_of, parameter_shapes, views
from .initializer import InitDesc, Initializer, create, register

__all__ = ["FusedRNN"]


@register
class FusedRNN(Initializer):
    """Initializer that fills each matrix and bias in the vector `parameters` of `sym.RNN` separately, gate by gate.

    init: the initializer for all of them; None uses the network's initializer.
    num_hidden, num_layers, mode, bidirectional: determine the layout of the vector, as in `rnn.FusedRNNCell`.
    forget_bias: the initial value of the LSTM's forget-gate biases.

    >>> array = nd.ones((16,))          # 4 + 4 weights, 4 + 4 biases: input, state and output have one number each
    >>> fill = init.FusedRNN(init.Zero(), num_hidden=1, num_layers=1, mode="lstm")
    >>> fill(init.InitDesc("lstm_parameters", {"__init__": fill.dumps()}), array)
    >>> array.asnumpy().tolist()
    [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0]
    """

    def __init__(self, init: Any, num_hidden: int, num_layers: int, mode: str, bidirectional: bool = False,
                 forget_bias: float = 1.0) -> None:
        init = create(init) if isinstance(init, str) else init
        super().__init__(init=None if init is None else init.dumps(), num_hidden=num_hidden, num_layers=num_layers,
                         mode=mode, bidirectional=bidirectional, forget_bias=forget_bias)
        self._init, self._forget_bias = init, forget_bias
        self._op = REGISTRY["RNN"](state_size=num_hidden, num_layers=num_layers, mode=mode,
                                   bidirectional=bidirectional)

    def _init_weight(self, name, arr):
        size = input_size_of(self._op, arr.size)
        if size is None:
            raise ArgumentError(f"FusedRNN: {name} has {arr.size} elements, which match no number of inputs for "
                                f"{self._op!r}")
        shapes = parameter_shapes(self._op, size)
        packed = np.empty(arr.size, arr.dtype)
        for part, view in views(packed, shapes).items():
            joint, kind = part.rsplit("_", 1)
            for gate, block in zip(_gate_names(self._op.mode), np.split(view, GATES[self._op.mode]), strict=True):
                block[...] = self._first_values(name, f"{joint}{gate}_{kind}", block)
        arr[:] = array(packed, dtype=arr.dtype)

    def _first_values(self, name, part, block):
        if part.endswith("_f_bias"):
            return self._forget_bias
        init = self._init or getattr(name, "global_init", None)
        if init is None:
            raise ArgumentError(f"FusedRNN: {name} has no initializer for its parts. Pass init to FusedRNN, or "
                                "initialize the whole net with one.")
        values = array(np.zeros(block.shape), dtype=block.dtype)
        init(InitDesc(part, global_init=getattr(name, "global_init", None)), values)
        return values.asnumpy()


def _gate_names(mode):
    return {"lstm": ("_i", "_f", "_c", "_o"), "gru": ("_r", "_z", "_o")}.get(mode, ("",))
