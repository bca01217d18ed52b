"""Python's operators on arrays of `mx.np`, which are those of NumPy, computed by the functions of the table."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import Any

import numpy as onp

from ..frontend.arithmetic_table import ARITHMETIC
from ..frontend.binding import Arithmetic
from ..frontend.operators import as_number
from ..ndarray import register
from ..ndarray.ndarray import NDArray
from .array import ndarray, refuse_mixture
from .fast_paths import of_operands
from .namespace import lookup

__all__ = ["BINARY", "NAMES", "add_binary"]

_NUMBERS = {int, float}
_FLOAT32 = onp.dtype("float32")         # compared first, because it is the most common
NAMES = {"modulo": "mod", "lesser": "less", "lesser_equal": "less_equal"}      # rows with other names in NumPy
# Operators that NDArrays lack.
BINARY = {"floordiv": "floor_divide", "and": "bitwise_and", "or": "bitwise_or", "xor": "bitwise_xor",
          "lshift": "left_shift", "rshift": "right_shift"}
# Rows whose operator is the same in `nd` and `mx.np` for two floats, or for a float and a number.
_SAME = frozenset(["add", "subtract", "multiply", "divide", "modulo", "power"])


def _operator(function: Callable[..., Any]) -> Callable[..., Any]:
    setattr(ndarray, function.__name__, function)
    return function


def _general(row, left, right, out):
    """Compute left ∘ right with the function in the table. Returns NotImplemented for objects that are not numbers."""
    operands = []
    for x in (left, right):
        number = x if x.__class__ is ndarray or x.__class__ in _NUMBERS else as_number(x)
        if number is None:
            if isinstance(x, (NDArray, list, tuple, str, type(None))) or hasattr(x, "__array_ufunc__"):
                raise refuse_mixture(row.name, x)
            return NotImplemented
        operands.append(number)
    return lookup(NAMES.get(row.name, row.name))(*operands, out=out)


for _method, _name in (
        ("__add__", "add"), ("__radd__", "add"), ("__sub__", "subtract"), ("__mul__", "multiply"),
        ("__rmul__", "multiply"), ("__truediv__", "divide"), ("__mod__", "modulo"), ("__pow__", "power"),
        ("__eq__", "equal"), ("__ne__", "not_equal"), ("__gt__", "greater"), ("__ge__", "greater_equal"),
        ("__lt__", "lesser"), ("__le__", "lesser_equal")):
    _method_of = of_operands(ARITHMETIC[_name], lookup(NAMES.get(_name, _name)),
                             functools.partial(_general, ARITHMETIC[_name]))
    _method_of.__name__ = _method_of.__qualname__ = _method
    _operator(_method_of)


@_operator
def _apply(self: Any, row: Arithmetic, other: Any, out: Any = None) -> Any:
    """Compute self ∘ other for `Operators`, including in-place operators."""
    dtype = self.buffer.dtype
    if out is self and (dtype is _FLOAT32 or dtype.kind == "f") and row.name in _SAME:
        if other.__class__ is ndarray and other.buffer.dtype is dtype:
            return register.invoke(row.array, (self, other), self)
        if other.__class__ in _NUMBERS:
            return register.invoke(row.with_number(other), (self,), self)
    return _general(row, self, other, out)


@_operator
def _apply_left(self: Any, row: Arithmetic, other: Any) -> Any:
    if row.name in _SAME and self.buffer.dtype.kind == "f" and other.__class__ in _NUMBERS:
        return self._run(row.with_number_left(other), (self,))
    return _general(row, other, self, None)


def add_binary(cls: type, compute: Callable[..., Any], operators: Mapping[str, str]) -> None:
    """Give a class operators of two operands, such as `//`, with either operand on its left.

    compute: is called with the name of a function of `mx.np` and the operands.
    operators: the names of the operators, such as 'floordiv', and those of the functions.
    """
    def add(method, name):
        def forward(self: Any, other: Any) -> Any:
            return compute(name, self, other)

        def mirrored(self: Any, other: Any) -> Any:
            return compute(name, other, self)

        for prefix, function in (("", forward), ("r", mirrored)):
            function.__name__ = function.__qualname__ = f"__{prefix}{method}__"
            setattr(cls, function.__name__, function)

    for method, name in operators.items():
        add(method, name)


def _in_place(method, name):
    def operator(self: Any, other: Any) -> Any:
        return _named(name, self, other, self)
    operator.__name__ = operator.__qualname__ = f"__i{method}__"
    _operator(operator)


def _named(name, left, right, out=None):
    for operand in (left, right):
        if operand.__class__ is not ndarray and as_number(operand) is None:
            raise refuse_mixture(name, operand)
    return lookup(name)(left, right) if out is None else lookup(name)(left, right, out=out)


add_binary(ndarray, _named, BINARY)
for _method, _name in {**BINARY, "matmul": "matmul"}.items():
    _in_place(_method, _name)


@_operator
def __ipow__(self: Any, other: Any) -> Any:
    return self._apply(ARITHMETIC["power"], other, self)


ndarray.__matmul__ = ndarray._product = lookup("matmul")
ndarray.__neg__, ndarray.__abs__, ndarray.__invert__ = map(lookup, ("negative", "abs", "invert"))
ndarray.__pos__ = ndarray.copy


@_operator
def __divmod__(self: Any, other: Any) -> Any:
    return self // other, self % other


@_operator
def __round__(self: Any, ndigits: int | None = None) -> Any:
    return lookup("round")(self, ndigits or 0)
