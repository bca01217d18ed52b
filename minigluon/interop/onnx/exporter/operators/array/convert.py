"""Conversions between element types, and properties of arrays."""

import numpy as np

from ...table import translates

__all__ = []


@translates("Cast", "amp_cast")
def cast(g, op, x):
    """Rounds toward 0; casts to narrow integers via int64, so that values out of range wrap around."""
    dtype = np.dtype(g.specs[0][1])
    if x.dtype.kind == "f" and dtype.kind in "iu" and dtype.itemsize == 1:
        x = g.cast(x, np.int64)
    return g.cast(x, dtype)


@translates("_cast_like")
def cast_like(g, op, x, like):
    return g.cast(x, like.dtype)


@translates("amp_multicast")
def multicast(g, op, *inputs):
    return [g.cast(x, dtype) for x, (_, dtype) in zip(inputs, g.specs, strict=True)]


@translates("shape_array")
def shape_array(g, op, x):
    return g.Shape(x)


@translates("size_array")
def size_array(g, op, x):
    return g.reshape(g.Size(x, shape=()), (1,))


@translates("all_finite", "multi_all_finite")
def all_finite(g, op, *inputs):
    flags = []
    for x in inputs:
        good = g.cast(g.Not(g.Or(g.IsNaN(x), g.IsInf(x))), np.float32)
        flags.append(g.reshape(g.reduce("Min", good, range(x.rank)), (1,)))
    return g.Min(*flags) if len(flags) > 1 else flags[0]
