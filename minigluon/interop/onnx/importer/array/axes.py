"""Transposing and reversing axes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..... import symbol as sym
from ..shaping import in_front, transposed
from ..table import operator

if TYPE_CHECKING:
    from .....symbol import Symbol
    from ..call import Call


@operator("Transpose")
def transpose(call: Call) -> Symbol:
    axes = call.attribute("perm", None)
    if call.rank() < 2:
        return sym.identity(call.data())
    return transposed(call.data(), tuple(axes) if axes else tuple(range(call.rank()))[::-1])


@operator("ReverseSequence")
def reverse_sequence(call: Call) -> Symbol:
    time, batch = call.attribute("time_axis", 0), call.attribute("batch_axis", 1)
    x = call.data()
    if (time, batch) == (1, 0):
        x = sym.swapaxes(x, dim1=0, dim2=1)
    lengths = sym.cast(call.data(1), dtype=call.dtype(0).name)
    x = sym.SequenceReverse(x, lengths, use_sequence_length=True)
    return sym.swapaxes(x, dim1=0, dim2=1) if (time, batch) == (1, 0) else x


@operator("Trilu")
def trilu(call: Call) -> Symbol:
    """Selects the elements with a mask instead of multiplying by it, because infinity times 0 would be NaN."""
    k = int(call.constant(1).item()) if call.has(1) else 0
    row = sym.reshape(sym.arange(0, call.length(-2), dtype="int64"), shape=(-1, 1)) + k
    column = sym.reshape(sym.arange(0, call.length(-1), dtype="int64"), shape=(1, -1))
    mask = sym.broadcast_lesser_equal(row, column) if call.attribute("upper", 1) else \
        sym.broadcast_greater_equal(row, column)
    x, is_bool = call.data(), call.is_bool()
    if is_bool:
        x = sym.cast(x, dtype="uint8")
    condition = sym.broadcast_like(in_front(mask, call.rank() - 2), x)
    selected = sym.where(condition, x, sym.zeros_like(x))
    return sym.cast(selected, dtype="bool") if is_bool else selected
