"""The base class of symbolic cells: parameters, states, `unroll`, and weights for each gate."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ... import name as names
from ... import ndarray as nd
from ... import symbol
from ...base import ArgumentError
from ...common.modifiable import Modifiable
from ...diagnostics.keywords import ChecksKeywords
from ...symbol import Symbol

__all__ = ["BaseRNNCell", "RNNParams"]


class RNNParams(ChecksKeywords):
    """Variables by name, created on first use. Cells with the same RNNParams share them.

    prefix: the prefix of the names.

    >>> params = mx.rnn.RNNParams("lstm_")
    >>> params.get("i2h_weight").name, params.get("i2h_weight") is params.get("i2h_weight")
    ('lstm_i2h_weight', True)
    """

    def __init__(self, prefix: str = "") -> None:
        self._prefix = prefix
        self._params = {}

    def get(self, name: str, **kwargs: Any) -> Any:
        """Return the variable '<prefix><name>'; kwargs are for `sym.var`."""
        name = self._prefix + name
        if name not in self._params:
            self._params[name] = symbol.Variable(name, **kwargs)
        return self._params[name]


class BaseRNNCell(Modifiable):
    """A cell: `output, states = cell(inputs, states)` adds one step to the graph. prefix: the prefix of its nodes'
    names.

    A subclass defines `state_info`, `_gate_names` and the step.

    params: an RNNParams, shared by cells that share weights; None creates one.

    >>> cell = mx.rnn.RNNCell(4, prefix="rnn_")
    >>> isinstance(cell, mx.rnn.BaseRNNCell)
    True
    >>> output, states = cell(sym.var("x"), cell.begin_state())
    >>> output.list_arguments()
    ['x', 'rnn_i2h_weight', 'rnn_i2h_bias', 'rnn_h2h_weight', 'rnn_h2h_bias']
    >>> cell.reset()
    >>> outputs, states = cell.unroll(3, sym.var("data"), merge_outputs=True)
    >>> outputs.infer_shape(data=(2, 3, 5))[1]
    [(2, 3, 4)]
    >>> cell.state_info, cell.state_shape, cell.params.get("i2h_bias").name
    ([{'shape': (0, 4), '__layout__': 'NC'}], [(0, 4)], 'rnn_i2h_bias')
    """

    _takes_steps = True

    def __init__(self, prefix: str = "", params: Any = None) -> None:
        self._own_params = params is None
        self._prefix = prefix
        self._params = RNNParams(prefix) if params is None else params
        self._modified = False          # whether the cell is inside a ModifierCell
        self.reset()

    def reset(self) -> None:
        """Reset the step counter used in names to 0. `unroll` calls it."""
        self._init_counter = self._counter = -1
        for cell in getattr(self, "_cells", ()):
            cell.reset()

    def __call__(self, inputs: Any, states: Any) -> Any:
        """Return (output, new states) after one step."""
        raise NotImplementedError(f"{type(self).__name__} does not support single steps. Use unroll.")

    @property
    def params(self) -> Any:
        """The variables, which another cell may share."""
        self._own_params = False
        return self._params

    @property
    def state_info(self) -> list[dict[str, Any]]:
        """[{'shape': (0, size), '__layout__': 'NC'}] for each state; 0 is the batch size, which is inferred."""
        raise NotImplementedError(f"{type(self).__name__} has no state_info")

    @property
    def state_shape(self) -> Any:
        """The shapes of the states."""
        return [info["shape"] for info in self.state_info]

    @property
    def _gate_names(self):
        return ()

    def begin_state(self, func: Callable[..., Any] = symbol.zeros, **kwargs: Any) -> list[Any]:
        """Return the initial states, a list of symbols.

        func: sym.zeros, sym.ones, sym.Variable, or a function with the same arguments.
        kwargs: arguments for func.
        """
        self._require_unmodified()
        states = []
        for info in self.state_info:
            self._init_counter += 1
            states.append(func(name=f"{self._prefix}begin_state_{self._init_counter}", **{**info, **kwargs}))
        return states

    def _name_in_messages(self):
        return f"with prefix {self._prefix!r}"

    # -- weights ------------------------------------------------------------------------------------------------

    def unpack_weights(self, args: Any) -> Any:
        """Return {name: array} with matrices and biases split into gates: 'lstm_i2h_i_weight', ...

        args: {name: array}.

        >>> cell = mx.rnn.LSTMCell(2, prefix="lstm_")
        >>> packed = {"lstm_i2h_weight": nd.arange(8).reshape((8, 1)), "lstm_i2h_bias": nd.zeros((8,)),
        ...           "lstm_h2h_weight": nd.zeros((8, 2)), "lstm_h2h_bias": nd.zeros((8,))}
        >>> apart = cell.unpack_weights(packed)
        >>> apart["lstm_i2h_f_weight"].asnumpy().ravel().tolist(), cell.pack_weights(apart)["lstm_i2h_weight"].shape
        ([2.0, 3.0], (8, 1))
        """
        args = dict(args)
        for joint, parts in self._gated_names():
            value = args.pop(joint)
            size = self._num_hidden
            args.update({part: value[i * size:(i + 1) * size].copy() for i, part in enumerate(parts)})
        return args

    def pack_weights(self, args: Any) -> Any:
        """Undo `unpack_weights`.

        args: {name: array}.

        >>> cell = mx.rnn.RNNCell(2, prefix="rnn_")
        >>> values = {f"rnn_{side}_{part}": nd.ones((2, 1)) for side in ("i2h", "h2h") for part in ("weight", "bias")}
        >>> sorted(cell.pack_weights(cell.unpack_weights(values)))
        ['rnn_h2h_bias', 'rnn_h2h_weight', 'rnn_i2h_bias', 'rnn_i2h_weight']
        """
        args = dict(args)
        for joint, parts in self._gated_names():
            values = [args.pop(part) for part in parts]
            args[joint] = nd.concat(*values, dim=0) if len(values) > 1 else values[0]
        return args

    def _gated_names(self):
        """Return [(name of a matrix or bias, names of the parts for its gates)]."""
        if not self._gate_names:
            return []
        return [(f"{self._prefix}{group}_{kind}", [f"{self._prefix}{group}{gate}_{kind}" for gate in self._gate_names])
                for group in ("i2h", "h2h") for kind in ("weight", "bias")]

    # -- sequences ----------------------------------------------------------------------------------------------

    def unroll(self, length: int, inputs: Any, begin_state: Any = None, layout: str = "NTC",
               merge_outputs: bool | None = None) -> tuple[Any, Any]:
        """Add `length` steps to the graph and return (outputs, states).

        inputs: a symbol in the given layout, or a list with one symbol per step | begin_state: zeros if None
        layout: 'NTC' or 'TNC' | merge_outputs: whether to return one symbol instead of a list
        """
        self.reset()
        steps, _ = normalize(length, inputs, layout, False)
        states = self.begin_state() if begin_state is None else begin_state
        outputs = []
        for step in steps:
            output, states = self(step, states)
            outputs.append(output)
        return normalize(length, outputs, layout, merge_outputs)[0], states

    def _get_activation(self, inputs, activation, **kwargs):
        """Return the inputs after an activation, which is given by name or as a function of symbols."""
        if isinstance(activation, str):
            return symbol.Activation(inputs, act_type=activation, **kwargs)
        if not callable(activation):
            raise ArgumentError(f"{type(self).__name__}: activation is {activation!r}, expected a name such as 'tanh', "
                                "or a function")
        return activation(inputs, **kwargs)


def normalize(length: int, inputs: Any, layout: Any, merge: Any) -> tuple[Any, int]:
    """Return (inputs as one symbol if merge is True, as a list if False, unchanged if None; the time axis)."""
    if layout not in ("NTC", "TNC"):
        raise ArgumentError(f"unroll: layout is {layout!r}, expected 'NTC' or 'TNC'")
    axis = layout.find("T")
    if isinstance(inputs, Symbol):
        if merge is False:
            if len(inputs.list_outputs()) != 1:
                raise ArgumentError(f"unroll takes one symbol or a list, found a symbol with "
                                    f"{len(inputs.list_outputs())} outputs. Pass list(inputs) if they are the steps.")
            inputs = list(symbol.split(inputs, axis=axis, num_outputs=length, squeeze_axis=1))
        return inputs, axis
    if not isinstance(inputs, (list, tuple)):
        raise ArgumentError(f"unroll: the second argument, inputs, is {inputs!r}, expected a symbol, or a list with "
                            "one for each step. Write cell.unroll(length, inputs).")
    if length is not None and len(inputs) != length:
        raise ArgumentError(f"unroll of length {length} got inputs for {len(inputs)} steps")
    if merge:
        inputs = symbol.Concat(*[symbol.expand_dims(x, axis=axis) for x in inputs], dim=axis)
    return inputs, axis


def add(a: Any, b: Any, name: str | None = None) -> Symbol:
    """Return a + b for equal shapes, without the broadcasting of Python's operator."""
    return symbol.elemwise_add(a, b, name=name or names.current().get(None, "_plus"))


def multiply(a: Any, b: Any) -> Symbol:
    """Return a · b for equal shapes."""
    return symbol.elemwise_mul(a, b, name=names.current().get(None, "_mul"))
