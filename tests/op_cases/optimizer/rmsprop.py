"""Rows of the operators in `minigluon/ops/optimizer/rmsprop.py`."""

from ..case import case, u
from .update import G, M, S, V, W, options, rmsprop, rmspropalex

case("rmsprop_update", W, G, V, expect=rmsprop, **options(clip_weights=0.5))
case("rmspropalex_update", W, G, u(*S, low=1, high=2), u(*S, low=-0.5, high=0.5), M, expect=rmspropalex,
     **options(epsilon=1e-2))
