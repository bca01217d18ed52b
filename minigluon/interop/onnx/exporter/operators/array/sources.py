"""Arrays created from attributes only, or from another array's shape."""

import math

import numpy as np

from ......ops.shapes import is_known
from ......ops.symbolic_dimensions import SymbolicDim
from ...helpers import size_of
from ...table import translates
from ...values import UntranslatableError
from ..nn.softmax import positions

__all__ = []


@translates("_zeros", "_ones", "_full")
def filled(g, op):
    return g.filled(g.specs[0][0], op.value, op.dtype)


@translates("_eye", "_arange", "_linspace")
def fixed(g, op):
    """Writes a constant; an _arange gets the length that its users need."""
    shape = g.specs[0][0]
    if any(isinstance(n, SymbolicDim) for n in shape):
        if op.name != "_arange" or op.repeat != 1:
            raise UntranslatableError("its length is left open")
        return op.start + g.cast(positions(g, shape[0]), op.dtype) * op.step
    return g.constant((op if is_known(op.graph_shape) else op.with_shape(shape)).forward())


@translates("_contrib_arange_like")
def arange_like(g, op, x):
    shape = g.specs[0][0]
    numbers = positions(g, size_of(shape))
    if (op.start, op.step, op.repeat) == (0, 1, 1):
        result = g.cast(numbers, x.dtype)
        result.before = numbers
        return g.reshape(result, shape)
    if op.repeat > 1:
        numbers = numbers / op.repeat
    wide = g.cast(numbers, np.float64) * op.step + op.start
    return g.reshape(g.cast(wide, x.dtype), shape)


@translates("_contrib_index_array")
def index_array(g, op, x):
    parts = []
    for axis in range(x.rank) if op.axes is None else [axis % x.rank for axis in op.axes]:
        numbers = g.reshape(positions(g, x.shape[axis]), (x.shape[axis], *(1,) * (x.rank - axis - 1)))
        parts.append(g.unsqueeze(g.expand(numbers, x.shape), x.rank))
    return g.concat(parts, x.rank)


@translates("_contrib_div_sqrt_dim")
def div_sqrt_dim(g, op, x):
    if isinstance(x.shape[-1], SymbolicDim):
        return x / g.Sqrt(g.cast(g.length(x.shape[-1]), x.dtype))
    return x / math.sqrt(x.shape[-1])
