"""Slicing of arrays, assignment to slices, and diagonals."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ......ops.symbolic_dimensions import SymbolicDim
from ...table import translates
from ...values import UntranslatableError

if TYPE_CHECKING:
    from ...values import Builder, Value

__all__ = []


def cut(g: Builder, x: Value, begin: Any, end: Any, axes: Sequence[int], steps: Any = None) -> Any:
    """Returns x[begin:end:step] along axes. If begin or end is None, the slice extends to that end of the axis."""
    steps = [step or 1 for step in steps or [1] * len(axes)]
    largest, least = np.iinfo(np.int64).max, np.iinfo(np.int64).min
    begin = [(0 if s > 0 else largest) if b is None else b for b, s in zip(begin, steps, strict=True)]
    end = [(largest if s > 0 else least) if e is None else e for e, s in zip(end, steps, strict=True)]
    return g.Slice(x, g.sizes(begin), g.sizes(end), g.sizes(axes), g.sizes(steps))


def _filled(values, count):
    return [*values, *(None,) * (count - len(values))]


@translates("slice")
def slice_(g, op, x):
    count = len(op.begin)
    return cut(g, x, op.begin, _filled(op.end, count), list(range(count)), _filled(op.step, count))


@translates("slice_axis")
def slice_axis(g, op, x):
    return cut(g, x, [op.begin], [op.end], [op.axis % x.rank])


@translates("slice_like")
def slice_like(g, op, x, like):
    axes = [axis % x.rank for axis in op.axes] or list(range(like.rank))
    return cut(g, x, [0] * len(axes), [like.shape[axis] for axis in axes], axes)


@translates("Crop")
def crop(g, op, x, like=None):
    height, width = op.h_w if like is None else like.shape[2:]
    if op.center_crop:
        top, left = (x.shape[2] - height) // 2, (x.shape[3] - width) // 2
    else:
        top, left = op.offset
    return cut(g, x, [top, left], [top + height, left + width], [2, 3])


def _box(g, op, lhs):
    """Returns (indices of the box along each axis, shape of the box)."""
    if any(isinstance(n, SymbolicDim) for n in lhs.shape[:len(op.begin)]):
        raise UntranslatableError("a slice is assigned along an axis whose length is left open")
    count = len(op.begin)
    steps, ends = _filled(op.step, count), _filled(op.end, count)
    return [np.arange(n)[begin:end:step] for n, begin, end, step in zip(lhs.shape, op.begin, ends, steps, strict=False)]


@translates("_slice_assign", "_slice_assign_scalar")
def slice_assign(g, op, lhs, rhs=None):
    """Writes ScatterND at the indices of the box along the sliced axes."""
    ranges = _box(g, op, lhs)
    where = np.stack(np.meshgrid(*ranges, indexing="ij"), -1).astype(np.int64)
    shape = (*where.shape[:-1], *lhs.shape[len(ranges):])
    values = g.filled(shape, op.scalar, lhs.dtype) if rhs is None else g.cast(rhs, lhs.dtype)
    return g.ScatterND(lhs, g.constant(where), values)


@translates("diag")
def diag(g, op, x):
    """Extracts a matrix's diagonal by flat indices, or writes a vector to the diagonal of a matrix of zeros."""
    if any(isinstance(n, SymbolicDim) for n in g.specs[0][0]):
        raise UntranslatableError("the diagonal's length is left open")
    if x.rank == 1:
        size = x.shape[0] + abs(op.k)
        rows = np.arange(x.shape[0]) + max(-op.k, 0)
        where = np.stack([rows, rows + op.k], 1).astype(np.int64)
        return g.ScatterND(g.filled((size, size), 0, x.dtype), g.constant(where), x)
    axis1, axis2 = op.axis1 % x.rank, op.axis2 % x.rank
    others = [axis for axis in range(x.rank) if axis not in (axis1, axis2)]
    planes = g.transpose(x, [*others, axis1, axis2])
    return diagonal(g, planes, op.k, g.specs[0][0])


def diagonal(g: Builder, planes: Any, k: Any, shape: Sequence[int]) -> Any:
    """Returns the k-th diagonal of the last two axes."""
    rows, columns = planes.shape[-2:]
    count = shape[-1]
    numbers = (np.arange(count) + max(-k, 0)) * columns + np.arange(count) + max(k, 0)
    flat = g.reshape(planes, (*planes.shape[:-2], rows * columns))
    return g.Gather(flat, g.constant(numbers.astype(np.int64)), axis=planes.rank - 2)
