"""Steps of LAMB in two phases: first a direction, then a step in this direction whose length depends on the layer."""

import numpy as np

from ..registry import register
from .update import MixedUpdate, Update, clipped, moments, require_mixed

__all__ = []


class LambPhase1(Update):
    """The direction of LAMB's step; shared by both precisions."""

    beta1: float = 0.9
    beta2: float = 0.999
    epsilon: float = 1e-6
    t: int
    bias_correction: bool = True
    wd: float
    rescale_grad: float = 1.0
    clip_gradient: float = -1.0
    mutates = ("mean", "var")

    def direction(self, weight, grad, mean, var):
        g = clipped(grad * self.rescale_grad, self.clip_gradient)
        mean, var = moments(self, g, mean, var)
        m, v = mean, var
        if self.bias_correction:
            m, v = mean / (1 - self.beta1 ** self.t), var / (1 - self.beta2 ** self.t)
        return m / (np.sqrt(v) + self.epsilon) + self.wd * weight, mean, var


@register("weight", "grad", "mean", "var")
class lamb_update_phase1(LambPhase1):
    """The direction mean / (√var + epsilon) + wd · weight of Adam with decoupled decay, before the layer's scaling.

    weight, grad, mean, var (any shape) | out like weight: the direction; mean and var are overwritten

    Source: You et al. 2019, Large batch optimization for deep learning, arXiv:1904.00962.

    >>> weight, mean, var = nd.array([3]), nd.zeros(1), nd.zeros(1)
    >>> print(nd.lamb_update_phase1(weight, nd.array([4]), mean, var, t=1, wd=2, epsilon=0).asnumpy().round(3))
    [7.]
    """

    def forward(self, weight, grad, mean, var):
        return self.direction(weight, grad, mean, var)


@register("weight", "grad", "mean", "var", "weight32")
class mp_lamb_update_phase1(LambPhase1, MixedUpdate):
    """`lamb_update_phase1` in mixed precision; the direction is float32.

    weight, grad (any shape), float16 | mean, var, weight32 like weight, float32 | out like weight32

    weight32: the float32 copy of weight; it is not overwritten.

    >>> weight32, mean, var = nd.array([3]), nd.zeros(1), nd.zeros(1)
    >>> weight, grad = weight32.astype("float16"), nd.array([4], dtype="float16")
    >>> print(nd.mp_lamb_update_phase1(weight, grad, mean, var, weight32, t=1, wd=2, epsilon=0).asnumpy().round(3))
    [7.]
    """

    def infer_dtype(self, *dtypes):
        require_mixed(self, dict(zip(self.arguments, dtypes, strict=True)))
        return list(dtypes), [dtypes[4]]

    def forward(self, weight, grad, mean, var, weight32):
        return self.direction(weight32, grad.astype(weight32.dtype), mean, var)


class LambPhase2(Update):
    """LAMB's step in a direction g, scaled by r1 / r2, the ratio of the norms of weight and g."""

    lr: float
    lower_bound: float = -1.0
    upper_bound: float = -1.0

    def infer_shape(self, weight, g, r1, r2, weight32=None):
        weight = self.require("g", g, weight)
        weight = self.require("weight32", weight32, weight)
        optional = [weight] if len(self.arguments) == 5 else []
        return [weight, weight, self.require("r1", r1, (1,)), self.require("r2", r2, (1,)), *optional], [weight]

    def step(self, weight, g, r1, r2):
        r1, r2 = float(r1[0]), float(r2[0])
        if self.lower_bound >= 0:
            r1 = max(r1, self.lower_bound)
        if self.upper_bound >= 0:
            r1 = min(r1, self.upper_bound)
        ratio = r1 / r2 if r1 > 0 and r2 > 0 else 1.0
        return weight - self.lr * ratio * g


@register("weight", "g", "r1", "r2")
class lamb_update_phase2(LambPhase2):
    """weight - lr · r1 / r2 · g, where r1 is clipped to the bounds and the ratio is 1 if a norm is 0.

    weight, g (any shape): g is the direction of `lamb_update_phase1` | r1, r2 (1,): the norms of weight and g
    out like weight

    Source: You et al. 2019, Large batch optimization for deep learning, arXiv:1904.00962.

    >>> weight, g = nd.array([3, 4]), nd.array([0, 2])
    >>> print(nd.lamb_update_phase2(weight, g, weight.norm(), g.norm(), lr=0.5).asnumpy())
    [3.  1.5]
    """


    def forward(self, weight, g, r1, r2):
        return self.step(weight, g, r1, r2)


@register("weight", "g", "r1", "r2", "weight32")
class mp_lamb_update_phase2(LambPhase2, MixedUpdate):
    """`lamb_update_phase2` in mixed precision.

    weight (any shape), float16 | g, weight32 like weight, float32 | r1, r2 (1,), float32 | out like weight

    >>> weight32, g, r = nd.array([3, 4]), nd.array([0, 2]), nd.array([1])
    >>> weight = weight32.astype("float16")
    >>> weight = nd.mp_lamb_update_phase2(weight, g, r, r, weight32, lr=0.5)
    >>> print(weight.asnumpy(), weight32.asnumpy())
    [3. 3.] [3. 3.]
    """

    mutates = ("weight32",)

    def forward(self, weight, g, r1, r2, weight32):
        new = self.step(weight32, g, r1, r2)
        return new.astype(weight.dtype), new
