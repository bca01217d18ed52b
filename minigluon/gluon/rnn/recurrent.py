"""The base class of cells: states, steps, and `unroll`, which runs all steps of a sequence."""

from __future__ import annotations

import inspect
import numbers
from collections.abc import Callable
from types import ModuleType
from typing import TYPE_CHECKING, Any

from ... import ndarray, symbol
from ...base import ArgumentError, CallError
from ...common.modifiable import Modifiable
from ...common.shape_semantics import write
from ...ndarray.exports import in_current_class
from ..block import Block
from ..hybrid_block import HybridBlock
from ..nn.activations import LeakyReLU

if TYPE_CHECKING:
    pass

__all__ = ["HybridRecurrentCell", "RecurrentCell", "make_state", "mask", "merged", "namespace", "require_cell",
           "reversed_steps", "sequence", "split_steps"]


class RecurrentCell(Modifiable, Block):
    """A cell: `output, states = cell(inputs, states)` is one step.

    inputs (N, C) | states: a list, as from `begin_state` | output (N, size)

    A subclass defines `state_info` and the step.

    >>> class Sum(gluon.rnn.RecurrentCell):
    ...     def state_info(self, batch_size=0):
    ...         return [{"shape": (batch_size, 2), "__layout__": "NC"}]
    ...     def forward(self, inputs, states):
    ...         total = inputs + states[0]
    ...         return total, [total]
    >>> cell = Sum()
    >>> cell(nd.array([[1, 2]]), cell.begin_state(batch_size=1))[0].asnumpy().tolist()
    [[1.0, 2.0]]
    >>> cell.reset()
    >>> outputs, states = cell.unroll(3, nd.ones((1, 3, 2)), merge_outputs=True)
    >>> outputs.asnumpy().tolist()
    [[[1.0, 1.0], [2.0, 2.0], [3.0, 3.0]]]
    """

    _needs_listed_states = False        # the states of this package's cells match `state_info`

    def __init__(self, prefix: str | None = None, params: Any = None) -> None:
        super().__init__(prefix=prefix, params=params)
        self._modified = False          # whether the cell is inside a ModifierCell
        self.reset()

    def reset(self) -> None:
        """Reset the step counter used in graph names to 0. `unroll` calls it."""
        self._init_counter = self._counter = -1
        for block in self._children.values():
            if isinstance(block, RecurrentCell):        # an activation is also a block
                block.reset()

    def state_info(self, batch_size: int = 0) -> list[dict[str, Any]]:
        """Return [{'shape': (batch_size, size), '__layout__': 'NC'}] for each state; 0 if batch_size is unknown."""
        raise NotImplementedError(f"{type(self).__name__} has no state_info")

    def begin_state(self, batch_size: int = 0, func: Callable[..., Any] = ndarray.zeros, **kwargs: Any) -> list[Any]:
        """Return the initial states, a list.

        batch_size: 0 if unknown.
        func: a function that creates a state from `shape`, like nd.zeros and sym.zeros; sym.zeros infers an unknown
            batch size.
        kwargs: arguments for func, such as ctx and dtype.

        Raises MXNetError inside a ModifierCell.

        >>> gluon.rnn.LSTMCell(4).begin_state(batch_size=2, ctx=mx.cpu(1))[0].context
        cpu(1)
        """
        self._require_unmodified()
        states = []
        for info in self.state_info(batch_size):
            self._init_counter += 1
            name = f"{self.prefix}begin_state_{self._init_counter}"
            states.append(make_state(func, name, {**(info or {}), **kwargs}))
        return states

    def _name_in_messages(self):
        return repr(self.name)

    def unroll(self, length: int, inputs: Any, begin_state: Any = None, layout: str = "NTC",
               merge_outputs: bool | None = None, valid_length: Any = None) -> tuple[Any, Any]:
        """Run `length` steps and return (outputs, states).

        inputs: an array or symbol in the given layout, or a list with one (N, C) per step
        begin_state: the initial states; zeros if None | layout: 'NTC' or 'TNC'
        merge_outputs: True for outputs as one array in the layout, False for a list; None for either
        valid_length (N,): outputs after an item's end are 0, and its returned states are those at its end
        """
        self.reset()
        F, axis = sequence(self, length, inputs, layout)
        steps = split_steps(self, F, length, inputs, axis)
        states = first_states(self, F, begin_state, steps)
        outputs, all_states = [], []
        for step in steps:
            output, states = self(step, states)
            outputs.append(output)
            all_states.append(states)
        if valid_length is not None:
            states = [F.SequenceLast(F.stack(*steps_of_one, axis=0), sequence_length=valid_length,
                                     use_sequence_length=True, axis=0)
                      for steps_of_one in zip(*all_states, strict=True)]
            outputs = mask(F, outputs, valid_length, axis)
        return merged(F, outputs, length, axis, merge_outputs), states

    def forward(self, inputs: Any, states: Any = None) -> Any:
        """Run one step and count it."""
        self._counter += 1
        if self._needs_listed_states:
            check_states(self, inputs, states)
        return super().forward(inputs, states)

    def _get_activation(self, F, inputs, activation, **kwargs):
        """Apply an activation to inputs. activation: a name, a LeakyReLU, or a function such as a Block."""
        if isinstance(activation, str):
            if activation in ("tanh", "relu", "sigmoid", "softsign"):
                return getattr(F, activation)(inputs, **kwargs)
            return F.Activation(inputs, act_type=activation, **kwargs)
        if isinstance(activation, LeakyReLU):
            return F.LeakyReLU(inputs, act_type="leaky", slope=activation._alpha, **kwargs)
        if not callable(activation):
            raise ArgumentError(f"{type(self).__name__}: activation is {activation!r}, expected a name such as 'tanh', "
                                "or a block")
        return activation(inputs)


