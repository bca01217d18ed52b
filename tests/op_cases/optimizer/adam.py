"""Rows of the operators in `minigluon/ops/optimizer/adam.py`."""

from ..case import case
from .update import MIXED, G, M, V, W, adam, adamw, half, options

case("adam_update", W, G, M, V, expect=adam, **options(beta1=0.8, beta2=0.95, epsilon=1e-3))
case("_adamw_update", W, G, M, V, half, lr=0.3, wd=0.1, eta=0.7, clip_gradient=0.2, grad=(), dtype="float32",
     expect=lambda w, g, m, v, scale: adamw(w, g, m, v))
case("_mp_adamw_update", W, G, M, V, W, half, lr=0.3, wd=0.1, eta=0.7, clip_gradient=0.2, grad=(), oracle=MIXED,
     expect=lambda w, g, m, v, w32, scale: adamw(w32, g, m, v))
