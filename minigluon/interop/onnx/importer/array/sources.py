"""Arrays that a file creates from attributes only."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..... import symbol as sym
from .....ops.symbolic_dimensions import SymbolicDim
from ..shaping import filled
from ..table import operator

if TYPE_CHECKING:
    from .....ndarray import NDArray
    from .....symbol import Symbol
    from ..call import Call


@operator("Constant")
def constant(call: Call) -> np.ndarray[Any, Any] | NDArray[np.number[Any]]:
    for name in ("value", "value_float", "value_floats", "value_int", "value_ints"):
        if name in call.attributes:
            content = call.attributes[name]
            if isinstance(content, np.ndarray):
                return content
            return np.asarray(content, np.float32 if "float" in name else np.int64)
    raise call.refuse("only numbers can be constants here")


@operator("ConstantOfShape")
def constant_of_shape(call: Call) -> Any:
    shape = call.integers("shape", 0)
    value = call.attribute("value", np.zeros(1, np.float32))
    return filled(call, shape, value.ravel()[0].item(), value.dtype)


@operator("Range")
def range_(call: Call) -> Symbol:
    """Returns a range; if its limit is a symbolic dimension, it counts along an input axis of this length."""
    start, limit, delta = (call.constant(index).item() for index in range(3))
    if start == 0 and delta == 1 and isinstance(limit, SymbolicDim):
        source, axis = call.graph.source_of(limit)
        numbers = sym.contrib.arange_like(source, axis=axis)
        numbers.heads[0][0].name = (call.node.name or call.outputs[0]).removesuffix("/Range")
        return sym.cast(numbers, dtype=call.dtype().name)
    raise call.refuse(f"numbers from {start} to {limit}, which the file leaves open")


@operator("OneHot")
def one_hot(call: Call) -> Symbol:
    depth = int(call.constant(1).ravel()[0])
    axis = call.axis(call.attribute("axis", -1), more=1)
    indices, dtype = call.data(0), call.dtype(2)
    indices = sym.cast(indices, dtype="float32")
    indices = sym.broadcast_mod(indices, sym.full((1,), depth)) * (indices >= -depth) * (indices < depth) \
        + depth * ((indices < -depth) + (indices >= depth))
    hot = sym.one_hot(indices, depth=depth, dtype=dtype.name)
    if call.value(0).scalar:
        hot = sym.reshape(hot, shape=(depth,))
    elif axis != call.rank():
        order = list(range(call.rank()))
        order.insert(axis, call.rank())
        hot = sym.transpose(hot, axes=tuple(order))
    off = sym.slice_axis(call.data(2), axis=0, begin=0, end=1)
    on = sym.slice_axis(call.data(2), axis=0, begin=1, end=2)
    return sym.broadcast_add(sym.broadcast_mul(hot, sym.broadcast_sub(on, off)), off)
