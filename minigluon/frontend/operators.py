"""Python's operators, for both NDArray and Symbol: `a + b` looks up its row in the table ARITHMETIC."""

import numbers
from typing import TYPE_CHECKING, Any

import numpy as np

from .arithmetic import Arithmetic
from .arithmetic_table import ARITHMETIC

__all__ = ["Operators", "as_number"]

_ADD, _SUBTRACT, _MULTIPLY, _DIVIDE, _MODULO, _POWER = (ARITHMETIC[name] for name in (
    "add", "subtract", "multiply", "divide", "modulo", "power"))
_EQUAL, _NOT_EQUAL, _GREATER, _GREATER_EQUAL, _LESSER, _LESSER_EQUAL = (ARITHMETIC[name] for name in (
    "equal", "not_equal", "greater", "greater_equal", "lesser", "lesser_equal"))


class Operators:
    """Base of objects that can be added, compared, ... A subclass defines how a row of the table is applied:

    `_apply(row, other)` for self ∘ other, `_apply_left(row, other)` for other ∘ self, where other is a number. Both
    return NotImplemented for unsupported operands, so that Python tries the other operand. `_product(other)` is self @
    other for another such object: the product of matrices, or of each pair if there are axes in front.
    """

    if TYPE_CHECKING:
        def _apply(self, row: Arithmetic, other: Any, out: Any = None) -> Any: ...
        def _apply_left(self, row: Arithmetic, other: Any) -> Any: ...
        def _product(self, other: Any) -> Any: ...

    # NumPy must not compute `numpy_array + x` or `np.sqrt(2) * x` itself.
    __array_priority__: float = 1000.0
    __array_ufunc__ = None

    def __add__(self, other: Any) -> Any:
        return self._apply(_ADD, other)

    __radd__ = __add__

    def __sub__(self, other: Any) -> Any:
        return self._apply(_SUBTRACT, other)

    def __rsub__(self, other: Any) -> Any:
        return self._apply_left(_SUBTRACT, other)

    def __mul__(self, other: Any) -> Any:
        return self._apply(_MULTIPLY, other)

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Any:
        return self._apply(_DIVIDE, other)

    def __rtruediv__(self, other: Any) -> Any:
        return self._apply_left(_DIVIDE, other)

    def __matmul__(self, other: Any) -> Any:
        return self._product(other) if isinstance(other, Operators) else NotImplemented

    def __mod__(self, other: Any) -> Any:
        return self._apply(_MODULO, other)

    def __rmod__(self, other: Any) -> Any:
        return self._apply_left(_MODULO, other)

    def __pow__(self, other: Any) -> Any:
        return self._apply(_POWER, other)

    def __rpow__(self, other: Any) -> Any:
        return self._apply_left(_POWER, other)

    def __eq__(self, other: Any) -> Any:
        return self._apply(_EQUAL, other)

    def __ne__(self, other: Any) -> Any:
        return self._apply(_NOT_EQUAL, other)

    def __gt__(self, other: Any) -> Any:
        return self._apply(_GREATER, other)

    def __ge__(self, other: Any) -> Any:
        return self._apply(_GREATER_EQUAL, other)

    def __lt__(self, other: Any) -> Any:
        return self._apply(_LESSER, other)

    def __le__(self, other: Any) -> Any:
        return self._apply(_LESSER_EQUAL, other)

    __hash__ = object.__hash__


def as_number(x: Any) -> Any:
    """Return a Python or NumPy number, or the element of a 0-d numpy.ndarray; None for anything else."""
    element: Any = x
    if isinstance(x, np.ndarray) and x.ndim == 0:
        element = element[()]
    number = element
    return number if isinstance(element, (numbers.Real, np.number, np.bool_)) else None
