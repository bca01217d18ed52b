"""The check that the arguments of a constructor or function are of the annotated kind: numbers, truth values, texts."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from ..base import ArgumentError

__all__ = ["check_class", "check_function"]

_EXPECTED = {"int": "a number", "float": "a number", "bool": "True or False", "str": "a string"}


def check_class(cls: type[Any], text_is_number: bool = False) -> None:
    """Make the `__init__` of a class raise ArgumentError for arguments of another kind, before anything reads them.

    cls: the class; nothing happens if it has no `__init__` of its own. text_is_number: whether '2' may stand for 2.
    """
    init = cls.__dict__.get("__init__")
    if init is not None:
        checked = _checked(init, lambda args: type(args[0]).__name__, text_is_number)
        setattr(cls, "__init__", checked)       # noqa: B010 - type checkers know that a class has another one


def check_function(function: Callable[..., Any]) -> Callable[..., Any]:
    """Decorate a function so that it raises ArgumentError for arguments of another kind than the annotated one.

    >>> from minigluon.diagnostics.argument_kinds import check_function
    >>> @check_function
    ... def every(period: "int"):
    ...     return period
    >>> every(2)
    2
    """
    return _checked(function, lambda args: function.__name__, False)


def _checked(function, name_of, text_is_number):
    parameters = inspect.signature(function).parameters
    kinds = {name: str(p.annotation) for name, p in parameters.items()}

    @functools.wraps(function)
    def checked(*args: Any, **kwargs: Any) -> Any:
        for name, value in (*zip(parameters, args, strict=False), *kwargs.items()):
            kind, _, optional = kinds.get(name, "").partition(" | ")
            if kind in _EXPECTED and not (optional and value is None) and _is_other(kind, value, text_is_number):
                raise ArgumentError(f"{name_of(args)}: {name} is {value!r}, expected {_EXPECTED[kind]}")
        return function(*args, **kwargs)
    return checked


def _is_other(kind, value, text_is_number):
    """Whether a value cannot be of this kind. Any object but an array has a truth value, and may name itself."""
    if hasattr(value, "shape") and np.ndim(value):
        return True
    if kind in ("bool", "str"):
        return False
    if isinstance(value, str) and text_is_number:
        try:
            float(value)
        except ValueError:
            return True
        return False
    return value is None or isinstance(value, (str, bytes, tuple, list, dict, set))
