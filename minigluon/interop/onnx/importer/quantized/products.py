"""Integer products and convolutions.

If the weight is known and fits in int8, they are operators on integers. Otherwise they are computed in float64, because
float32 would be exact only for sums below 2^24.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..... import symbol as sym
from ..array.padding import padded
from ..nn.matrix import product
from ..nn.windows import pads_of, tuple_of
from ..table import operator
from .linear import as_whole, require_scale
from .wholes import OfIntegers, convolved, multiplied, symmetric_weight

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


def _places(call):
    """Returns the positions of (data, its zero point, weight, its zero point) in a call."""
    return (0, 2, 1, 3) if call.type.endswith("Integer") else (0, 2, 3, 5)


def _require_points(call):
    """Raises NotRepresentableError if a zero point does not have the type of its integers."""
    data, point, weight, other = _places(call)
    for index, zero in ((data, point), (weight, other)):
        found = call.value(zero).dtype if call.has(zero) else None
        if call.dtype(index).name not in ("int8", "uint8"):
            raise call.refuse(f"its input {call.value(index).name!r} is {call.dtype(index)}, expected int8 or uint8")
        if found is not None and found != call.dtype(index):
            raise call.refuse(f"its zero point {call.value(zero).name!r} is {found}, but the integers are "
                              f"{call.dtype(index)}")


def _on_integers(call, product):
    """Returns the int32 sums of `wholes.convolved` or `wholes.multiplied`, or None if the weight is not known."""
    data, point, weight, other = _places(call)
    if not call.is_known(weight) or (call.has(other) and not call.is_known(other)) or call.rank(data) < 2:
        return None
    zero = call.value(other).array if call.has(other) else np.zeros(1, np.int8)
    integers = symmetric_weight(call.value(weight).array, zero)
    at: Any = 0
    if call.has(point):
        array = call.value(point).array
        if array is None and product is convolved and (call.attribute("pads", None) or "auto_pad" in call.attributes):
            return None
        if array is not None and array.size > 1 or array is None and not _has_one(call.value(point)):
            return None
        at = sym.cast(call.data(point), dtype="int32") if array is None else int(array.reshape(-1)[0])
    if integers is None:
        return None
    found = product(OfIntegers(call, data, weight), call.data(data), call.dtype(data), at, integers, call)
    return None if found is None else found[0]


def _has_one(value):
    return value.scalar or value.shape == (1,)


def _sums(call, product, slow):
    """Returns int32 sums as a symbol of float64 or int32. slow: a function that computes them in float64."""
    _require_points(call)
    sums = _on_integers(call, product)
    return slow() if sums is None else sums


@operator("MatMulInteger")
def matmul_integer(call: Call) -> Symbol:
    return sym.cast(_sums(call, multiplied, lambda: product(_Pair(call, 0, 1), _wide(call, 0, 2, -2),
                                                            _wide(call, 1, 3, -1))), dtype="int32")


@operator("QLinearMatMul")
def quantized_matmul(call: Call) -> Symbol:
    for index in (1, 4, 6):
        require_scale(call, index)
    out = _sums(call, multiplied, lambda: product(_Pair(call, 0, 3), _wide(call, 0, 2, -2), _wide(call, 3, 5, -1)))
    scale = sym.cast(sym.broadcast_mul(call.data(1), call.data(4)), dtype="float64")
    return _rounded(call, sym.broadcast_mul(sym.cast(out, dtype="float64"), scale))


def _rounded(call, out):
    """Returns real numbers as integers with the output's scale and zero point."""
    if call.dtype(7).name not in ("int8", "uint8"):
        raise call.refuse(f"quantization to {call.dtype(7)}")
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
    return sym.cast(_sums(call, convolved, lambda: _convolved(call, _wide(call, 0, 2, 1), _wide(call, 1, 3, 0), 1)),
                    dtype="int32")


@operator("QLinearConv")
def quantized_convolution(call: Call) -> Symbol:
    for index in (1, 4, 6):
        require_scale(call, index)
    out = _sums(call, convolved, lambda: _convolved(call, _wide(call, 0, 2, 1), _wide(call, 3, 5, 0), 3))
    out = sym.cast(out, dtype="float64")
    around = (1, -1) + (1,) * (call.rank() - 2)
    if call.has(8):
        out = sym.broadcast_add(out, sym.reshape(sym.cast(call.data(8), dtype="float64"), shape=around))
    scale = sym.broadcast_mul(call.data(1), call.data(4))
    return _rounded(call, sym.broadcast_mul(out, sym.reshape(sym.cast(scale, dtype="float64"), shape=around)))
