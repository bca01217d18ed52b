"""`nd.add`, `nd.maximum`, `nd.equal`, ...: arrays or numbers on either side. And `_copyto`, between devices."""

from ..base import MXNetError
from ..context import parse
from ..ops.arithmetic import ARITHMETIC
from .ndarray import NDArray, invoke, is_number

__all__ = list(ARITHMETIC)


def _make(row):
    def function(lhs, rhs):
        if lhs.__class__ is NDArray:
            if rhs.__class__ is NDArray:
                return invoke(row.array, (lhs, rhs))
            if is_number(rhs):
                return invoke(row.with_number(rhs), (lhs,))
        elif is_number(lhs):
            if rhs.__class__ is NDArray:
                return invoke(row.with_number_left(lhs), (rhs,))
            if is_number(rhs):
                return row.numbers(lhs, rhs)
        wrong = rhs if isinstance(lhs, NDArray) or is_number(lhs) else lhs
        raise MXNetError(f"{row.name}: expected NDArrays or numbers, found {type(wrong).__name__}. "
                         "Convert it with nd.array(...).")

    function.__name__ = function.__qualname__ = row.name
    function.__doc__ = f"{type(row.array).__doc__}. Each side is an array or a number."
    function.__module__ = "minigluon.ndarray"
    return function


globals().update({name: _make(row) for name, row in ARITHMETIC.items()})


def _copyto(data, out=None, source="", target=""):
    """data on the device `target`, or written to `out`: what the gradient of a copy between devices calls."""
    if out is not None:
        return data.copyto(out)
    return data.as_in_context(parse(target)) if target else data.copy()
