"""Conversions between element types."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..... import symbol as sym
from ..shaping import source_node
from ..table import operator
from ..tensors import DTYPES

if TYPE_CHECKING:
    from .....symbol import Symbol
    from ..call import Call


def _cast(call, dtype):
    if dtype.name not in DTYPES:
        raise call.refuse(f"arrays of {dtype} are not supported")
    x = call.data()
    places = _places(call, x, dtype)
    return sym.cast(x, dtype=dtype.name) if places is None else places


def _places(call, x, dtype):
    """Returns the result of argmax or argmin before its cast to int64 if it has the required dtype, otherwise None."""
    whole = source_node(x, "Cast")
    if whole is None or call.dtype() != np.int64:
        return None
    before_cast = sym.Symbol([whole.inputs[0]])
    for name, function in (("argmax", sym.argmax), ("argmin", sym.argmin)):
        node = source_node(before_cast, name)
        if node is not None and call.graph.facts.of(before_cast)[1] == dtype:
            return function(sym.Symbol([node.inputs[0]]), axis=node.op.axis, keepdims=node.op.keepdims)
    return None


@operator("Cast", elementwise=True)
def cast(call: Call) -> Symbol:
    return _cast(call, call.graph.dtype_of(call.attribute("to")))


@operator("CastLike")
def cast_like(call: Call) -> Symbol:
    result = _cast(call, call.dtype(1))
    return call.scalar(result) if call.value(0).scalar else result
