"""Rows of the operators in `minigluon/ops/optimizer/sign.py`."""

import numpy as np

from ..case import case
from .update import G, M, W, clip, options

case("signsgd_update", W, G, expect=lambda w, g: w - 0.3 * (np.sign(g) + 0.1 * w), **options())
case("signum_update", W, G, M, expect=lambda w, g, m: 0.94 * w + 0.3 * np.sign(0.9 * m - 0.1 * (clip(g) + 0.1 * w)),
     **options(momentum=0.9, wd_lh=0.2))
