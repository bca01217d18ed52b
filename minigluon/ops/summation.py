"""Sums whose rounding error grows with the logarithm of the number of terms.

NumPy sums pairwise only along the last axis. Along another axis it adds row after row to one total:
among a million rows the last ones lose five digits. Here rows are added in blocks, and blocks of blocks.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np

__all__ = ["LONG_DEPTH", "matrix_product", "sum_along", "sum_of_products"]

FEW = 256               # this many rows are added in order
BLOCK = 64
LINE = 4096             # `einsum` adds this many adjacent products to a few totals


def sum_along(x: Any, axes: int | Sequence[int] | None, dtype: Any = None, out: Any = None,
              keepdims: bool = False) -> Any:
    """Computes `np.add.reduce(x, axes, dtype, out, keepdims)` with a small error along all axes.

    >>> x = np.full((10 ** 5, 2), 0.1, "float32")
    >>> [float(abs(total - 10000).max()) < 0.1 for total in (sum_along(x, 0), np.add.reduce(x, 0))]
    [True, False]
    """
    axes = (axes,) if isinstance(axes, int) else None if axes is None else tuple(axes)
    plan = None if x.dtype.kind != "f" or axes is None else _plan(x.shape, axes)
    if plan is None:
        return np.add.reduce(x, axes, dtype, out, keepdims)
    grouped, order, kept, dropped = plan
    total = x.reshape(grouped)
    for axis in order:
        total = _sum_of_rows(total, axis, dtype) if axis + 1 < total.ndim else np.add.reduce(total, axis, dtype)
    total = total.reshape(kept if keepdims else dropped)
    if out is None:
        return total
    out[...] = total
    return out


@lru_cache(4096)
def _plan(shape, axes):
    """Returns (the shape with neighbouring axes joined, the joined axes to sum, the last first, the result's shape
    with and without these axes); None if NumPy is as accurate."""
    axes = {axis % len(shape) for axis in axes} if shape else set()
    groups = []
    for axis, length in enumerate(shape):
        if groups and groups[-1][1] == (axis in axes):
            groups[-1][0] *= length
        elif length != 1:
            groups.append([length, axis in axes])
    rows = math.prod([length for length, is_summed in groups[:-1] if is_summed])
    if rows <= FEW or not math.prod(shape):
        return None
    order = [number for number, (_, is_summed) in enumerate(groups) if is_summed][::-1]
    return (tuple(length for length, _ in groups), order,
            tuple(1 if axis in axes else n for axis, n in enumerate(shape)),
            tuple(n for axis, n in enumerate(shape) if axis not in axes))


def _sum_of_rows(x, axis, dtype):
    """Returns the sum along an axis that is not the last: first of blocks of rows, then of their sums."""
    before = (slice(None),) * axis
    while x.shape[axis] > FEW:
        count = x.shape[axis] // BLOCK
        cut = count * BLOCK
        blocks = x[(*before, slice(cut))].reshape(*x.shape[:axis], count, BLOCK, *x.shape[axis + 1:])
        sums = np.empty((*x.shape[:axis], count + (x.shape[axis] > cut), *x.shape[axis + 1:]), dtype or x.dtype)
        np.add.reduce(blocks, axis + 1, dtype, sums[(*before, slice(count))])
        if x.shape[axis] > cut:
            np.add.reduce(x[(*before, slice(cut, None))], axis, dtype, sums[(*before, count)])
        x = sums
    return np.add.reduce(x, axis, dtype)


def sum_of_products(x: Any, y: Any, out: Any = None) -> Any:
    """Returns Σ x · y over all axes except the second: (N, C, S) to (C,). Products are not stored."""
    n, channels, places = x.shape
    if n * places <= FEW:
        return np.einsum("ncs,ncs->c", x, y, out=out)
    if places == 1:
        cut = n - n % BLOCK
        sums = [np.einsum("kbc,kbc->kc", *[a[:cut].reshape(-1, BLOCK, channels) for a in (x, y)])]
    else:
        cut, size = places - places % LINE, min(LINE, places)
        sums = [np.einsum("nckb,nckb->nkc", *[a[:, :, :cut].reshape(n, channels, -1, size) for a in (x, y)])] if cut \
            else []
    rest = (slice(cut, None),) if places == 1 else (slice(None), slice(None), slice(cut, None))
    sums.append(np.einsum("ncs,ncs->nc" if places > 1 else "ncs,ncs->c", x[rest], y[rest]))
    return sum_along(np.concatenate([a.reshape(-1, channels) for a in sums]), 0, None, out)


LONG_DEPTH, PIECE = 4096, 1024      # an inner axis at least this long is divided into pieces of this length
MOST_SUMS = 2 ** 22                 # the largest number of elements of the pieces' products in memory


def matrix_product(a: Any, b: Any, out: Any = None) -> Any:
    """Computes `a.dot(b, out)` of two matrices. A long inner axis is divided into pieces, whose products are added up.

    BLAS adds products sequentially if a matrix has few rows or columns.

    >>> x = np.full((10 ** 5, 1), 0.1, "float32")
    >>> matrix_product(np.ones((1, 10 ** 5), "float32"), x).round(1)
    array([[10000.]], dtype=float32)
    """
    depth = b.shape[0]
    if depth <= LONG_DEPTH or a.dtype.kind != "f":
        return a.dot(b, out)
    pieces = min(depth // PIECE, MOST_SUMS // max(a.shape[0] * b.shape[1], 1))
    if pieces < 2:
        return a.dot(b, out)
    length = depth // pieces
    cut = length * pieces
    lhs = a[:, :cut].reshape(a.shape[0], pieces, length).transpose(1, 0, 2)
    total = sum_along(np.matmul(lhs, b[:cut].reshape(pieces, length, b.shape[1])), 0)
    if cut < depth:
        total += a[:, cut:].dot(b[cut:])
    if out is None:
        return total
    out[...] = total
    return out
