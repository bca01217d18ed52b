"""SGD for large batches: a layer's learning rate depends on the norms of its weight and gradient."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .. import ndarray as nd
from ..base import ArgumentError
from .lists import require_one_weight, takes_lists
from .optimizer import Optimizer, register
from .sgd import MomentumOptimizer

__all__ = ["LARS", "LBSGD"]


@register
class LARS(MomentumOptimizer):
    """SGD whose learning rate is lr · eta · |weight| / (|g| + wd · |weight| + eps) for weights.

    Biases, gammas and betas, recognized by their suffixes, use lr unchanged. State: the momentum, or None.

    momentum: the fraction of the previous step that is added.
    lazy_update: as in SGD, for row_sparse gradients.
    eta: the size of a step relative to the weight.
    eps: a small number that keeps the quotient finite.
    momentum_correction: if True, scale the momentum by the change in lr since the weight's last update.

    Source: You, Gitman and Ginsburg 2017, Large Batch Training of Convolutional Networks.

    >>> optimizer, weight = mx.optimizer.LARS(learning_rate=0.1, eta=0.5), nd.array([2])
    >>> optimizer.update(0, weight, nd.array([5]), optimizer.create_state(0, weight))     # 2 - 0.1 · 0.5 · 2
    >>> weight.asnumpy().round(4)
    array([1.9], dtype=float32)
    """

    def __init__(self, momentum: float = 0.0, lazy_update: bool = True, eta: float = 0.001, eps: float = 0,
                 momentum_correction: bool = True, **kwargs: Any) -> None:
        super().__init__(momentum, **kwargs)
        self.lazy_update = lazy_update
        self.eta = eta
        self.eps = eps
        self.momentum_correction = momentum_correction
        self._last_lr = {}          # index -> the learning rate of its last update

    def set_wd_mult(self, args_wd_mult: Any) -> None:
        """Set decay factors; by default, only parameters named *_weight decay."""
        none = {name: 0.0 for name in self.idx2name.values() if not name.endswith("_weight")}
        self.wd_mult = {**none, **self._multipliers("__wd_mult__"), **args_wd_mult}

    @takes_lists
    def update(self, index: Any, weight: Any, grad: Any, state: Any) -> None:
        self._step(index, weight, grad, state, mixed=False)

    @takes_lists
    def update_multi_precision(self, index: Any, weight: Any, grad: Any, state: Any) -> None:
        self._step(index, weight, grad, state, self.is_mixed(weight))

    def _step(self, index, weight, grad, state, mixed):
        lr, wd, _ = self._begin(index)
        momentum, now = self.momentum, self.learning_rate
        before = self._last_lr.get(index, now)
        self._last_lr[index] = now
        if self.momentum_correction and before != 0:
            momentum *= now / before
        self._sgd_step(weight, grad, state, mixed, self._scaled(index, weight, grad, lr, wd), wd, momentum)

    def _scaled(self, index, weight, grad, lr, wd):
        if self.idx2name.get(index, str(index)).endswith(("gamma", "beta", "bias")):
            return lr
        w, g = _norm(weight), _norm(grad) * self.rescale_grad
        return lr * self.eta * w / (g + wd * w + self.eps) if w > 0 and g > 0 else lr

    def _to_file(self):
        """Return MXNet's attributes: MXNet takes lists of 4 weights, and stores a single last learning rate for all."""
        attributes = super()._to_file()
        last = next(reversed(attributes.pop("_last_lr").values()), None)
        return {**attributes, "aggregate_num": 4, "skip": 0, "last_lr": last, "cur_lr": last}

    def _from_file(self, attributes):
        rates = {} if attributes["cur_lr"] is None else dict.fromkeys(attributes["_index_update_count"],
                                                                      attributes["cur_lr"])
        super()._from_file({**attributes, "aggregate_num": 0, "_last_lr": rates})


