"""Arithmetic on two arrays, or an array and a number: each row of the table is registered in all three forms."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from ......ops.numeric import cast
from ...table import translates

if TYPE_CHECKING:
    from ...values import Builder, Value

__all__ = []


def modulo(g: Builder, x: Value, y: Any) -> Any:
    """Returns the remainder with the sign of the divisor, and 0 where the divisor is 0."""
    if x.dtype.kind == "i" and y.array is not None and y.array.all():
        return g.Mod(x, y)
    zero, one = g.like(0, y), g.like(1, y)
    by = g.where(g.Equal(y, zero), one, y)
    remainder = g.Mod(x, by) if x.dtype.kind == "i" else x - g.Floor(x / by) * by
    return g.where(g.Equal(y, zero), g.like(0, remainder), remainder)


def divide(g: Builder, x: Value, y: Any) -> Any:
    """Divides; for integers the result is 0 where the divisor is 0."""
    if x.dtype.kind == "f":
        return x / y
    zero = g.Equal(y, g.like(0, y))
    return g.where(zero, g.like(0, x), x / g.where(zero, g.like(1, y), y))


def in_floats(formula: Any) -> Callable[..., Any]:
    """Returns the value of a formula, computed in float64 for integers."""
    def computed(g, x, y):
        if x.dtype.kind == "f":
            return formula(g, x, y)
        return g.cast(formula(g, g.cast(x, np.float64), g.cast(y, np.float64)), x.dtype)
    return computed


def compare(formula: Any) -> Callable[..., Any]:
    """Returns the result of the comparison as 0 or 1, in the dtype of the inputs."""
    return lambda g, x, y: g.cast(formula(g, x, y), x.dtype)


_TABLE = {
    "add": lambda g, x, y: x + y,
    "sub": lambda g, x, y: x - y,
    "mul": lambda g, x, y: x * y,
    "div": divide,
    "mod": modulo,
    "power": in_floats(lambda g, x, y: g.Pow(x, y)),
    "maximum": lambda g, x, y: g.Max(x, y),
    "minimum": lambda g, x, y: g.Min(x, y),
    "hypot": in_floats(lambda g, x, y: g.Sqrt(x * x + y * y)),
    "equal": compare(lambda g, x, y: g.Equal(x, y)),
    "not_equal": compare(lambda g, x, y: g.Not(g.Equal(x, y))),
    "greater": compare(lambda g, x, y: x > y),
    "greater_equal": compare(lambda g, x, y: x >= y),
    "lesser": compare(lambda g, x, y: x < y),
    "lesser_equal": compare(lambda g, x, y: x <= y),
    "logical_and": compare(lambda g, x, y: g.And(g.is_true(x), g.is_true(y))),
    "logical_or": compare(lambda g, x, y: g.Or(g.is_true(x), g.is_true(y))),
    "logical_xor": compare(lambda g, x, y: g.Xor(g.is_true(x), g.is_true(y))),
}
_ELEMWISE = {"add": "elemwise_add", "sub": "elemwise_sub", "mul": "elemwise_mul", "div": "elemwise_div"}
_SCALAR = {"add": "_plus_scalar", "sub": "_minus_scalar", "mul": "_mul_scalar", "div": "_div_scalar"}
_REVERSED = {"sub": "_rminus_scalar", "div": "_rdiv_scalar", "mod": "_rmod_scalar", "power": "_rpower_scalar"}


def _binary(name, formula):
    @translates(f"broadcast_{name}", _ELEMWISE.get(name, f"_{name}"))
    def binary(g, op, x, y):
        return formula(g, x, y)

    @translates(_SCALAR.get(name, f"_{name}_scalar"))
    def scalar(g, op, x):
        return formula(g, *_with_number(g, op, x))

    if name in _REVERSED:
        @translates(_REVERSED[name])
        def reversed_scalar(g, op, x):
            return formula(g, *_with_number(g, op, x)[::-1])


def _with_number(g, op, x):
    """Returns the array and the number, both in the array's dtype, as in `minigluon.ops.math.scalar`."""
    if x.dtype.kind == "b":
        x = g.cast(x, np.int64)
    return x, g.constant(cast(np.array(op.scalar), x.dtype))


for _name, _formula in _TABLE.items():
    _binary(_name, _formula)


@translates("_grad_add")
def grad_add(g, op, x, y):
    return x + y


@translates("add_n")
def add_n(g, op, *inputs):
    return g.Sum(*inputs, shape=inputs[0].shape) if len(inputs) > 1 else inputs[0]


