"""Sorting, and selection of the k largest elements."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..... import symbol as sym
from ..table import operator

if TYPE_CHECKING:
    from .....symbol import Symbol
    from ..call import Call


@operator("TopK")
def top_k(call: Call) -> list[Symbol]:
    """Returns values and indices, the latter as int64."""
    axis = call.axis(call.attribute("axis", -1))
    k = call.attribute("k", None) if call.opset < 10 else int(call.constant(1).ravel()[0])
    smallest = not call.attribute("largest", 1)
    both = sym.topk(call.data(), axis=axis, k=k, ret_typ="both", is_ascend=smallest, dtype="int64")
    return [both[0], both[1]]
