"""The operators behind `+`, `maximum`, `equal`, ... for arrays and numbers on either side, for `nd` and `sym`."""

import operator
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from ..ops.docstrings import example
from ..ops.op import Op
from ..ops.registry import REGISTRY

__all__ = ["ARITHMETIC", "Arithmetic"]

_MAX_NUMBERS = 10_000       # remembered for each row; a program with ever new numbers starts over


@dataclass(frozen=True)
class Arithmetic:
    """One row: `array` for two arrays, `symbol` for two symbols, `scalar` for array ∘ number, `reversed` for the
    other way round.
    """

    name: str
    array: Op
    symbol: Op
    scalar: type[Op]
    reversed: type[Op]
    numbers: Callable[[Any, Any], Any]                 # a Python function for number ∘ number
    _right: dict[Any, Op] = field(default_factory=dict[Any, Op])
    _left: dict[Any, Op] = field(default_factory=dict[Any, Op])

    def doc(self, kind: str, call: str) -> str:
        """Return the docstring of `nd.add` and `sym.add`: that of the operator on two arrays, extended to numbers.

        call: the example, in which {name}, {lhs} and {number} are filled in.
        """
        says, shapes, _ = type(self.array).__doc__.split("\n\n")
        lhs, number, out = self.array.numbers
        return (f"{says}\n\n{shapes}\nEach of them is {kind} or a number."
                + example(call.format(name=self.name, lhs=lhs, number=number), out))

    def with_number(self, number: Any) -> Op:
        """The operator for array ∘ number."""
        op = self._right.get((number.__class__, number if number else str(number)))     # str tells 0.0 from -0.0
        return op or self._remember(self._right, self.scalar, number)

    def with_number_left(self, number: Any) -> Op:
        """The operator for number ∘ array."""
        op = self._left.get((number.__class__, number if number else str(number)))
        return op or self._remember(self._left, self.reversed, number)

    def _remember(self, memo: dict[Any, Op], cls: type[Op], number: Any) -> Op:
        if len(memo) >= _MAX_NUMBERS:
            memo.clear()
        op = cls(scalar=number)
        memo[number.__class__, number if number else str(number)] = op
        return op


def _row(name: str, array: str, scalar: str, reversed: str, numbers: Callable[[Any, Any], Any]) -> Arithmetic:
    cls = REGISTRY[array]
    return Arithmetic(name, cls(), cls.between_symbols(), REGISTRY[scalar], REGISTRY[reversed], numbers)


def _symmetric(name: str, numbers: Callable[[Any, Any], Any]) -> Arithmetic:
    return _row(name, f"broadcast_{name}", f"_{name}_scalar", f"_{name}_scalar", numbers)


def _mirrored(name: str, mirror: str, numbers: Callable[[Any, Any], Any]) -> Arithmetic:
    """A comparison: number < array is array > number."""
    return _row(name, f"broadcast_{name}", f"_{name}_scalar", f"_{mirror}_scalar", numbers)


def _hypot(x: Any, y: Any) -> float:
    return abs(complex(x, y))


ARITHMETIC = {row.name: row for row in [
    _row("add", "broadcast_add", "_plus_scalar", "_plus_scalar", operator.add),
    _row("subtract", "broadcast_sub", "_minus_scalar", "_rminus_scalar", operator.sub),
    _row("multiply", "broadcast_mul", "_mul_scalar", "_mul_scalar", operator.mul),
    _row("divide", "broadcast_div", "_div_scalar", "_rdiv_scalar", operator.truediv),
    _row("true_divide", "broadcast_div", "_div_scalar", "_rdiv_scalar", operator.truediv),
    _row("modulo", "broadcast_mod", "_mod_scalar", "_rmod_scalar", operator.mod),
    _row("power", "broadcast_power", "_power_scalar", "_rpower_scalar", operator.pow),
    _symmetric("maximum", max), _symmetric("minimum", min), _symmetric("hypot", _hypot),
    _symmetric("equal", lambda x, y: int(x == y)), _symmetric("not_equal", lambda x, y: int(x != y)),
    _mirrored("greater", "lesser", lambda x, y: int(x > y)),
    _mirrored("greater_equal", "lesser_equal", lambda x, y: int(x >= y)),
    _mirrored("lesser", "greater", lambda x, y: int(x < y)),
    _mirrored("lesser_equal", "greater_equal", lambda x, y: int(x <= y)),
    _symmetric("logical_and", lambda x, y: int(bool(x) and bool(y))),
    _symmetric("logical_or", lambda x, y: int(bool(x) or bool(y))),
    _symmetric("logical_xor", lambda x, y: int(bool(x) != bool(y))),
]}
