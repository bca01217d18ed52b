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
    """What steps of one weight share: arrays of one shape and one floating-point type, no gradient of their own.

    weight: what is moved. The result is its new value: `out=weight` makes the step in place.
    lr: the learning rate.
    momentum: how much of the last step is made again.
    beta1: how much the running mean of the gradient keeps.
    beta2: how much the running mean of its square keeps.
    gamma1: how much the running means keep.
    epsilon: what is added below a fraction, so that it never divides by 0.
    wd: the weight decay.
    wd_lh: a decay apart from the gradient's, after Loshchilov and Hutter.
    eta: the factor of the whole step, a schedule's.
    t: the number of the step, from 1.
    rescale_grad: what grad is multiplied by before all else.
    clip_gradient: into [-clip_gradient, clip_gradient] the rescaled gradient is brought; not where it is below 0.
    clip_grad: into [-clip_grad, clip_grad] the rescaled gradient is brought; not where it is below 0.
    clip_weights: into [-clip_weights, clip_weights] the new weight is brought; not where it is not above 0.
    lazy_update: with a row_sparse gradient, step the rows that it has alone.
    lower_bound: the least that r1 counts; no bound where it is below 0.
    upper_bound: the most that r1 counts; no bound where it is below 0.
    bias_correction: True divides the running means by 1 - betaᵗ, as they begin with 0.
    """

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
    """A step on `weight32`; weight and grad are float16.

    weight32: the float32 copy of weight, on which the step is made. It is overwritten.
    """

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
    """weight - lr · (g + wd · weight), with g = clip(rescale_grad · grad).

    weight, grad (any shape) | out like weight

    >>> weight = nd.array([1, 2])
    >>> _ = nd.sgd_update(weight, nd.array([4, -4]), lr=0.5, out=weight)
    >>> print(weight.asnumpy())
    [-1.  4.]
    """

    lr: float
    wd: float = 0.0
    rescale_grad: float = 1.0
    clip_gradient: float = -1.0
    lazy_update: bool = True

    def forward(self, weight, grad):
        return sgd(self, weight, grad, self.lr, self.wd)


