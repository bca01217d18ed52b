"""Helpers for the operator tables: C's conversions between element types, integer arithmetic in floats, and sums whose
rounding error grows with the logarithm of the number of terms.

NumPy sums pairwise only along the last axis. Along any other axis it adds row after row to one total, so in a sum of a
million rows the last rows lose five digits. Here up to 32 parts of the rows are added, and so are that sum's rows.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from ..common.dtypes import is_float

__all__ = ["BLOCK", "FEW", "cast", "in_floats", "integers_of", "sum_along", "sum_steps"]

LOWEST = np.iinfo(np.int64).min
with np.errstate(invalid="ignore"):
    # Undefined in C: x86 returns the lowest integer; ARM returns 0 for NaN and the nearest integer if out of range.
    GIVES_LOWEST = (np.array([np.nan, 1e30, -1e30]).astype(np.int64) == LOWEST).all()


def cast(x, dtype):
    """Returns `x` with a new element type: floats are truncated to integers, and values out of range wrap around."""
    if np.dtype(dtype).itemsize == 1 and np.dtype(dtype).kind in "iu" and x.dtype.kind == "f":
        x = integers_of(x)                  # undefined in C for a float outside 8 bits; via int64 it wraps around
    return x.astype(dtype, copy=False)


def integers_of(x):
    """Returns `x` truncated to int64. NaN and values out of range become the lowest integer, an invalid index."""
    numbers = x.astype(np.int64)
    if not GIVES_LOWEST and is_float(x.dtype):
        numbers[~(np.abs(x.astype(np.float64)) < 2.0 ** 63)] = LOWEST
    return numbers


def in_floats(compute):
    """Returns `compute` for arrays of any type: integers are converted to float64 and back."""
    def forward(*arrays):
        dtype = arrays[0].dtype
        if dtype.kind == "f":
            return compute(*arrays)
        return cast(compute(*[a.astype(np.float64) for a in arrays]), dtype)
    if isinstance(compute, np.ufunc):
        forward.ufunc = compute, "f"        # for `table.ufunc_for`
    return forward


FEW, WIDE = 64, 4096    # up to FEW rows are added in order, which is faster; WIDE running totals fit into a cache
BLOCK = 16              # larger blocks save little time, and smaller blocks cost more than they gain in accuracy


def sum_along(x: Any, axes: int | Sequence[int] | None, dtype: Any = None, out: Any = None,
              keepdims: bool = False) -> Any:
    """Computes `np.add.reduce(x, axes, dtype, out, keepdims)` with a small error along all axes.

    >>> x = np.full((10 ** 5, 2), 0.1, "float32")
    >>> [float(abs(total - 10000).max()) < 0.1 for total in (sum_along(x, 0), np.add.reduce(x, 0))]
    [True, False]
    """
    plan = sum_steps(x.shape, tuple(axes) if isinstance(axes, list) else axes)
    if plan is None or x.dtype.kind != "f":
        return np.add.reduce(x, axes, dtype, out, keepdims)
    steps, with_ones, dropped = plan
    for parts, rest, rows, first in steps:
        total = np.add.reduce((x.reshape(rows)[:, :-rest] if rest else x).reshape(parts), 1, dtype)
        if rest:
            total.reshape(first)[:, :rest] += x.reshape(rows)[:, -rest:]
        x = total
    x = x.reshape(with_ones if keepdims else dropped)
    return x if out is None else np.positive(x, out)


@lru_cache(4096)
def sum_steps(shape, axes):
    """Returns (the steps, the result's shape with and without these axes), or None if NumPy is equally accurate.

    A step is (the shape as parts of rows, the number of remaining rows, the shape as rows, the sum's shape).
    """
    axes = range(len(shape)) if axes is None else (axes,) if isinstance(axes, int) else axes
    axes = {axis % len(shape) for axis in axes}
    groups = []
    for axis, length in enumerate(shape):
        if groups and groups[-1][1] == (axis in axes):
            groups[-1][0] *= length
        elif length != 1:
            groups.append([length, axis in axes])
    if not math.prod(shape) or math.prod([length for length, is_summed in groups[:-1] if is_summed]) <= FEW:
        return None
    steps, lengths = [], [length for length, _ in groups]
    for number in [number for number, (_, is_summed) in enumerate(groups) if is_summed][::-1]:
        before, rows, after = math.prod(lengths[:number]), lengths[number], math.prod(lengths[number + 1:])
        while rows > FEW and after > 1:
            count, part, rest = min(((n, *divmod(rows, n)) for n in range(8, 33)), key=lambda way: (way[2], -way[0]))
            width = max(n for n in range(1, max(2, WIDE // after + 1)) if part % n == 0)
            n = width if width * after > WIDE // 8 else part    # rows next to each other that are added at once
            steps.append(((before * part // n, count, n * after), rest, (before, rows, after), (before, part, after)))
            rows = part
        steps.append(((before, rows, after), 0, None, None))
        lengths[number] = 1
    return (steps, tuple(1 if axis in axes else n for axis, n in enumerate(shape)),
            tuple(n for axis, n in enumerate(shape) if axis not in axes))
