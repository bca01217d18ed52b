"""QuantizeLinear and DequantizeLinear: x = (q - zero) scale."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..... import symbol as sym
from ..math.elementwise import to_even
from ..table import operator

if TYPE_CHECKING:
    from .....common.types import DType
    from .....symbol import Symbol
    from ..call import Call

__all__ = ["as_fractions", "as_whole"]


def _along(call, part, index, axis, rank):
    """Returns a scale or zero point in a shape that broadcasts against the array."""
    if call.value(index).scalar or call.value(index).shape == (1,):
        return sym.reshape(part, shape=(1,) * max(rank, 1))
    block = call.attribute("block_size", 0)
    if block:
        return sym.slice_axis(sym.repeat(part, repeats=block, axis=axis), axis=axis, begin=0, end=call.length(axis))
    return sym.reshape(part, shape=tuple(-1 if i == axis else 1 for i in range(rank)))


def as_fractions(q: Any, scale: Any, zero: Any, dtype: str = "float32") -> Symbol:
    """Returns (q - zero) scale."""
    q = sym.cast(q, dtype=dtype)
    if zero is not None:
        q = sym.broadcast_sub(q, sym.cast(zero, dtype=dtype))
    return sym.broadcast_mul(q, scale)


def as_whole(x: Any, scale: Any, zero: Any, dtype: DType) -> Symbol:
    """Returns round(x / scale) + zero, clipped to the bounds of the type; halves are rounded to even."""
    bounds = np.iinfo(dtype)
    q = to_even(sym.broadcast_div(x, scale))
    if zero is not None:
        q = sym.broadcast_add(q, sym.cast(zero, dtype="float32"))
    return sym.cast(sym.clip(q, float(bounds.min), float(bounds.max)), dtype=np.dtype(dtype).name)


@operator("DequantizeLinear")
def dequantize(call: Call) -> Symbol:
    axis, rank = call.axis(call.attribute("axis", 1)) if call.rank() > 1 else 0, call.rank()
    dtype = call.dtype(1).name
    zero = _along(call, call.data(2), 2, axis, rank) if call.has(2) else None
    return as_fractions(call.data(0), _along(call, call.data(1), 1, axis, rank), zero, dtype)


@operator("QuantizeLinear")
def quantize(call: Call) -> Symbol:
    axis, rank = call.axis(call.attribute("axis", 1)) if call.rank() > 1 else 0, call.rank()
    number = call.attribute("output_dtype", 0)
    dtype = call.dtype(2) if call.has(2) else call.graph.dtype_of(number) if number else np.dtype("uint8")
    if dtype.name not in ("int8", "uint8"):
        raise call.refuse(f"quantization to {dtype}")
    zero = _along(call, call.data(2), 2, axis, rank) if call.has(2) else None
    x = sym.cast(call.data(0), dtype="float32")
    return as_whole(x, sym.cast(_along(call, call.data(1), 1, axis, rank), dtype="float32"), zero, dtype)
