"""Optimizers that scale each element of a step based on its gradient history."""

from __future__ import annotations

import math
from typing import Any

from .. import ndarray as nd
from ..base import ArgumentError
from ..ops import REGISTRY
from .lists import takes_lists
from .optimizer import Optimizer, register
from .update_parts import correction, zeros_like

__all__ = ["FTML", "LAMB", "AdaDelta", "AdaGrad", "Adam", "Adamax", "Ftrl", "Nadam", "RMSProp"]


@register
class Adam(Optimizer):
    """d = clip(rescale_grad · grad + wd · weight); weight -= lr · √(1 - beta2ᵗ) / (1 - beta1ᵗ) · m / (√v + epsilon).

    m = beta1 · m + (1 - beta1) · d and v = beta2 · v + (1 - beta2) · d²; t counts the steps. State: (m, v).

    beta1, beta2: decay factors of the running means of d and d².
    epsilon: a small number that keeps the quotient finite.
    lazy_update: as in SGD, for row_sparse gradients.

    Source: Kingma and Ba 2015, Adam: A Method for Stochastic Optimization.

    >>> optimizer, weight = mx.optimizer.Adam(learning_rate=0.1), nd.array([1])
    >>> optimizer.update(0, weight, nd.array([5]), optimizer.create_state(0, weight))     # the first step is lr
    >>> weight.asnumpy().round(4)
    array([0.9], dtype=float32)
    """

    def __init__(self, learning_rate: float = 0.001, beta1: float = 0.9, beta2: float = 0.999, epsilon: float = 1e-8,
                 lazy_update: bool = True, **kwargs: Any) -> None:
        super().__init__(learning_rate=learning_rate, **kwargs)
        self.beta1 = beta1
        self.beta2 = beta2
        self.epsilon = epsilon
        self.lazy_update = lazy_update

    def create_state(self, index: Any, weight: Any) -> Any:
        return zeros_like(weight), zeros_like(weight)

    def update(self, index: Any, weight: Any, grad: Any, state: Any) -> None:
        lr, wd, t = self._begin(index)
        lr *= self._correction(t)
        mean, var = state
        options = self._options(lr=lr, wd=wd, beta1=self.beta1, beta2=self.beta2, epsilon=self.epsilon)
        if not self.lazy_update:
            options["lazy_update"] = False
        nd.adam_update(weight, grad, mean, var, out=weight, **options)

    def _correction(self, t):
        second = correction(self, "beta2", t)
        if second < 0:
            raise ArgumentError(f"Adam: beta2 is {self.beta2}, expected a number below 1")
        return math.sqrt(second) / correction(self, "beta1", t)

    def _joint_options(self):
        if not self._update_is_that_of(Adam):
            return f"{type(self).__name__} has an update of its own"
        return {"clip_gradient": self.clip_gradient or -1.0, "beta1": self.beta1, "beta2": self.beta2,
                "epsilon": self.epsilon}

    def _joint_step(self, states):
        options = self._joint_options()
        if isinstance(options, str):
            return options
        return REGISTRY["_adam_steps"](num_weights=len(states), **options), states

    def _begin_all(self, indices):
        lrs, wds = super()._begin_all(indices)
        counts = list(map(self._index_update_count.get, indices))
        if len(set(counts)) == 1:
            correction = self._correction(counts[0])
            return [lr * correction for lr in lrs], wds
        corrections = {t: self._correction(t) for t in set(counts)}
        return [lr * corrections[t] for lr, t in zip(lrs, counts, strict=True)], wds


