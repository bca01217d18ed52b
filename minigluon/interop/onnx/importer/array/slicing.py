"""Slicing, splitting and concatenating."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..... import symbol as sym
from .....ops.symbolic_dimensions import SymbolicDim
from ..table import operator
from ..values import same_length

if TYPE_CHECKING:
    from .....symbol import Symbol
    from ..call import Call

FAR = 1 << 31           # bounds of at least this size mean the end of the axis


class _Empty(Exception):
    """Raised when a slice leaves an axis empty."""


@operator("Slice")
def slice_(call: Call) -> np.ndarray[Any, Any] | Symbol:
    starts, ends = call.integers("starts", 1), call.integers("ends", 2)
    axes = call.integers("axes", 3) or list(range(len(starts)))
    steps = call.integers("steps", 4) or [1] * len(starts)
    rank = call.rank()
    begin, end, step = [None] * rank, [None] * rank, [None] * rank
    for axis, low, high, stride in zip(axes, starts, ends, steps, strict=True):
        axis = call.axis(axis)
        try:
            begin[axis], end[axis], step[axis] = _bounds(call, call.shape()[axis], low, high, stride)
        except _Empty:
            shape = list(call.static_shape())
            shape[axis] = 0
            return np.zeros(shape, call.dtype())
    x = call.data()
    if all(s in (None, 1) for s in step):
        cut = [axis for axis in range(rank) if (begin[axis], end[axis]) != (None, None)]
        if not cut:
            return sym.identity(x)
        if len(cut) == 1:
            axis, = cut
            return sym.slice_axis(x, axis=axis, begin=begin[axis] or 0, end=end[axis])
    return sym.slice(x, begin=tuple(begin), end=tuple(end), step=tuple(step))


def _bounds(call, length, low, high, stride):
    """Returns begin, end and step as `slice` expects them, with None for either end of the axis."""
    if isinstance(high, SymbolicDim):
        if not same_length(length, high):
            raise call.refuse(f"it ends at {high} of {length}, which the file leaves open")
        high = FAR
    if isinstance(low, SymbolicDim):
        raise call.refuse(f"it begins at {low}, which the file leaves open")
    if isinstance(length, (int, np.integer)):
        first, last, stride = slice(low, high, stride).indices(int(length))
        if len(range(first, last, stride)) == 0:
            raise _Empty
        at_start, at_end = (0, length) if stride > 0 else (length - 1, -1)
        return (None if first == at_start else first), (None if last == at_end else last), stride
    if stride > 0:
        return (low or None), (None if high >= FAR - 1 else high), stride
    return (None if low >= FAR - 1 or low == -1 else low), (None if high <= 1 - FAR else high), stride


@operator("Split")
def split(call: Call) -> list[Any]:
    axis, sizes = call.axis(call.attribute("axis", 0)), call.integers("split", 1)
    if sizes is None:
        length, count = call.length(axis), len(call.node.output)
        part = -(-length // count)
        sizes = [part] * (count - 1) + [length - part * (count - 1)]
    x = call.data()
    if 0 in sizes:
        shape = [*call.static_shape()]
        ends = np.cumsum(sizes).tolist()
        nothing = np.zeros([*shape[:axis], 0, *shape[axis + 1:]], call.dtype())
        return [sym.slice_axis(x, axis=axis, begin=end - n, end=end) if n else nothing
                for n, end in zip(sizes, ends, strict=True)]
    if len(set(sizes)) == 1 and len(sizes) > 1:
        return list(sym.SliceChannel(x, num_outputs=len(sizes), axis=axis))
    ends = np.cumsum(sizes).tolist()
    return [sym.slice_axis(x, axis=axis, begin=end - n, end=end) for n, end in zip(sizes, ends, strict=True)]


@operator("Concat")
def concat(call: Call) -> Symbol:
    axis = call.axis(call.attribute("axis", 1))
    parts = [call.data(i) for i, value in enumerate(call.inputs) if value.array is None or value.array.size]
    return sym.concat(*parts, dim=axis) if len(parts) > 1 else sym.identity(parts[0])


@operator("CenterCropPad")
def center_crop_pad(call: Call) -> Symbol:
    """Crops or pads with zeros on both sides; if the number is odd, the larger part is at the end."""
    sizes = call.integers("shape", 1)
    axes = call.attribute("axes", None) or list(range(call.rank()))
    x, shape = call.data(), list(call.shape())
    for axis, size in zip(axes, sizes, strict=True):
        axis = call.axis(axis)
        length = call.length(axis)
        if length > size:
            low = (length - size) // 2
            x = sym.slice_axis(x, axis=axis, begin=low, end=low + size)
        elif length < size:
            low = (size - length) // 2
            blocks = []
            for n in (low, size - length - low):
                shape[axis] = n
                blocks.append(sym.zeros(tuple(shape), dtype=call.dtype().name) if n else None)
            x = sym.concat(*[part for part in (blocks[0], x, blocks[1]) if part is not None], dim=axis)
        shape[axis] = size
    return sym.identity(x)
