"""Stochastic gradient descent, with and without momentum."""

from __future__ import annotations

import os
from typing import Any

from .. import ndarray as nd
from ..common.dtypes import is_narrow
from .optimizer import Optimizer, register
from .update_parts import zeros_like

__all__ = ["SGD"]


class MomentumOptimizer(Optimizer):
    """Return the state: the momentum, or None. In mixed precision: (momentum, float32 weight)."""

    def __init__(self, momentum: float = 0.0, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.momentum = momentum

    def create_state(self, index: Any, weight: Any) -> Any:
        return zeros_like(weight) if self.momentum != 0 else None

    def create_state_multi_precision(self, index: Any, weight: Any) -> Any:
        if self.is_mixed(weight):
            weight32 = weight.astype("float32")
            return self.create_state(index, weight32), weight32
        if is_narrow(weight.buffer.dtype):
            self._warn_float16(weight)
        return self.create_state(index, weight)

    def _sgd_step(self, weight: Any, grad: Any, state: Any, mixed: bool, lr: Any, wd: Any, momentum: float,
                  lazy: bool = True) -> None:
        """Take one step of SGD, with or without momentum, in either precision."""
        options = self._options(lr=lr, wd=wd)
        if not lazy:
            options["lazy_update"] = False
        mom, *weight32 = state if mixed else (state,)
        if mom is None:
            (nd.mp_sgd_update if mixed else nd.sgd_update)(weight, grad, *weight32, out=weight, **options)
        else:
            update = nd.mp_sgd_mom_update if mixed else nd.sgd_mom_update
            update(weight, grad, mom, *weight32, out=weight, momentum=momentum, **options)


@register
class SGD(MomentumOptimizer):
    """weight -= lr · (g + wd · weight), or with momentum mom = momentum · mom - lr · (g + wd · weight); weight += mom.

    g = clip(rescale_grad · grad). State: mom, or None. It updates several weights together, by default 4 (set by the
    environment variable MXNET_OPTIMIZER_AGGREGATION_SIZE).

    momentum: the fraction of the last step that is repeated.
    lazy_update: if True, update only the rows in a row_sparse gradient; the other rows also have no decay or momentum.
    False
        updates every row.

    >>> optimizer, weight = mx.optimizer.SGD(learning_rate=0.1), nd.array([1])
    >>> optimizer.update(0, weight, nd.array([5]), optimizer.create_state(0, weight))     # 1 - 0.1 · 5
    >>> weight.asnumpy().round(4)
    array([0.5], dtype=float32)
    """

    def __init__(self, momentum: float = 0.0, lazy_update: bool = True, **kwargs: Any) -> None:
        super().__init__(momentum, **kwargs)
        self.lazy_update = lazy_update
        self.aggregate_num: int = int(os.getenv("MXNET_OPTIMIZER_AGGREGATION_SIZE", "4"))

    def update(self, index: Any, weight: Any, grad: Any, state: Any) -> None:
        self._steps(index, weight, grad, state, mixed=False)

    def update_multi_precision(self, index: Any, weight: Any, grad: Any, state: Any) -> None:
        first = weight[0] if isinstance(index, (list, tuple)) else weight
        self._steps(index, weight, grad, state, self.is_mixed(first))

    def _steps(self, index: Any, weight: Any, grad: Any, state: Any, mixed: bool) -> None:
        if not isinstance(index, (list, tuple)):
            index, weight, grad, state = [index], [weight], [grad], [state]
        self._update_count(index)
        rates = zip(self._get_lrs(index), self._get_wds(index), strict=True)
        for w, g, s, (lr, wd) in zip(weight, grad, state, rates, strict=True):
            self._sgd_step(w, g, s, mixed, lr, wd, self.momentum, self.lazy_update)
