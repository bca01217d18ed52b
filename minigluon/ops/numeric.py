"""What the tables share: conversion between element types as C does it, and the identity of integers and floats."""

import numpy as np
from numpy.typing import DTypeLike

from ..dtypes import is_float

__all__ = ["cast", "copied", "in_floats", "whole_numbers"]


def cast(x, dtype):
    """`x` in another element type: towards zero from floats to integers, wrapped around when it does not fit."""
    if np.dtype(dtype).itemsize == 1 and np.dtype(dtype).kind in "iu" and x.dtype.kind == "f":
        x = x.astype(np.int64)              # C leaves a float outside of 8 bits undefined; through int64 it wraps
    return x.astype(dtype, copy=False)


def whole_numbers(dtype: DTypeLike) -> int:
    """The number up to which a type has every whole number: 127 of int8, 2048 of float16, 2²⁴ of float32."""
    dtype = np.dtype(dtype)
    if dtype.kind == "f":
        return 2 ** (np.finfo(dtype).nmant + 1)
    if is_float(dtype):
        return 2 ** 8           # bfloat16 has 8 digits
    return 1 if dtype.kind == "b" else int(np.iinfo(dtype).max)


def in_floats(compute):
    """`compute` for arrays of any type: integers go through float64 and are cast back."""
    def forward(*arrays):
        dtype = arrays[0].dtype
        if dtype.kind == "f":
            return compute(*arrays)
        return cast(compute(*[a.astype(np.float64) for a in arrays]), dtype)
    if isinstance(compute, np.ufunc):
        forward.ufunc = compute, "f"        # for `writing.ufunc_for`
    return forward


def copied(x, out):
    """Fill `out` with the elements of x."""
    np.copyto(out, x)
