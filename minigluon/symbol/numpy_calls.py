"""NumPy's functions on symbols: those behind Python's operators work, all others raise an error with F's name."""

from typing import Any

import numpy as np

from ..base import CallError
from ..ops import REGISTRY

__all__ = ["call_ufunc"]

# The ufuncs that NumPy's arrays and numbers call for `number ∘ symbol`, and the symbol's method for each.
_REFLECTED = {
    np.add: "__radd__", np.subtract: "__rsub__", np.multiply: "__rmul__", np.true_divide: "__rtruediv__",
    np.remainder: "__rmod__", np.power: "__rpow__", np.equal: "__eq__", np.not_equal: "__ne__", np.greater: "__lt__",
    np.greater_equal: "__le__", np.less: "__gt__", np.less_equal: "__ge__",
}


def call_ufunc(symbol: Any, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
    """Implements `Symbol.__array_ufunc__`: number ∘ symbol, or CallError."""
    if method == "__call__" and ufunc in _REFLECTED and inputs[1] is symbol and not kwargs:
        return getattr(symbol, _REFLECTED[ufunc])(inputs[0])
    instead = f"Write F.{ufunc.__name__}" if ufunc.__name__ in REGISTRY else "Compute with the functions of F"
    raise CallError(f"np.{ufunc.__name__} takes numbers, and a Symbol stands for a computation that has not run. "
                    f"{instead}, which is nd or sym.")
