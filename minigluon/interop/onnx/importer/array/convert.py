"""Other element types."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..... import symbol as sym
from ..shaping import made_by
from ..table import operator
from ..tensors import DTYPES

if TYPE_CHECKING:
    from .....symbol import Symbol
    from ..call import Call


def _cast(call, dtype):
    if dtype.name not in DTYPES:
        raise call.refuse(f"there are no arrays of {dtype} here")
    x = call.data()
    places = _places(call, x, dtype)
    return sym.cast(x, dtype=dtype.name) if places is None else places


def _places(call, x, dtype):
    """What argmax or argmin gave before ArgMax made int64 of it, where that type is wanted again; else None."""
    whole = made_by(x, "Cast")
    if whole is None or call.dtype() != np.int64:
        return None
    found = sym.Symbol([whole.inputs[0]])
    for name, function in (("argmax", sym.argmax), ("argmin", sym.argmin)):
        node = made_by(found, name)
        if node is not None and call.graph.facts.of(found)[1] == dtype:
            return function(sym.Symbol([node.inputs[0]]), axis=node.op.axis, keepdims=node.op.keepdims)
    return None


@operator("Cast", elementwise=True)
def cast(call: Call) -> Symbol:
    return _cast(call, call.graph.dtype_of(call.attribute("to")))


@operator("CastLike")
def cast_like(call: Call) -> Symbol:
    found = _cast(call, call.dtype(1))
    return call.scalar(found) if call.value(0).scalar else found
