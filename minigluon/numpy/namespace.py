"""The functions of `mx.np` by name, each created when it is first accessed: rows of the table, and NumPy functions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from . import array_functions, fallback, functions
from .table import ALIASES, FUNCTIONS

__all__ = ["lookup", "names"]

_made: dict[str, Callable[..., Any]] = {}
_modules = functions.__all__            # importing them fills the table


def lookup(name: str) -> Callable[..., Any]:
    """Return the function `np.<name>`, such as 'sum' or 'linalg.norm'. Raises KeyError for an unknown name.

    >>> from minigluon.numpy.namespace import lookup
    >>> lookup("sum").__name__
    'sum'
    """
    function = _made.get(name)
    if function is None and name in ALIASES:
        return lookup(ALIASES[name])
    if function is None:
        row = FUNCTIONS.get(name)
        function = fallback.build_function(name) if row is None else array_functions.build_function(row)
        _made[name] = function
    return function


def names(prefix: str = "") -> list[str]:
    """Return the names of all functions, or of those with a prefix such as 'linalg.', without the prefix."""
    every = [name[len(prefix):] for name in {*FUNCTIONS, *ALIASES, *fallback.NAMES} if name.startswith(prefix)]
    return sorted(name for name in every if "." not in name and not name.startswith("_"))
