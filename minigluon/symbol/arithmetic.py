"""`sym.add`, `sym.maximum`, `sym.equal`, ...: symbols or numbers on either side."""

from __future__ import annotations

from typing import Any

from ..base import MXNetError
from ..frontend.arithmetic_table import ARITHMETIC, doc_of
from ..frontend.operators import as_number
from .symbol import Symbol

__all__ = [*ARITHMETIC, "pow"]


def _is_number(x):
    return as_number(x) is not None


def _make(row):
    def function(left, right):
        if isinstance(left, Symbol):
            result = left._apply(row, right)
        elif isinstance(right, Symbol):
            result = right._apply_left(row, left)
        else:
            result = row.numbers(left, right) if _is_number(left) and _is_number(right) else NotImplemented
        if result is NotImplemented:
            wrong = right if isinstance(left, Symbol) or _is_number(left) else left
            raise MXNetError(f"{row.name}: expected Symbols or numbers, found {type(wrong).__name__}.")
        return result

    function.__name__ = function.__qualname__ = row.name
    doc = doc_of(row, "a symbol", 'sym.{name}(sym.var("x"), {number}).eval(x=nd.array({lhs}))[0]')
    function.__doc__ = doc.replace("lhs", "left").replace("rhs", "right")
    function.__module__ = "minigluon.symbol"
    return function


globals().update({name: _make(row) for name, row in ARITHMETIC.items()})
_power = globals()["power"]


def power(base: Any, exp: Any) -> Symbol:
    """Returns base to the power of exp. Each is a symbol or a number.

    >>> sym.power(sym.var("x"), 2).eval(x=nd.array([2, 3]))[0].asnumpy()
    array([4., 9.], dtype=float32)
    """
    return _power(base, exp)


pow = power
