"""softmax and related operators."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ......ops.symbolic_dimensions import SymbolicDim
from ...table import translates

if TYPE_CHECKING:
    from ...values import Builder

__all__ = []


@translates("softmax", "softmin", "log_softmax")
def softmax(g, op, data, length=None):
    """Computes softmax in at least float32, as the operators do."""
    x = g.cast(data, np.promote_types(data.dtype, np.float32))
    factor = op.factor
    if factor != 1:
        x = x * factor
    axis = op.axis % data.rank
    if length is None:
        y = g.call("LogSoftmax" if op.name == "log_softmax" else "Softmax", x, axis=axis)
    else:
        counts = _counted(g, data, axis) < g.unsqueeze(g.cast(length, np.int64), axis)
        y = g.Softmax(g.where(counts, x, float(np.finfo(x.dtype).min)), axis=axis)
        y = g.where(counts, y, 0.0)
    return g.cast(y, op.dtype or data.dtype)


def _counted(g, data, axis):
    """Returns 0, 1, 2 ... along an axis, followed by axes of length 1."""
    places = positions(g, data.shape[axis])
    return g.reshape(places, (data.shape[axis], *(1,) * (data.rank - axis - 1)))


def positions(g: Builder, length: int) -> Any:
    """Returns 0, 1, 2 ... length - 1 as int64."""
    if not isinstance(length, SymbolicDim):
        return g.constant(np.arange(length, dtype=np.int64))
    zero, one = (g.constant(np.array(n, np.int64)) for n in (0, 1))
    return g.Range(zero, g.squeeze(g.length(length), 0), one, shape=(length,))


@translates("SoftmaxActivation")
def softmax_activation(g, op, data):
    return g.Softmax(data, axis=1 if op.mode == "channel" else data.rank - 1)


@translates("_astype_like")
def astype_like(g, op, data, like):
    return g.cast(data, like.dtype)
