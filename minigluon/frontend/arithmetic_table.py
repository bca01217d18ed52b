"""The table of `+`, `maximum`, `equal` and other functions whose operands may be arrays or numbers."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from ..ops.docstrings import example
from ..ops.registry import REGISTRY
from .binding import Arithmetic

__all__ = ["ARITHMETIC", "doc_of"]


def _row(name: str, array: str, scalar: str, reversed: str, numbers: Callable[[Any, Any], Any]) -> Arithmetic:
    cls = REGISTRY[array]
    return Arithmetic(name, cls(), cls.between_symbols(), REGISTRY[scalar], REGISTRY[reversed], numbers)


def _symmetric(name: str, numbers: Callable[[Any, Any], Any]) -> Arithmetic:
    return _row(name, f"broadcast_{name}", f"_{name}_scalar", f"_{name}_scalar", numbers)


def _mirrored(name: str, mirror: str, numbers: Callable[[Any, Any], Any]) -> Arithmetic:
    """Return the row for a comparison: number < array is computed as array > number."""
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


def doc_of(row: Arithmetic, kind: str, call: str) -> str:
    """Return the docstring for `nd.add` and `sym.add`: that of the operator on two arrays, extended to numbers.

    call: the example, with placeholders {name}, {lhs} and {number}.
    """
    says, shapes, _ = type(row.array).__doc__.split("\n\n")
    lhs, number, out = row.array.numbers
    return (f"{says}\n\n{shapes}\nEach of them is {kind} or a number."
            + example(call.format(name=row.name, lhs=lhs, number=number), out))
