"""Rows of the operators in `minigluon/ops/nn/fused_attention.py`."""

import numpy as np

from ..case import case, fixed, ints, u


def attention(q, k, v, scores=lambda s: s, weights=lambda w: w):
    """For (..., length, size)."""
    s = scores(q @ np.swapaxes(k, -1, -2))
    w = np.exp(s - s.max(-1, keepdims=True))
    return weights(w / w.sum(-1, keepdims=True)) @ v


def heads(x, count, parts=1, which=0):
    """(batch, length, heads · parts · size) to (batch, heads, length, size)."""
    return x.reshape(*x.shape[:2], count, parts, -1)[:, :, :, which].transpose(0, 2, 1, 3)


def joined(x):
    return x.transpose(0, 2, 1, 3).reshape(x.shape[0], x.shape[2], -1)


def without(lengths, fill):
    return lambda s: np.where(np.arange(s.shape[-1]) < lengths, s, fill)


PLAIN = {"oracle": "MXNet has no such operator", "second": False}
_ntc = {"query_layout": "NTC", "key_layout": "NTC", "value_layout": "NTC", "out_layout": "NTC"}
_tnc = dict.fromkeys(_ntc, "TNC")
MASK = fixed([[[[1, 0, 1, 1], [0, 0, 0, 0], [1, 1, 1, 0]]]], floating=False)

case("_attention", u(4, 3, 5), u(4, 6, 5), u(4, 6, 2), scale=0.5, **PLAIN,
     expect=lambda q, k, v: attention(q, k, v, lambda s: s / 2))
case("_attention", u(2, 3, 4), u(2, 5, 4), u(2, 5, 6), heads=2, **_ntc, **PLAIN,
     expect=lambda q, k, v: joined(attention(heads(q, 2), heads(k, 2), heads(v, 2))))
case("_attention", u(3, 2, 12), heads=2, joined="all", **_tnc, **PLAIN,
     expect=lambda x: joined(attention(*[heads(x.swapaxes(0, 1), 2, 3, i) for i in range(3)])).swapaxes(0, 1))
case("_attention", u(2, 3, 4), u(2, 5, 8), heads=2, joined="keys_values", **_ntc, **PLAIN,
     expect=lambda q, kv: joined(attention(heads(q, 2), heads(kv, 2, 2, 0), heads(kv, 2, 2, 1))))
case("_attention", u(2, 3, 5), u(2, 4, 5), u(2, 4, 2), u(1, 2, 3, 1), heads=2, masking="add", grad=(0, 1, 2), **PLAIN,
     expect=lambda q, k, v, m: attention(q, k, v, lambda s: s + m[0]))
case("_attention", u(2, 3, 5), u(2, 4, 5), u(2, 4, 2), MASK, heads=2, masking="where", fill=-1e4, **PLAIN,
     expect=lambda q, k, v, m: attention(q, k, v, lambda s: np.where(m[0] != 0, s, -1e4)))
case("_attention", u(2, 3, 5), u(2, 4, 5), u(2, 4, 2), MASK, heads=2, masking="where", fill=-1e4, weighs=True,
     **PLAIN, expect=lambda q, k, v, m: attention(q, k, v, lambda s: np.where(m[0] != 0, s, -1e4), lambda w: w * m[0]))
case("_attention", u(2, 3, 5), u(2, 4, 5), u(2, 4, 2), ints(2, 1, 3, 1, low=0, high=6), masking="length", **PLAIN,
     expect=lambda q, k, v, n: attention(q, k, v, without(n[:, 0], -1e4),
                                         lambda w: np.where(np.arange(4) < n[:, 0], w, 0)))
case("_attention", u(2, 3, 5), u(2, 4, 5), u(2, 4, 2), ints(2, 1, 3, 1, low=0, high=6), masking="until", fill=-3,
     **PLAIN, expect=lambda q, k, v, n: attention(q, k, v, without(n[:, 0], -3)))
