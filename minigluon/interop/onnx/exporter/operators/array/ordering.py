"""sort, argsort and topk, written as TopK, which selects the first of equal elements."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ...helpers import size_of
from ...table import translates

if TYPE_CHECKING:
    from ......ops.op import Op
    from ...values import Builder, Value

__all__ = []


def ordered(g: Builder, op: Op, x: Value, count: int, ascending: Any) -> tuple[Any, Any, Value, Any]:
    """Returns (values, indices, axis) of the first elements in order."""
    if op.axis is None:
        x, axis = g.reshape(x, (size_of(x.shape),)), 0
    else:
        axis = op.axis % x.rank
    count = x.shape[axis] if count is None else count
    shape = (*x.shape[:axis], count, *x.shape[axis + 1:])
    values, where = g.TopK(x, g.sizes([count]), axis=axis, largest=int(not ascending), sorted=1, outputs=2, shape=shape)
    where.dtype = np.dtype(np.int64)
    return values, where, x, axis


@translates("sort")
def sort(g, op, x):
    return ordered(g, op, x, None, op.is_ascend)[0]


@translates("argsort")
def argsort(g, op, x):
    return g.cast(ordered(g, op, x, None, op.is_ascend)[1], op.dtype)


@translates("topk")
def topk(g, op, x):
    values, where, line, axis = ordered(g, op, x, op.k if op.k > 0 else None, op.is_ascend)
    if op.ret_typ == "mask":
        ones = g.filled(values.shape, 1, x.dtype)
        mask = g.ScatterElements(g.filled(line.shape, 0, x.dtype), where, ones, axis=axis)
        return g.reshape(mask, x.shape)
    results = {"value": [values], "indices": [g.cast(where, op.dtype)], "both": [values, g.cast(where, op.dtype)]}
    return results[op.ret_typ]


@translates("_along_axis")
def along_axis(g, op, data, where):
    if op.axis is None:
        data, axis = g.reshape(data, (size_of(data.shape),)), 0
    else:
        axis = op.axis % data.rank
    return g.GatherElements(data, g.cast(where, np.int64), axis=axis)
