"""Softmax and related operators, which until opset 12 flatten all axes starting at `axis`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..... import symbol as sym
from ..table import operator

if TYPE_CHECKING:
    from .....symbol import Symbol
    from ..call import Call


def _along(call, function):
    x, axis = call.data(), call.attribute("axis", -1 if call.opset >= 13 else 1)
    axis = call.axis(axis)
    if call.opset >= 13 or axis == call.rank() - 1:
        return function(x, axis)
    flat = sym.reshape(x, shape=(-1, *[call.length(i) for i in range(axis, call.rank())]))
    flat = sym.reshape(flat, shape=(0, -1))
    return sym.reshape_like(function(flat, 1), x)


@operator("Softmax")
def softmax(call: Call) -> Symbol:
    return _along(call, lambda x, axis: sym.softmax(x, axis=axis))


@operator("LogSoftmax")
def log_softmax(call: Call) -> Symbol:
    return _along(call, lambda x, axis: sym.log_softmax(x, axis=axis))


@operator("Hardmax")
def hardmax(call: Call) -> Symbol:
    """Returns 1 at the first maximum and 0 elsewhere."""
    def function(x, axis):
        rank = len(call.shape_of(x))
        hot = sym.one_hot(sym.argmax(x, axis=axis), depth=int(call.shape_of(x)[axis]), dtype=call.dtype().name)
        order = list(range(rank - 1))
        order.insert(axis, rank - 1)
        return sym.transpose(hot, axes=tuple(order)) if rank > 1 else sym.reshape(hot, shape=(-1,))
    return _along(call, function)
