"""The base class of optimizers: learning rates, decays, update counts, and weights in mixed precision."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..common.docstrings import share_sentences
from ..common.dtypes import is_narrow
from .argument_checks import check_arguments, with_rate
from .joint_updates import JointUpdates
from .mixed_precision import MixedPrecision
from .multipliers import Multipliers
from .registered import Registered
from .update_parts import UpdateParts

if TYPE_CHECKING:
    from ..symbol import Symbol

__all__ = ["Optimizer", "create", "register"]

class Optimizer(UpdateParts, MixedPrecision, Multipliers, JointUpdates, Registered):
    """Takes steps. Parameters are identified by an index. A step is an in-place `update(index, weight, grad, state)`.

    A subclass defines `create_state(index, weight)` and `update`. At the start of a step it calls `_begin(index)`,
    which counts the update and returns the learning rate, decay and count.

    rescale_grad: the factor for all gradients (1 / batch size).
    param_idx2name: {index: name}; parameters whose names end neither in _weight nor in _gamma do not decay.
    wd: the weight decay.
    clip_gradient: the bound on the gradients' elements.
    learning_rate: the factor for a step; None uses the scheduler's rate, or 0.01 without a scheduler.
    lr_scheduler: returns the learning rate when called with `num_update`.
    sym: a Symbol, whose variables' `__lr_mult__` and `__wd_mult__` are used.
    begin_num_update: the value at which counting starts.
    multi_precision: whether steps for float16 weights are taken on a float32 copy.
    param_dict: {index: Parameter}, whose lr_mult and wd_mult are used.
    unknown: any other argument raises a CallError that names the valid arguments.

    >>> class Plain(mx.optimizer.Optimizer):
    ...     def create_state(self, index, weight):
    ...         return None
    ...     def update(self, index, weight, grad, state):
    ...         lr, wd, count = self._begin(index)
    ...         weight[:] = weight - lr * (grad + wd * weight)
    >>> optimizer, weight = Plain(learning_rate=0.1), nd.array([1])
    >>> state = optimizer.create_state_multi_precision(0, weight)
    >>> optimizer.update_multi_precision(0, weight, nd.array([5]), state)
    >>> weight.asnumpy(), optimizer.num_update
    (array([0.5], dtype=float32), 1)
    >>> optimizer.set_learning_rate(0.2)
    >>> optimizer.set_lr_mult({0: 0.1})
    >>> optimizer.set_wd_mult({0: 0})
    >>> optimizer.learning_rate
    0.2
    """

    aggregate_num = 0           # how many weights `update` takes in lists; with 0, it takes one weight, not in a list

    def __init__(self, rescale_grad: Any = 1.0, param_idx2name: Mapping[int, str] | None = None, wd: float = 0.0,
                 clip_gradient: float | None = None, learning_rate: float | None = None,
                 lr_scheduler: Callable[[int], float] | None = None, sym: Symbol | None = None,
                 begin_num_update: int = 0, multi_precision: bool = False, param_dict: Any = None,
                 **unknown: Any) -> None:
        check_arguments(type(self), unknown, param_idx2name, rescale_grad)
        self.rescale_grad = rescale_grad
        self.lr_scheduler: Any = with_rate(lr_scheduler, learning_rate)
        self.lr: Any = 0.01 if learning_rate is None and lr_scheduler is None else learning_rate
        self.wd = wd
        self.clip_gradient = clip_gradient
        self.multi_precision = multi_precision
        self.begin_num_update = begin_num_update
        self.num_update: int = begin_num_update
        # Device number -> {index: number of updates}, because replicas step separately. State files contain this name.
        self._all_index_update_counts: dict[int, dict[Any, int]] = {0: {}}
        self._index_update_count = self._all_index_update_counts[0]
        self.idx2name: dict[Any, str] = dict(param_idx2name or {})
        self.sym_info: Any = (sym.attr_dict(), sym.list_arguments()) if sym is not None else ()
        self.param_dict: dict[Any, Any] = param_dict or {}
        self.set_lr_mult({})
        self.set_wd_mult({})

    # -- what a subclass defines --------------------------------------------------------------------------------

    def create_state(self, index: Any, weight: Any) -> Any:
        """Return the state of one weight: None, an NDArray or a tuple of them.

        index: the parameter's index, the same in all its steps.
        weight: its value, an NDArray.
        """

    def update(self, index: Any, weight: Any, grad: Any, state: Any) -> Any:
        """Take one step: write to `weight` and `state`. If `aggregate_num` is above 0, all four arguments may be lists.

        grad: the gradient, an NDArray like weight.
        state: the result of `create_state`, as updated by the steps so far.
        """
        raise NotImplementedError(f"{type(self).__name__} has no update")

    def is_mixed(self, weight: Any) -> bool:
        """Return whether the step for this float16 or bfloat16 weight is taken on a float32 copy."""
        return self.multi_precision and is_narrow(weight.buffer.dtype)

    # -- learning rates and decays ------------------------------------------------------------------------------

    @property
    def learning_rate(self) -> float:
        """The rate of the next update, without the factors of individual parameters."""
        return self.lr if self.lr_scheduler is None else self.lr_scheduler(self.num_update)

    def _get_lrs(self, indices: Sequence[Any]) -> list[Any]:
        lr, params, factors = self.learning_rate, self.param_dict, self.lr_mult
        return [lr * (params[i].lr_mult if i in params else self._factor(i, factors)) for i in indices]

    def _get_wds(self, indices: Sequence[Any]) -> list[Any]:
        wd, params, factors = self.wd, self.param_dict, self.wd_mult
        return [wd * (params[i].wd_mult if i in params else self._factor(i, factors)) for i in indices]

    def _factor(self, index: Any, factors: dict[Any, Any]) -> Any:
        """Return the factor set for an index or, failing that, for its name; a Parameter's own factor comes first."""
        return factors[index] if index in factors else factors.get(self.idx2name.get(index), 1.0)

    # -- counting -----------------------------------------------------------------------------------------------

    def _set_current_context(self, device_id: int) -> None:
        self._index_update_count = self._all_index_update_counts.setdefault(device_id, {})

    def _update_count(self, index: Any) -> None:
        counts, begin, newest = self._index_update_count, self.begin_num_update, self.num_update
        for i in index if isinstance(index, (list, tuple)) else [index]:  # pyright: ignore[reportUnknownVariableType]
            count = counts[i] = counts.get(i, begin) + 1
            if count > newest:
                newest = count
        self.num_update = newest

    # -- gradients ----------------------------------------------------------------------------------------------

    def _options(self, **more: Any) -> dict[str, Any]:
        """Return the arguments of the update operators: rescale_grad, clip_gradient, and `more`."""
        if self.clip_gradient:
            more["clip_gradient"] = self.clip_gradient
        return {"rescale_grad": self.rescale_grad, **more}


share_sentences(Optimizer.create_state, Optimizer.create_state_multi_precision, Optimizer.update)
share_sentences(Optimizer.update, Optimizer.update_multi_precision)

register, create = Optimizer.register, Optimizer.create_optimizer
