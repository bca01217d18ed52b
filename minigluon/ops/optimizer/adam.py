"""Steps of Adam and AdamW; in the latter, weight decay does not affect the running means."""

import math

import numpy as np

from ..registry import register
from .update import MixedUpdate, Update, clipped, decayed, moments, require_mixed

__all__ = []


def adam(op, weight, grad, mean, var, lr, wd):
    """Returns (weight - lr · mean' / (√var' + epsilon), mean', var'); see `adam_update`."""
    d = decayed(op, weight, grad, wd)
    mean, var = moments(op, d, mean, var)
    step = np.sqrt(var, out=d)          # d is no longer needed, so its memory is reused
    step += op.epsilon
    np.divide(mean, step, out=step)
    step *= -lr
    step += weight
    return step, mean, var


@register("weight", "grad", "mean", "var")
class adam_update(Update):
    """d = clip(rescale_grad · grad + wd · weight); mean and var are running means of d and d² with beta1 and beta2;
    weight - lr · mean / (√var + epsilon). The caller includes the bias correction in lr.

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


class AdamW(Update):
    """Adam with decoupled weight decay; shared by both precisions."""

    lr: float
    beta1: float = 0.9
    beta2: float = 0.999
    epsilon: float = 1e-8
    wd: float = 0.0
    eta: float
    clip_gradient: float = -1.0

    def infer_shape(self, *shapes):
        inputs, outputs = super().infer_shape(*shapes[:-1], shapes[0])
        return [*inputs[:-1], self.require("rescale_grad", shapes[-1], (1,))], outputs

    def step(self, weight, grad, mean, var, rescale_grad):
        scale = float(rescale_grad.reshape(-1)[0])
        if not math.isfinite(scale) or scale == 0:
            return weight.copy(), None, None
        mean, var = moments(self, clipped(grad * scale, self.clip_gradient), mean, var)
        return weight - self.eta * (self.lr * mean / (np.sqrt(var) + self.epsilon) + self.wd * weight), mean, var


@register("weight", "grad", "mean", "var", "rescale_grad", aliases=["_contrib_adamw_update"])
class _adamw_update(AdamW):
    """weight - eta · (lr · mean / (√var + epsilon) + wd · weight), with the running means of g and g².

    weight, grad, mean, var (any shape) | rescale_grad (1,) | out like weight; mean and var are overwritten

    If rescale_grad is 0, NaN or infinite, nothing changes. Loss scaling skips a step this way.

    rescale_grad: an array with the factor of grad, so that g = clip(rescale_grad · grad).

    Source: Loshchilov and Hutter 2017, Decoupled weight decay regularization, arXiv:1711.05101.

    >>> weight, mean, var, scale = nd.array([1]), nd.zeros(1), nd.zeros(1), nd.ones(1)
    >>> how = {"beta1": 0.5, "beta2": 0.75, "epsilon": 0, "lr": 1, "wd": 0.5, "eta": 1}
    >>> print(nd.contrib.adamw_update(weight, nd.array([4]), mean, var, scale, **how).asnumpy())
    [-0.5]
    """

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

    rescale_grad: an array with the factor of grad, so that g = clip(rescale_grad · grad).

    >>> weight32, mean, var, scale = nd.array([1]), nd.zeros(1), nd.zeros(1), nd.ones(1)
    >>> weight, grad = weight32.astype("float16"), nd.array([4], dtype="float16")
    >>> how = {"beta1": 0.5, "beta2": 0.75, "epsilon": 0, "lr": 1, "wd": 0.5, "eta": 1}
    >>> print(nd.contrib.mp_adamw_update(weight, grad, mean, var, weight32, scale, **how).asnumpy(), weight32.asnumpy())
    [-0.5] [-0.5]
    """

    mutates = ("mean", "var", "weight32")

    def forward(self, weight, grad, mean, var, weight32, rescale_grad):
        new, mean, var = self.step(weight32, grad.astype(weight32.dtype), mean, var, rescale_grad)
        return new.astype(weight.dtype), mean, var, new
