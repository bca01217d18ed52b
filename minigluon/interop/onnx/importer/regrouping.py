"""Reshape with several symbolic dimensions, which matches axes of the result to axes of x and writes the codes."""

from __future__ import annotations

import math
from functools import reduce
from itertools import accumulate
from operator import mul
from typing import TYPE_CHECKING, Any

from .... import symbol as sym
from ....ops.symbolic_dimensions import SymbolicDim
from .table import NotRepresentableError
from .values import same_length

if TYPE_CHECKING:
    from .graph import Graph

__all__ = ["regrouped"]


def regrouped(graph: Graph, x: Any, shape: Any, target: Any) -> Any:
    """Returns x reshaped from `shape` to `target`; any lengths in either may be open."""
    groups = _groups(shape, target)
    sizes = [len(old) for old, _ in groups]
    while max(sizes) > 1:
        x = sym.reshape(x, shape=tuple(code for n in sizes for code in ([-3, *[0] * (n - 2)] if n > 1 else [0])))
        sizes = [max(1, n - 1) for n in sizes]
    axis = 0
    for _, new in groups:
        x = _split(graph, x, axis, new)
        axis += len(new)
    return x


def _groups(shape, target):
    """Returns [(lengths of x, lengths of the result)], the shortest runs of axes with the same number of elements."""
    before, after = (list(accumulate(lengths, mul)) for lengths in (shape, target))
    groups, i, j = [], 0, 0
    while i < len(shape) and j < len(target):
        ends = next(((a, b) for a in range(i, len(shape)) for b in range(j, len(target))
                     if same_length(before[a], after[b])), None)
        if ends is None:
            raise NotRepresentableError(
                f"the shape {target} from {shape}: it is not clear which open lengths correspond")
        groups.append((shape[i:ends[0] + 1], target[j:ends[1] + 1]))
        i, j = ends[0] + 1, ends[1] + 1
    old, new = groups[-1]
    groups[-1] = (*old, *shape[i:]), (*new, *target[j:])        # the remaining axes have length 1
    return groups


def _split(graph, x, axis, lengths):
    """Returns x with an axis split into several."""
    for number, first in enumerate(lengths[:-1]):
        following = math.prod(lengths[number + 1:], start=1)
        if isinstance(first, SymbolicDim) and isinstance(following, SymbolicDim):
            return sym.reshape_like(x, _pattern(graph, lengths[number:]), lhs_begin=axis + number,
                                    lhs_end=axis + number + 1, rhs_begin=0, rhs_end=len(lengths) - number)
        codes = (-1, int(following)) if isinstance(first, SymbolicDim) else (int(first), -1)
        x = sym.reshape(x, shape=(*[0] * (axis + number), -4, *codes, -2))
    return x


def _pattern(graph, lengths):
    """Returns an array of this shape, whose values are not used."""
    parts = []
    for axis, n in enumerate(lengths):
        around = [1] * len(lengths)
        if isinstance(n, SymbolicDim):
            source, where = graph.source_of(n)
            around[axis] = -1
            parts.append(sym.reshape(sym.contrib.arange_like(source, axis=where), shape=tuple(around)))
        else:
            around[axis] = int(n)
            parts.append(sym.zeros(tuple(around)))
    return reduce(sym.broadcast_add, parts)
