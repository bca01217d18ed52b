"""Python's operators, for both NDArray and Symbol: `a + b` looks up its row in the table ARITHMETIC."""

import numbers
from typing import TYPE_CHECKING, Any

import numpy as np

from .arithmetic_table import ARITHMETIC
from .binding import Arithmetic

__all__ = ["Operators", "as_number"]


def _operator(method: str, name: str) -> Any:
    """Return Python's method for self ∘ other. name: the operator's row in the table."""
    row = ARITHMETIC[name]

    def operator(self: Any, other: Any) -> Any:
        return self._apply(row, other)
    operator.__name__, operator.__qualname__ = method, f"Operators.{method}"
    return operator


def _reflected(method: str, name: str) -> Any:
    """Return Python's method for other ∘ self, which is called if other is not an `Operators` object."""
    row = ARITHMETIC[name]

    def operator(self: Any, other: Any) -> Any:
        return self._apply_left(row, other)
    operator.__name__, operator.__qualname__ = method, f"Operators.{method}"
    return operator


class Operators:
    """Base class of objects that can be added, compared, and so on. A subclass defines how to apply a row of the table:

    `_apply(row, other)` for self ∘ other, `_apply_left(row, other)` for other ∘ self, where other is a number. Both
    return NotImplemented for unsupported operands, so that Python tries the other operand. `_product(other)` is self @
    other for another such object: the product of two matrices, or of each pair of matrices if there are leading axes.
    """

    if TYPE_CHECKING:
        def _apply(self, row: Arithmetic, other: Any, out: Any = None) -> Any: ...
        def _apply_left(self, row: Arithmetic, other: Any) -> Any: ...
        def _product(self, other: Any) -> Any: ...

    _to_np: Any = None      # for an array or symbol of mx.np: converts the engine's arrays or symbols to its class
    # NumPy must not compute `numpy_array + x` or `np.sqrt(2) * x` itself.
    __array_priority__: float = 1000.0
    __array_ufunc__ = None

    __add__ = __radd__ = _operator("__add__", "add")
    __sub__, __rsub__ = _operator("__sub__", "subtract"), _reflected("__rsub__", "subtract")
    __mul__ = __rmul__ = _operator("__mul__", "multiply")
    __truediv__, __rtruediv__ = _operator("__truediv__", "divide"), _reflected("__rtruediv__", "divide")
    __mod__, __rmod__ = _operator("__mod__", "modulo"), _reflected("__rmod__", "modulo")
    __pow__, __rpow__ = _operator("__pow__", "power"), _reflected("__rpow__", "power")
    __eq__, __ne__ = _operator("__eq__", "equal"), _operator("__ne__", "not_equal")
    __gt__, __ge__ = _operator("__gt__", "greater"), _operator("__ge__", "greater_equal")
    __lt__, __le__ = _operator("__lt__", "lesser"), _operator("__le__", "lesser_equal")
    __hash__ = object.__hash__

    def __matmul__(self, other: Any) -> Any:
        return self._product(other) if isinstance(other, Operators) else NotImplemented


def as_number(x: Any) -> Any:
    """Return a Python or NumPy number, or the element of a 0-d numpy.ndarray; None for anything else."""
    element: Any = x
    if isinstance(x, np.ndarray) and x.ndim == 0:
        element = element[()]
    number = element
    return number if isinstance(element, (numbers.Real, np.number, np.bool_)) else None
