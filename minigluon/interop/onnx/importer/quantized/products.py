"""Integer products and convolutions, computed in float64 because float32 would be exact only for sums below 2^24."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..... import symbol as sym
from ..array.padding import padded
from ..nn.matrix import product
from ..nn.windows import pads_of, tuple_of
from ..table import operator
from .linear import as_whole

if TYPE_CHECKING:
    from .....symbol import Symbol
    from ..call import Call


def _wide(call, index, zero, axis):
    """Returns an input minus its zero point, as float64.

    axis: the axis of the rows or columns that have separate zero points.
    """
    x = sym.cast(call.data(index), dtype="float64")
    if not call.has(zero):
        return x
    point = sym.cast(call.data(zero), dtype="float64")
    if not call.value(zero).scalar and call.rank(zero) == 1:
        rank = call.rank(index)
        point = sym.reshape(point, shape=tuple(-1 if i == axis % rank else 1 for i in range(rank)))
    return sym.broadcast_sub(x, point)


class _Pair:
    """Two factors of a call, presented as its first two inputs."""

    def __init__(self, call, a, b):
        self.call, self.places = call, (a, b)

    def shape(self, index):
        return self.call.shape(self.places[index])

    def dtype(self, index=0):
        return np.dtype("float64")

    def is_bool(self):
        return False

    def scalar(self, symbol):
        return self.call.scalar(symbol)


@operator("MatMulInteger")
def matmul_integer(call: Call) -> Symbol:
    return sym.cast(product(_Pair(call, 0, 1), _wide(call, 0, 2, -2), _wide(call, 1, 3, -1)), dtype="int32")


@operator("QLinearMatMul")
def quantized_matmul(call: Call) -> Symbol:
    out = product(_Pair(call, 0, 3), _wide(call, 0, 2, -2), _wide(call, 3, 5, -1))
    scale = sym.cast(sym.broadcast_mul(call.data(1), call.data(4)), dtype="float64")
    out = sym.broadcast_mul(out, scale)
    scale = sym.cast(call.data(6), dtype="float32")
    return as_whole(sym.cast(out, dtype="float32"), scale, call.data(7), call.dtype(7))


def _convolved(call, x, weight, index):
    shape = call.static_shape(index)
    kernel = shape[2:]
    strides, dilations = (tuple_of(call, name, len(kernel)) for name in ("strides", "dilations"))
    before, behind = pads_of(call, kernel, strides, dilations)
    x = padded(_Pair(call, 0, index), x, [0, 0, *before], [0, 0, *behind])
    return sym.Convolution(x, weight, kernel=kernel, stride=strides, dilate=dilations, num_filter=shape[0],
                           num_group=call.attribute("group", 1), no_bias=True)


@operator("ConvInteger")
def convolution_integer(call: Call) -> Symbol:
    return sym.cast(_convolved(call, _wide(call, 0, 2, 1), _wide(call, 1, 3, 0), 1), dtype="int32")


@operator("QLinearConv")
def quantized_convolution(call: Call) -> Symbol:
    out = _convolved(call, _wide(call, 0, 2, 1), _wide(call, 3, 5, 0), 3)
    around = (1, -1) + (1,) * (call.rank() - 2)
    if call.has(8):
        out = sym.broadcast_add(out, sym.reshape(sym.cast(call.data(8), dtype="float64"), shape=around))
    scale = sym.broadcast_mul(call.data(1), call.data(4))
    out = sym.broadcast_mul(out, sym.reshape(sym.cast(scale, dtype="float64"), shape=around))
    scale = sym.cast(call.data(6), dtype="float32")
    return as_whole(sym.cast(out, dtype="float32"), scale, call.data(7), call.dtype(7))
