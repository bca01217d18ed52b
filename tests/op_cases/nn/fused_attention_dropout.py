"""Rows of the operators in `minigluon/ops/nn/fused_attention_dropout.py`."""

from ..case import case, u
from .fused_attention import MASK, PLAIN, attention

case("_attention_dropout", u(4, 3, 5), u(4, 9, 5), u(4, 9, 2), p=0, heads=2, scale=0.5, **PLAIN,
     expect=lambda q, k, v: attention(q, k, v, lambda s: s / 2))
case("_attention_dropout", u(2, 3, 5), u(2, 4, 5), u(2, 4, 2), MASK, heads=2, masking="where", fill=-1e4, weighs=True,
     p=1, **PLAIN, expect=lambda q, k, v, m: 0 * attention(q, k, v))
