"""Optimizers that scale each element of a step by the history of its gradients."""

import math

from .. import ndarray as nd
from ..ops import REGISTRY
from .optimizer import Optimizer, register, zeros_like

__all__ = ["FTML", "LAMB", "AdaDelta", "AdaGrad", "Adam", "Adamax", "Ftrl", "Nadam", "RMSProp"]


@register
class Adam(Optimizer):
    """Kingma, Ba 2014, arXiv:1412.6980, with the bias correction in the learning rate. State: (mean, var).

    lazy_update: as in SGD, for row_sparse gradients.
    """

    def __init__(self, learning_rate=0.001, beta1=0.9, beta2=0.999, epsilon=1e-8, lazy_update=True, **kwargs):
        super().__init__(learning_rate=learning_rate, **kwargs)
        self.beta1 = beta1
        self.beta2 = beta2
        self.epsilon = epsilon
        self.lazy_update = lazy_update

    def create_state(self, index, weight):
        return zeros_like(weight), zeros_like(weight)

    def update(self, index, weight, grad, state):
        lr, wd, t = self._begin(index)
        lr *= self._correction(t)
        mean, var = state
        options = self._options(lr=lr, wd=wd, beta1=self.beta1, beta2=self.beta2, epsilon=self.epsilon)
        if not self.lazy_update:
            options["lazy_update"] = False
        nd.adam_update(weight, grad, mean, var, out=weight, **options)

    def _correction(self, t):
        return math.sqrt(1 - self.beta2 ** t) / (1 - self.beta1 ** t)

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
        counts = [self._index_update_count[i] for i in indices]
        corrections = {t: self._correction(t) for t in set(counts)}
        return [lr * corrections[t] for lr, t in zip(lrs, counts, strict=True)], wds


@register
class AdaGrad(Optimizer):
    """weight -= lr · (g / √(Σ g² + eps) + wd · weight). State: Σ g².

    A row_sparse gradient steps the rows that it has; it takes no decay. Duchi, Hazan, Singer 2011, Adaptive subgradient
    methods.
    """

    def __init__(self, eps=1e-7, **kwargs):
        super().__init__(**kwargs)
        self.float_stable_eps = eps

    def create_state(self, index, weight):
        return zeros_like(weight)

    def update(self, index, weight, grad, state):
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
    """centered=False: Tieleman, Hinton 2012, state (n,). centered=True: Graves 2013, state (n, g, delta).

    gamma1 is the decay of the running means, gamma2 the momentum of the centered form.
    """

    def __init__(self, learning_rate=0.001, gamma1=0.9, gamma2=0.9, epsilon=1e-8, centered=False, clip_weights=None,
                 **kwargs):
        super().__init__(learning_rate=learning_rate, **kwargs)
        self.gamma1 = gamma1
        self.gamma2 = gamma2
        self.epsilon = epsilon
        self.centered = centered
        self.clip_weights = clip_weights

    def create_state(self, index, weight):
        return tuple(zeros_like(weight) for _ in range(3 if self.centered else 1))

    def update(self, index, weight, grad, state):
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
    """Steps in the weight's own unit, without a learning rate. State: running means of g² and of the steps².

    Zeiler 2012, ADADELTA, arXiv:1212.5701.
    """

    def __init__(self, rho=0.90, epsilon=1e-5, **kwargs):
        super().__init__(**kwargs)
        self.rho = rho
        self.epsilon = epsilon

    def create_state(self, index, weight):
        return zeros_like(weight), zeros_like(weight)

    def update(self, index, weight, grad, state):
        _, wd, _ = self._begin(index)
        grad = self._clipped(grad * self.rescale_grad)
        mean_grad2, mean_step2 = state
        mean_grad2[:] = self.rho * mean_grad2 + (1 - self.rho) * grad * grad
        step = nd.sqrt(mean_step2 + self.epsilon) / nd.sqrt(mean_grad2 + self.epsilon) * grad
        mean_step2[:] = self.rho * mean_step2 + (1 - self.rho) * step * step
        weight[:] = weight - step - wd * weight


@register
class Adamax(Optimizer):
    """Adam with the maximum norm: u = max(beta2 · u, |d|), d = clip(rescale_grad · grad + wd · weight).

    State: (mean of d, u). Kingma, Ba 2014, section 7.
    """

    def __init__(self, learning_rate=0.002, beta1=0.9, beta2=0.999, **kwargs):
        super().__init__(learning_rate=learning_rate, **kwargs)
        self.beta1 = beta1
        self.beta2 = beta2

    def create_state(self, index, weight):
        return zeros_like(weight), zeros_like(weight)

    def update(self, index, weight, grad, state):
        lr, wd, t = self._begin(index)
        d = self._clipped(grad * self.rescale_grad + wd * weight)
        mean, largest = state
        mean[:] = self.beta1 * mean + (1 - self.beta1) * d
        largest[:] = nd.broadcast_maximum(self.beta2 * largest, nd.abs(d))
        weight[:] = weight - lr / (1 - self.beta1 ** t) * mean / largest


