"""Attributes that NDArray has but Symbol lacks, and NumPy functions called on symbols, with their replacements."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn, cast

import numpy as np

from ..base import CallError, NotImplementedForSymbol
from ..diagnostics.foreign_names import ARRAYS
from ..diagnostics.suggestions import remedy
from ..ops import REGISTRY

__all__ = ["ArrayOnlyAttributes", "other_operand"]

_SHAPE = ("shapes are not known while a graph is written. Let operators find them: F.reshape with the codes 0 and -1, "
          "F.slice_like, F.broadcast_like, F.shape_array")
_VALUE = ("it stands for a computation that has not run, so there are no values to look at. Compute with the functions "
          "of F, or leave the block imperative")
_DEVICE = "a graph runs on the device of the arrays that it is given"
_GRADIENT = "gradients belong to arrays: record a call of the block, or bind the symbol and call backward"

_INSTEAD = {
    **dict.fromkeys(["shape", "ndim", "size"], _SHAPE),
    **dict.fromkeys(["asnumpy", "asscalar", "item", "wait_to_read"], _VALUE),
    **dict.fromkeys(["context", "ctx", "as_in_context", "copyto"], _DEVICE),
    **dict.fromkeys(["grad", "attach_grad", "backward"], _GRADIENT),
    "dtype": "element types are not known while a graph is written; infer_type tells them",
    "T": "use F.transpose(x)",
    "detach": "use F.BlockGrad(x)",
}


# The ufuncs that NumPy's arrays and numbers call for `number ∘ symbol`, each with the symbol's corresponding method.
_REFLECTED = {
    np.add: "__radd__", np.subtract: "__rsub__", np.multiply: "__rmul__", np.true_divide: "__rtruediv__",
    np.remainder: "__rmod__", np.power: "__rpow__", np.equal: "__eq__", np.not_equal: "__ne__", np.greater: "__lt__",
    np.greater_equal: "__le__", np.less: "__gt__", np.less_equal: "__ge__",
}


def _call_ufunc(symbol: Any, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
    """Implements `Symbol.__array_ufunc__`: number ∘ symbol, or CallError."""
    if method == "__call__" and ufunc in _REFLECTED and inputs[1] is symbol and not kwargs:
        return getattr(symbol, _REFLECTED[ufunc])(inputs[0])
    instead = f"Write F.{ufunc.__name__}" if ufunc.__name__ in REGISTRY else "Compute with the functions of F"
    raise CallError(f"np.{ufunc.__name__} takes numbers, and a Symbol stands for a computation that has not run. "
                    f"{instead}, which is nd or sym.")


class ArrayOnlyAttributes:
    """Mixin with the methods of Symbol that always raise an error with the reason."""

    def __getattr__(self, name: str) -> Any:
        raise _absent(name)

    __array_ufunc__: Any = _call_ufunc

    def __setitem__(self, key: Any, value: Any) -> NoReturn:
        raise NotImplementedForSymbol("a Symbol cannot be written to, since the nodes of a graph never change. Make a "
                                      "new value, as F.where and F.concat do.")

    def __iadd__(self, other: Any) -> NoReturn:
        raise NotImplementedForSymbol("a Symbol cannot be changed in place (+=, -=, *=, /=, %=), since the nodes of a "
                                      "graph never change. Write x = x + y instead of x += y.")

    __isub__: Callable[[Any, Any], NoReturn] = __iadd__
    __imul__: Callable[[Any, Any], NoReturn] = __iadd__
    __itruediv__: Callable[[Any, Any], NoReturn] = __iadd__
    __imod__: Callable[[Any, Any], NoReturn] = __iadd__

    def __bool__(self) -> NoReturn:
        raise NotImplementedForSymbol("a Symbol has no truth value, since it stands for a computation that has not "
                                      "run: `if` on data cannot be traced. Use F.where, or leave the block "
                                      "imperative.")


def _absent(name: str) -> AttributeError:
    """Returns the error for an attribute that a Symbol lacks. It is also an AttributeError, so that `hasattr` returns
    False.
    """
    if name not in _INSTEAD:
        return AttributeError(f"'Symbol' object has no attribute {name!r}{remedy(ARRAYS, name)}")
    return NotImplementedForSymbol(f"a Symbol has no {name}: {_INSTEAD[name]}.")


def other_operand(name: str, other: Any) -> Any:
    """Return NotImplemented, so that Python tries the other operand. For an array, `==` would silently return False."""
    if isinstance(other, np.ndarray):
        shape: Any = cast(Any, other).shape
        raise CallError(f"{name}: a Symbol and a numpy.ndarray, here of shape {shape}, do not mix. In a "
                        "block make the array a parameter that is not learned: self.params.get_constant(name, array).")
    return NotImplemented
