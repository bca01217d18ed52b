"""One step of an optimizer as an operator: weight, gradient and state in; the new weight out, the state overwritten.

`out=weight` makes the step in place. In all of them g = clip(rescale_grad · grad), where a clip_gradient below 0 means
no clipping; the formulas say where the weight decay enters. `mp_` stands for mixed precision: float16 weights with a
float32 copy, `weight32`, on which the step is made.
"""

import math

import numpy as np

from ...base import ArgumentError
from ..families import Elementwise
from ..registry import register

__all__ = []


class Update(Elementwise):
    """What steps of one weight share: arrays of one shape and one floating-point type, no gradient of their own."""

    gradient = None
    keeps = ()

    def infer_dtype(self, *dtypes):
        for name, dtype in zip(self.list_arguments(), dtypes, strict=True):
            self.require_float(name, dtype)
        return super().infer_dtype(*dtypes)

    @property
    def in_place(self):
        """A piece of the new weight is written after that piece of all arrays was read; a state has its own memory."""
        return tuple(name for name in self.list_arguments() if name not in self.mutates)


PIECE = 2 ** 15         # elements of each array at a time: what a step computes on the way then stays in the cache


def in_pieces(step, arrays, targets):
    """Write the results of `step(*arrays)` to `targets`, a piece after the other where they are large."""
    if targets[0].size <= PIECE:
        store(targets, step(*arrays))
        return
    arrays, targets = [a.reshape(-1) for a in arrays], [a.reshape(-1) for a in targets]
    for start in range(0, targets[0].size, PIECE):
        piece = slice(start, start + PIECE)
        store([a[piece] for a in targets], step(*[a[piece] for a in arrays]))


def store(targets, results):
    """Write a step's results, the new weight and states, into the memory of the old ones."""
    for target, result in zip(targets, results if isinstance(results, tuple) else (results,), strict=True):
        np.copyto(target, result)


class MixedUpdate(Update):
    """A step on `weight32`; weight and grad are float16."""

    def infer_dtype(self, *dtypes):
        require_mixed(self, dict(zip(self.list_arguments(), dtypes, strict=True)))
        return list(dtypes), [dtypes[0]]


def require_mixed(op, dtypes):
    """Refuse types with which a step cannot be made. dtypes: {name in the group: dtype}.

    Floats, and one type for weight and gradient; also for weight32 and the states. Without weight32, one type for all.
    """
    narrow = wide = None
    for name, dtype in dtypes.items():
        op.require_float(name, dtype)
        if name in ("weight", "grad") or "weight32" not in dtypes:
            narrow = op.require_dtype(name, dtype, narrow)
        else:
            wide = op.require_dtype(name, dtype, wide)


def clipped(g, limit):
    """g with its elements brought into [-limit, limit], in place; untouched when limit is negative."""
    if limit > 65504:           # the least of the floats' largest numbers: beyond it the limit may be infinite
        limit = np.array(limit).astype(g.dtype)
    if not isinstance(g, np.ndarray):       # a number, which is what NumPy computes of arrays without axes
        return g if limit < 0 else np.clip(g, -limit, limit)
    return g if limit < 0 else np.clip(g, -limit, limit, out=g)


def sgd(op, weight, grad, lr, wd):
    """weight - lr · (g + wd · weight)"""
    out = clipped(grad * op.rescale_grad, op.clip_gradient) * -lr
    out += weight * (1 - lr * wd)
    return out


def sgd_momentum(op, weight, grad, mom, lr, wd):
    """(weight + mom', mom') with mom' = momentum · mom - lr · (g + wd · weight)"""
    step = clipped(grad * op.rescale_grad, op.clip_gradient)
    step *= lr
    mom = mom * op.momentum
    mom -= step
    if wd:
        mom -= np.multiply(weight, lr * wd, out=step)
    return np.add(weight, mom, out=step), mom


def nesterov(op, weight, grad, mom):
    """(weight + momentum · mom' - lr · d, mom') with d = g + wd · weight, mom' = momentum · mom - lr · d"""
    step = op.lr * (clipped(grad * op.rescale_grad, op.clip_gradient) + op.wd * weight)
    mom = op.momentum * mom - step
    return weight + op.momentum * mom - step, mom


