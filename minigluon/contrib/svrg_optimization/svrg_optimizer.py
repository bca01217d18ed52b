"""An optimizer for stores that keep full gradients next to the weights, under the weights' names with '_full'.

SVRGModule keeps these gradients itself. This optimizer is for programs that share such gradients through a store.
"""

import inspect

from ...optimizer import Optimizer, create

__all__ = []


class _AssignmentOptimizer(Optimizer):
    """An optimizer whose step assigns the gradient as the new value."""

    def update(self, index, weight, grad, state):
        """Set weight to grad."""
        weight[:] = grad


class _SVRGOptimizer(Optimizer):
    """An optimizer that assigns gradients to arrays with 'full' in their name and delegates all other arrays.

    default_optimizer: the optimizer for all other arrays, or its name; kwargs are its arguments. Names come from
    param_idx2name.
    """

    def __init__(self, default_optimizer, **kwargs):
        own = inspect.signature(Optimizer.__init__).parameters
        super().__init__(**{key: value for key, value in kwargs.items() if key in own})
        self.default_opt = create(default_optimizer, **kwargs) if isinstance(default_optimizer, str) \
            else default_optimizer
        self.aux_opt = _AssignmentOptimizer()

    def create_state(self, index, weight):
        """Return the state of the optimizer responsible for this index."""
        return self._optimizer_of(index).create_state(index, weight)

    def update(self, index, weight, grad, state):
        """Take one step."""
        self._optimizer_of(index).update(index, weight, grad, state)

    def _optimizer_of(self, index):
        name = index if index in self.idx2name.values() else self.idx2name[index]
        return self.aux_opt if "full" in name else self.default_opt
