"""QuantizeLinear and DequantizeLinear: x = (q - zero) scale."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..... import symbol as sym
from ..math.elementwise import to_even
from ..table import operator
from .wholes import Whole, as_fractions

if TYPE_CHECKING:
    from .....common.types import DType
    from .....symbol import Symbol
    from ..call import Call

__all__ = ["as_whole", "require_scale", "require_zero"]


def require_scale(call: Call, index: int) -> None:
    """Raises NotRepresentableError if a known scale is not positive and finite."""
    scale = call.value(index).array
    if scale is not None and scale.dtype != object and not (np.isfinite(scale) & (scale > 0)).all():
        wrong = scale[~(np.isfinite(scale) & (scale > 0))].reshape(-1)[0]
        raise call.refuse(f"its scale {call.value(index).name!r} contains {wrong}; scales must be positive and finite")


def require_zero(call: Call, index: int, scale: int, dtype: Any) -> None:
    """Raises NotRepresentableError if a zero point is not of the integers' type, or not as many as scales."""
    if not call.has(index):
        return
    zero = call.value(index)
    if zero.dtype is not None and dtype is not None and zero.dtype != dtype:
        raise call.refuse(f"its zero point {zero.name!r} is {zero.dtype}, but the integers are {dtype}")
    counts = [np.prod(value.shape, dtype=int) if value.array is not None else None
              for value in (zero, call.value(scale))]
    if None not in counts and counts[0] != counts[1]:
        raise call.refuse(f"it has {counts[1]} scales and {counts[0]} zero points")


def _along(call, part, index, axis, rank):
    """Returns a scale or zero point in a shape that broadcasts against the array."""
    if call.value(index).scalar or call.value(index).shape == (1,):
        return sym.reshape(part, shape=(1,) * max(rank, 1))
    block = call.attribute("block_size", 0)
    if block:
        return sym.slice_axis(sym.repeat(part, repeats=block, axis=axis), axis=axis, begin=0, end=call.length(axis))
    count, length = call.value(index).shape, call.shape()[axis]
    if count is not None and (len(count) != 1 or isinstance(length, int) and count[0] != length):
        raise call.refuse(f"{call.value(index).name!r} has the shape {tuple(count)}, expected one number or {length} "
                          f"for axis {axis}")
    return sym.reshape(part, shape=tuple(-1 if i == axis else 1 for i in range(rank)))


def as_whole(x: Any, scale: Any, zero: Any, dtype: DType) -> Symbol:
    """Returns round(x / scale) + zero, clipped to the bounds of the type; halves are rounded to even."""
    bounds = np.iinfo(dtype)
    q = to_even(sym.broadcast_div(x, scale))
    if zero is not None:
        q = sym.broadcast_add(q, sym.cast(zero, dtype="float32"))
    return sym.cast(sym.clip(q, float(bounds.min), float(bounds.max)), dtype=np.dtype(dtype).name)


def _axis(call):
    return call.axis(call.attribute("axis", 1)) if call.rank() > 1 else 0


@operator("DequantizeLinear")
def dequantize(call: Call) -> Symbol:
    require_scale(call, 1)
    require_zero(call, 2, 1, call.value(0).dtype)
    axis, rank = _axis(call), call.rank()
    dtype = call.dtype(1).name
    zero = _along(call, call.data(2), 2, axis, rank) if call.has(2) else None
    x = as_fractions(call.data(0), _along(call, call.data(1), 1, axis, rank), zero, dtype)
    scale, point = _parameters(call, call.dtype(0))
    if scale is not None and dtype == "float32":
        call.graph.wholes[x.heads[0]] = Whole(call.data(0), call.value(0).array, call.dtype(0), scale, point, axis)
    return x


def _parameters(call, dtype):
    """Returns the known (scale, zero point), or (None, None)."""
    scale, zero = call.value(1).array, call.value(2).array if call.has(2) else np.zeros((), dtype)
    unknown = scale is None or zero is None or call.attribute("block_size", 0)
    return (None, None) if unknown else (scale, zero)


@operator("QuantizeLinear")
def quantize(call: Call) -> Symbol:
    number = call.attribute("output_dtype", 0)
    dtype = call.dtype(2) if call.has(2) else call.graph.dtype_of(number) if number else np.dtype("uint8")
    if dtype.name not in ("int8", "uint8"):
        raise call.refuse(f"quantization to {dtype}")
    require_scale(call, 1)
    require_zero(call, 2, 1, dtype)
    axis, rank, whole = _axis(call), call.rank(), call.whole()
    scale, point = _parameters(call, dtype)
    if whole is not None and scale is not None and whole.array is None and whole.is_like(scale, point, dtype):
        return sym.identity(whole.q)
    zero = _along(call, call.data(2), 2, axis, rank) if call.has(2) else None
    x = sym.cast(call.data(0), dtype="float32")
    return as_whole(x, sym.cast(_along(call, call.data(1), 1, axis, rank), dtype="float32"), zero, dtype)
