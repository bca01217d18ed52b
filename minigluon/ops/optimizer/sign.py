"""Steps that use the sign of the gradient."""

import numpy as np

from ..registry import register
from .update import Update, clipped

__all__ = []


@register("weight", "grad")
class signsgd_update(Update):
    """weight - lr · (sign(grad) + wd · weight).

    weight, grad (any shape) | out like weight

    rescale_grad: no effect, because only the sign is used.
    clip_gradient: no effect, because only the sign is used.

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
