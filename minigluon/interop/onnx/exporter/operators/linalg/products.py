"""Batched matrix products."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ...table import translates

if TYPE_CHECKING:
    from ...values import Builder, Value

__all__ = []


def turned(g: Builder, x: Value) -> Value:
    """Swaps the last two axes."""
    return g.transpose(x, [*range(x.rank - 2), x.rank - 1, x.rank - 2])


def _product(g, op, a, b):
    return g.MatMul(turned(g, a) if op.transpose_a else a, turned(g, b) if op.transpose_b else b)


@translates("batch_dot")
def batch_dot(g, op, lhs, rhs):
    return _product(g, op, lhs, rhs)


@translates("_linalg_gemm2", "_linalg_gemm")
def gemm(g, op, a, b, c=None):
    """Moves the rows from `axis` to the second-to-last axis, and back."""
    axis = op.axis % a.rank
    order = [i for i in range(a.rank) if i != axis]
    order.insert(a.rank - 2, axis)
    out = _product(g, op, *(g.transpose(x, order) for x in (a, b)))
    out = g.transpose(out, [order.index(i) for i in range(a.rank)])
    out = out if op.alpha == 1 else out * op.alpha
    return out if c is None else out + (c if op.beta == 1 else c * op.beta)


@translates("_linalg_syrk")
def syrk(g, op, a):
    out = g.MatMul(turned(g, a), a) if op.transpose else g.MatMul(a, turned(g, a))
    return out if op.alpha == 1 else out * op.alpha


@translates("_linalg_transpose")
def transpose(g, op, a):
    return turned(g, a)


@translates("_linalg_trmm")
def trmm(g, op, a, b):
    a = triangle(g, a, op.lower)
    a = turned(g, a) if op.transpose else a
    out = g.MatMul(b, a) if op.rightside else g.MatMul(a, b)
    return out if op.alpha == 1 else out * op.alpha


def triangle(g: Builder, a: Any, lower: Any) -> Any:
    """Returns a triangle of each matrix, with zeros elsewhere."""
    if g.opset >= 14:
        return g.Trilu(a, upper=int(not lower))
    mask = np.tril(np.ones(a.shape[-2:], a.dtype))
    return a * g.constant(mask if lower else mask.T)


@translates("_linalg_triangle")
def linalg_triangle(g, op, a):
    out = triangle(g, a, op.lower)
    if op.diagonal == 1:
        return out
    factors = np.ones(a.shape[-2:], a.dtype)
    np.fill_diagonal(factors, op.diagonal)
    return out * g.constant(factors)


@translates("_linalg_inner")
def inner(g, op, a, b):
    return g.reshape(g.reduce("Sum", a * b, [a.rank - 2, a.rank - 1]), g.specs[0][0])


@translates("_linalg_scale")
def scale(g, op, a, s):
    return a * (g.unsqueeze(s, a.rank - 2, a.rank - 1) if a.rank > 2 else s)


@translates("_linalg_det")
def det(g, op, a):
    return g.reshape(g.Det(a), g.specs[0][0])


@translates("khatri_rao")
def khatri_rao(g, op, *inputs):
    out = inputs[0]
    for x in inputs[1:]:
        rows = out.shape[0] * x.shape[0]
        out = g.reshape(g.unsqueeze(out, 1) * g.unsqueeze(x, 0), (rows, x.shape[1]))
    return out
