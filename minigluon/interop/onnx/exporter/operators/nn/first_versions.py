"""Pooling_v1, in which padding counts as zeros, written as a Pad followed by a Pooling without padding."""

from ......ops import REGISTRY
from ...table import TRANSLATIONS, translates

__all__ = []


@translates("Pooling_v1")
def pooling_v1(g, op, data):
    (p, q), (batch, channels, height, width) = op._border, data.shape
    padded = data
    if p or q:
        padded = g.Pad(data, g.ints(0, 0, p, q, 0, 0, p, q), shape=(batch, channels, height + 2 * p, width + 2 * q))
    out = TRANSLATIONS["Pooling"].function(g, REGISTRY["Pooling"](**op._inner), padded)
    return out / float(op._divisor)