@register
class LBSGD(MomentumOptimizer):
    """SGD that accumulates the gradients of `batch_scale` batches, and scales the learning rate during warm-up.

    State: the momentum, or (float32 weight, momentum) in mixed precision.

    momentum: the fraction of the previous step that is added.
    multi_precision: if True, update float16 weights through a float32 copy.
    warmup_strategy: 'linear', 'power2' or 'sqrt': the factor grows from 1 to batch_scale; 'lars':
        √(|w|² / (|g|² + wd · |w|²)) in [0.01, 100].
    warmup_epochs, updates_per_epoch: their product is the number of updates during which the factor grows.
    batch_scale: the number of batches in a step.
    begin_epoch, num_epochs: the first epoch and the number of epochs.

    Source: You, Gitman and Ginsburg 2017, Large Batch Training of Convolutional Networks.

    >>> optimizer, weight = mx.optimizer.LBSGD(learning_rate=0.1), nd.array([1])
    >>> optimizer.update(0, weight, nd.array([5]), optimizer.create_state(0, weight))     # 1 - 0.1 · 5
    >>> weight.asnumpy().round(4)
    array([0.5], dtype=float32)
    """

    def __init__(self, momentum: float = 0.0, multi_precision: bool = False, warmup_strategy: str = "linear",
                 warmup_epochs: float = 5, batch_scale: float = 1, updates_per_epoch: float = 32,
                 begin_epoch: float = 0, num_epochs: float = 60, **kwargs: Any) -> None:
        super().__init__(momentum, multi_precision=multi_precision, **kwargs)
        if not isinstance(warmup_strategy, str) or warmup_strategy not in ("linear", "power2", "sqrt", "lars"):
            raise ArgumentError(f"LBSGD: warmup_strategy is {warmup_strategy!r}, expected 'linear', 'power2', 'sqrt' "
                                "or 'lars'")
        if batch_scale == 0:
            raise ArgumentError("LBSGD: batch_scale is 0, expected the number of batches in a step")
        if warmup_strategy == "sqrt" and begin_epoch < 0:
            raise ArgumentError(f"LBSGD: begin_epoch is {begin_epoch}, which has no square root for 'sqrt'")
        self.warmup_strategy = warmup_strategy
        self.warmup_epochs = warmup_epochs
        self.updates_per_epoch = updates_per_epoch
        self.batch_scale = batch_scale
        self.num_epochs = num_epochs
        self.init_updates: Any = begin_epoch * updates_per_epoch
        self.cumgrads = {}          # index -> {"cum_grad": sum of gradients, "num_cums": number of gradients so far}

    def create_state_multi_precision(self, index: Any, weight: Any) -> Any:
        return Optimizer.create_state_multi_precision(self, index, weight)

    def update(self, index: Any, weight: Any, grad: Any, state: Any) -> None:
        self._step(index, weight, grad, state, mixed=False)

    def update_multi_precision(self, index: Any, weight: Any, grad: Any, state: Any) -> None:
        require_one_weight(self, index)
        mixed = self.is_mixed(weight)
        self._step(index, weight, grad, (state[1], state[0]) if mixed else state, mixed)

    def _step(self, index, weight, grad, state, mixed):
        require_one_weight(self, index)
        lr, wd = self._get_lr(index), self._get_wd(index)
        self._update_count(index)
        before = self.cumgrads.get(index, {"cum_grad": 0, "num_cums": self.init_updates})
        total, count = grad + before["cum_grad"], before["num_cums"] + 1
        if count % self.batch_scale:
            self.cumgrads[index] = {"cum_grad": total, "num_cums": count}
            return
        self.cumgrads[index] = {"cum_grad": 0, "num_cums": count}
        mean = total / self.batch_scale
        factor = self._lars(weight, mean, wd) if self.warmup_strategy == "lars" else self._warmup(count)
        self._sgd_step(weight, mean, state, mixed, lr * factor, wd, self.momentum)

    def _warmup(self, count):
        updates = self.warmup_epochs * self.updates_per_epoch
        if count >= updates:
            return float(self.batch_scale)
        part = count / updates
        power = {"linear": 1, "power2": 2, "sqrt": 0.5}[self.warmup_strategy]
        return 1.0 + (self.batch_scale - 1) * part ** power if updates > 1 else 1.0

    def _lars(self, weight, grad, wd):
        w, g = _norm(weight) ** 2, _norm(grad) ** 2
        return min(max(math.sqrt(w / (g + wd * w + 1e-18)), 0.01), 100.0)


def _norm(array):
    return float(nd.norm(array, out_dtype="float64" if array.dtype == np.float64 else "float32").asscalar())
