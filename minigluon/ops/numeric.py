"""Helpers for the operator tables: C's conversions between element types, and integer arithmetic in floats."""

from __future__ import annotations

import numpy as np

from ..common.dtypes import is_float

__all__ = ["cast", "in_floats", "integers_of"]

LOWEST = np.iinfo(np.int64).min
with np.errstate(invalid="ignore"):
    # Undefined in C: x86 returns the lowest integer; ARM returns 0 for NaN and the nearest integer if out of range.
    GIVES_LOWEST = (np.array([np.nan, 1e30, -1e30]).astype(np.int64) == LOWEST).all()


def cast(x, dtype):
    """Returns `x` in a new element type: floats are truncated to integers, and values out of range wrap around."""
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
        forward.ufunc = compute, "f"        # for `writing.ufunc_for`
    return forward