@register("weight", "grad", "mom")
class sgd_mom_update(Update):
    """mom = momentum · mom - lr · (g + wd · weight); weight + mom. g = clip(rescale_grad · grad).

    weight, grad, mom (any shape) | out like weight; mom is overwritten

    >>> weight, mom = nd.array([1]), nd.array([2])
    >>> weight = nd.sgd_mom_update(weight, nd.array([4]), mom, lr=0.5, momentum=0.5)
    >>> print(mom.asnumpy(), weight.asnumpy())
    [-1.] [0.]
    """

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
    """`sgd_update` in mixed precision.

    weight, grad (any shape), float16 | weight32 like weight, float32 | out like weight

    >>> weight32 = nd.array([1])
    >>> weight, grad = weight32.astype("float16"), nd.array([4], dtype="float16")
    >>> weight = nd.mp_sgd_update(weight, grad, weight32, lr=0.5)
    >>> print(weight.asnumpy(), weight32.asnumpy())
    [-1.] [-1.]
    """

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
    """`sgd_mom_update` in mixed precision.

    weight, grad (any shape), float16 | mom, weight32 like weight, float32 | out like weight; mom is overwritten

    >>> weight32, mom = nd.array([1]), nd.array([2])
    >>> weight, grad = weight32.astype("float16"), nd.array([4], dtype="float16")
    >>> weight = nd.mp_sgd_mom_update(weight, grad, mom, weight32, lr=0.5, momentum=0.5)
    >>> print(mom.asnumpy(), weight.asnumpy(), weight32.asnumpy())
    [-1.] [0.] [0.]
    """

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
    """d = g + wd · weight; mom = momentum · mom - lr · d; weight + momentum · mom - lr · d: Nesterov's momentum.

    weight, grad, mom (any shape) | out like weight; mom is overwritten. g = clip(rescale_grad · grad)

    Source: Sutskever, Martens, Dahl and Hinton 2013, On the importance of initialization and momentum.

    >>> weight, mom = nd.array([1]), nd.array([2])
    >>> weight = nd.nag_mom_update(weight, nd.array([4]), mom, lr=0.5, momentum=0.5)
    >>> print(mom.asnumpy(), weight.asnumpy())
    [-1.] [-1.5]
    """

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
    """`nag_mom_update` in mixed precision.

    weight, grad (any shape), float16 | mom, weight32 like weight, float32 | out like weight; mom is overwritten

    >>> weight32, mom = nd.array([1]), nd.array([2])
    >>> weight, grad = weight32.astype("float16"), nd.array([4], dtype="float16")
    >>> weight = nd.mp_nag_mom_update(weight, grad, mom, weight32, lr=0.5, momentum=0.5)
    >>> print(mom.asnumpy(), weight.asnumpy(), weight32.asnumpy())
    [-1.] [-1.5] [-1.5]
    """

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

    weight, grad, mean, var (any shape) | out like weight; mean and var are overwritten

    Source: Kingma and Ba 2014, Adam, arXiv:1412.6980.

    >>> weight, mean, var = nd.array([1]), nd.zeros(1), nd.zeros(1)
    >>> weight = nd.adam_update(weight, nd.array([4]), mean, var, lr=1, beta1=0.5, beta2=0.75, epsilon=0)
    >>> print(mean.asnumpy(), var.asnumpy(), weight.asnumpy())
    [2.] [4.] [0.]
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

    weight, grad, n (any shape) | out like weight; n is overwritten

    Source: Tieleman and Hinton 2012, Neural networks for machine learning, lecture 6.5.

    >>> weight, n = nd.array([1]), nd.zeros(1)
    >>> weight = nd.rmsprop_update(weight, nd.array([4]), n, lr=0.5, gamma1=0.75, epsilon=0)
    >>> print(n.asnumpy(), weight.asnumpy())
    [4.] [0.]
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
    delta = gamma2 · delta - lr · d / √(n - g² + epsilon); weight + delta. d and n as in `rmsprop_update`.

    weight, grad, n, g, delta (any shape) | out like weight; n, g and delta are overwritten

    gamma2: how much of the last step is made again.

    Source: Graves 2013, arXiv:1308.0850, equations 38 to 45.

    >>> weight, n, g, delta = nd.array([1]), nd.zeros(1), nd.zeros(1), nd.zeros(1)
    >>> weight = nd.rmspropalex_update(weight, nd.array([4]), n, g, delta, lr=1, gamma1=0.5, epsilon=0)
    >>> print(n.asnumpy(), g.asnumpy(), weight.asnumpy())
    [8.] [2.] [-1.]
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
    (sign(z) · lamda1 - z) / ((beta + √n) / lr + wd). g = clip(rescale_grad · grad).

    weight, grad, z, n (any shape) | out like weight; z and n are overwritten

    lamda1: how strongly weights are drawn to 0, where they stay.
    beta: the larger it is, the smaller the first steps are.

    Source: McMahan et al. 2013, Ad click prediction: a view from the trenches.

    >>> weight, z, n = nd.zeros(2), nd.zeros(2), nd.zeros(2)
    >>> weight = nd.ftrl_update(weight, nd.array([3, 0.5]), z, n, lr=1, lamda1=1, beta=1)
    >>> print(z.asnumpy(), n.asnumpy(), weight.asnumpy())
    [3.  0.5] [9.   0.25] [-0.5  0. ]
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

    weight, grad, d, v, z (any shape) | out like weight; d, v and z are overwritten

    Raises ArgumentError for lr=0, t below 1, and a beta1 or beta2 outside of [0, 1).
    Source: Zheng and Kwok 2017, Follow the moving leader in deep learning.

    >>> weight, d, v, z = nd.zeros(1), nd.zeros(1), nd.zeros(1), nd.zeros(1)
    >>> weight = nd.ftml_update(weight, nd.array([4]), d, v, z, lr=1, beta1=0.5, beta2=0.75, epsilon=0, t=1)
    >>> print(v.asnumpy(), d.asnumpy(), z.asnumpy(), weight.asnumpy())
    [4.] [2.] [2.] [-1.]
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
    """weight - lr · (sign(grad) + wd · weight).

    weight, grad (any shape) | out like weight

    rescale_grad: changes nothing, as the sign alone counts.
    clip_gradient: changes nothing, as the sign alone counts.

    Source: Bernstein et al. 2018, signSGD, arXiv:1802.04434.

    >>> print(nd.signsgd_update(nd.array([1, 1, 1]), nd.array([-7, 0, 0.1]), lr=0.5).asnumpy())
    [1.5 1.  0.5]
    """

    lr: float
    wd: float = 0.0
    rescale_grad: float = 1.0
    clip_gradient: float = -1.0

    def forward(self, weight, grad):
        return (1 - self.lr * self.wd) * weight - self.lr * np.sign(grad)


