"""norm, moments, argmax, cumsum."""

import numpy as np

from ...table import translates
from .reduce import reduced

__all__ = []


@translates("norm")
def norm(g, op, x):
    """Writes the norm; for integers it is computed in float64."""
    wide = np.promote_types(x.dtype, np.float32) if x.dtype.kind == "f" else np.float64
    return g.cast(reduced(g, op, f"L{op.ord}", g.cast(x, wide)), op.out_dtype or x.dtype)


@translates("moments")
def moments(g, op, x):
    axes = op._reduced(x.rank)
    wide = g.cast(x, np.promote_types(x.dtype, np.float32))
    centered = wide - g.reduce("Mean", wide, axes, keepdims=True)
    return [g.cast(reduced(g, op, "Mean", value, axes), x.dtype) for value in (wide, centered * centered)]


@translates("argmax", "argmin")
def argmax(g, op, x):
    """Returns the index of the first maximum or minimum, in the dtype of the data."""
    kind = "ArgMax" if op.name == "argmax" else "ArgMin"
    if op.axis is None:
        indices = g.call(kind, g.reshape(x, (-1,)), axis=0, keepdims=1, shape=(1,))
    else:
        axis = op.axis % x.rank
        shape = (*x.shape[:axis], *(1,) * bool(op.keepdims), *x.shape[axis + 1:])
        indices = g.call(kind, x, axis=axis, keepdims=int(op.keepdims), shape=shape)
    return g.reshape(g.cast(indices, x.dtype), g.specs[0][0])


@translates("argmax_channel")
def argmax_channel(g, op, x):
    return g.cast(g.ArgMax(x, axis=1, keepdims=0), x.dtype)


@translates("_np_cumsum")
def cumsum(g, op, x):
    x = g.cast(x, op.dtype or x.dtype)
    if op.axis is None:
        x = g.reshape(x, g.specs[0][0])
    return g.CumSum(x, g.constant(np.array(0 if op.axis is None else op.axis % x.rank, np.int64)))
