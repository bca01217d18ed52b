"""AdaGrad steps as operators. With a row_sparse gradient, `nd.sparse` updates only its rows.
"""

import numpy as np

from ..op import Op
from ..registry import register
from .update import Update, clipped

__all__ = []


@register("weight", "grad", "history")
class _sparse_adagrad_update(Update):
    """history += g²; weight - lr · (g / √(history + epsilon) + wd · weight). g = clip(rescale_grad · grad).

    weight, grad, history (any shape) | out like weight; history is overwritten

    Source: Duchi, Hazan and Singer 2011, Adaptive subgradient methods.

    >>> weight, history = nd.array([1]), nd.array([9])
    >>> weight = nd.sparse.adagrad_update(weight, nd.array([4]), history, lr=0.5, epsilon=0)
    >>> print(history.asnumpy(), weight.asnumpy().round(3))
    [25.] [0.6]
    """

    lr: float
    epsilon: float = 1e-7
    wd: float = 0.0
    rescale_grad: float = 1.0
    clip_gradient: float = -1.0
    mutates = ("history",)

    def forward(self, weight, grad, history):
        g = clipped(grad * self.rescale_grad, self.clip_gradient)
        history = history + np.square(g)
        step = g / np.sqrt(history + self.epsilon)
        return weight - self.lr * (step + self.wd * weight if self.wd else step), history


@register("weight", "grad", "history")
class _contrib_group_adagrad_update(Op):
    """history += the mean of g² over each row; weight - lr · g / √(history + epsilon). g = clip(rescale_grad · grad).

    weight, grad (N, M) | history (N, 1) | out like weight; history is overwritten

    lr: the learning rate.
    rescale_grad: the factor of grad, applied first.
    clip_gradient: the rescaled gradient is clipped to [-clip_gradient, clip_gradient]; no clipping if negative.
    epsilon: added under the root to avoid division by 0.

    >>> weight, history = nd.array([[1, 1]]), nd.zeros((1, 1))
    >>> weight = nd.contrib.group_adagrad_update(weight, nd.array([[1, 7]]), history, lr=1, epsilon=0)
    >>> print(history.asnumpy(), weight.asnumpy().round(3))
    [[25.]] [[ 0.8 -0.4]]
    """

    lr: float
    rescale_grad: float = 1.0
    clip_gradient: float = -1.0
    epsilon: float = 1e-5
    mutates = ("history",)
    gradient = None
    keeps = ()

    def infer_shape(self, weight, grad, history):
        self.require_rank("weight", weight, 2)
        weight = grad = self.require("grad", grad, weight)
        history = self.require("history", history, None if weight is None else (weight[0], 1))
        return [weight, grad, history], [weight]

    def infer_dtype(self, *dtypes):
        for name, dtype in zip(self.list_arguments(), dtypes, strict=True):
            self.require_float(name, dtype)
        return super().infer_dtype(*dtypes)

    def forward(self, weight, grad, history):
        g = clipped(grad * self.rescale_grad, self.clip_gradient)
        history = history + np.square(g).mean(1, keepdims=True)
        return weight - self.lr * g / np.sqrt(history + self.epsilon), history