class HybridRecurrentCell(RecurrentCell, HybridBlock):
    """A cell that defines its step as `hybrid_forward`.

    >>> class Sum(gluon.rnn.HybridRecurrentCell):
    ...     def state_info(self, batch_size=0):
    ...         return [{"shape": (batch_size, 2), "__layout__": "NC"}]
    ...     def hybrid_forward(self, F, inputs, states):
    ...         total = inputs + states[0]
    ...         return total, [total]
    >>> outputs, states = Sum().unroll(3, nd.ones((1, 3, 2)))
    >>> states[0].asnumpy().tolist()
    [[3.0, 3.0]]
    """

    def __init__(self, prefix: str | None = None, params: Any = None) -> None:
        super().__init__(prefix=prefix, params=params)


# -- states -----------------------------------------------------------------------------------------------------------


def make_state(func: Any, name: str, info: Any) -> Any:
    """Call func with a name and those entries of info that it accepts, and return its result."""
    accepted = inspect.signature(func).parameters.values()
    keywords = {"name": name, **info}
    if not any(p.kind is p.VAR_KEYWORD for p in accepted):
        names = {p.name for p in accepted}
        keywords = {key: value for key, value in keywords.items() if key in names or key not in ("name", "__layout__")}
    return in_current_class(func(**keywords))


def first_states(cell: Any, F: Any, begin_state: Any, steps: Any) -> Any:
    """Return begin_state, or zeros for these inputs."""
    if begin_state is not None:
        return begin_state
    if F is symbol:
        return cell.begin_state(func=F.zeros, batch_size=write((None,))[0])
    states = cell.begin_state(func=F.zeros, batch_size=steps[0].shape[0], ctx=steps[0].context, dtype=steps[0].dtype)
    return steps[0]._to_own_class(states)


def check_states(cell: Any, inputs: Any, states: Any) -> None:
    """Raise ArgumentError unless the states are a list as long as `state_info` and match the inputs' batch size."""
    infos = cell.state_info()
    if not isinstance(states, (list, tuple)) or len(states) < len(infos):
        batch = inputs.shape[0] if isinstance(inputs, ndarray.NDArray) and inputs.shape else "N"
        actual = f"a list of {len(states)}" if isinstance(states, (list, tuple)) else \
            f"an array of shape {states.shape}" if isinstance(states, ndarray.NDArray) else \
            "missing" if states is None else f"of type {type(states).__name__}"
        raise ArgumentError(f"{described(cell)}: states is {actual}, expected a list of {len(infos)}, as returned by "
                            f"begin_state(batch_size={batch})")
    for state in states:
        if isinstance(state, ndarray.NDArray) and state.shape[:1] == (0,) and inputs.shape[:1] != (0,):
            raise ArgumentError(f"{described(cell)}: a state has shape {state.shape}, so its batch is empty, but the "
                                f"inputs have shape {inputs.shape}. begin_state() leaves the batch open, which only "
                                f"symbols can infer. Write begin_state(batch_size={inputs.shape[0]}).")


