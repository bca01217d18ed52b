"""Reshaping, expanding and tiling."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from ..... import symbol as sym
from .....ops.symbolic_dimensions import SymbolicDim
from ..shaping import expanded, reshaped, source_node, with_axes
from ..table import operator
from ..values import is_static, same_length

if TYPE_CHECKING:
    from .....symbol import Symbol
    from ..call import Call


@operator("Reshape")
def reshape(call: Call) -> Any:
    target = call.integers("shape", 1)
    shape = call.value(0).shape
    if call.attribute("allowzero", 0) and 0 in [n for n in target if not isinstance(n, SymbolicDim)]:
        raise call.refuse("allowzero: the array would be empty")
    undone = source_node(call.data(), "Reshape")
    if undone is not None and undone.op.shape:      # an earlier layer has split an axis that the file merges again
        inner = sym.Symbol([undone.inputs[0]])
        if _is_same_shape(call.shape_of(inner), shape, target):
            return inner
    result = reshaped(call.graph, call.data(), shape, target)
    return call.scalar(result) if not target else result


def _is_same_shape(inner, shape, target):
    """Returns whether the target (which may contain -1, and 0 for a length of `shape`) is the inner shape."""
    if inner is None or shape is None or len(inner) != len(target):
        return False
    expected = [shape[axis] if isinstance(n, int) and n == 0 and axis < len(shape) else n
                for axis, n in enumerate(target)]
    return all(same_length(a, b) or (isinstance(b, int) and b == -1) for a, b in zip(inner, expected, strict=True))


@operator("Flatten")
def flatten(call: Call) -> Symbol:
    axis, rank = call.attribute("axis", 1), call.rank()
    axis = axis + rank if axis < 0 else axis
    x = call.data()
    if axis == 1 and rank > 1:
        return sym.Flatten(x)
    if axis == 0:
        return sym.reshape(x, shape=(1, -1))
    shape = call.shape()
    if all(isinstance(n, int) for n in shape[:axis]):
        return sym.reshape(x, shape=(math.prod(shape[:axis]), -1))
    return sym.reshape(x, shape=(-1, math.prod(call.length(i) for i in range(axis, rank))))


@operator("Squeeze")
def squeeze(call: Call) -> Symbol:
    axes, rank = call.integers("axes", 1), call.rank()
    if axes is None:
        axes = [axis for axis, n in enumerate(call.shape()) if isinstance(n, int) and n == 1]
    axes = tuple(call.axis(axis) for axis in axes)
    x = call.data()
    if not axes:
        return sym.identity(x)
    if len(axes) == rank:
        return call.scalar(sym.reshape(x, shape=(1,)))
    undone = source_node(x, "expand_dims")
    if undone is not None and axes == (undone.op.axis % rank,):
        return sym.Symbol([undone.inputs[0]])
    return sym.squeeze(x, axis=axes)


@operator("Unsqueeze")
def unsqueeze(call: Call) -> Any:
    axes = call.integers("axes", 1)
    x = call.data()
    if call.value(0).scalar:
        return sym.reshape(x, shape=(1,) * len(axes))
    return with_axes(x, call.shape(), axes)


@operator("Expand")
def expand(call: Call) -> Any:
    target = call.integers("shape", 1)
    x, is_bool = call.data(), call.is_bool()
    if is_bool:
        x = sym.cast(x, dtype="uint8")
    result = expanded(call, x, call.shape(), target)
    if is_bool:
        return sym.cast(result, dtype="bool")
    return sym.identity(result) if result.heads[0] == x.heads[0] else result


@operator("Shape")
def shape(call: Call) -> Symbol:
    """Computes the shape at run time, because the file does not determine it."""
    lengths = sym.shape_array(call.data())
    start, end = call.attribute("start", 0), call.attribute("end", None)
    return sym.slice_axis(lengths, axis=0, begin=start, end=end) if start or end is not None else lengths


@operator("Size")
def size(call: Call) -> Symbol:
    return call.scalar(sym.size_array(call.data()))


@operator("Identity", "Dropout")
def identity(call: Call) -> Any:
    """Returns the input, even for a Dropout, because the file contains a trained model."""
    if call.type == "Identity":
        value = call.value(0)
        return value if value.array is not None else sym.identity(call.data())
    if (call.has(2) and call.is_known(2) and call.constant(2).item()) or (call.has(2) and not call.is_known(2)):
        ratio = call.number(1) if call.has(1) else 0.5
        if ratio != 0:
            raise call.refuse("a dropout that draws random numbers at inference")
    x = sym.identity(call.data())
    mask = sym.cast(sym.ones_like(x), dtype="bool") if len(call.outputs) > 1 else None
    return x if mask is None else [x, mask]


@operator("EyeLike")
def eye_like(call: Call) -> np.ndarray[Any, Any]:
    rows, columns = call.static_shape()
    call.allow(rows * columns)
    dtype = call.graph.dtype_of(call.attribute("dtype", 0)) if call.attribute("dtype", 0) else call.dtype()
    return np.eye(rows, columns, call.attribute("k", 0), dtype)


@operator("DepthToSpace")
def depth_to_space(call: Call) -> Symbol:
    x, block = call.data(), call.attribute("blocksize")
    if call.choice("mode", "DCR", "CRD") == "DCR":
        return sym.depth_to_space(x, block_size=block)
    channels, height, width = (call.length(axis) for axis in (1, 2, 3))
    x = sym.reshape(x, shape=(0, channels // block ** 2, block, block, height, width))
    x = sym.transpose(x, axes=(0, 1, 4, 2, 5, 3))
    return sym.reshape(x, shape=(0, channels // block ** 2, height * block, width * block))


@operator("SpaceToDepth")
def space_to_depth(call: Call) -> Symbol:
    if call.attribute("mode", "DCR") == "DCR":
        return sym.space_to_depth(call.data(), block_size=call.attribute("blocksize"))
    block, (channels, height, width) = call.attribute("blocksize"), (call.length(axis) for axis in (1, 2, 3))
    x = sym.reshape(call.data(), shape=(0, channels, height // block, block, width // block, block))
    x = sym.transpose(x, axes=(0, 1, 3, 5, 2, 4))
    return sym.reshape(x, shape=(0, channels * block ** 2, height // block, width // block))


@operator("Tile")
def tile(call: Call) -> Symbol:
    repeats = call.integers("repeats", 1)
    if not is_static(repeats):
        raise call.refuse("the number of repeats is a length that the file leaves open")
    return sym.tile(call.data(), reps=tuple(repeats))
