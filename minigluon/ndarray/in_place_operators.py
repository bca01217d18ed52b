"""Python's operators that write to an NDArray: `x += y`."""

from __future__ import annotations

from ..common.types import Number
from ..frontend.arithmetic_table import ARITHMETIC
from .ndarray import NDArray, method

_ADD, _SUBTRACT, _MULTIPLY, _DIVIDE, _MODULO = [ARITHMETIC[name] for name in (
    "add", "subtract", "multiply", "divide", "modulo")]


@method
def __iadd__(self: NDArray, other: NDArray | Number) -> NDArray:
    return self._apply(_ADD, other, self)


@method
def __isub__(self: NDArray, other: NDArray | Number) -> NDArray:
    return self._apply(_SUBTRACT, other, self)


@method
def __imul__(self: NDArray, other: NDArray | Number) -> NDArray:
    return self._apply(_MULTIPLY, other, self)


@method
def __itruediv__(self: NDArray, other: NDArray | Number) -> NDArray:
    return self._apply(_DIVIDE, other, self)


@method
def __imod__(self: NDArray, other: NDArray | Number) -> NDArray:
    return self._apply(_MODULO, other, self)
