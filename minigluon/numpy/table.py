"""The table of the functions of `mx.np`, each of which is written once, with F, and works on arrays and in graphs.

    @function("swapaxes")
    def swapaxes(F, a, axis1, axis2):
        return F.swapaxes(a, dim1=axis1, dim2=axis2)

F is `nd` or `sym`, whose functions the row calls; its arrays are NDArrays, or symbols that know their shape and type
(`a.shape`, `a.dtype`). Therefore a row has NumPy's signature and MXNet's operators, and needs neither a kernel nor a
gradient. `array_functions.py` turns it into `np.swapaxes`, which passes NDArrays and returns an array of `mx.np`.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

__all__ = ["ALIASES", "FUNCTIONS", "Function", "function", "row_of"]


@dataclass(frozen=True)
class Function:
    """One row: a function with its public name, which is also that of the NumPy function that computes it for numbers.

    operator: the only operator that the row calls on arrays of a floating-point type, for a shorter call; or None.
    any_lengths: whether the operators that the row calls on an array depend only on its number of axes.
    random: whether it draws random numbers and is therefore a function of graphs.
    in_example: the name that the example in the docstring uses, which is the function's first name.
    """

    name: str
    call: Callable[..., Any]
    signature: inspect.Signature            # without F
    operator: str | None = None
    any_lengths: bool = False
    random: bool = False
    in_example: str = ""


FUNCTIONS: dict[str, Function] = {}
# Names in the array API standard and NumPy 2, for functions that have other names in NumPy 1 and MXNet.
ALIASES = {"acos": "arccos", "acosh": "arccosh", "asin": "arcsin", "asinh": "arcsinh", "atan": "arctan",
           "atan2": "arctan2", "atanh": "arctanh", "bitwise_invert": "invert", "bitwise_left_shift": "left_shift",
           "bitwise_right_shift": "right_shift", "concat": "concatenate", "permute_dims": "transpose", "pow": "power",
           "trapezoid": "trapz",
           **{f"linalg.{name}": name for name in ("cross", "matmul", "matrix_transpose", "outer", "tensordot",
                                                  "vecdot")}}


def function(*names: str, operator: str | None = None,
             any_lengths: bool = False, random: bool = False) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Return a decorator that adds a row to the table, under each of the names.

    operator, any_lengths, random: see `Function`.
    """
    def enter(call: Callable[..., Any]) -> Callable[..., Any]:
        for name in names:
            FUNCTIONS[name] = row_of(name, call, operator, any_lengths, random, names[0])
        return call
    return enter


def row_of(name: str, call: Callable[..., Any], operator: str | None, any_lengths: bool,
           random: bool = False, in_example: str = "") -> Function:
    """Return a row.

    name, call, operator, any_lengths, random, in_example: see `Function`.
    """
    signature = inspect.signature(call)
    without_f = signature.replace(parameters=list(signature.parameters.values())[1:])
    return Function(name, call, without_f, operator, any_lengths, random, in_example or name)