def described(cell: Any) -> str:
    """Return a cell's class and name, for messages."""
    return f"{type(cell).__name__} {cell.name!r}"


def require_cell(modifier: Any, cell: Any) -> None:
    """Raise CallError if a modifier is given an object that is not a cell."""
    if not isinstance(cell, Modifiable):
        raise CallError(f"{type(modifier).__name__}: base_cell is of type {type(cell).__name__}, expected a cell such "
                        "as LSTMCell(100)")


# -- sequences --------------------------------------------------------------------------------------------------------


def is_single(value: Any) -> bool:
    """Return whether value is a single array or symbol rather than a list."""
    return isinstance(value, (ndarray.NDArray, symbol.Symbol))


def namespace(inputs: Any) -> ModuleType:
    """Return nd or sym, whichever the inputs belong to."""
    first = inputs if is_single(inputs) else inputs[0]
    return symbol if isinstance(first, symbol.Symbol) else ndarray


def sequence(cell: Any, length: Any, inputs: Any, layout: Any) -> tuple[ModuleType, int]:
    """Return (nd or sym, the time axis) for the arguments of `unroll`. Raises ArgumentError."""
    if length is not None and not isinstance(length, numbers.Integral):
        text = f"an array of shape {length.shape}" if isinstance(length, ndarray.NDArray) else repr(length)
        raise ArgumentError(f"{described(cell)}: the first argument of unroll, length, is {text}, expected the number "
                            "of steps. Write cell.unroll(length, inputs).")
    if not is_single(inputs) and not (isinstance(inputs, (list, tuple)) and inputs):
        raise ArgumentError(f"{described(cell)}: the second argument of unroll, inputs, is {inputs!r}, expected an "
                            "array, a symbol, or a list with one of them for each step")
    if layout not in ("NTC", "TNC"):
        raise ArgumentError(f"{described(cell)}: layout is {layout!r}, expected 'NTC' or 'TNC'")
    return namespace(inputs), layout.find("T")


def split_steps(cell: Any, F: Any, length: int, inputs: Any, axis: int) -> list[Any]:
    """Return the inputs as a list of `length` steps, split if they are one array. Raises ArgumentError."""
    if not is_single(inputs):
        steps = list(inputs)
    elif F is symbol:
        if len(inputs.list_outputs()) != 1:
            raise ArgumentError(f"{type(cell).__name__} {cell.name!r}: unroll takes one symbol or a list, found a "
                                f"symbol with {len(inputs.list_outputs())} outputs. Pass list(inputs) if they are the "
                                "steps.")
        return as_list(F.split(inputs, axis=axis, num_outputs=length, squeeze_axis=1))
    else:
        steps = as_list(F.split(inputs, axis=axis, num_outputs=inputs.shape[axis], squeeze_axis=1))
    if length is not None and len(steps) != length:
        raise ArgumentError(f"{type(cell).__name__} {cell.name!r}: unroll of length {length} got inputs for "
                            f"{len(steps)} steps")
    return steps


def merged(F: Any, outputs: Any, length: int, axis: int, merge_outputs: Any) -> Any:
    """Return outputs as one array if merge_outputs is True, as a list if False, or unchanged if None."""
    if merge_outputs is None or merge_outputs == is_single(outputs):
        return outputs
    if merge_outputs:
        return F.stack(*outputs, axis=axis)
    return as_list(F.split(outputs, axis=axis, num_outputs=length, squeeze_axis=1))


def mask(F: Any, outputs: Any, valid_length: Any, axis: int) -> Any:
    """Return outputs as one array, with zeros after each item's end."""
    outputs = merged(F, outputs, None, axis, True)
    return F.SequenceMask(outputs, sequence_length=valid_length, use_sequence_length=True, axis=axis)


def reversed_steps(F: Any, steps: Any, length: int, valid_length: Any) -> list[Any]:
    """Return a list of steps in reverse order; with valid_length, only each item's valid steps are reversed."""
    if valid_length is None:
        return list(reversed(steps))
    reverse = F.SequenceReverse(F.stack(*steps, axis=0), sequence_length=valid_length, use_sequence_length=True)
    return as_list(F.split(reverse, axis=0, num_outputs=length, squeeze_axis=True))


def as_list(parts: Any) -> list[Any]:
    """Return a split's result as a list, even if it is a single array."""
    if isinstance(parts, ndarray.NDArray):
        return [parts]
    return list(parts)