@register
class Nadam(Optimizer):
    """Adam with Nesterov's momentum, whose coefficient grows from beta1 / 2 to beta1.

    State: (mean, var). Dozat 2016, Incorporating Nesterov momentum into Adam.
    """

    def __init__(self, learning_rate=0.001, beta1=0.9, beta2=0.999, epsilon=1e-8, schedule_decay=0.004, **kwargs):
        super().__init__(learning_rate=learning_rate, **kwargs)
        self.beta1 = beta1
        self.beta2 = beta2
        self.epsilon = epsilon
        self.schedule_decay = schedule_decay
        self.m_schedule = 1.0       # product of the coefficients so far; one for all weights, as in MXNet

    def create_state(self, index, weight):
        return zeros_like(weight), zeros_like(weight)

    def _momentum(self, t):
        return self.beta1 * (1 - 0.5 * 0.96 ** (t * self.schedule_decay))

    def update(self, index, weight, grad, state):
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
    """Follow the regularized leader: weights become exactly 0. State: (z, n). See `ftrl_update`."""

    def __init__(self, lamda1=0.01, learning_rate=0.1, beta=1, **kwargs):
        super().__init__(learning_rate=learning_rate, **kwargs)
        self.lamda1 = lamda1
        self.beta = beta

    def create_state(self, index, weight):
        return zeros_like(weight), zeros_like(weight)

    def update(self, index, weight, grad, state):
        lr, wd, _ = self._begin(index)
        nd.ftrl_update(weight, grad, *state, out=weight, lamda1=self.lamda1, beta=self.beta,
                       **self._options(lr=lr, wd=wd))


@register
class FTML(Optimizer):
    """Follow the moving leader. State: (d, v, z). See `ftml_update`."""

    def __init__(self, beta1=0.6, beta2=0.999, epsilon=1e-8, **kwargs):
        super().__init__(**kwargs)
        self.beta1 = beta1
        self.beta2 = beta2
        self.epsilon = epsilon

    def create_state(self, index, weight):
        return zeros_like(weight), zeros_like(weight), zeros_like(weight)

    def update(self, index, weight, grad, state):
        lr, wd, t = self._begin(index)
        options = {"clip_grad": self.clip_gradient} if self.clip_gradient else {}
        nd.ftml_update(weight, grad, *state, out=weight, lr=lr, wd=wd, t=t, beta1=self.beta1, beta2=self.beta2,
                       epsilon=self.epsilon, rescale_grad=self.rescale_grad, **options)


@register
class LAMB(Optimizer):
    """Adam with separate decay, each layer's step scaled to its weight's norm, held in [lower_bound, upper_bound].

    You et al. 2019, Large batch optimization for deep learning, arXiv:1904.00962. State: (mean, var).
    """

    def __init__(self, learning_rate=0.001, beta1=0.9, beta2=0.999, epsilon=1e-6, lower_bound=None, upper_bound=None,
                 bias_correction=True, **kwargs):
        super().__init__(learning_rate=learning_rate, **kwargs)
        self.beta1 = beta1
        self.beta2 = beta2
        self.epsilon = epsilon
        self.lower_bound = lower_bound
        self.upper_bound = upper_bound
        self.bias_correction = bias_correction

    def create_state(self, index, weight):
        return zeros_like(weight), zeros_like(weight)

    def update(self, index, weight, grad, state):
        lr, wd, t = self._begin(index)
        g = nd.lamb_update_phase1(weight, grad, *state, **self._options(
            wd=wd, t=t, beta1=self.beta1, beta2=self.beta2, epsilon=self.epsilon,
            bias_correction=self.bias_correction))
        bounds = {name: bound for name, bound in (("lower_bound", self.lower_bound),
                                                  ("upper_bound", self.upper_bound)) if bound}
        weight_norm, step_norm = (nd.sqrt(nd.sum(nd.square(x))) for x in (weight, g))
        nd.lamb_update_phase2(weight, g, weight_norm, step_norm, out=weight, lr=lr, **bounds)

    def _to_file(self):
        return {**super()._to_file(), "aggregate_num": 45}      # MXNet's takes lists of so many weights

    def _from_file(self, attributes):
        super()._from_file({**attributes, "aggregate_num": 0})
