"""Variants of stochastic gradient descent: Nesterov's momentum, sign steps, noise, and delay compensation."""

from __future__ import annotations

import math
from typing import Any

from .. import ndarray as nd
from ..base import ArgumentError
from .lists import require_one_weight
from .optimizer import Optimizer, register
from .sgd import SGD, MomentumOptimizer
from .update_parts import zeros_like

__all__ = ["DCASGD", "NAG", "SGLD", "SignSGD", "Signum", "ccSGD"]


@register
class NAG(MomentumOptimizer):
    """d = g + wd · weight; mom = momentum · mom - lr · d; weight += momentum · mom - lr · d: Nesterov's momentum.

    g = clip(rescale_grad · grad). State: mom, or None.

    momentum: the fraction of the previous step that is added.

    Source: Sutskever et al. 2013, On the Importance of Initialization and Momentum in Deep Learning.

    >>> optimizer, weight = mx.optimizer.NAG(learning_rate=0.1, momentum=0.5), nd.array([1])
    >>> optimizer.update(0, weight, nd.array([5]), optimizer.create_state(0, weight))     # 1 - 1.5 · 0.1 · 5
    >>> weight.asnumpy().round(4)
    array([0.25], dtype=float32)
    """

    def update(self, index: Any, weight: Any, grad: Any, state: Any) -> None:
        self._step(index, weight, grad, state, mixed=False)

    def update_multi_precision(self, index: Any, weight: Any, grad: Any, state: Any) -> None:
        require_one_weight(self, index)
        self._step(index, weight, grad, state, self.is_mixed(weight))

    def _step(self, index, weight, grad, state, mixed):
        lr, wd, _ = self._begin(index)
        mom = state[0] if mixed else state
        if mom is None:
            self._sgd_step(weight, grad, state, mixed, lr, wd, 0.0)
        elif mixed:
            nd.mp_nag_mom_update(weight, grad, mom, state[1], out=weight, momentum=self.momentum,
                                 **self._options(lr=lr, wd=wd))
        else:
            nd.nag_mom_update(weight, grad, mom, out=weight, momentum=self.momentum, **self._options(lr=lr, wd=wd))


@register
class Signum(Optimizer):
    """mom = momentum · mom - (1 - momentum) · (g + wd · weight); weight = (1 - lr · wd_lh) · weight + lr · sign(mom).

    g = clip(rescale_grad · grad). State: mom, or None.

    momentum: decay factor of the direction.
    wd_lh: decoupled weight decay.

    Source: Bernstein et al. 2018, signSGD: Compressed Optimisation for Non-Convex Problems.

    >>> optimizer, weight = mx.optimizer.Signum(learning_rate=0.1), nd.array([1])
    >>> optimizer.update(0, weight, nd.array([5]), optimizer.create_state(0, weight))     # 1 - 0.1
    >>> weight.asnumpy().round(4)
    array([0.9], dtype=float32)
    """

    def __init__(self, learning_rate: float = 0.01, momentum: float = 0.9, wd_lh: float = 0.0, **kwargs: Any) -> None:
        super().__init__(learning_rate=learning_rate, **kwargs)
        self.momentum = momentum
        self.wd_lh = wd_lh

    def create_state(self, index: Any, weight: Any) -> Any:
        return zeros_like(weight) if self.momentum != 0 else None

    def update(self, index: Any, weight: Any, grad: Any, state: Any) -> None:
        lr, wd, _ = self._begin(index)
        options = self._options(lr=lr, wd=wd)
        if state is None:
            nd.signsgd_update(weight, grad, out=weight, **options)
        else:
            nd.signum_update(weight, grad, state, out=weight, momentum=self.momentum, wd_lh=self.wd_lh, **options)


@register
class SignSGD(Signum):
    """weight -= lr · sign(g + wd · weight): Signum without momentum.

    Source: Bernstein et al. 2018, signSGD: Compressed Optimisation for Non-Convex Problems.

    >>> optimizer, weight = mx.optimizer.SignSGD(learning_rate=0.1), nd.array([1])
    >>> optimizer.update(0, weight, nd.array([5]), optimizer.create_state(0, weight))     # 1 - 0.1
    >>> weight.asnumpy().round(4)
    array([0.9], dtype=float32)
    """

    def __init__(self, learning_rate: float = 0.01, **kwargs: Any) -> None:
        super().__init__(learning_rate=learning_rate, momentum=0.0, **kwargs)


@register
class SGLD(Optimizer):
    """weight -= lr / 2 · (g + wd · weight), plus normal noise with variance lr: samples from the posterior.

    g = clip(rescale_grad · grad). No state.

    Source: Welling and Teh 2011, Bayesian Learning via Stochastic Gradient Langevin Dynamics.

    >>> optimizer, weight = mx.optimizer.SGLD(learning_rate=0.01), nd.ones((10000,))
    >>> optimizer.update(0, weight, nd.zeros((10000,)), optimizer.create_state(0, weight))
    >>> round(float(weight.asnumpy().std()), 1)             # √0.01
    0.1
    """

    def update(self, index: Any, weight: Any, grad: Any, state: Any) -> None:
        lr, wd, _ = self._begin(index)
        if lr < 0:
            raise ArgumentError(f"SGLD: the learning rate is {lr}, but its square root is that of the noise")
        grad = self._clipped(grad * self.rescale_grad)
        noise = nd.random.normal(0, math.sqrt(lr), shape=weight.shape, dtype=weight.dtype, ctx=weight.context)
        weight[:] = weight - lr / 2 * (grad + wd * weight) + noise


@register
class DCASGD(MomentumOptimizer):
    """d = g + wd · weight + lamda · g² · (weight - previous): asynchronous SGD with delay compensation.

    mom = momentum · mom - lr · d; weight += mom. previous: the weight for which the gradient was computed.
    g = clip(rescale_grad · grad). State: (mom or None, previous).

    momentum: the fraction of the previous step that is added.
    lamda: strength of the compensation.

    Source: Zheng et al. 2017, Asynchronous Stochastic Gradient Descent with Delay Compensation.

    >>> optimizer, weight = mx.optimizer.DCASGD(learning_rate=0.1), nd.array([1])
    >>> optimizer.update(0, weight, nd.array([5]), optimizer.create_state(0, weight))     # 1 - 0.1 · 5
    >>> weight.asnumpy().round(4)
    array([0.5], dtype=float32)
    """

    def __init__(self, momentum: float = 0.0, lamda: float = 0.04, **kwargs: Any) -> None:
        super().__init__(momentum, **kwargs)
        self.lamda = lamda

    def create_state(self, index: Any, weight: Any) -> Any:
        return super().create_state(index, weight), weight.copy()

    create_state_multi_precision = Optimizer.create_state_multi_precision

    def update(self, index: Any, weight: Any, grad: Any, state: Any) -> None:
        lr, wd, _ = self._begin(index)
        grad = self._clipped(grad * self.rescale_grad)
        mom, previous = state
        step = -lr * (grad + wd * weight + self.lamda * grad * grad * (weight - previous))
        if mom is not None:
            step = self.momentum * mom + step
            mom[:] = step
        previous[:] = weight
        weight[:] = weight + step


@register
class ccSGD(SGD):
    """Another name for SGD, used in old programs.

    >>> optimizer, weight = mx.optimizer.ccSGD(learning_rate=0.1), nd.array([1])
    >>> optimizer.update(0, weight, nd.array([5]), optimizer.create_state(0, weight))     # 1 - 0.1 · 5
    >>> weight.asnumpy().round(4)
    array([0.5], dtype=float32)
    """
