"""The operators behind a function such as `+`, `maximum` or `equal`, for arrays and numbers on either side."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from ..ops.op import Op

__all__ = ["Arithmetic"]

_MAX_NUMBERS = 10_000       # operators kept per row; if a program keeps using new numbers, they are cleared


@dataclass(frozen=True)
class Arithmetic:
    """One row: operators for two arrays, two symbols, array ∘ number (`scalar`), and number ∘ array (`reversed`)."""

    name: str
    array: Op
    symbol: Op
    scalar: type[Op]
    reversed: type[Op]
    numbers: Callable[[Any, Any], Any]                 # a Python function for number ∘ number
    _right: dict[Any, Op] = field(default_factory=dict[Any, Op])
    _left: dict[Any, Op] = field(default_factory=dict[Any, Op])

    def with_number(self, number: Any) -> Op:
        """Return the operator for array ∘ number."""
        op = self._right.get((number.__class__, number if number else str(number)))     # str tells 0.0 from -0.0
        return op or self._remember(self._right, self.scalar, number)

    def with_number_left(self, number: Any) -> Op:
        """Return the operator for number ∘ array."""
        op = self._left.get((number.__class__, number if number else str(number)))
        return op or self._remember(self._left, self.reversed, number)

    def _remember(self, memo: dict[Any, Op], cls: type[Op], number: Any) -> Op:
        if len(memo) >= _MAX_NUMBERS:
            memo.clear()
        op = cls(scalar=number)
        memo[number.__class__, number if number else str(number)] = op
        return op
