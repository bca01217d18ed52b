"""Rows of the operators in `minigluon/ops/optimizer/adagrad.py`."""

import numpy as np

from ..case import case, u
from .update import G, V, W, clip

case("_sparse_adagrad_update", W, G, V, lr=0.3, wd=0.1, rescale_grad=0.5, clip_gradient=0.2, epsilon=1e-3, grad=(),
     oracle="sparse gradients only there", expect=lambda w, g, h: w - 0.3 * (
         clip(g) / np.sqrt(h + clip(g) ** 2 + 1e-3) + 0.1 * w))
case("_contrib_group_adagrad_update", W, G, u(3, 1, low=0.2, high=1), lr=0.3, rescale_grad=0.5, clip_gradient=0.2,
     epsilon=1e-3, grad=(), oracle="tests/optimizer compares its optimizer",
     expect=lambda w, g, h: w - 0.3 * clip(g) / np.sqrt(h + (clip(g) ** 2).mean(1, keepdims=True) + 1e-3))
