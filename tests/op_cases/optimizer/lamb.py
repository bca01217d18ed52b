"""Rows of the operators in `minigluon/ops/optimizer/lamb.py`."""

import numpy as np

from ..case import case, u
from .update import MIXED, G, M, V, W, half, lamb1

case("lamb_update_phase1", W, G, M, V, t=2, wd=0.1, rescale_grad=0.5, clip_gradient=0.2, expect=lamb1, grad=())
case("lamb_update_phase1", W, G, M, V, t=2, wd=0.0, bias_correction=False, grad=(),
     expect=lambda w, g, m, v: (0.9 * m + 0.1 * g) / (np.sqrt(0.999 * v + 0.001 * g * g) + 1e-6))
case("mp_lamb_update_phase1", W, G, M, V, W, t=2, wd=0.1, rescale_grad=0.5, clip_gradient=0.2, grad=(), oracle=MIXED,
     expect=lambda w, g, m, v, w32: lamb1(w32, g, m, v))
case("lamb_update_phase2", W, G, half, half, lr=0.3, grad=(), expect=lambda w, g, r1, r2: w - 0.3 * g)
case("lamb_update_phase2", W, G, u(1, low=3, high=4), half, lr=0.3, lower_bound=0.1, upper_bound=2.0, grad=(),
     expect=lambda w, g, r1, r2: w - 0.3 * 4 * g)
case("lamb_update_phase2", W, G, half, u(1, low=0, high=0), lr=0.3, lower_bound=0.1, grad=(),
     expect=lambda w, g, r1, r2: w - 0.3 * g)
case("mp_lamb_update_phase2", W, G, half, half, M, lr=0.3, grad=(), oracle=MIXED,
     expect=lambda w, g, r1, r2, w32: w32 - 0.3 * g)
