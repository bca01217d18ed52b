"""Export of reductions over axes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ......ops.symbolic_dimensions import SymbolicDim
from ...helpers import size_of
from ...table import translates

if TYPE_CHECKING:
    from ......ops.op import Op
    from ...values import Builder, Value

__all__ = ["reduced"]


def reduced(g: Builder, op: Op, kind: Any, x: Value, axes: Sequence[int] | None = None) -> Value:
    """Returns a reduction with the inferred shape, which is (1,) instead of ()."""
    axes = op.axes(x.rank) if axes is None else axes
    y = g.reduce(kind, x, axes, keepdims=op.keepdims)
    return g.reshape(y, (1,)) if y.shape == () else y


def _without_nan(g, x, value):
    return g.where(g.IsNaN(x), g.like(value, x), x) if x.dtype.kind == "f" else x


@translates("sum")
def total(g, op, x):
    return reduced(g, op, "Sum", x)


@translates("mean")
def mean(g, op, x):
    """Writes the mean; for integers it is rounded toward 0."""
    if x.dtype.kind == "f":
        return reduced(g, op, "Mean", x)
    y = reduced(g, op, "Mean", g.cast(x, np.float64))
    return g.cast(y, x.dtype)


@translates("prod")
def product(g, op, x):
    return reduced(g, op, "Prod", x)


@translates("max")
def largest(g, op, x):
    return reduced(g, op, "Max", x)


@translates("min")
def smallest(g, op, x):
    return reduced(g, op, "Min", x)


@translates("nansum")
def nansum(g, op, x):
    return reduced(g, op, "Sum", _without_nan(g, x, 0))


@translates("nanprod")
def nanprod(g, op, x):
    return reduced(g, op, "Prod", _without_nan(g, x, 1))


@translates("_square_sum")
def square_sum(g, op, x):
    return reduced(g, op, "SumSquare", x)


@translates("_spread_like")
def spread_like(g, op, x, like):
    axes = op.axes(like.rank)
    return g.expand(g.reshape(x, tuple([1 if axis in axes else n for axis, n in enumerate(like.shape)])), like.shape)


@translates("_mean_weight")
def mean_weight(g, op, data, small):
    """Returns 1 / (the number of elements reduced into one)."""
    whole, parts = size_of(data.shape), size_of(small.shape)
    if isinstance(whole, SymbolicDim) or isinstance(parts, SymbolicDim):
        ratio = g.cast(g.Size(small, shape=()), data.dtype) / g.cast(g.Size(data, shape=()), data.dtype)
        return g.reshape(ratio, (1,))
    return g.constant(np.array([parts / max(whole, 1)], data.dtype))
