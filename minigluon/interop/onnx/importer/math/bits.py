"""Bitwise operations on integers, expressed as int64 arithmetic."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..... import symbol as sym
from ..table import operator

if TYPE_CHECKING:
    from .....symbol import Symbol
    from ..call import Call


def _wide(call, index):
    if call.dtype(index).kind not in "iu":
        raise call.refuse(f"bits of {call.dtype(index)}, but integers are expected")
    return sym.cast(call.data(index), dtype="int64")


def _floored(x, powers):
    """Returns quotients rounded down, as two's complement requires; ordinary division rounds toward 0."""
    return sym.broadcast_div(sym.broadcast_sub(x, sym.broadcast_mod(x, powers)), powers)


@operator("BitwiseNot", elementwise=True)
def bitwise_not(call: Call) -> Any:
    """Inverts all bits: subtracts x from the number with all bits set, which is -1 or the largest unsigned value."""
    dtype = call.dtype()
    return (-1 if dtype.kind == "i" else int(np.iinfo(dtype).max)) - call.data()


@operator("BitwiseAnd", "BitwiseOr", "BitwiseXor", elementwise=True)
def bitwise(call: Call) -> Symbol:
    """Derives all operations from the bits that both inputs share, which are counted twice in a sum."""
    dtype, (a, b) = call.dtype(), (_wide(call, 0), _wide(call, 1))
    powers = call.parameter(1 << np.arange(8 * dtype.itemsize - (dtype.kind == "i"), dtype=np.int64), "powers")

    def bits(x):
        return _floored(sym.expand_dims(x, axis=-1), powers) % 2
    both = sym.sum(sym.broadcast_mul(sym.broadcast_mul(bits(a), bits(b)), powers), axis=-1)
    if dtype.kind == "i":       # the last bit is the sign; its value is the smallest number
        least = call.parameter(np.array([np.iinfo(dtype).min], np.int64), "least")
        both = both + sym.broadcast_mul(sym.broadcast_mul(a < 0, b < 0), least)
    if call.type != "BitwiseAnd":
        both = sym.broadcast_add(a, b) - (both if call.type == "BitwiseOr" else 2 * both)
    return sym.cast(both, dtype=dtype.name)


@operator("BitShift", elementwise=True)
def bit_shift(call: Call) -> Symbol:
    """Multiplies by powers of two or divides and rounds down, in two steps so that the powers fit in int64.

    A shift by a negative number or by at least the width yields 0 for a left shift, and the sign for a right shift.
    """
    dtype, x, count = call.dtype(), _wide(call, 0), _wide(call, 1)
    function = sym.broadcast_mul if call.choice("direction", "LEFT", "RIGHT") == "LEFT" else _floored
    width = 8 * dtype.itemsize
    count = sym.where(count < 0, sym.ones_like(count) * width, sym.minimum(count, width))
    half = count / 2
    for part in (half, count - half):
        x = function(x, sym.cast(2 ** sym.cast(part, dtype="float64"), dtype="int64"))
    return sym.cast(x, dtype=dtype.name)
