"""Helpers of the tables: conversion between element types as C does it, and computing with integers in floats."""

from __future__ import annotations

import numpy as np

from ..common.dtypes import is_float

__all__ = ["cast", "in_floats", "integers_of"]

LOWEST = np.iinfo(np.int64).min
with np.errstate(invalid="ignore"):
    # C leaves these undefined: x86 gives the lowest integer, ARM 0 for NaN and the nearest integer out of range.
    GIVES_LOWEST = (np.array([np.nan, 1e30, -1e30]).astype(np.int64) == LOWEST).all()


def cast(x, dtype):
    """Returns `x` in a new element type: floats are truncated to integers, and values out of range wrap around."""
    if np.dtype(dtype).itemsize == 1 and np.dtype(dtype).kind in "iu" and x.dtype.kind == "f":
        x = integers_of(x)                  # C leaves a float outside of 8 bits undefined; through int64 it wraps
    return x.astype(dtype, copy=False)


def integers_of(x):
    """Returns `x` truncated to int64. NaN and values out of range become the lowest integer on every processor.

    So an index that is NaN is out of range everywhere.
    """
    numbers = x.astype(np.int64)
    if not GIVES_LOWEST and is_float(x.dtype):
        numbers[~(np.abs(x.astype(np.float64)) < 2.0 ** 63)] = LOWEST
    return numbers


def in_floats(compute):
    """Returns `compute` for arrays of any type: integers go through float64 and are cast back."""
    def forward(*arrays):
        dtype = arrays[0].dtype
        if dtype.kind == "f":
            return compute(*arrays)
        return cast(compute(*[a.astype(np.float64) for a in arrays]), dtype)
    if isinstance(compute, np.ufunc):
        forward.ufunc = compute, "f"        # for `writing.ufunc_for`
    return forward
