"""Pooling."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from ..... import symbol as sym
from ..array.padding import padded
from ..quantized.wholes import moved
from ..table import operator
from ..values import is_static
from .windows import pads_of, symmetric_end, tuple_of

if TYPE_CHECKING:
    from ..call import Call

MOST_SLICES = 8192      # the maximum number of slices from which a dilated window is assembled
GLOBAL = {"GlobalAveragePool": "avg", "GlobalMaxPool": "max", "GlobalLpPool": "lp"}


@operator(*GLOBAL)
def global_pool(call: Call) -> Any:
    x, rank, kind = call.data(), call.rank(), GLOBAL[call.type]
    if kind != "lp" and 3 <= rank <= 5:
        return sym.Pooling(x, pool_type=kind, global_pool=True, kernel=(1,) * (rank - 2))
    axes = tuple(range(2, rank))
    if kind == "lp":
        p = call.attribute("p", 2)
        return sym.sum(sym.abs(x) ** p, axis=axes, keepdims=True) ** (1 / p)
    return (sym.mean if kind == "avg" else sym.max)(x, axis=axes, keepdims=True)


@operator("MaxPool", "AveragePool", "LpPool")
def pool(call: Call) -> Any:
    kernel = tuple(call.attribute("kernel_shape"))
    count = len(kernel)
    if not 1 <= count <= 3:
        raise call.refuse(f"windows over {count} spatial axes")
    if len(call.outputs) > 1:
        raise call.refuse("the indices of the largest elements (its second output)")
    strides, dilations = (tuple_of(call, name, count) for name in ("strides", "dilations"))
    before, behind = pads_of(call, kernel, strides, dilations)
    full = bool(call.attribute("ceil_mode", 0))
    kind = {"MaxPool": "max", "AveragePool": "avg", "LpPool": "lp"}[call.type]
    if max(dilations) > 1:
        return _dilated(call, kind, kernel, strides, dilations, before, behind, full)
    if not full:
        behind = symmetric_end(call, kernel, strides, before, behind)
    if before == behind and not (kind == "avg" and full and max(before)) and not (full and _beyond(
            call, kernel, strides, before)):
        if kind == "max" and call.whole() is not None:
            return moved(call, sym.contrib.quantized_pooling, **_options(call, kind, kernel, strides, before, full))
        x = sym.abs(call.data()) if kind == "lp" else call.data()
        return sym.Pooling(x, **_options(call, kind, kernel, strides, before, full))
    return _around(call, kind, kernel, strides, before, behind, full)


@operator("MaxUnpool")
def max_unpool(call: Call) -> Any:
    """Moves the values back to the positions they had before a MaxPool, with zeros elsewhere."""
    kernel, shape = tuple(call.attribute("kernel_shape")), call.static_shape()
    count = len(kernel)
    strides, pads = tuple_of(call, "strides", count), call.attribute("pads", [0] * 2 * count)
    space = [(n - 1) * s - pads[i] - pads[count + i] + k
             for i, (n, s, k) in enumerate(zip(shape[2:], strides, kernel, strict=True))]
    whole = (*shape[:2], *space)
    places = sym.reshape(sym.cast(call.data(1), dtype="int64"), shape=(1, -1))
    flat = sym._internal._scatter_set_nd(sym.zeros((math.prod(whole),), dtype=call.dtype().name),
                                         sym.reshape(call.data(), shape=(-1,)), places, shape=(math.prod(whole),))
    unpooled = sym.reshape(flat, shape=whole)
    missing = [n - m for n, m in zip(call.integers("output_shape", 2, whole), whole, strict=True)]
    return padded(call, unpooled, [0] * len(whole), missing) if any(missing) else unpooled


def _options(call, kind, kernel, strides, pad, full):
    options = {"pool_type": kind, "kernel": kernel, "stride": strides, "pad": pad,
               "pooling_convention": "full" if full else "valid"}
    if kind == "avg":
        options["count_include_pad"] = bool(call.attribute("count_include_pad", 0))
    if kind == "lp":
        options["p_value"] = call.attribute("p", 2)
    return options


def _beyond(call, kernel, strides, pad):
    """Returns whether the last window would begin beyond the array and its padding; ONNX omits such a window."""
    space = call.shape()[2:]
    if not is_static(space):
        return False
    return any((-(-(n + 2 * p - k) // s)) * s >= n + p for n, k, s, p in zip(space, kernel, strides, pad, strict=True))


def _windows(n, kernel, stride, before, behind, full):
    """Returns the number of windows along an axis, and how many elements are missing from the last one."""
    free = n + before + behind - kernel
    count = (-(-free // stride) if full else free // stride) + 1
    if full and (count - 1) * stride >= n + before:
        count -= 1
    return count, max(0, (count - 1) * stride + kernel - n - before)


def _around(call, kind, kernel, strides, before, behind, full):
    """Adds asymmetric padding first; an average is a sum divided by the number of elements."""
    x = call.data()
    space = [call.length(axis) for axis in range(2, 2 + len(kernel))]
    fits = [_windows(*each, full) for each in zip(space, kernel, strides, before, behind, strict=True)]
    missing = [extra for _, extra in fits]

    def sums(x, value, pool_type):
        x = padded(call, x, [0, 0, *before], [0, 0, *missing], value)
        return _cut(sym.Pooling(x, pool_type=pool_type, kernel=kernel, stride=strides, pooling_convention="valid"),
                    [n for n, _ in fits])
    if kind == "max":
        return sums(x, -math.inf if call.dtype().kind == "f" else _least(call), "max")
    if kind == "lp":
        p = call.attribute("p", 2)
        return sums(sym.abs(x) ** p, 0, "sum") ** (1 / p)
    if call.attribute("count_include_pad", 0):
        ones = padded(call, sym.ones_like(x), [0, 0, *before], [0, 0, *behind], 1)
        more = [m - b for m, b in zip(missing, behind, strict=True)]
        ones = padded(call, ones, [0] * (2 + len(kernel)), [0, 0, *more])
        counts = _cut(sym.Pooling(ones, pool_type="sum", kernel=kernel, stride=strides), [n for n, _ in fits])
    else:
        counts = sums(sym.ones_like(x), 0, "sum")
    return sums(x, 0, "sum") / counts


def _least(call):
    import numpy as np
    return float(np.iinfo(call.dtype()).min)


def _cut(x, counts):
    for axis, n in enumerate(counts):
        x = sym.slice_axis(x, axis=axis + 2, begin=0, end=n)
    return x


def _dilated(call, kind, kernel, strides, dilations, before, behind, full):
    """Returns the maximum or mean of strided slices."""
    if kind == "lp":
        raise call.refuse("dilations in Lp pooling")
    if math.prod(kernel) > MOST_SLICES:
        raise call.refuse(f"dilated windows of {math.prod(kernel)} elements")
    space = [call.length(axis) for axis in range(2, 2 + len(kernel))]
    reach = [(k - 1) * d + 1 for k, d in zip(kernel, dilations, strict=True)]
    fits = [_windows(*each, full) for each in zip(space, reach, strides, before, behind, strict=True)]
    missing = [extra for _, extra in fits]

    def pieces(x, value):
        x = padded(call, x, [0, 0, *before], [0, 0, *missing], value)
        places = [[]]
        for k in kernel:
            places = [[*place, i] for place in places for i in range(k)]
        for place in places:
            part = x
            for axis, (i, d, s, (n, _)) in enumerate(zip(place, dilations, strides, fits, strict=True)):
                keys = [None] * (axis + 2)
                part = sym.slice(part, begin=(*keys, i * d), end=(*keys, i * d + (n - 1) * s + 1), step=(*keys, s))
            yield part
    x = call.data()
    if kind == "max":
        parts = list(pieces(x, -math.inf if call.dtype().kind == "f" else _least(call)))
        largest = parts[0]
        for part in parts[1:]:
            largest = sym.maximum(largest, part)
        return largest
    total = sym.add_n(*pieces(x, 0))
    ones = sym.ones_like(x)
    if call.attribute("count_include_pad", 0):      # elements beyond the padding do not count
        ones = padded(call, ones, [0, 0, *before], [0, 0, *behind], 1)
        before = [0] * len(kernel)
        missing = [extra - b for extra, b in zip(missing, behind, strict=True)]
    return total / sym.add_n(*pieces(ones, 0))
