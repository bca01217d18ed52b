"""Reshaping and expanding to shapes that a file requests, which may contain symbolic dimensions."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from .... import symbol as sym
from ....ops.symbolic_dimensions import SymbolicDim
from .regrouping import regrouped
from .table import NotRepresentableError
from .values import same_length

if TYPE_CHECKING:
    from ....common.types import DType
    from ....symbol import Symbol
    from .call import Call
    from .graph import Graph

__all__ = ["expanded", "filled", "in_front", "source_node", "reshaped", "transposed", "with_axes"]


def reshaped(graph: Graph, x: Any, shape: Any, target: Any) -> Any:
    """Returns x reshaped from `shape` to `target`, whose items are numbers, -1 or SymbolicDims."""
    target = list(target)
    if any(isinstance(n, SymbolicDim) for n in target):
        if shape is None:
            raise NotRepresentableError("a shape with open lengths for an array of unknown shape")
        if -1 in target:
            product = math.prod([n for n in target if not isinstance(n, int) or n != -1], start=1)
            target[target.index(-1)] = math.prod(shape, start=1) // product
        codes = _codes(shape, target)
        if codes.count(-1) > 1:
            return regrouped(graph, x, tuple(shape), tuple(target))
        target = codes
    if not target:
        target = [1]
    if 0 in target and (shape is None or 0 in [n for n in shape if not isinstance(n, SymbolicDim)]):
        raise NotRepresentableError("an empty array in another shape")
    return sym.reshape(x, shape=tuple(map(int, target)))


def _codes(shape, target):
    """Returns the target as codes: 0 for x's length at the same position, -1 for a different length."""
    codes = []
    for axis, n in enumerate(target):
        if not isinstance(n, SymbolicDim):
            codes.append(int(n))
        else:
            codes.append(0 if axis < len(shape) and same_length(shape[axis], n) else -1)
    return codes


def source_node(x: Any, name: str) -> Any:
    """Returns the node that computes a symbol if it has this operator, otherwise None."""
    node = x.heads[0][0]
    return node if node.op is not None and node.op.name == name else None


def transposed(x: Any, axes: Any) -> Symbol:
    """Returns x transposed, or the input of an earlier transpose if this one undoes it."""
    undone = source_node(x, "transpose")
    if undone is not None and len(undone.op.axes or ()) == len(axes) and all(
            undone.op.axes[axis] == number for number, axis in enumerate(axes)):
        return sym.Symbol([undone.inputs[0]])
    return sym.transpose(x, axes=axes)


def with_axes(x: Any, shape: Any, axes: Any) -> Any:
    """Returns x with axes of length 1 inserted at these positions in the result."""
    rank = len(shape) + len(axes)
    for axis in sorted(axis % rank for axis in axes):
        x = sym.expand_dims(x, axis=axis)
    return x


def in_front(x: Any, count: int) -> Any:
    """Returns x with `count` leading axes of length 1."""
    for _ in range(count):
        x = sym.expand_dims(x, axis=0)
    return x


def expanded(call: Call, x: Any, shape: Any, target: Any) -> Any:
    """Returns x broadcast from `shape` to `target`, both of which may contain SymbolicDims."""
    rank = max(len(shape), len(target))
    shape = (1,) * (rank - len(shape)) + tuple(shape)
    target = [1] * (rank - len(target)) + list(target)
    if rank == 0:
        return x
    x = in_front(x, rank - call.graph.rank_of(x))
    fixed, open_axes = [], []
    for axis, (have, want) in enumerate(zip(shape, target, strict=True)):
        if isinstance(want, SymbolicDim) and not same_length(have, want):
            open_axes.append((axis, want))
            want = 0
        fixed.append(0 if isinstance(want, SymbolicDim) or want in (1, have) else int(want))
    if any(fixed):
        x = sym.broadcast_to(x, shape=tuple(fixed))
    for axis, length in open_axes:
        source, where = call.graph.source_of(length)
        x = sym.broadcast_like(x, source, lhs_axes=(axis,), rhs_axes=(where,))
    return x


def filled(call: Call, shape: Any, value: Any, dtype: DType) -> Any:
    """Returns an array filled with one value; the array's shape may contain SymbolicDims."""
    if not any(isinstance(n, SymbolicDim) for n in shape):
        return sym.full(tuple(map(int, shape)) or (1,), value, dtype=np.dtype(dtype).name)
    one = sym.full((1,) * len(shape), value, dtype=np.dtype(dtype).name)
    return expanded(call, one, (1,) * len(shape), shape)
