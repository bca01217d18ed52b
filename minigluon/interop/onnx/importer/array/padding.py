"""Import of ONNX operators that pad arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..... import symbol as sym
from ..table import operator

if TYPE_CHECKING:
    from ..call import Call


@operator("Pad")
def pad(call: Call) -> Any:
    pads, rank = call.integers("pads", 1), call.rank()
    axes = [call.axis(axis) for axis in call.integers("axes", 3) or range(rank)]
    before, behind = [0] * rank, [0] * rank
    for number, axis in enumerate(axes):
        before[axis], behind[axis] = pads[number], pads[number + len(axes)]
    mode = call.choice("mode", "constant", "edge", "reflect", "wrap")
    x = call.data()
    if mode != "constant":
        return _by_places(call, x, before, behind, mode)
    if call.has(2):
        value = call.constant(2).item() if call.is_known(2) else call.data(2)
    else:
        value = call.attribute("value", 0)
    return padded(call, x, before, behind, value)


def padded(call: Call, x: Any, before: Any, behind: Any, value: int = 0) -> Any:
    """Returns x padded with `value`, a number or a symbol with one element; negative widths crop."""
    rank, x = len(before), _cut(x, before, behind)
    before, behind = [max(0, n) for n in before], [max(0, n) for n in behind]
    if not any(before) and not any(behind):
        return sym.identity(x)
    spatial = rank in (4, 5) and not any(before[:2]) and not any(behind[:2])
    if spatial and isinstance(value, (int, float)) and call.dtype().kind == "f":
        widths = tuple(int(n) for both in zip(before, behind, strict=True) for n in both)
        return sym.pad(x, mode="constant", pad_width=widths, constant_value=float(value))
    is_bool = call.is_bool()
    if is_bool:
        x = sym.cast(x, dtype="uint8")
    for axis in range(rank):
        blocks = []
        for n in (before[axis], behind[axis]):
            block = sym.zeros_like(sym.slice_axis(x, axis=axis, begin=0, end=1))
            if isinstance(value, sym.Symbol):
                block = sym.broadcast_add(block, sym.reshape(value, shape=(1,) * rank))
            elif value:
                block = block + float(value)
            blocks.append(sym.repeat(block, repeats=int(n), axis=axis) if n else None)
        parts = [part for part in (blocks[0], x, blocks[1]) if part is not None]
        x = sym.concat(*parts, dim=axis) if len(parts) > 1 else x
    return sym.cast(x, dtype="bool") if is_bool else x


def _cut(x, before, behind):
    for axis, (low, high) in enumerate(zip(before, behind, strict=True)):
        if low < 0 or high < 0:
            x = sym.slice_axis(x, axis=axis, begin=max(0, -low), end=high if high < 0 else None)
    return x


def _by_places(call, x, before, behind, mode):
    """Pads with elements taken from inside the array, axis by axis."""
    for axis, (low, high) in enumerate(zip(before, behind, strict=True)):
        if low or high:
            length = call.length(axis)
            call.allow(max(0, length + low + high))
            places = np.arange(-low, length + high)
            if mode == "edge":
                places = places.clip(0, length - 1)
            elif mode == "wrap":
                places = places % length
            else:
                period = max(1, 2 * (length - 1))
                places = length - 1 - np.abs(places % period - (length - 1))
            x = sym.take(x, call.parameter(places.astype(np.int64), f"places{axis}"), axis=axis)
    return sym.identity(x)