@register("weight", "grad", "mom")
class signum_update(Update):
    """mom = momentum · mom - (1 - momentum) · (g + wd · weight); (1 - lr · wd_lh) · weight + lr · sign(mom).

    weight, grad, mom (any shape) | out like weight; mom is overwritten. g = clip(rescale_grad · grad)

    Source: Bernstein et al. 2018, signSGD, arXiv:1802.04434.

    >>> weight, mom = nd.array([1]), nd.zeros(1)
    >>> weight = nd.signum_update(weight, nd.array([4]), mom, lr=0.5, momentum=0.75)
    >>> print(mom.asnumpy(), weight.asnumpy())
    [-1.] [0.5]
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

    weight, grad, mean, var (any shape) | out like weight: the direction; mean and var are overwritten

    Source: You et al. 2019, Large batch optimization for deep learning, arXiv:1904.00962.

    >>> weight, mean, var = nd.array([3]), nd.zeros(1), nd.zeros(1)
    >>> print(nd.lamb_update_phase1(weight, nd.array([4]), mean, var, t=1, wd=2, epsilon=0).asnumpy().round(3))
    [7.]
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
    """`lamb_update_phase1` in mixed precision; the direction is float32.

    weight, grad (any shape), float16 | mean, var, weight32 like weight, float32 | out like weight32

    weight32: the float32 copy of weight; it is not overwritten.

    >>> weight32, mean, var = nd.array([3]), nd.zeros(1), nd.zeros(1)
    >>> weight, grad = weight32.astype("float16"), nd.array([4], dtype="float16")
    >>> print(nd.mp_lamb_update_phase1(weight, grad, mean, var, weight32, t=1, wd=2, epsilon=0).asnumpy().round(3))
    [7.]
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
    """weight - lr · r1 / r2 · g, r1 held between the bounds; the ratio is 1 where a norm is 0.

    weight, g (any shape): g is the direction of `lamb_update_phase1` | r1, r2 (1,): the norms of weight and g
    out like weight

    Source: You et al. 2019, Large batch optimization for deep learning, arXiv:1904.00962.

    >>> weight, g = nd.array([3, 4]), nd.array([0, 2])
    >>> print(nd.lamb_update_phase2(weight, g, weight.norm(), g.norm(), lr=0.5).asnumpy())
    [3.  1.5]
    """

    lr: float
    lower_bound: float = -1.0
    upper_bound: float = -1.0

    def forward(self, weight, g, r1, r2):
        return self.step(weight, g, r1, r2)


@register("weight", "g", "r1", "r2", "weight32")
class mp_lamb_update_phase2(Lamb2, MixedUpdate):
    """`lamb_update_phase2` in mixed precision.

    weight (any shape), float16 | g, weight32 like weight, float32 | r1, r2 (1,), float32 | out like weight

    >>> weight32, g, r = nd.array([3, 4]), nd.array([0, 2]), nd.array([1])
    >>> weight = weight32.astype("float16")
    >>> weight = nd.mp_lamb_update_phase2(weight, g, r, r, weight32, lr=0.5)
    >>> print(weight.asnumpy(), weight32.asnumpy())
    [3. 3.] [3. 3.]
    """

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
    """weight - eta · (lr · mean / (√var + epsilon) + wd · weight), with the running means of g and g².

    weight, grad, mean, var (any shape) | rescale_grad (1,) | out like weight; mean and var are overwritten

    Nothing happens when rescale_grad is 0, NaN or infinite: so loss scaling skips a step.

    rescale_grad: an array with what grad is multiplied by, g = clip(rescale_grad · grad).

    Source: Loshchilov and Hutter 2017, Decoupled weight decay regularization, arXiv:1711.05101.

    >>> weight, mean, var, scale = nd.array([1]), nd.zeros(1), nd.zeros(1), nd.ones(1)
    >>> how = {"beta1": 0.5, "beta2": 0.75, "epsilon": 0, "lr": 1, "wd": 0.5, "eta": 1}
    >>> print(nd.contrib.adamw_update(weight, nd.array([4]), mean, var, scale, **how).asnumpy())
    [-0.5]
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
    """`_adamw_update` in mixed precision.

    weight, grad (any shape), float16 | mean, var, weight32 like weight, float32 | rescale_grad (1,), float32
    out like weight; mean, var and weight32 are overwritten

    rescale_grad: an array with what grad is multiplied by, g = clip(rescale_grad · grad).

    >>> weight32, mean, var, scale = nd.array([1]), nd.zeros(1), nd.zeros(1), nd.ones(1)
    >>> weight, grad = weight32.astype("float16"), nd.array([4], dtype="float16")
    >>> how = {"beta1": 0.5, "beta2": 0.75, "epsilon": 0, "lr": 1, "wd": 0.5, "eta": 1}
    >>> print(nd.contrib.mp_adamw_update(weight, grad, mean, var, weight32, scale, **how).asnumpy(), weight32.asnumpy())
    [-0.5] [-0.5]
    """

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