@register("weight", "grad")
class sgd_update(Update):
    """weight - lr · (g + wd · weight)"""

    lr: float
    wd: float = 0.0
    rescale_grad: float = 1.0
    clip_gradient: float = -1.0
    lazy_update: bool = True

    def forward(self, weight, grad):
        return sgd(self, weight, grad, self.lr, self.wd)


@register("weight", "grad", "mom")
class sgd_mom_update(Update):
    """mom = momentum · mom - lr · (g + wd · weight); weight + mom"""

    lr: float
    momentum: float = 0.0
    wd: float = 0.0
    rescale_grad: float = 1.0
    clip_gradient: float = -1.0
    lazy_update: bool = True
    mutates = ("mom",)

    def forward(self, weight, grad, mom):
        return sgd_momentum(self, weight, grad, mom, self.lr, self.wd)


@register("weight", "grad", "weight32")
class mp_sgd_update(MixedUpdate):
    """`sgd_update` in mixed precision."""

    lr: float
    wd: float = 0.0
    rescale_grad: float = 1.0
    clip_gradient: float = -1.0
    lazy_update: bool = True
    mutates = ("weight32",)

    def forward(self, weight, grad, weight32):
        new = sgd(self, weight32, grad.astype(weight32.dtype), self.lr, self.wd)
        return new.astype(weight.dtype), new


@register("weight", "grad", "mom", "weight32")
class mp_sgd_mom_update(MixedUpdate):
    """`sgd_mom_update` in mixed precision."""

    lr: float
    momentum: float = 0.0
    wd: float = 0.0
    rescale_grad: float = 1.0
    clip_gradient: float = -1.0
    lazy_update: bool = True
    mutates = ("mom", "weight32")

    def forward(self, weight, grad, mom, weight32):
        new, mom = sgd_momentum(self, weight32, grad.astype(weight32.dtype), mom, self.lr, self.wd)
        return new.astype(weight.dtype), mom, new


@register("weight", "grad", "mom")
class nag_mom_update(Update):
    """d = g + wd · weight; mom = momentum · mom - lr · d; weight + momentum · mom - lr · d"""

    lr: float
    momentum: float = 0.0
    wd: float = 0.0
    rescale_grad: float = 1.0
    clip_gradient: float = -1.0
    mutates = ("mom",)

    def forward(self, weight, grad, mom):
        return nesterov(self, weight, grad, mom)


@register("weight", "grad", "mom", "weight32")
class mp_nag_mom_update(MixedUpdate):
    """`nag_mom_update` in mixed precision."""

    lr: float
    momentum: float = 0.0
    wd: float = 0.0
    rescale_grad: float = 1.0
    clip_gradient: float = -1.0
    mutates = ("mom", "weight32")

    def forward(self, weight, grad, mom, weight32):
        new, mom = nesterov(self, weight32, grad.astype(weight32.dtype), mom)
        return new.astype(weight.dtype), mom, new


def decayed(op, weight, grad, wd):
    """clip(rescale_grad · grad + wd · weight): the decay is clipped with the gradient."""
    d = grad * op.rescale_grad
    if wd:
        d += wd * weight
    return clipped(d, op.clip_gradient)


def adam(op, weight, grad, mean, var, lr, wd):
    """(weight - lr · mean' / (√var' + epsilon), mean', var'); see `adam_update`"""
    d = decayed(op, weight, grad, wd)
    mean, var = _moments(op, d, mean, var)
    step = np.sqrt(var, out=d)          # d is not needed any more: no memory for another array
    step += op.epsilon
    np.divide(mean, step, out=step)
    step *= -lr
    step += weight
    return step, mean, var


@register("weight", "grad", "mean", "var")
class adam_update(Update):
    """d = clip(rescale_grad · grad + wd · weight); mean and var are running means of d and d² with beta1 and beta2;
    weight - lr · mean / (√var + epsilon). The caller puts the bias correction into lr.

    Kingma, Ba 2014, Adam, arXiv:1412.6980.
    """

    lr: float
    beta1: float = 0.9
    beta2: float = 0.999
    epsilon: float = 1e-8
    wd: float = 0.0
    rescale_grad: float = 1.0
    clip_gradient: float = -1.0
    lazy_update: bool = True
    mutates = ("mean", "var")

    def forward(self, weight, grad, mean, var):
        return adam(self, weight, grad, mean, var, self.lr, self.wd)


