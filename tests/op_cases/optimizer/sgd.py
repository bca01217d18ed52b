"""Rows of the operators in `minigluon/ops/optimizer/sgd.py`."""

from ..case import case
from .update import MIXED, G, M, W, nag, options, sgd, sgd_mom

case("sgd_update", W, G, expect=sgd, **options())
case("sgd_update", W, G, expect=lambda w, g: w - 0.3 * g, grad=(), lr=0.3)
case("sgd_mom_update", W, G, M, expect=sgd_mom, **options(momentum=0.9))
case("nag_mom_update", W, G, M, expect=nag, **options(momentum=0.9))
case("mp_sgd_update", W, G, M, expect=lambda w, g, w32: sgd(w32, g), **options(oracle=MIXED))
case("mp_sgd_mom_update", W, G, M, W, expect=lambda w, g, m, w32: sgd_mom(w32, g, m),
     **options(momentum=0.9, oracle=MIXED))
case("mp_nag_mom_update", W, G, M, W, expect=lambda w, g, m, w32: nag(w32, g, m),
     **options(momentum=0.9, oracle=MIXED))
