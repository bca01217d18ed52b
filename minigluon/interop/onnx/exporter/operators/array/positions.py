"""Indexing by tuples: gather_nd, scatter_nd, and conversion to and from flat indices."""

import numpy as np

from ...table import translates
from .indexing import integers

__all__ = []


def _rows(g, indices):
    """Moves the index tuples from the first axis to the last, as ONNX requires."""
    return g.transpose(integers(g, indices), [*range(1, indices.rank), 0])


@translates("gather_nd")
def gather_nd(g, op, data, indices):
    return g.GatherND(data, _rows(g, indices))


@translates("scatter_nd")
def scatter_nd(g, op, data, indices):
    return g.ScatterND(g.filled(op.shape, 0, data.dtype), _rows(g, indices), data)


@translates("_scatter_set_nd")
def scatter_set_nd(g, op, lhs, rhs, indices):
    return g.ScatterND(lhs, _rows(g, indices), rhs)


@translates("_gather_nd_grad")
def gather_nd_grad(g, op, grad, indices, *like):
    g.require_opset(16, "adding at repeated positions")
    return g.ScatterND(g.filled(g.specs[0][0], 0, grad.dtype), _rows(g, indices), grad, reduction="add")


@translates("_ravel_multi_index")
def ravel(g, op, data):
    strides = np.cumprod((1, *op.shape[:0:-1]))[::-1].astype(np.int64)
    column = g.constant(strides.reshape(-1, *(1,) * (data.rank - 1)))
    return g.reshape(g.cast(g.reduce("Sum", integers(g, data) * column, [0]), data.dtype), g.specs[0][0])


@translates("_unravel_index")
def unravel(g, op, data):
    quotient, rows = integers(g, data), []
    for n in op.shape[:0:-1]:
        rows.append(g.Mod(quotient, n))
        quotient = quotient / n
    rows.append(quotient if op.shape[0] < 0 else g.Mod(quotient, op.shape[0]))
    return g.cast(g.concat([g.unsqueeze(row, 0) for row in rows[::-1]], 0), data.dtype)