def _moments(op, d, mean, var):
    """The running means of d and d². Overwrites d."""
    mean = _running_mean(mean, d, op.beta1)
    return mean, _running_mean(var, np.square(d, out=d), op.beta2)


def _running_mean(mean, new, decay):
    """decay · mean + (1 - decay) · new, with one array of memory."""
    out = mean - new
    out *= decay
    out += new
    return out


@register("weight", "grad", "n")
class rmsprop_update(Update):
    """d = clip(rescale_grad · grad + wd · weight); n is the running mean of d²; weight - lr · d / √(n + epsilon).

    clip_weights > 0 bounds the new weights. Tieleman, Hinton 2012, Lecture 6.5.
    """

    lr: float
    gamma1: float = 0.95
    epsilon: float = 1e-8
    wd: float = 0.0
    rescale_grad: float = 1.0
    clip_gradient: float = -1.0
    clip_weights: float = -1.0
    mutates = ("n",)

    def forward(self, weight, grad, n):
        d = decayed(self, weight, grad, self.wd)
        n = self.gamma1 * n + (1 - self.gamma1) * np.square(d)
        return clipped(weight - self.lr * d / np.sqrt(n + self.epsilon), self.clip_weights), n


@register("weight", "grad", "n", "g", "delta")
class rmspropalex_update(Update):
    """RMSProp with the variance in place of the mean square, and momentum: g is the running mean of d, and
    delta = gamma2 · delta - lr · d / √(n - g² + epsilon); weight + delta.

    Graves 2013, arXiv:1308.0850, equations 38 to 45.
    """

    lr: float
    gamma1: float = 0.95
    gamma2: float = 0.9
    epsilon: float = 1e-8
    wd: float = 0.0
    rescale_grad: float = 1.0
    clip_gradient: float = -1.0
    clip_weights: float = -1.0
    mutates = ("n", "g", "delta")

    def forward(self, weight, grad, n, g, delta):
        d = decayed(self, weight, grad, self.wd)
        n = self.gamma1 * n + (1 - self.gamma1) * np.square(d)
        g = self.gamma1 * g + (1 - self.gamma1) * d
        delta = self.gamma2 * delta - self.lr * d / np.sqrt(n - np.square(g) + self.epsilon)
        return clipped(weight + delta, self.clip_weights), n, g, delta


@register("weight", "grad", "z", "n")
class ftrl_update(Update):
    """z += g - (√(n + g²) - √n) · weight / lr; n += g²; the new weight is 0 where |z| <= lamda1, otherwise
    (sign(z) · lamda1 - z) / ((beta + √n) / lr + wd).

    McMahan et al. 2013, Ad click prediction: a view from the trenches.
    """

    lr: float
    lamda1: float = 0.01
    beta: float = 1.0
    wd: float = 0.0
    rescale_grad: float = 1.0
    clip_gradient: float = -1.0
    mutates = ("z", "n")

    def forward(self, weight, grad, z, n):
        g = clipped(grad * self.rescale_grad, self.clip_gradient)
        n_new = n + np.square(g)
        z = z + g - (np.sqrt(n_new) - np.sqrt(n)) * weight / self.lr
        new = (np.sign(z) * self.lamda1 - z) / ((self.beta + np.sqrt(n_new)) / self.lr + self.wd)
        return new * (np.abs(z) > self.lamda1), z, n_new


