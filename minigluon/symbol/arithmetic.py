"""`sym.add`, `sym.maximum`, `sym.equal`, ...: symbols or numbers on either side, from the same table as `nd`'s."""

from ..base import MXNetError
from ..ops.arithmetic import ARITHMETIC
from .symbol import Symbol, _binary

__all__ = [*ARITHMETIC, "pow"]


def _make(row):
    def function(lhs, rhs):
        if isinstance(lhs, Symbol):
            result, wrong = _binary(lhs, rhs, row.array.name, row.scalar.name), rhs
        elif isinstance(rhs, Symbol):
            result, wrong = _binary(rhs, lhs, None, row.reversed.name), lhs
        else:
            try:
                return row.numbers(lhs, rhs)
            except TypeError:
                result, wrong = NotImplemented, lhs
        if result is NotImplemented:
            raise MXNetError(f"{row.name}: expected Symbols or numbers, found {type(wrong).__name__}.")
        return result

    function.__name__ = function.__qualname__ = row.name
    function.__doc__ = f"{type(row.array).__doc__}. Each side is a symbol or a number."
    function.__module__ = "minigluon.symbol"
    return function


globals().update({name: _make(row) for name, row in ARITHMETIC.items()})
pow = globals()["power"]
