"""A step of an optimizer for several weights, prepared once and made again and again."""

from operator import is_

from ..backend.registry import times_forgotten
from ..ndarray import empty
from ..ndarray.overwriter import overwriter
from ..tape import state

__all__ = ["Step"]


class Step:
    """The steps of some weights, prepared: by one operator for all of them where there is one, otherwise call by call.

    updater: whose optimizer and states it takes.
    indices, grads, weights: sequences of one length, not empty.

    operator: the operator for all weights, or None, and then `reason` tells why. state_arrays: what the operator takes
    of each weight's state, as a sequence of NDArrays.
    """

    def __init__(self, updater, indices, grads, weights):
        self.optimizer, self.indices = updater.optimizer, indices
        self.device_id = weights[0].device.device_id
        self.states = updater.states_of(indices, weights)
        self._how = _how(self.optimizer)
        self.operator = self.state_arrays = self._overwrite = self._rates = self.reason = None
        self._calls = ()
        found = "autograd.record() is on" if state.recording else _joint(self.optimizer, weights, grads, self.states)
        if isinstance(found, str):
            self.reason = found
            self._calls = _calls(self.optimizer.aggregate_num, indices, weights, grads, self.states)
        else:
            self.operator, self.state_arrays, self._overwrite, self._rates = found

    def is_current(self, updater):
        """Is it still what `updater.prepare` would give for these arrays?

        Not with another optimizer, other settings of it or other states, after a change of the backend, or with the
        tape turned on or off.
        """
        return (updater.optimizer is self.optimizer and _how(self.optimizer) == self._how
                and all(map(is_, map(updater.states.get, self.indices), self.states)))

    def is_like(self, other):
        """Are they the same, but for the memory of weights and gradients?"""
        return (self.optimizer is other.optimizer and self._how == other._how and self.indices == other.indices
                and (self.operator is None) == (other.operator is None) and all(map(is_, self.states, other.states)))

    def begin(self):
        """Count the updates, for who runs the operator: (factor of all gradients, learning rates, decays)."""
        self.optimizer._set_current_context(self.device_id)
        return self.optimizer.rescale_grad, *self.optimizer._begin_all(self.indices)

    def run(self):
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
