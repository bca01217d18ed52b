"""Gradient descent steps: plain, with momentum, and with Nesterov's momentum."""

import numpy as np

from ..registry import register
from .update import MixedUpdate, Update, clipped

__all__ = []


def sgd(op, weight, grad, lr, wd):
    """Returns weight - lr · (g + wd · weight)."""
    out = clipped(grad * op.rescale_grad, op.clip_gradient) * -lr
    out += weight * (1 - lr * wd)
    return out


def sgd_momentum(op, weight, grad, mom, lr, wd):
    """Returns (weight + mom', mom'), with mom' = momentum · mom - lr · (g + wd · weight)"""
    step = clipped(grad * op.rescale_grad, op.clip_gradient)
    step *= lr
    mom = mom * op.momentum
    mom -= step
    if wd:
        mom -= np.multiply(weight, lr * wd, out=step)
    return np.add(weight, mom, out=step), mom


def nesterov(op, weight, grad, mom):
    """Returns (weight + momentum · mom' - lr · d, mom'), with d = g + wd · weight, mom' = momentum · mom - lr · d"""
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
