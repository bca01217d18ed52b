"""An optimizer step for several weights, prepared once and taken repeatedly."""

from operator import is_

__all__ = ["Step"]


class Step:
    """The prepared steps for some weights. `joint_step.py` takes them with one operator if there is one.

    updater: the Updater whose optimizer and states are used.
    indices, grads, weights: sequences of the same length, not empty.

    operator: the operator for all weights, or None, in which case `reason` says why. state_arrays: the arrays of each
    weight's state that the operator takes, as a sequence of NDArrays.
    """

    operator = state_arrays = None
    reason = "the steps are made one by one"

    def __init__(self, updater, indices, grads, weights):
        self.optimizer, self.indices = updater.optimizer, indices
        self.device_id = weights[0].device.device_id
        self.states = updater.states_of(indices, weights)
        self.settings = self._settings()
        self.calls = _calls(self.optimizer.aggregate_num, indices, weights, grads, self.states)

    def _settings(self):
        """Return the settings that determine how steps are taken."""
        return self.optimizer.aggregate_num

    def is_current(self, updater):
        """Return whether the optimizer, its settings and its states have not changed since this was prepared."""
        return (updater.optimizer is self.optimizer and self._settings() == self.settings
                and all(map(is_, map(updater.states.get, self.indices), self.states)))

    def run(self):
        """Count the updates and take the steps in place."""
        self.optimizer._set_current_context(self.device_id)
        for arguments in self.calls:
            self.optimizer.update_multi_precision(*arguments)


def _calls(aggregate_num, indices, weights, grads, states):
    """Return [arguments of `update_multi_precision`], one per weight or per `aggregate_num` weights of one dtype."""
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
