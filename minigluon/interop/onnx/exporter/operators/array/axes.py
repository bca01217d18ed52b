"""Transposing, reversing, and moving blocks between channels and space."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...table import translates

if TYPE_CHECKING:
    from ...values import Builder, Value

__all__ = []


@translates("transpose")
def transpose(g, op, x):
    return g.transpose(x, op.order(x.rank))


@translates("SwapAxis")
def swap(g, op, x):
    order = list(range(x.rank))
    a, b = op.dim1 % x.rank, op.dim2 % x.rank
    order[a], order[b] = order[b], order[a]
    return g.transpose(x, order)


@translates("reverse")
def reverse(g, op, x):
    for axis in op.axis:
        x = flipped(g, x, axis % x.rank)
    return x


def flipped(g: Builder, x: Value, axis: int) -> Value:
    """Reverses the elements along one axis."""
    shape = x.shape
    y = g.slice(x, axis, -1, None, -1)
    y.shape = shape
    return y


@translates("depth_to_space")
def depth_to_space(g, op, x):
    return g.DepthToSpace(x, blocksize=op.block_size, mode="DCR")


@translates("space_to_depth")
def space_to_depth(g, op, x):
    return g.SpaceToDepth(x, blocksize=op.block_size)
