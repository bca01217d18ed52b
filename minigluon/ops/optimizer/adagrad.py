"""Steps of AdaGrad as operators, as `update` has those of others. With a row_sparse gradient `nd.sparse` makes them on
its rows alone.
"""

import numpy as np

from ..op import Op
from ..registry import register
from .update import Update, clipped

__all__ = []


@register("weight", "grad", "history")
class _sparse_adagrad_update(Update):
    """history += g²; weight - lr · (g / √(history + epsilon) + wd · weight)

    Duchi, Hazan, Singer 2011, Adaptive subgradient methods.
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
    """history += the mean of g² in each row; weight - lr · g / √(history + epsilon)

    weight, grad (N, M) | history (N, 1)
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
