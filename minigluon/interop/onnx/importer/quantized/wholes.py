"""Integers behind real numbers: what DequantizeLinear read is remembered, so that products are computed on integers.

    x = (q - z) s,  w = v t     a product Σ x w = (Σ q v - z Σ v) s t, where v consists of int8

Σ q v is an operator on integers, and z Σ v a number for each filter that is known when the file is read.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..... import symbol as sym
from ..array.padding import padded
from ..nn.windows import pads_of, tuple_of

if TYPE_CHECKING:
    from .....symbol import Symbol
    from ..call import Call

__all__ = ["OfIntegers", "Whole", "as_fractions", "around", "convolved", "dequantized_product", "moved", "multiplied",
           "symmetric_weight"]


@dataclass
class Whole:
    """Integers that stand for (q - zero) scale.

    q: a symbol. array: the integers if they are known, else None. scale, zero: known arrays, of rank 0, or with one
    number for each element of `axis`.
    """

    q: Any
    array: Any
    dtype: Any
    scale: Any
    zero: Any
    axis: int

    @property
    def point(self) -> int | None:
        """The zero point if it is one number, otherwise None."""
        return int(self.zero.reshape(-1)[0]) if self.zero.size == 1 else None

    def is_like(self, scale: Any, zero: Any, dtype: Any) -> bool:
        """Returns whether other integers with this scale and zero point stand for the same real numbers."""
        return self.dtype == dtype and np.array_equal(self.scale, scale) and np.array_equal(self.zero, zero)


class OfIntegers:
    """A call whose first two inputs are the integers of a product, for functions that ask for shapes and types."""

    def __init__(self, call: Call, data: int, weight: int):
        self.call, self.places = call, (data, weight)
        self.attribute, self.choice, self.refuse = call.attribute, call.choice, call.refuse

    def shape(self, index: int = 0) -> Any:
        return self.call.shape(self.places[index])

    def dtype(self, index: int = 0) -> Any:
        return np.dtype("uint8")

    def is_bool(self) -> bool:
        return False


def as_fractions(q: Any, scale: Any, zero: Any, dtype: str = "float32") -> Symbol:
    """Returns (q - zero) scale."""
    q = sym.cast(q, dtype=dtype)
    if zero is not None:
        q = sym.broadcast_sub(q, sym.cast(zero, dtype=dtype))
    return sym.broadcast_mul(q, scale)


def around(vector: Any, rank: int, axis: int) -> Any:
    """Returns an array with one number, or one for each element of an axis, in a shape that broadcasts."""
    return vector.reshape([-1 if i == axis % rank else 1 for i in range(rank)])


def moved(call: Call, function: Any, **options: Any) -> Symbol:
    """Returns the real numbers of a function that only selects integers."""
    whole = call.whole()
    q = function(whole.q, _range(call), _range(call), **options)[0]
    zero = call.parameter(np.full(1, whole.point, np.float32), "zero_point")
    out = as_fractions(q, call.parameter(whole.scale.reshape(1), "scale"), zero)
    call.graph.wholes[out.heads[0]] = Whole(q, None, whole.dtype, whole.scale, whole.zero, whole.axis)
    return out


def dequantized_product(call: Call, product: Any) -> Any:
    """Returns the real numbers of a layer whose data and weight were dequantized, or None if it is not one.

    product: `convolved` or `multiplied`.
    """
    data, weight = call.whole(0), call.whole(1)
    if data is None or weight is None or data.point is None or weight.array is None or call.rank(0) < 2:
        return None
    integers = symmetric_weight(weight.array, weight.zero)
    if integers is None or (weight.scale.size > 1 and weight.axis != product.filters(call)):
        return None
    found = product(OfIntegers(call, 0, 1), data.q, data.dtype, data.point, integers, call)
    if found is None:
        return None
    sums, axis, rank = found
    unit = (data.scale.astype(np.float32) * weight.scale).astype(np.float32)
    bias = call.whole(2)
    exact = bias is not None and bias.array is not None and bias.dtype == np.int32 and not bias.zero.any()
    if exact and np.allclose(bias.scale, unit, rtol=1e-6):
        sums = sym.broadcast_add(sums, call.parameter(around(bias.array, rank, axis), "bias"))
    out = sym.broadcast_mul(sym.cast(sums, dtype="float32"), call.parameter(around(unit, rank, axis), "scale"))
    if call.has(2) and not (exact and np.allclose(bias.scale, unit, rtol=1e-6)):
        out = sym.broadcast_add(out, sym.reshape(call.data(2), shape=[-1 if i == axis % rank else 1
                                                                       for i in range(rank)]))
    return out


def symmetric_weight(array: Any, zero: Any) -> Any:
    """Returns a weight minus its zero point as int8, or None if it does not fit."""
    if array.dtype not in (np.int8, np.uint8) or np.unique(zero).size > 1:
        return None
    integers = array.astype(np.int32) - int(zero.reshape(-1)[0])
    return integers.astype(np.int8) if integers.size and -128 <= integers.min() <= integers.max() <= 127 else None


def convolved(view: Any, q: Any, dtype: Any, point: Any, weight: Any, call: Call) -> Any:
    """Returns (int32 sums of a convolution, the axis of its filters, its rank). point: the zero point of the data."""
    kernel, rank = weight.shape[2:], weight.ndim
    if not 1 <= len(kernel) <= 3:
        return None
    strides, dilations = (tuple_of(call, name, len(kernel)) for name in ("strides", "dilations"))
    before, behind = pads_of(view, kernel, strides, dilations)
    if min(before + behind) < 0:
        return None
    if before != behind or (point and max(before)):         # windows contain zero points around the image
        q = padded(view, q, [0, 0, *before], [0, 0, *behind], point)
        before = (0,) * len(kernel)
    sums = sym.contrib.quantized_conv(
        q, call.parameter(weight, "weight"), *[_range(call)] * 4, kernel=kernel, stride=strides, dilate=dilations,
        pad=before, num_filter=weight.shape[0], num_group=call.attribute("group", 1), no_bias=True)[0]
    return _without_point(call, sums, point, weight.reshape(len(weight), -1), rank, 1), 1, rank


def multiplied(view: Any, q: Any, dtype: Any, point: Any, weight: Any, call: Call) -> Any:
    """Returns (int32 sums of a matrix product, the axis of its columns, its rank)."""
    if weight.ndim != 2:
        return None
    rows = weight if call.attribute("transB", 0) else weight.T
    rank = len(view.shape(0))
    sums = sym.contrib.quantized_fully_connected(
        q, call.parameter(np.ascontiguousarray(rows), "weight"), *[_range(call)] * 4, num_hidden=len(rows),
        flatten=False, no_bias=True)[0]
    return _without_point(call, sums, point, rows, rank, -1), -1, rank


convolved.filters = lambda call: 0
multiplied.filters = lambda call: 0 if call.attribute("transB", 0) else 1


def _without_point(call, sums, point, rows, rank, axis):
    """Returns sums minus the zero point times the sums of the weights. point: a number, or a symbol of int32."""
    totals = around(rows.sum(1, dtype=np.int32), rank, axis)
    if isinstance(point, sym.Symbol):
        return sym.broadcast_sub(sums, sym.broadcast_mul(call.parameter(totals, "totals"),
                                                         sym.reshape(point, shape=(1,) * rank)))
    return sym.broadcast_add(sums, call.parameter(-point * totals, "totals")) if point and totals.any() else sums


def _range(call):
    """Returns one end of a range, which operators on integers ask for and sums in int32 do not depend on."""
    graph = call.graph
    if "range" not in graph.wholes:
        graph.wholes["range"] = graph.parameter("integers_range", np.ones(1, np.float32))
    return graph.wholes["range"]
