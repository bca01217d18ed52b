"""Rows of the operators in `minigluon/ops/nn/cached_attention.py`."""

import numpy as np

from ..case import case, fixed, u


def look_back(data, keys, values, filled):
    """Each position by itself: what it sees is what the caches hold before it, and data up to it."""
    query, key, value = np.split(data, 3, axis=-1)
    out = np.empty_like(query)
    size = keys.shape[-1]
    for b, t, h in np.ndindex(*data.shape[:2], keys.shape[1]):
        part = slice(h * size, (h + 1) * size)
        seen = [np.concatenate([old[b, h, :filled[b]], new[b, :t + 1, part]])
                for old, new in ((keys, key), (values, value))]
        weights = np.exp(seen[0] @ query[b, t, part] / np.sqrt(size))
        out[b, t, part] = weights / weights.sum() @ seen[1]
    return out


for _length, _filled in ((1, [3, 0]), (3, [2, 1])):
    case("_contrib_cached_attention", u(2, _length, 24), u(2, 2, 5, 4), u(2, 2, 5, 4), fixed(_filled, "int32", False),
         heads=2, grad=(), oracle="MXNet has no such operator", expect=look_back)
