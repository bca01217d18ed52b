"""Other element types."""

from .... import symbol as sym
from ..table import operator
from ..tensors import DTYPES


def _cast(call, dtype):
    if dtype.name not in DTYPES:
        raise call.refuse(f"there are no arrays of {dtype} here")
    x, source = call.data(), call.dtype()
    if dtype.kind == "b" and source.kind != "b":
        x = x != 0
    return sym.cast(x, dtype=dtype.name)


@operator("Cast", elementwise=True)
def cast(call):
    return _cast(call, call.graph.dtype_of(call.attribute("to")))


@operator("CastLike")
def cast_like(call):
    found = _cast(call, call.dtype(1))
    return call.scalar(found) if call.value(0).scalar else found
