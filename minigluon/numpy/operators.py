"""Python's operators on arrays of `mx.np`: those of NumPy, with the functions of the table behind them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .. import tape
from ..frontend.arithmetic_table import ARITHMETIC
from ..frontend.binding import Arithmetic
from ..frontend.operators import as_number
from ..ndarray.imperative import invoke
from ..ndarray.ndarray import NDArray
from ..ops import REGISTRY
from .array import ndarray, refuse_mixture
from .namespace import lookup

__all__ = ["NAMES"]

_NUMBERS = {int, float}
_state = tape.state
NAMES = {"modulo": "mod", "lesser": "less", "lesser_equal": "less_equal"}      # rows with another name in NumPy
# Rows that are the same operator for two floats, or a float and a number, in both manners.
_SAME = frozenset(ARITHMETIC[name].name for name in ("add", "subtract", "multiply", "divide", "modulo", "power"))


_COMPARISONS = frozenset(["equal", "not_equal", "greater", "greater_equal", "lesser", "lesser_equal"])
_TO_BOOL = REGISTRY["Cast"](dtype="bool")


def _operator(function: Callable[..., Any]) -> Callable[..., Any]:
    setattr(ndarray, function.__name__, function)
    return function


@_operator
def _apply(self: Any, row: Arithmetic, other: Any, out: Any = None) -> Any:
    """Compute self ∘ other for `Operators`."""
    dtype = self.buffer.dtype
    if row.name in _SAME and dtype.kind == "f":
        if other.__class__ is ndarray:
            if other.buffer.dtype is dtype:
                if out is not None or _state.recording:
                    return self._run(row.array, (self, other), out)
                result = invoke(row.array, (self, other))       # `_run` and `adopt` inlined
                result.__class__ = ndarray
                return result
        elif other.__class__ in _NUMBERS:
            return self._run(row.with_number(other), (self,), out)
    elif row.name in _COMPARISONS and out is None and dtype.kind == "f":
        if other.__class__ is ndarray:
            if other.buffer.dtype is dtype:
                return self._run(_TO_BOOL, (self._run(row.array, (self, other)),))
        elif other.__class__ in _NUMBERS:
            return self._run(_TO_BOOL, (self._run(row.with_number(other), (self,)),))
    return _general(row, self, other, out)


@_operator
def _apply_left(self: Any, row: Arithmetic, other: Any) -> Any:
    if row.name in _SAME and self.buffer.dtype.kind == "f" and other.__class__ in _NUMBERS:
        return self._run(row.with_number_left(other), (self,))
    return _general(row, other, self, None)


def _general(row, left, right, out):
    """Compute left ∘ right by the function of the table. Returns NotImplemented for objects that are not numbers."""
    for operand in (left, right):
        if operand.__class__ is not ndarray and as_number(operand) is None:
            if isinstance(operand, (NDArray, list, tuple, str, type(None))) or hasattr(operand, "__array_ufunc__"):
                raise refuse_mixture(row.name, operand)
            return NotImplemented
    left, right = (x if x.__class__ is ndarray else as_number(x) for x in (left, right))
    return lookup(NAMES.get(row.name, row.name))(left, right, out=out)


def _binary(method: str, name: str) -> None:
    """Add a method for two operands, and those for a number on the left and for writing in place."""
    def forward(self: Any, other: Any) -> Any:
        return _named(name, self, other)

    def mirrored(self: Any, other: Any) -> Any:
        return _named(name, other, self)

    def in_place(self: Any, other: Any) -> Any:
        return _named(name, self, other, self)

    for prefix, function in (("", forward), ("r", mirrored), ("i", in_place)):
        function.__name__ = function.__qualname__ = f"__{prefix}{method}__"
        _operator(function)


def _named(name, left, right, out=None):
    for operand in (left, right):
        if operand.__class__ is not ndarray and as_number(operand) is None:
            raise refuse_mixture(name, operand)
    return lookup(name)(left, right) if out is None else lookup(name)(left, right, out=out)


for _method, _name in (("floordiv", "floor_divide"), ("and", "bitwise_and"), ("or", "bitwise_or"),
                       ("xor", "bitwise_xor")):
    _binary(_method, _name)


@_operator
def __ipow__(self: Any, other: Any) -> Any:
    return self._apply(ARITHMETIC["power"], other, self)


@_operator
def _product(self: Any, other: Any) -> Any:
    return lookup("matmul")(self, other)


@_operator
def __imatmul__(self: Any, other: Any) -> Any:
    return lookup("matmul")(self, other, out=self)


@_operator
def __divmod__(self: Any, other: Any) -> Any:
    return self // other, self % other


@_operator
def __neg__(self: Any) -> Any:
    return lookup("negative")(self)


@_operator
def __pos__(self: Any) -> Any:
    return self.copy()


@_operator
def __abs__(self: Any) -> Any:
    return lookup("abs")(self)


@_operator
def __invert__(self: Any) -> Any:
    return lookup("invert")(self)


@_operator
def __round__(self: Any, ndigits: int | None = None) -> Any:
    return lookup("round")(self, ndigits or 0)
