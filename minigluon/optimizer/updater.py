"""`Updater`: an optimizer together with the states of the weights that it has seen."""

from __future__ import annotations

import os
from collections.abc import Sequence
from operator import is_
from typing import TYPE_CHECKING, Any

from ..backend.registry import times_forgotten
from ..base import FileFormatError
from ..common.docstrings import share_sentences
from ..common.types import Contexts
from ..ndarray import NDArray, empty
from ..ndarray.overwriter import overwriter
from ..serialization.reading import content_of
from ..serialization.whole_files import unreadable
from ..tape import state
from . import states_file
from .states_check import check_state, check_states

if TYPE_CHECKING:
    from .optimizer import Optimizer

__all__ = ["Updater", "get_updater", "load_states"]


class Updater:
    """Call it with index, gradient and weight (or lists of them): it makes the step, in place.

    optimizer: an Optimizer.

    >>> updater, weight = mx.optimizer.Updater(mx.optimizer.SGD(learning_rate=0.1, momentum=0.9)), nd.array([1])
    >>> updater(0, nd.array([5]), weight)
    >>> weight.asnumpy().tolist(), updater.states[0].asnumpy().tolist()
    ([0.5], [-0.5])
    >>> other = mx.optimizer.Updater(mx.optimizer.SGD(learning_rate=0.1, momentum=0.9))
    >>> other.set_states(updater.get_states())
    >>> other.aggregate_updates
    True
    """

    optimizer: Any
    states: dict[Any, Any]
    states_synced: dict[Any, bool]

    def __init__(self, optimizer: str | Optimizer) -> None:
        self.optimizer = optimizer
        self.states = {}            # index -> state
        self.states_synced = {}     # index -> is the state on the weight's device?

    @property
    def aggregate_updates(self) -> Any:
        return self.optimizer.aggregate_num > 0

    def __call__(self, index: Any, grad: Any, weight: Any) -> Any:
        if not isinstance(index, (list, tuple)):
            index, grad, weight = (index,), (grad,), (weight,)
        if weight:
            self.prepare(index, grad, weight).run()

    def prepare(self, indices: Any, grads: Any, weights: Any) -> Any:
        """The Step of these weights, to be run again and again as long as it `is_current`."""
        return Step(self, indices, grads, weights)

    def states_of(self, indices: Any, weights: Any) -> Any:
        """The states: a new weight gets one, and a loaded one is brought to the weight's device."""
        for index, weight in zip(indices, weights, strict=True):
            if index not in self.states:
                self.states[index] = self.optimizer.create_state_multi_precision(index, weight)
            elif not self.states_synced[index]:
                check_state(index, self.states[index], self.optimizer, weight)
                self.states[index] = self.sync_state_context(self.states[index], weight.context)
            self.states_synced[index] = True
        return [self.states[index] for index in indices]

    def sync_state_context(self, state: Any, context: Contexts) -> Any:
        """The state with its arrays on `context`."""
        if isinstance(state, NDArray):
            return state.as_in_context(context)
        if isinstance(state, (tuple, list)):
            return type(state)(self.sync_state_context(s, context) for s in state)
        return state

    def set_states(self, states: Any) -> None:
        """Take what `get_states` gave, here or in MXNet.

        states: its bytes.

        Raises FileFormatError when it is damaged, or names anything that is neither an array nor an optimizer or
        scheduler; the states are then as before. That a state belongs to its weight is checked at the weight's next
        step.
        """
        self.take_states(self.read_states(states, {}))

    def read_states(self, content: Any, weights: Any) -> Any:
        """(states, optimizer) of the bytes that `get_states` gave. Raises FileFormatError as `set_states` does.

        weights: {index: weight} as far as they are known: their states must be such as the optimizer makes for them.
        """
        loaded = states_file.load(content)
        loaded, optimizer = loaded if isinstance(loaded, tuple) and len(loaded) == 2 else (loaded, self.optimizer)
        if not isinstance(loaded, dict) or not hasattr(optimizer, "update_multi_precision"):
            raise FileFormatError(f"the {len(content)} bytes are no states of an Updater, but a "
                                  f"{type(loaded).__name__} and a {type(optimizer).__name__}")
        check_states(loaded, optimizer, weights)
        return loaded, optimizer

    def take_states(self, content: Any) -> None:
        """Go on with what `read_states` gave."""
        self.states, self.optimizer = content
        self.states_synced = dict.fromkeys(self.states, False)

    def get_states(self, dump_optimizer: bool = False) -> Any:
        """The states as bytes; with the optimizer itself (its update counts, too) if dump_optimizer=True.

        MXNet reads them, too. Raises MXNetError for an optimizer with an attribute that could not be read again.
        """
        return states_file.dump((self.states, self.optimizer) if dump_optimizer else self.states)


