"""FTRL and FTML: steps that follow the leader, which is the best weight for all gradients so far."""

import numpy as np

from ...base import ArgumentError
from ..registry import register
from .update import Update, clipped

__all__ = []


@register("weight", "grad", "z", "n")
class ftrl_update(Update):
    """z += g - (√(n + g²) - √n) · weight / lr; n += g²; the new weight is 0 where |z| <= lamda1, otherwise
    (sign(z) · lamda1 - z) / ((beta + √n) / lr + wd). g = clip(rescale_grad · grad).

    weight, grad, z, n (any shape) | out like weight; z and n are overwritten

    lamda1: the strength of the L1 penalty, which keeps weights at 0.
    beta: larger values make the first steps smaller.

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
    """Step t of Follow the Moving Leader, with epsilon and the decay as in Adam.

    h = clip(rescale_grad · grad + wd · weight); v is the running mean of h²;
    d' = (1 - beta1ᵗ) / lr · (√(v / (1 - beta2ᵗ)) + epsilon);
    z = beta1 · z + (1 - beta1) · h - (d' - beta1 · d) · weight; the new weight is -z / d'.

    weight, grad, d, v, z (any shape) | out like weight; d, v and z are overwritten

    Raises ArgumentError for lr=0, t below 1, and a beta1 or beta2 outside [0, 1).
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