@register("weight", "grad", "d", "v", "z")
class ftml_update(Update):
    """Follow the moving leader at step t; epsilon and the decay as in Adam.

    h = clip(rescale_grad · grad + wd · weight); v is the running mean of h²;
    d' = (1 - beta1ᵗ) / lr · (√(v / (1 - beta2ᵗ)) + epsilon);
    z = beta1 · z + (1 - beta1) · h - (d' - beta1 · d) · weight; the new weight is -z / d'.

    Zheng, Kwok 2017, Follow the moving leader in deep learning.
    """

    lr: float
    beta1: float = 0.6
    beta2: float = 0.999
    epsilon: float = 1e-8
    t: int
    wd: float = 0.0
    rescale_grad: float = 1.0
    clip_grad: float = -1.0
    mutates = ("d", "v", "z")

    def infer_shape(self, *shapes):
        if not self.lr or self.t < 1 or not (0 <= self.beta1 < 1 and 0 <= self.beta2 < 1):
            raise ArgumentError(f"{self.name}: lr={self.lr:g} must not be 0, t={self.t} at least 1, "
                                f"beta1={self.beta1:g} and beta2={self.beta2:g} in [0, 1)")
        return super().infer_shape(*shapes)

    def forward(self, weight, grad, d, v, z):
        h = clipped(grad * self.rescale_grad + self.wd * weight, self.clip_grad)
        v = self.beta2 * v + (1 - self.beta2) * np.square(h)
        root = np.sqrt(v / (1 - self.beta2 ** self.t)) + self.epsilon
        new_d = (1 - self.beta1 ** self.t) / self.lr * root
        z = self.beta1 * z + (1 - self.beta1) * h - (new_d - self.beta1 * d) * weight
        return -z / new_d, new_d, v, z


@register("weight", "grad")
class signsgd_update(Update):
    """weight - lr · (sign(grad) + wd · weight). Bernstein et al. 2018, signSGD, arXiv:1802.04434."""

    lr: float
    wd: float = 0.0
    rescale_grad: float = 1.0
    clip_gradient: float = -1.0

    def forward(self, weight, grad):
        return (1 - self.lr * self.wd) * weight - self.lr * np.sign(grad)


@register("weight", "grad", "mom")
class signum_update(Update):
    """mom = momentum · mom - (1 - momentum) · (g + wd · weight); (1 - lr · wd_lh) · weight + lr · sign(mom).

    wd_lh is a decay apart from the gradient's (Loshchilov, Hutter).
    """

    lr: float
    momentum: float = 0.0
    wd: float = 0.0
    rescale_grad: float = 1.0
    clip_gradient: float = -1.0
    wd_lh: float = 0.0
    mutates = ("mom",)

    def forward(self, weight, grad, mom):
        g = clipped(grad * self.rescale_grad, self.clip_gradient)
        mom = self.momentum * mom - (1 - self.momentum) * (g + self.wd * weight)
        return (1 - self.lr * self.wd_lh) * weight + self.lr * np.sign(mom), mom


class Lamb1(Update):
    """The direction of LAMB's step, shared by both precisions."""

    def direction(self, weight, grad, mean, var):
        g = clipped(grad * self.rescale_grad, self.clip_gradient)
        mean, var = _moments(self, g, mean, var)
        m, v = mean, var
        if self.bias_correction:
            m, v = mean / (1 - self.beta1 ** self.t), var / (1 - self.beta2 ** self.t)
        return m / (np.sqrt(v) + self.epsilon) + self.wd * weight, mean, var


@register("weight", "grad", "mean", "var")
class lamb_update_phase1(Lamb1):
    """The direction mean / (√var + epsilon) + wd · weight of Adam with separate decay, before the layer's scaling.

    You et al. 2019, Large batch optimization for deep learning, arXiv:1904.00962.
    """

    beta1: float = 0.9
    beta2: float = 0.999
    epsilon: float = 1e-6
    t: int
    bias_correction: bool = True
    wd: float
    rescale_grad: float = 1.0
    clip_gradient: float = -1.0
    mutates = ("mean", "var")

    def forward(self, weight, grad, mean, var):
        return self.direction(weight, grad, mean, var)


@register("weight", "grad", "mean", "var", "weight32")
class mp_lamb_update_phase1(Lamb1, MixedUpdate):
    """`lamb_update_phase1` in mixed precision; the direction is float32."""

    beta1: float = 0.9
    beta2: float = 0.999
    epsilon: float = 1e-6
    t: int
    bias_correction: bool = True
    wd: float
    rescale_grad: float = 1.0
    clip_gradient: float = -1.0
    mutates = ("mean", "var")

    def infer_dtype(self, *dtypes):
        require_mixed(self, dict(zip(self.arguments, dtypes, strict=True)))
        return list(dtypes), [dtypes[4]]

    def forward(self, weight, grad, mean, var, weight32):
        return self.direction(weight32, grad.astype(weight32.dtype), mean, var)


