"""Steps of RMSProp in both published forms."""

import numpy as np

from ..registry import register
from .update import Update, clipped, decayed

__all__ = []


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
    """RMSProp with momentum, and with the variance instead of the mean square. g is the running mean of d, and
    delta = gamma2 · delta - lr · d / √(n - g² + epsilon); weight + delta. d and n as in `rmsprop_update`.

    weight, grad, n, g, delta (any shape) | out like weight; n, g and delta are overwritten

    gamma2: the fraction of the last step that is repeated.

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