@register
class AdaGrad(Optimizer):
    """weight -= lr · (g / √(Σ g² + eps) + wd · weight), g = clip(rescale_grad · grad).

    State: Σ g². A row_sparse gradient updates only its own rows, without weight decay.

    eps: a small number that keeps the quotient finite.

    Source: Duchi, Hazan and Singer 2011, Adaptive Subgradient Methods for Online Learning and Stochastic Optimization.

    >>> optimizer, weight = mx.optimizer.AdaGrad(learning_rate=0.1), nd.array([1])
    >>> optimizer.update(0, weight, nd.array([5]), optimizer.create_state(0, weight))     # the first step is lr
    >>> weight.asnumpy().round(4)
    array([0.9], dtype=float32)
    """

    def __init__(self, eps: float = 1e-7, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.float_stable_eps = eps

    def create_state(self, index: Any, weight: Any) -> Any:
        return zeros_like(weight)

    def update(self, index: Any, weight: Any, grad: Any, state: Any) -> None:
        lr, wd, _ = self._begin(index)
        if grad.stype == "row_sparse":
            nd.sparse.adagrad_update(weight, grad, state, out=weight, epsilon=self.float_stable_eps,
                                     **self._options(lr=lr, wd=wd))
            return
        grad = self._clipped(grad * self.rescale_grad)
        state[:] = state + nd.square(grad)
        weight[:] = weight - lr * (grad / nd.sqrt(state + self.float_stable_eps) + wd * weight)


@register
class RMSProp(Optimizer):
    """weight -= lr · d / √(n + epsilon), with the running mean n = gamma1 · n + (1 - gamma1) · d².

    d = clip(rescale_grad · grad + wd · weight). centered=True: m is the running mean of d; delta = gamma2 · delta - lr
    · d / √(n - m² + epsilon); weight += delta. State: (n,), or (n, m, delta).

    gamma1: decay factor of the running means.
    gamma2: momentum, if centered.
    epsilon: a small number that keeps the quotient finite.
    centered: if True, divide by the standard deviation and use momentum.
    clip_weights: a bound on the weights' elements after the step.

    Source: Tieleman and Hinton 2012, Neural Networks for Machine Learning, lecture 6.5; centered: Graves 2013,
        Generating Sequences With Recurrent Neural Networks.

    >>> optimizer, weight = mx.optimizer.RMSProp(learning_rate=0.1, gamma1=0.75), nd.array([1])
    >>> optimizer.update(0, weight, nd.array([5]), optimizer.create_state(0, weight))     # 1 - 0.1 / √0.25
    >>> weight.asnumpy().round(4)
    array([0.8], dtype=float32)
    """

    def __init__(self, learning_rate: float = 0.001, gamma1: float = 0.9, gamma2: float = 0.9, epsilon: float = 1e-8,
                 centered: bool = False, clip_weights: float | None = None, **kwargs: Any) -> None:
        super().__init__(learning_rate=learning_rate, **kwargs)
        self.gamma1 = gamma1
        self.gamma2 = gamma2
        self.epsilon = epsilon
        self.centered = centered
        self.clip_weights = clip_weights

    def create_state(self, index: Any, weight: Any) -> Any:
        return tuple(zeros_like(weight) for _ in range(3 if self.centered else 1))

    def update(self, index: Any, weight: Any, grad: Any, state: Any) -> None:
        lr, wd, _ = self._begin(index)
        options = self._options(lr=lr, wd=wd, gamma1=self.gamma1, epsilon=self.epsilon)
        if self.clip_weights:
            options["clip_weights"] = self.clip_weights
        if self.centered:
            nd.rmspropalex_update(weight, grad, *state, out=weight, gamma2=self.gamma2, **options)
        else:
            nd.rmsprop_update(weight, grad, *state, out=weight, **options)


@register
class AdaDelta(Optimizer):
    """step = √(s + epsilon) / √(n + epsilon) · g; weight -= step + wd · weight: a step has the same unit as the weight.

    n = rho · n + (1 - rho) · g², and afterwards s in the same way from step². There is no learning rate.
    g = clip(rescale_grad · grad). State: (n, s).

    rho: decay factor of the running means.
    epsilon: determines the size of the first steps.

    Source: Zeiler 2012, ADADELTA: An Adaptive Learning Rate Method.

    >>> optimizer, weight = mx.optimizer.AdaDelta(), nd.array([1])
    >>> optimizer.update(0, weight, nd.array([5]), optimizer.create_state(0, weight))
    >>> weight.asnumpy().round(4)
    array([0.99], dtype=float32)
    """

    def __init__(self, rho: float = 0.90, epsilon: float = 1e-5, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.rho = rho
        self.epsilon = epsilon

    def create_state(self, index: Any, weight: Any) -> Any:
        return zeros_like(weight), zeros_like(weight)

    def update(self, index: Any, weight: Any, grad: Any, state: Any) -> None:
        _, wd, _ = self._begin(index)
        grad = self._clipped(grad * self.rescale_grad)
        mean_grad2, mean_step2 = state
        mean_grad2[:] = self.rho * mean_grad2 + (1 - self.rho) * grad * grad
        step = nd.sqrt(mean_step2 + self.epsilon) / nd.sqrt(mean_grad2 + self.epsilon) * grad
        mean_step2[:] = self.rho * mean_step2 + (1 - self.rho) * step * step
        weight[:] = weight - step - wd * weight


@register
class Adamax(Optimizer):
    """d = clip(rescale_grad · grad + wd · weight); u = max(beta2 · u, |d|); weight -= lr / (1 - beta1ᵗ) · m / u.

    Adam with the maximum norm. m = beta1 · m + (1 - beta1) · d; t counts the steps. State: (m, u).

    beta1, beta2: decay factors of m and u.

    Source: Kingma and Ba 2015, Adam: A Method for Stochastic Optimization, section 7.

    >>> optimizer, weight = mx.optimizer.Adamax(learning_rate=0.1), nd.array([1])
    >>> optimizer.update(0, weight, nd.array([5]), optimizer.create_state(0, weight))     # the first step is lr
    >>> weight.asnumpy().round(4)
    array([0.9], dtype=float32)
    """

    def __init__(self, learning_rate: float = 0.002, beta1: float = 0.9, beta2: float = 0.999, **kwargs: Any) -> None:
        super().__init__(learning_rate=learning_rate, **kwargs)
        self.beta1 = beta1
        self.beta2 = beta2

    def create_state(self, index: Any, weight: Any) -> Any:
        return zeros_like(weight), zeros_like(weight)

    def update(self, index: Any, weight: Any, grad: Any, state: Any) -> None:
        lr, wd, t = self._begin(index)
        d = self._clipped(grad * self.rescale_grad + wd * weight)
        mean, largest = state
        mean[:] = self.beta1 * mean + (1 - self.beta1) * d
        largest[:] = nd.broadcast_maximum(self.beta2 * largest, nd.abs(d))
        weight[:] = weight - lr / correction(self, "beta1", t) * mean / largest


@register
class Nadam(Optimizer):
    """weight -= lr · ahead / (√(v / (1 - beta2ᵗ)) + epsilon): Adam with Nesterov's momentum.

    ahead = b' · m / (1 - B · b') + (1 - b) · d / (1 - B), where b is the coefficient of this step, b' that of the next
    step, and B the product of all coefficients so far; b grows from beta1 / 2 to beta1. d, m and v are as in Adam.
    State: (m, v).

    beta1, beta2: decay factors of the running means of d and d².
    epsilon: a small number that keeps the quotient finite.
    schedule_decay: determines how fast b grows.

    Source: Dozat 2016, Incorporating Nesterov Momentum into Adam.

    >>> optimizer, weight = mx.optimizer.Nadam(learning_rate=0.1), nd.array([1])
    >>> optimizer.update(0, weight, nd.array([5]), optimizer.create_state(0, weight))
    >>> weight.asnumpy().round(4)
    array([0.8944], dtype=float32)
    """

    def __init__(self, learning_rate: float = 0.001, beta1: float = 0.9, beta2: float = 0.999, epsilon: float = 1e-8,
                 schedule_decay: float = 0.004, **kwargs: Any) -> None:
        super().__init__(learning_rate=learning_rate, **kwargs)
        self.beta1 = beta1
        self.beta2 = beta2
        self.epsilon = epsilon
        self.schedule_decay = schedule_decay
        self.m_schedule = 1.0       # the product of the coefficients so far, shared by all weights as in MXNet

    def create_state(self, index: Any, weight: Any) -> Any:
        return zeros_like(weight), zeros_like(weight)

    def _momentum(self, t):
        return self.beta1 * (1 - 0.5 * 0.96 ** (t * self.schedule_decay))

    def update(self, index: Any, weight: Any, grad: Any, state: Any) -> None:
        lr, wd, t = self._begin(index)
        d = self._clipped(grad * self.rescale_grad + wd * weight)
        now, following = self._momentum(t), self._momentum(t + 1)
        self.m_schedule *= now
        mean, var = state
        mean[:] = self.beta1 * mean + (1 - self.beta1) * d
        var[:] = self.beta2 * var + (1 - self.beta2) * d * d
        ahead = following * mean / (1 - self.m_schedule * following) + (1 - now) * d / (1 - self.m_schedule)
        weight[:] = weight - lr * ahead / (nd.sqrt(var / (1 - self.beta2 ** t)) + self.epsilon)


@register
class Ftrl(Optimizer):
    """Follow the regularized leader: weight = (sign(z) · lamda1 - z) / ((beta + √n) / lr + wd), 0 where |z| ≤ lamda1.

    z += g - (√(n + g²) - √n) · weight / lr; before that, n += g². g = clip(rescale_grad · grad). State: (z, n).

    lamda1: strength of the L1 regularization, which makes weights exactly 0.
    beta: larger values make the first steps smaller.

    Source: McMahan et al. 2013, Ad Click Prediction: a View from the Trenches.

    >>> optimizer, weight = mx.optimizer.Ftrl(lamda1=10), nd.array([0])
    >>> optimizer.update(0, weight, nd.array([5]), optimizer.create_state(0, weight))     # |z| is 5
    >>> weight.asnumpy().round(4)
    array([0.], dtype=float32)
    """

    def __init__(self, lamda1: float = 0.01, learning_rate: float = 0.1, beta: float = 1, **kwargs: Any) -> None:
        super().__init__(learning_rate=learning_rate, **kwargs)
        self.lamda1 = lamda1
        self.beta = beta

    def create_state(self, index: Any, weight: Any) -> Any:
        return zeros_like(weight), zeros_like(weight)

    def update(self, index: Any, weight: Any, grad: Any, state: Any) -> None:
        lr, wd, _ = self._begin(index)
        nd.ftrl_update(weight, grad, *state, out=weight, lamda1=self.lamda1, beta=self.beta,
                       **self._options(lr=lr, wd=wd))


@register
class FTML(Optimizer):
    """Follow the moving leader: weight = -z / d', d' = (1 - beta1ᵗ) / lr · (√(v / (1 - beta2ᵗ)) + epsilon).

    h = clip(rescale_grad · grad + wd · weight); v = beta2 · v + (1 - beta2) · h²;
    z = beta1 · z + (1 - beta1) · h - (d' - beta1 · d) · weight. State: (d, v, z).

    beta1, beta2: decay factors of z and v.
    epsilon: a small number that keeps the quotient finite.

    Source: Zheng and Kwok 2017, Follow the Moving Leader in Deep Learning.

    >>> optimizer, weight = mx.optimizer.FTML(learning_rate=0.1), nd.array([1])
    >>> optimizer.update(0, weight, nd.array([5]), optimizer.create_state(0, weight))
    >>> weight.asnumpy().round(4)
    array([0.9], dtype=float32)
    """

    def __init__(self, beta1: float = 0.6, beta2: float = 0.999, epsilon: float = 1e-8, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.beta1 = beta1
        self.beta2 = beta2
        self.epsilon = epsilon

    def create_state(self, index: Any, weight: Any) -> Any:
        return zeros_like(weight), zeros_like(weight), zeros_like(weight)

    def update(self, index: Any, weight: Any, grad: Any, state: Any) -> None:
        lr, wd, t = self._begin(index)
        options = {"clip_grad": self.clip_gradient} if self.clip_gradient else {}
        nd.ftml_update(weight, grad, *state, out=weight, lr=lr, wd=wd, t=t, beta1=self.beta1, beta2=self.beta2,
                       epsilon=self.epsilon, rescale_grad=self.rescale_grad, **options)


@register
class LAMB(Optimizer):
    """weight -= lr · |weight| / |d| · d, with d = m / (√v + epsilon) + wd · weight: Adam with layer-wise step sizes.

    m and v are the running means of g and g², which bias_correction divides by 1 - beta1ᵗ and 1 - beta2ᵗ. The first
    quotient is 1 if a norm is 0. g = clip(rescale_grad · grad). State: (m, v).

    beta1, beta2: decay factors of the running means.
    epsilon: a small number that keeps the quotient finite.
    lower_bound, upper_bound: the limits to which |weight| is clipped.

    Source: You et al. 2019, Large Batch Optimization for Deep Learning: Training BERT in 76 Minutes.

    >>> optimizer, weight = mx.optimizer.LAMB(learning_rate=0.1), nd.array([2])
    >>> optimizer.update(0, weight, nd.array([5]), optimizer.create_state(0, weight))     # 2 - 0.1 · 2
    >>> weight.asnumpy().round(4)
    array([1.8], dtype=float32)
    """

    def __init__(self, learning_rate: float = 0.001, beta1: float = 0.9, beta2: float = 0.999, epsilon: float = 1e-6,
                 lower_bound: float | None = None, upper_bound: float | None = None, bias_correction: bool = True,
                 **kwargs: Any) -> None:
        super().__init__(learning_rate=learning_rate, **kwargs)
        self.beta1 = beta1
        self.beta2 = beta2
        self.epsilon = epsilon
        self.lower_bound = lower_bound
        self.upper_bound = upper_bound
        self.bias_correction = bias_correction

    def create_state(self, index: Any, weight: Any) -> Any:
        return zeros_like(weight), zeros_like(weight)

    @takes_lists
    def update_multi_precision(self, index: Any, weight: Any, grad: Any, state: Any) -> None:
        super().update_multi_precision(index, weight, grad, state)

    @takes_lists
    def update(self, index: Any, weight: Any, grad: Any, state: Any) -> None:
        lr, wd, t = self._begin(index)
        g = nd.lamb_update_phase1(weight, grad, *state, **self._options(
            wd=wd, t=t, beta1=self.beta1, beta2=self.beta2, epsilon=self.epsilon,
            bias_correction=self.bias_correction))
        bounds = {name: bound for name, bound in (("lower_bound", self.lower_bound),
                                                  ("upper_bound", self.upper_bound)) if bound}
        weight_norm, step_norm = (nd.norm(x) for x in (weight, g))
        nd.lamb_update_phase2(weight, g, weight_norm, step_norm, out=weight, lr=lr, **bounds)

    def _to_file(self):
        return {**super()._to_file(), "aggregate_num": 45}      # MXNet's LAMB takes lists of this many weights

    def _from_file(self, attributes):
        super()._from_file({**attributes, "aggregate_num": 0})