class Step:
    """The steps of some weights, prepared: by one operator for all of them where there is one, otherwise call by call.

    updater: whose optimizer and states it takes.
    indices, grads, weights: sequences of one length, not empty.

    operator: the operator for all weights, or None, and then `reason` tells why. state_arrays: what the operator takes
    of each weight's state, as a sequence of NDArrays.
    """

    indices: Sequence[Any]
    optimizer: str | Optimizer

    def __init__(self, updater: Updater, indices: Sequence[Any], grads: Sequence[NDArray], weights: Sequence[NDArray]):
        self.optimizer, self.indices = updater.optimizer, indices
        self.device_id: int = weights[0].device.device_id
        self.states: Any = updater.states_of(indices, weights)
        self._how = _how(self.optimizer)
        self.operator = self.state_arrays = self._overwrite = self._rates = self.reason = None
        self._calls = ()
        found = "autograd.record() is on" if state.recording else _joint(self.optimizer, weights, grads, self.states)
        if isinstance(found, str):
            self.reason: str | None = found
            self._calls = _calls(self.optimizer.aggregate_num, indices, weights, grads, self.states)
        else:
            self.operator, self.state_arrays, self._overwrite, self._rates = found

    def is_current(self, updater: Any) -> bool:
        """Is it still what `updater.prepare` would give for these arrays?

        Not with another optimizer, other settings of it or other states, after a change of the backend, or with the
        tape turned on or off.
        """
        return (updater.optimizer is self.optimizer and _how(self.optimizer) == self._how
                and all(map(is_, map(updater.states.get, self.indices), self.states)))

    def is_like(self, other: Any) -> Any:
        """Are they the same, but for the memory of weights and gradients?"""
        return (self.optimizer is other.optimizer and self._how == other._how and self.indices == other.indices
                and (self.operator is None) == (other.operator is None) and all(map(is_, self.states, other.states)))

    def begin(self) -> tuple[Any, ...]:
        """Count the updates, for who runs the operator: (factor of all gradients, learning rates, decays)."""
        self.optimizer._set_current_context(self.device_id)
        return self.optimizer.rescale_grad, *self.optimizer._begin_all(self.indices)

    def run(self) -> None:
        """Count the updates and make the steps, in place."""
        if self.operator is not None:
            scale, lrs, wds = self.begin()
            self._rates._overwrite((scale, *lrs, *wds))
            self._overwrite()
            return
        self.optimizer._set_current_context(self.device_id)
        for arguments in self._calls:
            self.optimizer.update_multi_precision(*arguments)


def _how(optimizer):
    """What decides how steps are made, besides the arrays."""
    return optimizer._joint_options(), optimizer.aggregate_num, state.recording, times_forgotten()


def _joint(optimizer, weights, grads, states):
    """(operator, the states' arrays, function that runs it, the array of its rates), or a text: why there is none.

    rates: rescale_grad, the learning rates and the decays.
    """
    if any(x.stype != "default" for x in (*weights, *grads)):
        return "row_sparse weights or gradients"
    dtype = weights[0].buffer.dtype
    if dtype.name not in ("float32", "float64"):
        return f"weights of dtype {dtype}"
    found = optimizer._joint_step(states)
    if isinstance(found, str):
        return found
    op, state_arrays = found
    arrays = [x for w, g, own in zip(weights, grads, state_arrays, strict=True) for x in (w, g, *own)]
    if any(x.buffer.dtype != dtype for x in arrays):
        return "arrays of several dtypes"
    if any(w.buffer.shape != g.buffer.shape for w, g in zip(weights, grads, strict=True)):
        return "gradients of other shapes than the weights"
    rates = empty((1 + 2 * len(weights),), weights[0].device, "float64")
    overwrite = overwriter(op, [*arrays, rates])
    if overwrite is None:
        return "weights or states that share memory, or are views with holes"
    return op, state_arrays, overwrite, rates


def _calls(aggregate_num, indices, weights, grads, states):
    """[arguments of `update_multi_precision`]: one by one, or in lists of `aggregate_num` weights of one dtype."""
    rows = list(zip(indices, weights, grads, states, strict=True))
    if aggregate_num <= 0:
        return rows
    calls = []
    for dtype in dict.fromkeys(w.dtype for w in weights):
        alike = [row for row in rows if row[1].dtype == dtype]
        for start in range(0, len(alike), aggregate_num):
            *arrays, some_states = zip(*alike[start:start + aggregate_num], strict=True)
            calls.append((*arrays, list(some_states)))
    return calls


def get_updater(optimizer: str | Optimizer) -> Any:
    """An Updater without states.

    >>> update, weight = mx.optimizer.get_updater(mx.optimizer.SGD(learning_rate=0.1)), nd.array([1])
    >>> update(0, nd.array([5]), weight)
    >>> weight.asnumpy().tolist()
    [0.5]
    """
    return Updater(optimizer)


share_sentences(Updater, get_updater)


def load_states(path: str, updaters: Any, weights: Any) -> None:
    """Let each updater go on from the states in a file, or, if there is anything wrong, none of them.

    weights: for each updater {index: weight}, as far as they are known. Raises FileFormatError, and MXNetError for a
        file that cannot be read.
    """
    try:
        content = content_of(path)
    except OSError as error:
        raise unreadable(path, error) from error
    try:
        loaded = [updater.read_states(content, known) for updater, known in zip(updaters, weights, strict=True)]
    except FileFormatError as error:
        raise FileFormatError(f"cannot load {os.fspath(path)!r}: {error}") from error
    for updater, states in zip(updaters, loaded, strict=True):
        updater.take_states(states)
