"""An optimizer for stores that keep gradients over all data beside the weights, under their names with '_full'.

SVRGModule keeps those gradients itself. This is for programs that hand them round in a store.
"""

import inspect

from ...optimizer import Optimizer, create

__all__ = []


class _AssignmentOptimizer(Optimizer):
    """A step is to take the gradient as the new value."""

    def update(self, index, weight, grad, state):
        """weight = grad"""
        weight[:] = grad


class _SVRGOptimizer(Optimizer):
    """What has 'full' in its name is replaced by the gradient; all else gets the steps of another optimizer.

    default_optimizer: that one, or its name with kwargs for its arguments. param_idx2name tells the names.
    """

    def __init__(self, default_optimizer, **kwargs):
        own = inspect.signature(Optimizer.__init__).parameters
        super().__init__(**{key: value for key, value in kwargs.items() if key in own})
        self.default_opt = create(default_optimizer, **kwargs) if isinstance(default_optimizer, str) \
            else default_optimizer
        self.aux_opt = _AssignmentOptimizer()

    def create_state(self, index, weight):
        """The state of the optimizer that makes the step."""
        return self._optimizer_of(index).create_state(index, weight)

    def update(self, index, weight, grad, state):
        """One step."""
        self._optimizer_of(index).update(index, weight, grad, state)

    def _optimizer_of(self, index):
        name = index if index in self.idx2name.values() else self.idx2name[index]
        return self.aux_opt if "full" in name else self.default_opt
