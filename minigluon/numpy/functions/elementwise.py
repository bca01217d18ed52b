"""Functions of one array, element by element."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as onp

from ...base import DTypeError
from ..function_texts import TEXTS
from ..table import function
from .common import as_type, dtype_of, is_number

# NumPy's name -> operator of `nd`. Integers yield integers, as in MXNet: np.sqrt of int32 is int32.
_OPERATORS = {name: name for name in [
    "abs", "arccos", "arccosh", "arcsin", "arcsinh", "arctan", "arctanh", "cbrt", "ceil", "cos", "cosh", "degrees",
    "exp", "expm1", "fix", "floor", "log", "log10", "log1p", "log2", "negative", "radians", "reciprocal", "sign", "sin",
    "sinh", "sqrt", "square", "tan", "tanh", "trunc"]}
_OPERATORS.update(absolute="abs", fabs="abs", deg2rad="radians", rad2deg="degrees")


def _row(name: str, operator: str) -> Callable[..., Any]:
    def call(F, x, out=None):
        if dtype_of(x).kind == "b":
            x = as_type(F, x, "int64" if operator in ("negative", "abs", "sign") else "float32")
        return getattr(F, operator)(x)

    call.__name__ = call.__qualname__ = name
    sentence, example = TEXTS[name]
    call.__doc__ = f"{sentence}\n\nx (any shape and type) | out like x\n\n{example}"
    return function(name, operator=operator)(call)


for _name, _operator in _OPERATORS.items():
    _row(_name, _operator)


@function("rint")
def rint(F, x, out=None):
    """Return each element rounded to an integer; halves are rounded to the even integer.

    x (any shape, floats) | out like x

    >>> np.rint(np.array([0.5, 1.5, 2.4]))
    array([0., 2., 2.])
    """
    down = F.floor(x)
    above = F.subtract(x, down)         # exact, whereas x + 0.5 may be rounded up
    is_odd = F.not_equal(F.modulo(down, 2), 0)
    is_up = F.broadcast_logical_or(F.greater(above, 0.5), F.broadcast_logical_and(F.equal(above, 0.5), is_odd))
    return F.where(is_up, F.ceil(x), down)


@function("around", "round", "round_")
def around(F, x, decimals=0, out=None):
    """Return each element rounded to `decimals` digits after the decimal point; halves are rounded to the even digit.

    x (any shape and type) | out like x

    >>> np.around(np.array([1.25, 12.34]), 1)
    array([ 1.2, 12.3])
    >>> np.around(np.array([1.5, 2.5]))
    array([2., 2.])
    """
    if dtype_of(x).kind != "f":
        return x if decimals >= 0 else as_type(F, around(F, as_type(F, x, "float64"), decimals), x.dtype)
    if not decimals:
        return rint(F, x)
    factor = 10.0 ** abs(decimals)
    if decimals > 0:
        return F.divide(rint(F, F.multiply(x, factor)), factor)
    return F.multiply(rint(F, F.divide(x, factor)), factor)


@function("nan_to_num")
def nan_to_num(F, x, copy=True, nan=0.0, posinf=None, neginf=None):
    """Return x with NaN and the infinities replaced.

    x (any shape, floats) | out like x

    copy: must be True.

    >>> np.nan_to_num(np.array([np.nan, np.inf, 1]), posinf=9)
    array([0., 9., 1.])
    """
    if not copy:
        raise DTypeError("np.nan_to_num: copy must be True; write x[:] = np.nan_to_num(x)")
    if dtype_of(x).kind != "f":
        return x
    limits = onp.finfo(x.dtype)
    x = F.where(F.equal(x, x), x, F.multiply(F.ones_like(x), nan))
    x = F.where(F.equal(x, onp.inf), F.multiply(F.ones_like(x), float(limits.max) if posinf is None else posinf), x)
    return F.where(F.equal(x, -onp.inf), F.multiply(F.ones_like(x), float(limits.min) if neginf is None else neginf), x)


@function("clip")
def clip(F, a, a_min, a_max, out=None):
    """Return each element, limited to the bounds. A bound is a number, an array or None.

    a (any shape and type) | out like a

    >>> np.clip(np.array([1, 5, 9]), 2, 6)
    array([2., 5., 6.])
    """
    if is_number(a_min) and is_number(a_max) and dtype_of(a).kind == "f":
        return F.clip(a, a_min=a_min, a_max=a_max)
    if a_min is not None:
        a = F.maximum(a, a_min) if is_number(a_min) else F.broadcast_maximum(a, as_type(F, a_min, a.dtype))
    if a_max is not None:
        a = F.minimum(a, a_max) if is_number(a_max) else F.broadcast_minimum(a, as_type(F, a_max, a.dtype))
    return a
