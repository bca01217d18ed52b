"""Rows of the operators in `minigluon/ops/optimizer/ftrl.py`."""

from ..case import case
from .update import G, M, V, W, ftml, ftrl, options

case("ftrl_update", W, G, M, V, expect=ftrl, **options(lamda1=0.3))
case("ftml_update", W, G, V, V, M, lr=0.3, wd=0.1, rescale_grad=0.5, clip_grad=0.2, t=3, expect=ftml, grad=())
