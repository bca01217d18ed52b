"""Functions of square matrices."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..... import symbol as sym
from ..table import operator

if TYPE_CHECKING:
    from .....symbol import Symbol
    from ..call import Call


@operator("Det")
def det(call: Call) -> Symbol:
    result = sym.linalg.det(call.data())
    return call.scalar(result) if call.rank() == 2 else result
