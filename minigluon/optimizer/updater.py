"""`Updater`: an optimizer together with the states of the weights that it has seen; `Step`: its prepared steps."""

from __future__ import annotations

from operator import is_
from typing import TYPE_CHECKING, Any

from ..common.docstrings import share_sentences
from .states_check import check_state
from .updater_states import UpdaterStates

if TYPE_CHECKING:
    from .optimizer import Optimizer

__all__ = ["Updater", "get_updater"]


class Step:
    """The prepared steps for some weights. `joint_step.py` takes them with one operator if there is one.

    updater: the Updater whose optimizer and states are used.
    indices, grads, weights: nonempty sequences of the same length.

    operator: the operator for all weights, or None, in which case `reason` explains why. state_arrays: the arrays of
    each weight's state that the operator takes, as a sequence of NDArrays.
    """

    operator: Any = None
    state_arrays: Any = None
    reason = "the steps are made one by one"

    def __init__(self, updater: Updater, indices: Any, grads: Any, weights: Any) -> None:
        self.optimizer, self.indices = updater.optimizer, indices
        self.device_id = weights[0].device.device_id
        self.states = updater.states_of(indices, weights)
        self.settings = self._settings()
        self.calls = _calls(self.optimizer.aggregate_num, indices, weights, grads, self.states)

    def _settings(self) -> Any:
        """Return the settings that determine how steps are taken."""
        return self.optimizer.aggregate_num

    def is_current(self, updater: Updater) -> bool:
        """Return whether the optimizer, its settings and its states have not changed since this Step was prepared."""
        return (updater.optimizer is self.optimizer and self._settings() == self.settings
                and all(map(is_, map(updater.states.get, self.indices), self.states)))

    def run(self) -> None:
        """Count the updates and take the steps in place."""
        self.optimizer._set_current_context(self.device_id)
        for arguments in self.calls:
            self.optimizer.update_multi_precision(*arguments)


def _calls(aggregate_num: int, indices: Any, weights: Any, grads: Any, states: Any) -> list[Any]:
    """Return [arguments of `update_multi_precision`], one item per weight or per `aggregate_num` weights of a dtype."""
    rows = list(zip(indices, weights, grads, states, strict=True))
    if aggregate_num <= 0:
        return rows
    calls: list[Any] = []
    for dtype in dict.fromkeys(w.dtype for w in weights):
        alike = [row for row in rows if row[1].dtype == dtype]
        for start in range(0, len(alike), aggregate_num):
            *arrays, some_states = zip(*alike[start:start + aggregate_num], strict=True)
            calls.append((*arrays, list(some_states)))
    return calls


class Updater(UpdaterStates):
    """A function of an index, a gradient and a weight (or lists of them) that takes the step in place.

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

    def __init__(self, optimizer: str | Optimizer) -> None:
        self.optimizer: Any = optimizer
        self.states: dict[Any, Any] = {}            # index -> state
        self.states_synced: dict[Any, bool] = {}    # index -> whether the state is on the weight's device

    @property
    def aggregate_updates(self) -> Any:
        return self.optimizer.aggregate_num > 0

    def __call__(self, index: Any, grad: Any, weight: Any) -> Any:
        if not isinstance(index, (list, tuple)):
            index, grad, weight = (index,), (grad,), (weight,)
        if weight:
            self.prepare(index, grad, weight).run()

    def prepare(self, indices: Any, grads: Any, weights: Any) -> Any:
        """Return the Step for these weights, which can be run repeatedly as long as it `is_current`."""
        return Step(self, indices, grads, weights)

    def states_of(self, indices: Any, weights: Any) -> Any:
        """Return the states. A new weight's state is created, and a loaded state is copied to the weight's device."""
        for index, weight in zip(indices, weights, strict=True):
            if index not in self.states:
                self.states[index] = self.optimizer.create_state_multi_precision(index, weight)
            elif not self.states_synced[index]:
                check_state(index, self.states[index], self.optimizer, weight)
                self.states[index] = self.sync_state_context(self.states[index], weight.context)
            self.states_synced[index] = True
        return [self.states[index] for index in indices]


def get_updater(optimizer: str | Optimizer) -> Any:
    """Return an Updater without states.

    >>> update, weight = mx.optimizer.get_updater(mx.optimizer.SGD(learning_rate=0.1)), nd.array([1])
    >>> update(0, nd.array([5]), weight)
    >>> weight.asnumpy().tolist()
    [0.5]
    """
    return Updater(optimizer)


share_sentences(Updater, get_updater)
