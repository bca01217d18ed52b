"""`Updater`: an optimizer together with the states of the weights that it has seen."""

from ..base import FileFormatError
from ..ndarray import NDArray, empty
from ..ndarray.ndarray import overwriter
from . import states_file

__all__ = ["Updater", "get_updater"]


class Updater:
    """Call it with index, gradient and weight (or lists of them): it makes the step, in place."""

    def __init__(self, optimizer):
        self.optimizer = optimizer
        self.states = {}            # index -> state
        self.states_synced = {}     # index -> is the state on the weight's device?

    @property
    def aggregate_updates(self):
        return self.optimizer.aggregate_num > 0

    def __call__(self, index, grad, weight):
        many = isinstance(index, (list, tuple))
        indices, grads, weights = (list(index), list(grad), list(weight)) if many else ([index], [grad], [weight])
        if not weights:
            return
        self.optimizer._set_current_context(weights[0].context.device_id)
        for i, w in zip(indices, weights, strict=True):
            self._prepare(i, w)
        if self._step_together(indices, weights, grads):
            return
        if not self.aggregate_updates:
            for i, w, g in zip(indices, weights, grads, strict=True):
                self.optimizer.update_multi_precision(i, w, g, self.states[i])
            return
        for dtype in dict.fromkeys(w.dtype for w in weights):
            alike = [row for row in zip(indices, weights, grads, strict=True) if row[1].dtype == dtype]
            step = self.optimizer.aggregate_num
            for start in range(0, len(alike), step):
                some_indices, some_weights, some_grads = zip(*alike[start:start + step], strict=True)
                states = [self.states[i] for i in some_indices]
                self.optimizer.update_multi_precision(some_indices, some_weights, some_grads, states)

    def _step_together(self, indices, weights, grads):
        """Make all steps with one kernel. False, and nothing is done, where the optimizer has none for such arrays."""
        found = prepare_steps(self.optimizer, weights, grads, [self.states[i] for i in indices])
        if isinstance(found, str):
            return False
        run, set_rates = found
        set_rates(*self.optimizer._begin_all(indices))
        run()
        return True

    def _prepare(self, index, weight):
        """Make the state of a new weight; bring a loaded one to the weight's device."""
        if index not in self.states:
            self.states[index] = self.optimizer.create_state_multi_precision(index, weight)
        elif not self.states_synced[index]:
            self.states[index] = self.sync_state_context(self.states[index], weight.context)
        self.states_synced[index] = True

    def sync_state_context(self, state, context):
        """The state with its arrays on `context`."""
        if isinstance(state, NDArray):
            return state.as_in_context(context)
        if isinstance(state, (tuple, list)):
            return type(state)(self.sync_state_context(s, context) for s in state)
        return state

    def set_states(self, states):
        """Take what `get_states` gave, here or in MXNet.

        Raises FileFormatError when it is damaged, or names anything that is neither an array nor an optimizer or
        scheduler; the states are then as before.
        """
        loaded = states_file.load(states)
        loaded, optimizer = loaded if isinstance(loaded, tuple) and len(loaded) == 2 else (loaded, self.optimizer)
        if not isinstance(loaded, dict) or not hasattr(optimizer, "update_multi_precision"):
            raise FileFormatError(f"the {len(states)} bytes are no states of an Updater, but a "
                                  f"{type(loaded).__name__} and a {type(optimizer).__name__}")
        self.states, self.optimizer = loaded, optimizer
        self.states_synced = dict.fromkeys(self.states, False)

    def get_states(self, dump_optimizer=False):
        """The states as bytes; with the optimizer itself (its update counts, too) if dump_optimizer=True.

        MXNet reads them, too. Raises MXNetError for an optimizer with an attribute that could not be read again.
        """
        return states_file.dump((self.states, self.optimizer) if dump_optimizer else self.states)


def prepare_steps(optimizer, weights, grads, states):
    """(function that makes the steps of all weights, function that sets their learning rates and decays before), or a
    text: why the optimizer has no kernel for them together.
    """
    dtype = weights[0]._data.dtype
    if dtype.name not in ("float32", "float64"):
        return f"weights of dtype {dtype}"
    found = optimizer._many(weights, states)
    if isinstance(found, str):
        return found
    op, states = found
    arrays = [x for weight, grad, state in zip(weights, grads, states, strict=True) for x in (weight, grad, *state)]
    if any(x._data.dtype != dtype for x in arrays):
        return "arrays of several dtypes"
    if any(w._data.shape != g._data.shape for w, g in zip(weights, grads, strict=True)):
        return "gradients of other shapes than the weights"
    rates = empty((1 + 2 * len(weights),), weights[0]._ctx, "float64")
    run = overwriter(op, [*arrays, rates])
    if run is None:
        return "arrays that share memory, or are views with holes"

    def set_rates(lrs, wds):
        rates._overwrite((optimizer.rescale_grad, *lrs, *wds))
    return run, set_rates


def get_updater(optimizer):
    """An Updater without states."""
    return Updater(optimizer)
