"""The table of the functions of `mx.np`: each is written once, with F, and works on arrays and in graphs.

    @function("swapaxes")
    def swapaxes(F, a, axis1, axis2):
        return F.swapaxes(a, dim1=axis1, dim2=axis2)

F is `nd` or `sym`, whose functions the row calls; its arrays are NDArrays, or symbols that know their shape and type
(`a.shape`, `a.dtype`). So a row has NumPy's signature and MXNet's operators, and needs neither a kernel nor a gradient.
`front.py` makes `np.swapaxes` of it, which passes NDArrays on the same memory and returns an array of `mx.np`.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

__all__ = ["FUNCTIONS", "Function", "function"]


@dataclass(frozen=True)
class Function:
    """One row: the function with its public name, and the same name of NumPy, which computes it for plain numbers.

    operator: the only operator that the row calls on arrays of a floating type, for a shorter call; or None.
    """

    name: str
    call: Callable[..., Any]
    signature: inspect.Signature            # without F
    operator: str | None = None


FUNCTIONS: dict[str, Function] = {}


def function(*names: str, operator: str | None = None) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Return a decorator that adds a row to the table, under each of the names.

    operator: see `Function`.
    """
    def enter(call: Callable[..., Any]) -> Callable[..., Any]:
        signature = inspect.signature(call)
        without_f = signature.replace(parameters=list(signature.parameters.values())[1:])
        for name in names:
            FUNCTIONS[name] = Function(name, call, without_f, operator)
        return call
    return enter
