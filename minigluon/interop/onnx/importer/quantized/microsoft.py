"""Operators on integers that onnxruntime's quantizer writes in the domain com.microsoft: real numbers in between."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..... import symbol as sym
from ..table import operator
from .linear import as_whole, require_scale, require_zero
from .wholes import OfIntegers, around, as_fractions, multiplied, symmetric_weight

if TYPE_CHECKING:
    from .....symbol import Symbol
    from ..call import Call

DOMAIN = "com.microsoft"


def _one(call, index, rank):
    """Returns a scale or zero point, which must be one number, in a shape that broadcasts."""
    value = call.value(index)
    if not value.scalar and value.shape != (1,):
        raise call.refuse(f"{value.name!r} has the shape {value.shape}, expected one number")
    return sym.reshape(call.data(index), shape=(1,) * max(rank, 1))


def _reals(call, index):
    """Returns the real numbers of integers; their scale and zero point are the next two inputs."""
    require_scale(call, index + 1)
    require_zero(call, index + 2, index + 1, call.value(index).dtype)
    rank = call.rank(index)
    zero = _one(call, index + 2, rank) if call.has(index + 2) else None
    return as_fractions(call.data(index), _one(call, index + 1, rank), zero)


def _rounded(call, x, scale, zero):
    """Returns real numbers as integers. scale, zero: positions of inputs."""
    require_scale(call, scale)
    dtype = call.dtype(zero) if call.has(zero) else np.dtype("uint8")
    if dtype.name not in ("int8", "uint8"):
        raise call.refuse(f"quantization to {dtype}")
    rank = call.graph.rank_of(x)
    return as_whole(x, _one(call, scale, rank), _one(call, zero, rank) if call.has(zero) else None, dtype)


@operator("QLinearAdd", "QLinearMul", domain=DOMAIN)
def of_two(call: Call) -> Symbol:
    function = sym.broadcast_add if call.type == "QLinearAdd" else sym.broadcast_mul
    return _rounded(call, function(_reals(call, 0), _reals(call, 3)), 6, 7)


@operator("QLinearSigmoid", "QLinearLeakyRelu", domain=DOMAIN)
def of_one(call: Call) -> Symbol:
    x = _reals(call, 0)
    if call.type == "QLinearSigmoid":
        return _rounded(call, sym.sigmoid(x), 3, 4)
    return _rounded(call, sym.LeakyReLU(x, act_type="leaky", slope=call.attribute("alpha", 0.01)), 3, 4)


@operator("QLinearGlobalAveragePool", domain=DOMAIN)
def global_average(call: Call) -> Symbol:
    axes = tuple(range(1, call.rank() - 1) if call.attribute("channels_last", 0) else range(2, call.rank()))
    return _rounded(call, sym.mean(_reals(call, 0), axis=axes, keepdims=True), 3, 4)


@operator("QLinearConcat", domain=DOMAIN)
def concat(call: Call) -> Symbol:
    parts = [_reals(call, index) for index in range(2, len(call.inputs), 3)]
    return _rounded(call, sym.concat(*parts, dim=call.axis(call.attribute("axis"), 2)), 0, 1)


@operator("QGemm", domain=DOMAIN)
def gemm(call: Call) -> Any:
    """The product of a matrix and a known weight, of integers. Without a scale of the output it is float32."""
    for index in (1, 4):
        require_scale(call, index)
    require_zero(call, 2, 1, call.value(0).dtype)
    if call.attribute("transA", 0) or call.attribute("alpha", 1.0) != 1 or call.rank(0) != 2:
        raise call.refuse("only transA=0 and alpha=1 are supported")
    weight, zero = call.constant(3), call.constant(5) if call.has(5) else np.zeros(1, np.int8)
    integers, point = symmetric_weight(weight, zero), int(call.constant(2).reshape(-1)[0])
    if integers is None:                # float64 is exact as well
        turned = bool(call.attribute("transB", 0))
        rows = weight.astype(np.float64) - around(zero.astype(np.float64), 2, 0 if turned else 1)
        data = sym.cast(call.data(0), dtype="float64") - float(point)
        sums = sym.cast(sym.dot(data, call.parameter(rows, "weight"), transpose_b=turned), dtype="int32")
    else:
        sums = multiplied(OfIntegers(call, 0, 3), call.data(0), call.dtype(0), point, integers, call)[0]
    if call.has(6):
        sums = sym.broadcast_add(sums, sym.reshape(call.data(6), shape=(1, -1)))
    unit = (call.constant(1) * call.constant(4)).astype(np.float32)
    out = sym.broadcast_mul(sym.cast(sums, dtype="float32"), call.parameter(around(unit, 2, -1), "scale"))
    return _rounded(call, out, 7, 8) if call.has(7) else out
