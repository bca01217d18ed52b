"""NumPy's own functions on arrays of `mx.np`: `numpy.sum(x)` is `np.sum(x)` (NEP 13 and NEP 18)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as onp

from . import creation
from .array import ndarray
from .namespace import lookup

__all__ = ["add_protocol"]


def add_protocol() -> None:
    """Add the methods of the protocols to arrays of `mx.np`."""
    ndarray.__array_ufunc__ = call_ufunc
    ndarray.__array_function__ = call_function


def call_ufunc(self: Any, ufunc: Any, method: str, *inputs: Any, **keywords: Any) -> Any:
    """Implement `ufunc(*inputs)`; a method of the ufunc, such as `reduce`, returns NotImplemented."""
    if method != "__call__":
        return NotImplemented
    out = keywords.pop("out", (None,))[0]
    given = [x.item() if isinstance(x, onp.ndarray) and not x.ndim else x for x in inputs]
    return lookup(_NAMES.get(ufunc.__name__, ufunc.__name__))(*given, out=out, **keywords)


def call_function(self: Any, function: Callable[..., Any], types: Any, args: Any, keywords: Any) -> Any:
    """Implement `function(*args)` with the function of `mx.np` of the same name.

    Returns NotImplemented, which raises TypeError, for a function that `mx.np` does not have.
    """
    module = function.__module__.partition("numpy")[2].strip(".").replace("_core", "").strip(".")
    name = f"linalg.{function.__name__}" if module.startswith("linalg") else function.__name__
    if name in _CREATION:
        return getattr(_CREATION[name], name)(*args, **keywords)
    try:
        mine = lookup(name)
    except KeyError:
        return NotImplemented
    return mine(*args, **keywords)


_NAMES = {"true_divide": "divide", "absolute": "abs"}
_CREATION: dict[str, Any] = dict.fromkeys(["zeros_like", "ones_like", "empty_like", "full_like", "meshgrid"], creation)
