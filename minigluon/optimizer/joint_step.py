"""A step for several weights, by one operator if the optimizer has one, with the same results as individual steps."""

from operator import is_

from ..backend.forgetting import forgotten
from ..common.fast_paths import fast
from ..ndarray import empty
from ..ndarray.overwriter import overwriter
from ..tape import state
from .updater import Step, Updater

__all__ = ["JointStep"]


class JointStep(Step):
    """A Step that uses one operator for all weights if there is one, and otherwise one call per weight."""

    def __init__(self, updater, indices, grads, weights):
        super().__init__(updater, indices, grads, weights)
        outcome = "autograd.record() is on" if state.recording else _joint(self.optimizer, weights, grads, self.states)
        if isinstance(outcome, str):
            self.reason = outcome
        else:
            self.operator, self.state_arrays, self._overwrite, self._rates = outcome
            self.reason = None

    def _settings(self):
        """Return the attributes, the backend and whether the tape is on, which determine the joint operator."""
        optimizer = self.optimizer
        return optimizer._joint_options(), optimizer.aggregate_num, state.recording, forgotten.times

    def is_like(self, other):
        """Return whether the arrays are the same except for the memory of weights and gradients."""
        return (self.optimizer is other.optimizer and self.settings == other.settings
                and self.indices == other.indices and (self.operator is None) == (other.operator is None)
                and all(map(is_, self.states, other.states)))

    def begin(self):
        """Count the updates and return (factor for all gradients, learning rates, decays) for the operator."""
        self.optimizer._set_current_context(self.device_id)
        return self.optimizer.rescale_grad, *self.optimizer._begin_all(self.indices)

    def run(self):
        """Count the updates and take the steps in place."""
        if self.operator is None:
            super().run()
            return
        scale, lrs, wds = self.begin()
        self._rates._overwrite((scale, *lrs, *wds))
        self._overwrite()


@fast(Updater, "prepare")
def prepare(self, indices, grads, weights):
    return JointStep(self, indices, grads, weights)


def _joint(optimizer, weights, grads, states):
    """Return (operator, state arrays, function that runs it, array of its rates), or the reason why there is none.

    rates: rescale_grad, the learning rates and the decays.
    """
    if any(x.stype != "default" for x in (*weights, *grads)):
        return "row_sparse weights or gradients"
    dtype = weights[0].buffer.dtype
    if dtype.name not in ("float32", "float64"):
        return f"weights of dtype {dtype}"
    joint = optimizer._joint_step(states)
    if isinstance(joint, str):
        return joint
    op, state_arrays = joint
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
