"""Python's operators on arrays of `mx.np`, which are those of NumPy, computed by the functions of the table."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as onp

from .. import tape
from ..frontend.arithmetic_table import ARITHMETIC
from ..frontend.binding import Arithmetic
from ..frontend.operators import as_number
from ..ndarray import register
from ..ndarray.imperative import SMALL
from ..ndarray.ndarray import NDArray
from .array import ndarray, refuse_mixture
from .namespace import lookup

__all__ = ["BINARY", "NAMES", "add_binary"]

_NUMBERS = {int, float}
_FLOAT32 = onp.dtype("float32")         # compared first, because it is the most common
_state = tape.state
NAMES = {"modulo": "mod", "lesser": "less", "lesser_equal": "less_equal"}      # rows with other names in NumPy
# Operators that NDArrays lack.
BINARY = {"floordiv": "floor_divide", "and": "bitwise_and", "or": "bitwise_or", "xor": "bitwise_xor",
          "lshift": "left_shift", "rshift": "right_shift"}
# Rows whose operator is the same in `nd` and `mx.np` for two floats, or for a float and a number.
_SAME = frozenset(["add", "subtract", "multiply", "divide", "modulo", "power"])


def _operator(function: Callable[..., Any]) -> Callable[..., Any]:
    setattr(ndarray, function.__name__, function)
    return function


def _arithmetic(method: str, name: str) -> None:
    """Add Python's method for self ∘ other."""
    row = ARITHMETIC[name]

    def operator(self: Any, other: Any) -> Any:
        dtype = self.buffer.dtype
        if dtype is not _FLOAT32 and dtype.kind != "f":
            return _general(row, self, other, None)
        if other.__class__ is ndarray and other.buffer.dtype is dtype:
            op, inputs = row.array, (self, other)
        elif other.__class__ in _NUMBERS:
            op, inputs = row.with_number(other), (self,)
        else:
            return _general(row, self, other, None)
        site = self.device.kernels.get(op)          # the common path of `invoke`, inlined
        if site is not None:
            result = site(inputs)
            if result is not None:
                if _state.recording:
                    tape.record_op(op, inputs, (result,))
                return result
        return register.invoke(op, inputs, None, False, ndarray)
    operator.__name__ = operator.__qualname__ = method
    _operator(operator)


for _method, _name in (("__add__", "add"), ("__radd__", "add"), ("__sub__", "subtract"), ("__mul__", "multiply"),
                       ("__rmul__", "multiply"), ("__truediv__", "divide"), ("__mod__", "modulo"),
                       ("__pow__", "power")):
    _arithmetic(_method, _name)


def _comparison(method: str, name: str, compare: Callable[..., Any]) -> None:
    """Add Python's method for a comparison.

    compare: NumPy's function, used for small arrays, because an operator and its cast take longer.
    """
    row, function = ARITHMETIC[name], lookup(NAMES.get(name, name))

    def operator(self: Any, other: Any) -> Any:
        left, result = self.buffer, None
        if left.__class__ is onp.ndarray and left.dtype is _FLOAT32 and left.size <= SMALL and left.ndim:
            if other.__class__ is ndarray:
                right = other.buffer
                if right.dtype is _FLOAT32 and right.shape == left.shape and other.device is self.device:
                    result = ndarray(compare(left, right), self.device)
                    if _state.recording:
                        tape.record_op(row.array, (self, other), (result,))
            elif other.__class__ in _NUMBERS:
                result = ndarray(compare(left, _FLOAT32.type(other)), self.device)
                if _state.recording:
                    tape.record_op(row.with_number(other), (self,), (result,))
            if result is not None:
                return result
        if other.__class__ is ndarray or other.__class__ in _NUMBERS:
            return function(self, other)
        return _general(row, self, other, None)
    operator.__name__ = operator.__qualname__ = method
    _operator(operator)


for _method, _name in (("eq", "equal"), ("ne", "not_equal"), ("gt", "greater"), ("ge", "greater_equal"),
                       ("lt", "lesser"), ("le", "lesser_equal")):
    _comparison(f"__{_method}__", _name, getattr(onp, NAMES.get(_name, _name)))


@_operator
def _apply(self: Any, row: Arithmetic, other: Any, out: Any = None) -> Any:
    """Compute self ∘ other for `Operators`, including in-place operators."""
    dtype = self.buffer.dtype
    if row.name in _SAME and dtype.kind == "f" and out is self:
        if other.__class__ is ndarray and other.buffer.dtype is dtype:
            register.invoke(row.array, (self, other), self)
            return self
        if other.__class__ in _NUMBERS:
            register.invoke(row.with_number(other), (self,), self)
            return self
    return _general(row, self, other, out)


@_operator
def _apply_left(self: Any, row: Arithmetic, other: Any) -> Any:
    if row.name in _SAME and self.buffer.dtype.kind == "f" and other.__class__ in _NUMBERS:
        return self._run(row.with_number_left(other), (self,))
    return _general(row, other, self, None)


def _general(row, left, right, out):
    """Compute left ∘ right with the function in the table. Returns NotImplemented for objects that are not numbers."""
    for operand in (left, right):
        if operand.__class__ is not ndarray and as_number(operand) is None:
            if isinstance(operand, (NDArray, list, tuple, str, type(None))) or hasattr(operand, "__array_ufunc__"):
                raise refuse_mixture(row.name, operand)
            return NotImplemented
    left, right = (x if x.__class__ is ndarray else as_number(x) for x in (left, right))
    return lookup(NAMES.get(row.name, row.name))(left, right, out=out)


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
for _method, _name in BINARY.items():
    _in_place(_method, _name)


@_operator
def __ipow__(self: Any, other: Any) -> Any:
    return self._apply(ARITHMETIC["power"], other, self)


ndarray.__matmul__ = ndarray._product = lookup("matmul")
ndarray.__neg__, ndarray.__abs__ = lookup("negative"), lookup("abs")


@_operator
def __imatmul__(self: Any, other: Any) -> Any:
    return lookup("matmul")(self, other, out=self)


@_operator
def __divmod__(self: Any, other: Any) -> Any:
    return self // other, self % other


@_operator
def __pos__(self: Any) -> Any:
    return self.copy()


@_operator
def __invert__(self: Any) -> Any:
    return lookup("invert")(self)


@_operator
def __round__(self: Any, ndigits: int | None = None) -> Any:
    return lookup("round")(self, ndigits or 0)
