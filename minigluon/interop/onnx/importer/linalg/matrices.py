"""Functions of square matrices."""

from ..... import symbol as sym
from ..table import operator


@operator("Det")
def det(call):
    found = sym.linalg.det(call.data())
    return call.scalar(found) if call.rank() == 2 else found