class Lamb2(Update):
    """LAMB's step along a direction g, scaled with r1 / r2, the norms of weight and g."""

    def infer_shape(self, weight, g, r1, r2, weight32=None):
        weight = self.require("g", g, weight)
        weight = self.require("weight32", weight32, weight)
        rest = [weight] if len(self.arguments) == 5 else []
        return [weight, weight, self.require("r1", r1, (1,)), self.require("r2", r2, (1,)), *rest], [weight]

    def step(self, weight, g, r1, r2):
        r1, r2 = float(r1[0]), float(r2[0])
        if self.lower_bound >= 0:
            r1 = max(r1, self.lower_bound)
        if self.upper_bound >= 0:
            r1 = min(r1, self.upper_bound)
        ratio = r1 / r2 if r1 > 0 and r2 > 0 else 1.0
        return weight - self.lr * ratio * g


@register("weight", "g", "r1", "r2")
class lamb_update_phase2(Lamb2):
    """weight - lr · r1 / r2 · g, r1 held between the bounds; the ratio is 1 where a norm is 0."""

    lr: float
    lower_bound: float = -1.0
    upper_bound: float = -1.0

    def forward(self, weight, g, r1, r2):
        return self.step(weight, g, r1, r2)


@register("weight", "g", "r1", "r2", "weight32")
class mp_lamb_update_phase2(Lamb2, MixedUpdate):
    """`lamb_update_phase2` in mixed precision."""

    lr: float
    lower_bound: float = -1.0
    upper_bound: float = -1.0
    mutates = ("weight32",)

    def forward(self, weight, g, r1, r2, weight32):
        new = self.step(weight32, g, r1, r2)
        return new.astype(weight.dtype), new


class AdamW(Update):
    """Adam with the decay apart from the gradient, shared by both precisions."""

    def infer_shape(self, *shapes):
        inputs, outputs = super().infer_shape(*shapes[:-1], shapes[0])
        return [*inputs[:-1], self.require("rescale_grad", shapes[-1], (1,))], outputs

    def step(self, weight, grad, mean, var, rescale_grad):
        scale = float(rescale_grad.reshape(-1)[0])
        if not math.isfinite(scale) or scale == 0:
            return weight.copy(), None, None
        mean, var = _moments(self, clipped(grad * scale, self.clip_gradient), mean, var)
        return weight - self.eta * (self.lr * mean / (np.sqrt(var) + self.epsilon) + self.wd * weight), mean, var


@register("weight", "grad", "mean", "var", "rescale_grad", aliases=["_contrib_adamw_update"])
class _adamw_update(AdamW):
    """weight - eta · (lr · mean / (√var + epsilon) + wd · weight); rescale_grad (1,) is an array.

    Nothing happens when rescale_grad is 0, NaN or infinite: so loss scaling skips a step.
    Loshchilov, Hutter 2017, Decoupled weight decay regularization, arXiv:1711.05101.
    """

    lr: float
    beta1: float = 0.9
    beta2: float = 0.999
    epsilon: float = 1e-8
    wd: float = 0.0
    eta: float
    clip_gradient: float = -1.0
    mutates = ("mean", "var")

    def infer_dtype(self, *dtypes):
        require_mixed(self, dict(zip(self.arguments[:-1], dtypes, strict=False)))
        return list(dtypes), [dtypes[0]]

    def forward(self, weight, grad, mean, var, rescale_grad):
        return self.step(weight, grad, mean, var, rescale_grad)


@register("weight", "grad", "mean", "var", "weight32", "rescale_grad", aliases=["_contrib_mp_adamw_update"])
class _mp_adamw_update(AdamW, MixedUpdate):
    """`_adamw_update` in mixed precision."""

    lr: float
    beta1: float = 0.9
    beta2: float = 0.999
    epsilon: float = 1e-8
    wd: float = 0.0
    eta: float
    clip_gradient: float = -1.0
    mutates = ("mean", "var", "weight32")

    def forward(self, weight, grad, mean, var, weight32, rescale_grad):
        new, mean, var = self.step(weight32, grad.astype(weight32.dtype), mean, var, rescale_grad)
        return new.astype(weight.dtype), mean, var, new
