"""Rows of the operators in `minigluon/ops/nn/cached_attention.py`."""

import numpy as np

from ..case import case, fixed, u


def look_back(data, keys, values, filled):
    """Each position by itself: what it sees is what the caches hold before it, and data up to it."""
    shared, size = keys.shape[1], keys.shape[-1]
    query, key, value = np.split(data, [-2 * shared * size, -shared * size], axis=-1)
    out = np.empty_like(query)
    heads = query.shape[-1] // size
    for b, t, h in np.ndindex(*data.shape[:2], heads):
        part, own = (slice(i * size, (i + 1) * size) for i in (h, h * shared // heads))
        seen = [np.concatenate([old[b, h * shared // heads, :filled[b]], new[b, :t + 1, own]])
                for old, new in ((keys, key), (values, value))]
        weights = np.exp(seen[0] @ query[b, t, part] / np.sqrt(size))
        out[b, t, part] = weights / weights.sum() @ seen[1]
    return out


for _length, _filled in ((1, [3, 0]), (3, [2, 1])):
    case("_contrib_cached_attention", u(2, _length, 24), u(2, 2, 5, 4), u(2, 2, 5, 4), fixed(_filled, "int32", False),
         heads=2, grad=(), oracle="MXNet has no such operator", expect=look_back)
    case("_contrib_cached_attention", u(2, _length, 40), u(2, 2, 5, 4), u(2, 2, 5, 4), fixed(_filled, "int32", False),
         heads=6, kv_heads=2, grad=(), oracle="MXNet has no such operator", expect=look_back)
